//! What a search is run with: the options, the environment, `settings.toml` and the terminal, looked at once.

mod foreign;

use std::path::PathBuf;
use std::time::Duration;

use super::args::{ApiArgs, AskArgs, ChatArgs, OutputArgs, ResearchGetArgs, SearchArgs};
use super::hand_on::HandOn;
use super::query;
use crate::config::api::{self, ApiOptions};
use crate::config::file::{ColorChoice, SettingsFile};
use crate::config::question::{self, FollowUp, Question, QuestionOptions, named_model};
use crate::config::reception::{IDLE_TIMEOUT, NEVER, limit};
use crate::domain::answer::Payer;
use crate::domain::attachment::Attachment;
use crate::domain::choice::Choice;
use crate::outcome::failure::Failure;
use crate::provider::{ProviderName, Reception};
use crate::render::{Format, Paint, Screen, Style};
use crate::state::env::Environment;
use crate::terminal::io::Io;

/// For the whole run, in seconds. Agents kill a command after 120 seconds.
const TIMEOUT_OFF_TERMINAL: u64 = 110;
/// How long a reply that comes in one piece may take where nothing else bounds it.
const SINGLE_REPLY_LIMIT: Duration = Duration::from_secs(600);
/// How wide text is drawn off a terminal, in cells.
const DEFAULT_WIDTH: usize = 80;

/// A search, ready to run.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) answer_from: AnswerFrom,
    pub(super) output: OutputSettings,
}

/// Where the answer comes from.
#[derive(Debug)]
pub(super) enum AnswerFrom {
    /// A question to ask.
    Question(Box<Question>),
    /// A recording.
    Recording {
        path: PathBuf,
        /// The model that was asked, if that was said.
        model: Option<String>,
    },
    /// A run of deep research, to be fetched.
    Run(String),
}

impl AnswerFrom {
    /// Whether the official API is asked.
    pub(super) fn is_api(&self) -> bool {
        matches!(self, Self::Question(question) if question.is_for_api())
    }
}

/// How the answer is received and printed.
#[derive(Debug, Clone)]
pub(super) struct OutputSettings {
    pub(super) reception: Reception,
    pub(super) format: Format,
    pub(super) style: Style,
    /// For the whole run.
    pub(super) timeout: Option<Duration>,
    pub(super) file: Option<PathBuf>,
    pub(super) hand_on: HandOn,
    pub(super) verbose: bool,
    pub(super) quiet: bool,
}

impl OutputSettings {
    /// The same on the terminal as it is now.
    pub(super) fn now(&self) -> Self {
        let width = Screen::current().width;
        let screen = self.style.screen.map(|_| Screen::current());
        let style = Style { screen, width, now: chrono::Utc::now().timestamp(), ..self.style.clone() };
        Self { style, ..self.clone() }
    }
}

/// Settles everything about a search, and reads standard input if the query says so.
pub(super) fn for_search(args: SearchArgs, env: &Environment, io: &mut Io) -> Result<Settings, Failure> {
    let file = SettingsFile::read(env)?;
    let mut output = output(&args.output, args.research, &file, env, io)?;
    output.reception.record.clone_from(&args.record);
    let asks_api = asks_api(&args, &file);
    if asks_api {
        foreign::refuse_for_api(&args, &output)?;
        output.style.payer = Payer::Key;
        let sets_idle_timeout = args.output.print.idle_timeout.or(file.idle_timeout).is_some();
        if !output.reception.events && !sets_idle_timeout {
            // A reply in one piece comes when it is done. Where the whole run has a limit, that bounds it.
            output.reception.idle = if output.timeout.is_some() { NEVER } else { SINGLE_REPLY_LIMIT };
        }
    } else {
        foreign::refuse_for_subscription(&args.api)?;
    }
    let (words, dropped_web) = query::without_web(&args.query);
    if dropped_web && !output.quiet {
        io.report_as(
            "note",
            "`web` is no command here and was left out; `pplx search \"…\"` searches the web",
        );
    }
    let query = query::read(words, io)?;
    let answer_from = if let Some(path) = args.replay {
        AnswerFrom::Recording { path, model: named_model(args.ask.model, &file, env) }
    } else if asks_api {
        let options = question_options(args.ask, false);
        let question = api::for_api(options, &api_options(args.api), &file, env)?;
        AnswerFrom::Question(Box::new(question.with_query(query)?))
    } else {
        let files = args.attach.iter().map(|path| Attachment::read(path));
        let options = question_options(args.ask, args.research);
        let mut question = question::for_subscription(options, &file, env)?.with_query(query)?;
        question.files = files.collect::<crate::Result<_>>()?;
        AnswerFrom::Question(Box::new(question))
    };
    Ok(Settings { answer_from, output })
}

/// Whether the API is to be asked: only when that is said. A recording is one of the subscription, whatever the file
/// says.
fn asks_api(args: &SearchArgs, file: &SettingsFile) -> bool {
    let configured = file.provider.filter(|_| args.replay.is_none());
    args.api.provider.or(configured) == Some(ProviderName::Api)
}

/// Settles what the questions of a conversation have in common, and how the answers are printed.
pub(super) fn for_chat(
    args: ChatArgs,
    env: &Environment,
    io: &mut Io,
) -> Result<(Question, OutputSettings), Failure> {
    let file = SettingsFile::read(env)?;
    if args.provider.or(file.provider) == Some(ProviderName::Api) {
        let message = "A chat goes through the subscription, and the API was chosen.";
        return Err(Failure::usage(message, "`pplx chat --provider web`, or ask the API with `pplx search`"));
    }
    let format = if io.moves_cursor { Format::Pretty } else { Format::Report };
    let printed = OutputArgs {
        format: Some(format),
        json: false,
        output: None,
        copy: false,
        open: None,
        print: args.print,
    };
    let output = output(&printed, false, &file, env, io)?;
    Ok((question::for_subscription(question_options(args.ask, false), &file, env)?, output))
}

/// Settles how a run of research is fetched.
pub(super) fn for_run(args: ResearchGetArgs, env: &Environment, io: &mut Io) -> Result<Settings, Failure> {
    let output = output(&args.output, true, &SettingsFile::read(env)?, env, io)?;
    Ok(Settings { answer_from: AnswerFrom::Run(args.id), output })
}

fn question_options(args: AskArgs, research: bool) -> QuestionOptions {
    let follow_up = match args.thread {
        Some(id) => FollowUp::Id(id),
        None if args.continue_last => FollowUp::Last,
        None => FollowUp::Nothing,
    };
    QuestionOptions {
        recency: args.recency,
        model: args.model,
        sources: args.sources,
        system: args.system,
        language: args.language,
        timezone: args.timezone,
        save: args.save,
        follow_up,
        research,
    }
}

fn api_options(args: ApiArgs) -> ApiOptions {
    ApiOptions {
        effort: args.effort,
        domains: args.domains,
        excluded_domains: args.excluded_domains,
        after: args.after,
        before: args.before,
        context_size: args.context_size,
        country: args.country,
        max_tokens: args.max_tokens,
        sources_only: args.sources_only,
        dialect: args.api_dialect,
    }
}

/// Research takes its time: it has no limit of its own.
fn output(
    args: &OutputArgs,
    research: bool,
    file: &SettingsFile,
    env: &Environment,
    io: &mut Io,
) -> Result<OutputSettings, Failure> {
    let to_terminal = io.stdout_is_terminal && args.output.is_none();
    let draws = to_terminal && io.moves_cursor;
    let given = &args.print;
    let paint = paint(given.color.or(file.color), to_terminal, env, io);
    let default = if draws { Format::Pretty } else { Format::Report };
    let format = format(args, env, file)?.unwrap_or(default);
    Ok(OutputSettings {
        reception: Reception {
            idle: limit(given.idle_timeout.or(file.idle_timeout).unwrap_or(IDLE_TIMEOUT)).unwrap_or(NEVER),
            record: None,
            events: given.verbose
                || research
                || format == Format::Ndjson
                || (to_terminal && format != Format::Json),
        },
        format,
        style: Style {
            limit: given.limit.or(file.limit),
            wrap: !given.no_wrap && file.no_wrap != Some(true),
            screen: (draws && !given.no_stream && file.no_stream != Some(true)).then(Screen::current),
            width: if to_terminal { Screen::current().width } else { DEFAULT_WIDTH },
            paint,
            now: chrono::Utc::now().timestamp(),
            payer: Payer::Subscription,
        },
        timeout: timeout(given.timeout, file.timeout, to_terminal, research),
        file: args.output.clone(),
        hand_on: HandOn { copy: args.copy, open: args.open },
        verbose: given.verbose,
        quiet: given.quiet,
    })
}

/// For the whole run.
fn timeout(
    typed: Option<u64>,
    configured: Option<u64>,
    to_terminal: bool,
    research: bool,
) -> Option<Duration> {
    let default = (!to_terminal && !research).then_some(TIMEOUT_OFF_TERMINAL);
    typed.or(configured.filter(|_| !research)).or(default).and_then(limit)
}

fn format(args: &OutputArgs, env: &Environment, file: &SettingsFile) -> Result<Option<Format>, Failure> {
    let typed = if args.json { Some(Format::Json) } else { args.format };
    match (typed, env.text("PPLX_FORMAT")) {
        (Some(format), _) => Ok(Some(format)),
        (None, Some(name)) => named_format(&name).map(Some),
        (None, None) => Ok(file.format),
    }
}

fn named_format(name: &str) -> Result<Format, Failure> {
    Format::from_name(&name.trim().to_lowercase()).ok_or_else(|| {
        let message = format!("PPLX_FORMAT is {name:?}, which is no format.");
        Failure::usage(message, format!("use one of {}", Format::names()))
    })
}

/// What may be written in colour: by `--color`, else by the environment and by whether it is seen on a terminal.
fn paint(color: Option<ColorChoice>, to_terminal: bool, env: &Environment, io: &mut Io) -> Paint {
    let on_terminal = to_terminal && io.moves_cursor;
    let forced = match color {
        Some(ColorChoice::Always) => Some(true),
        Some(ColorChoice::Never) => Some(false),
        Some(ColorChoice::Auto) | None => None,
    };
    io.emphasis = forced.unwrap_or(io.emphasis);
    let default = env.switch("CLICOLOR_FORCE") || (on_terminal && env.get("NO_COLOR").is_none());
    let color = forced.unwrap_or(default);
    let links = color && on_terminal && supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout);
    Paint { color, links }
}
