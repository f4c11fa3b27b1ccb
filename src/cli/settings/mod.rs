//! What a search is really run with: flag, environment, `settings.toml`, default, in that order.

mod api;
mod file;

use std::path::PathBuf;
use std::time::Duration;

use self::file::{File, read_file};
pub(crate) use self::file::{ServeFile, check_file, serve_file};
use super::args::{
    ApiArgs, AskArgs, ChatArgs, ColorArg, FormatArg, OutputArgs, ProviderArg, RecencyArg, ResearchGetArgs,
    SearchArgs,
};
use super::query;
use crate::cli::hand_on::HandOn;
use crate::domain::answer::Payer;
use crate::domain::attachment::{Attachment, Meter};
use crate::domain::request::{Recency, SearchRequest};
use crate::outcome::failure::Failure;
use crate::provider::{Provider, Reception, Subscription};
use crate::render::{Format, Paint, Screen, Style};
use crate::state::env::Environment;
use crate::terminal::io::Io;

/// The model that is asked unless another is named.
pub(crate) const MODEL: &str = "pplx_pro_upgraded";
/// The model of deep research.
pub(crate) const RESEARCH_MODEL: &str = "pplx_alpha";
/// In seconds. Agents kill a command after 120 seconds.
const TIMEOUT_OFF_TERMINAL: u64 = 110;
const IDLE_TIMEOUT: u64 = 60;
/// How long a reply that comes in one piece may take where nothing else bounds it.
const WHOLE_REPLY: Duration = Duration::from_secs(600);
/// How wide text is drawn off a terminal, in cells.
const USUAL_WIDTH: usize = 80;
/// What "never" is, as a duration that can be added to now.
const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// A search, ready to run.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) what: What,
    pub(crate) shown: Shown,
}

/// What is searched.
#[derive(Debug)]
pub(crate) enum What {
    /// A question to ask.
    Question(Box<Question>),
    /// A recording to answer from.
    Recording {
        path: PathBuf,
        /// The model that was asked, if that was said.
        model: Option<String>,
    },
    /// A run of deep research to fetch.
    Run(String),
}

/// A question, and what belongs to it.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) request: SearchRequest,
    /// Who is asked.
    pub(crate) provider: Provider,
    /// To upload before the question is asked.
    pub(crate) files: Vec<Attachment>,
    /// Counts what has been uploaded of them.
    pub(crate) meter: Meter,
    /// The answer that it follows up on, still to be looked up.
    pub(crate) follow_up: FollowUp,
    /// The model, where one was named.
    pub(crate) named_model: Option<String>,
}

/// An answer that was given before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FollowUp {
    Nothing,
    /// The last one.
    Last,
    /// The one with this id, or the last one of the thread with it.
    Id(String),
}

/// How it is received and printed.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    pub(crate) reception: Reception,
    pub(crate) format: Format,
    pub(crate) style: Style,
    /// For the whole run.
    pub(crate) timeout: Option<Duration>,
    pub(crate) output: Option<PathBuf>,
    pub(crate) hand_on: HandOn,
    pub(crate) verbose: bool,
    pub(crate) quiet: bool,
}

/// Settles everything about a search, and reads standard input if the query says so.
pub(crate) fn resolve(args: SearchArgs, env: &Environment, io: &mut Io) -> Result<Settings, Failure> {
    let file = read_file(env)?;
    let mut shown = shown(&args.output, args.research, &file, env, io)?;
    shown.reception.record.clone_from(&args.record);
    let asks_api = api::is_asked(&args, &file);
    if asks_api {
        api::refuse_foreign(&args, &shown)?;
        shown.style.payer = Payer::Key;
        // A reply in one piece comes when it is done. Where the whole run has a limit, that bounds it.
        let says_how_long = args.output.print.idle_timeout.or(file.idle_timeout).is_some();
        if !shown.reception.events && !says_how_long {
            shown.reception.idle = if shown.timeout.is_some() { NEVER } else { WHOLE_REPLY };
        }
    } else {
        api::refuse_unless_asked(&args.api)?;
    }
    let (words, had_habit) = query::without_habit(&args.query);
    if had_habit && !shown.quiet {
        io.tell_as("note", "`web` is no command here and was left out; `pplx search \"…\"` searches the web");
    }
    let query = query::read(words, io)?;
    let what = if let Some(path) = args.replay {
        What::Recording { path, model: named_model(args.ask.model, env, file.model) }
    } else if asks_api {
        What::Question(Box::new(api::question(&args.ask, &args.api, &file, env)?.asking(query)?))
    } else {
        let files = args.attach.iter().map(|path| Attachment::read(path));
        let mut question = question(args.ask, args.research, file, env)?.asking(query)?;
        question.files = files.collect::<crate::Result<_>>()?;
        What::Question(Box::new(question))
    };
    Ok(Settings { what, shown })
}

/// Settles what the questions of a conversation have in common, and how the answers are printed.
pub(crate) fn resolve_chat(
    args: ChatArgs,
    env: &Environment,
    io: &mut Io,
) -> Result<(Question, Shown), Failure> {
    let file = read_file(env)?;
    if args.provider.or(file.provider) == Some(ProviderArg::Api) {
        let message = "A chat goes through the subscription, and the API was chosen.";
        return Err(Failure::usage(message, "`pplx chat --provider web`, or ask the API with `pplx search`"));
    }
    let format = if io.moves_cursor { FormatArg::Pretty } else { FormatArg::Report };
    let output = OutputArgs {
        format: Some(format),
        json: false,
        output: None,
        copy: false,
        open: None,
        print: args.print,
    };
    let shown = shown(&output, false, &file, env, io)?;
    Ok((question(args.ask, false, file, env)?, shown))
}

/// Settles how a run of research is fetched.
pub(crate) fn resolve_run(
    args: ResearchGetArgs,
    env: &Environment,
    io: &mut Io,
) -> Result<Settings, Failure> {
    let shown = shown(&args.output, true, &read_file(env)?, env, io)?;
    Ok(Settings { what: What::Run(args.id), shown })
}

/// Whether `settings.toml` chooses the official API.
pub(crate) fn chooses_api(env: &Environment) -> Result<bool, Failure> {
    Ok(read_file(env)?.provider == Some(ProviderArg::Api))
}

/// What a program asks for; everything else is as `settings.toml` has it.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(crate) query: String,
    /// The name of an age.
    pub(crate) recency: Option<String>,
    pub(crate) sources: Vec<String>,
    pub(crate) model: Option<String>,
    pub(crate) research: bool,
}

/// Settles a question that a program asks.
pub(crate) fn resolve_asked(asked: Asked, env: &Environment) -> Result<Question, Failure> {
    let file = read_file(env)?;
    let recency = asked.recency.and_then(|age| clap::ValueEnum::from_str(&age, false).ok());
    let args = AskArgs { recency, sources: asked.sources, model: asked.model, ..AskArgs::default() };
    let question = if file.provider != Some(ProviderArg::Api) {
        question(args, asked.research, file, env)?
    } else if asked.research || !args.sources.is_empty() {
        let message =
            "The official API, which settings.toml chooses, has neither deep research nor other sources.";
        return Err(Failure::usage(message, "ask without them"));
    } else {
        api::question(&args, &ApiArgs::default(), &file, env)?
    };
    question.asking(asked.query)
}

/// How the reply to a program is received.
pub(crate) fn reception() -> Reception {
    Reception { idle: Duration::from_secs(IDLE_TIMEOUT), record: None, events: true }
}

/// A question without its text.
fn question(args: AskArgs, research: bool, file: File, env: &Environment) -> Result<Question, Failure> {
    let named_model = named_model(args.model, env, file.model);
    let usual = if research { RESEARCH_MODEL } else { MODEL };
    let sources = if args.sources.is_empty() { file.source.unwrap_or_default() } else { args.sources };
    let request = SearchRequest {
        system: args.system.or(file.system),
        recency: args.recency.or(file.recency).map(recency),
        model: named_model.clone().unwrap_or_else(|| usual.to_owned()),
        sources: if sources.is_empty() { vec!["web".to_owned()] } else { sources },
        language: args.language.or(file.language),
        timezone: args.timezone.or(file.timezone).unwrap_or_else(|| machine_timezone(env)),
        save: args.save || file.save == Some(true),
        research,
        ..SearchRequest::default()
    };
    let provider = Provider::Subscription(Subscription::of(env)?);
    let follow_up = match args.thread {
        Some(id) => FollowUp::Id(id),
        None if args.continue_last => FollowUp::Last,
        None => FollowUp::Nothing,
    };
    Ok(Question { request, provider, files: Vec::new(), meter: Meter::default(), named_model, follow_up })
}

impl What {
    /// Whether the official API is asked.
    pub(crate) fn is_of_api(&self) -> bool {
        matches!(self, Self::Question(question) if matches!(question.provider, Provider::Api(_)))
    }
}

impl Question {
    /// The same with this text.
    pub(crate) fn asking(mut self, query: String) -> Result<Self, Failure> {
        self.request.query = query;
        query::check_length(&self.request)?;
        Ok(self)
    }
}

impl Shown {
    /// The same on the terminal as it is now.
    pub(crate) fn now(&self) -> Self {
        let width = Screen::of_terminal().width;
        let screen = self.style.screen.map(|_| Screen::of_terminal());
        let style = Style { screen, width, now: chrono::Utc::now().timestamp(), ..self.style.clone() };
        Self { style, ..self.clone() }
    }
}

fn named_model(typed: Option<String>, env: &Environment, file: Option<String>) -> Option<String> {
    let named = typed.or_else(|| env.text("PPLX_MODEL")).or(file).map(|model| model.trim().to_owned());
    named.filter(|model| !model.is_empty())
}

/// Research takes its time: it has no limit of its own.
fn shown(
    args: &OutputArgs,
    research: bool,
    file: &File,
    env: &Environment,
    io: &mut Io,
) -> Result<Shown, Failure> {
    let to_terminal = io.stdout_is_terminal && args.output.is_none();
    let wanted = &args.print;
    let paint = paint(wanted.color.or(file.color), to_terminal, env, io);
    let usual = if to_terminal && io.moves_cursor { Format::Pretty } else { Format::Report };
    let format = format(args, env, file)?.unwrap_or(usual);
    let usual = (!to_terminal && !research).then_some(TIMEOUT_OFF_TERMINAL);
    let timeout = wanted.timeout.or(file.timeout.filter(|_| !research)).or(usual);
    let idle = wanted.idle_timeout.or(file.idle_timeout).unwrap_or(IDLE_TIMEOUT);
    let streams = to_terminal && io.moves_cursor && !wanted.no_stream && file.no_stream != Some(true);
    Ok(Shown {
        reception: Reception {
            idle: limit(idle).unwrap_or(NEVER),
            record: None,
            events: wanted.verbose
                || research
                || format == Format::Ndjson
                || (to_terminal && format != Format::Json),
        },
        format,
        style: Style {
            limit: wanted.limit.or(file.limit),
            wrap: !wanted.no_wrap && file.no_wrap != Some(true),
            screen: streams.then(Screen::of_terminal),
            width: if to_terminal { Screen::of_terminal().width } else { USUAL_WIDTH },
            paint,
            now: chrono::Utc::now().timestamp(),
            payer: Payer::Subscription,
        },
        timeout: timeout.and_then(limit),
        output: args.output.clone(),
        hand_on: HandOn { copy: args.copy, open: args.open },
        verbose: wanted.verbose,
        quiet: wanted.quiet,
    })
}

/// A limit in seconds; 0 means none.
fn limit(seconds: u64) -> Option<Duration> {
    (seconds > 0).then(|| Duration::from_secs(seconds).min(NEVER))
}

fn format(args: &OutputArgs, env: &Environment, file: &File) -> Result<Option<Format>, Failure> {
    let typed = if args.json { Some(FormatArg::Json) } else { args.format };
    let chosen = match typed {
        Some(format) => Some(format),
        None => env.text("PPLX_FORMAT").map(|name| named_format(&name)).transpose()?.or(file.format),
    };
    Ok(chosen.map(|chosen| match chosen {
        FormatArg::Report => Format::Report,
        FormatArg::Pretty => Format::Pretty,
        FormatArg::Answer => Format::Answer,
        FormatArg::Json => Format::Json,
        FormatArg::Ndjson => Format::Ndjson,
    }))
}

fn named_format(name: &str) -> Result<FormatArg, Failure> {
    clap::ValueEnum::from_str(name.trim(), true).map_err(|_| {
        Failure::usage(
            format!("PPLX_FORMAT is {name:?}, which is no format."),
            "use report, pretty, answer, json or ndjson",
        )
    })
}

/// What may be written in colour: by `--color`, else by the environment and by whether it is seen on a terminal.
fn paint(color: Option<ColorArg>, to_terminal: bool, env: &Environment, io: &mut Io) -> Paint {
    let on_terminal = to_terminal && io.moves_cursor;
    let forced = match color {
        Some(ColorArg::Always) => Some(true),
        Some(ColorArg::Never) => Some(false),
        Some(ColorArg::Auto) | None => None,
    };
    io.emphasis = forced.unwrap_or(io.emphasis);
    let usual = env.switch("CLICOLOR_FORCE") || (on_terminal && env.get("NO_COLOR").is_none());
    let color = forced.unwrap_or(usual);
    let links = color && on_terminal && supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout);
    Paint { color, links }
}

pub(crate) fn recency(typed: RecencyArg) -> Recency {
    match typed {
        RecencyArg::Hour => Recency::Hour,
        RecencyArg::Day => Recency::Day,
        RecencyArg::Week => Recency::Week,
        RecencyArg::Month => Recency::Month,
        RecencyArg::Year => Recency::Year,
    }
}

/// `TZ` where it names a zone, as a browser would read it, else the system's.
fn machine_timezone(env: &Environment) -> String {
    let named = env.text("TZ").map(|zone| zone.trim_start_matches(':').to_owned());
    let is_path = |zone: &str| zone.contains('/') && !zone.starts_with('/');
    // A rule of POSIX may hold a slash too, but always with commas.
    let named = named.filter(|zone| zone == "UTC" || (is_path(zone) && !zone.contains(',')));
    named.or_else(|| iana_time_zone::get_timezone().ok()).unwrap_or_else(|| "UTC".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tz_names_a_zone_or_the_system_does() {
        let zone = |value| machine_timezone(&Environment::of(&[("TZ", value)]));
        assert_eq!(zone("Asia/Tokyo"), "Asia/Tokyo");
        assert_eq!(zone(":Europe/Paris"), "Europe/Paris");
        assert_eq!(zone("UTC"), "UTC");
        for rule in ["CET-1CEST", "CET-1CEST,M3.5.0,M10.5.0/3", "/etc/localtime", ""] {
            assert_ne!(zone(rule), rule, "a rule and a file are no names");
        }
    }

    #[test]
    fn zero_is_no_limit_and_nothing_overflows() {
        assert_eq!(limit(0), None);
        assert_eq!(limit(u64::MAX), Some(NEVER));
    }
}
