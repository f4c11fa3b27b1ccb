//! `pplx search`.

use std::io;
use std::time::Duration;

use super::args::{FormatArg, OutputArgs, ResearchArgs, ResearchCommand, SearchArgs};
use super::failure::Failure;
use super::models;
use super::printer::{Ended, Printer};
use super::settings::{self, Question, Settings, What};
use super::signals::{Signal, Signals};
use super::stop::{Stop, Stopped};
use crate::answer::{Answer, SearchEvent};
use crate::auth;
use crate::env::Environment;
use crate::error::{Cut, Error};
use crate::history::{Entry, History};
use crate::io::Io;
use crate::provider::{Provider, Reception, Search, Subscription};
use crate::request::SearchRequest;

/// Asks, and prints what comes.
pub(super) async fn run(args: SearchArgs, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    let wants_json = wants_json(&args.output, env);
    let settings = settings::resolve(args, env, io);
    settled(settings, wants_json, env, io).await
}

/// Fetches a run of research, and prints what comes.
pub(super) async fn run_research(args: ResearchArgs, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    let ResearchCommand::Get(args) = args.command;
    let wants_json = wants_json(&args.output, env);
    let settings = settings::resolve_run(*args, env, io);
    settled(settings, wants_json, env, io).await
}

/// Whether a failure to settle what is asked must be a document, too: by what was typed, else by the environment.
fn wants_json(output: &OutputArgs, env: &Environment) -> bool {
    let by_environment =
        || output.format.is_none() && env.text("PPLX_FORMAT").is_some_and(|name| name == "json");
    output.json || output.format == Some(FormatArg::Json) || by_environment()
}

async fn settled(
    settings: Result<Settings, Failure>,
    wants_json: bool,
    env: &Environment,
    io: &mut Io,
) -> Result<(), Failure> {
    match settings {
        Ok(settings) => carry_out(&settings, env, io).await,
        Err(failure) if wants_json => Err(super::in_json(failure, io)),
        Err(failure) => Err(failure),
    }
}

async fn carry_out(settings: &Settings, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    let shown = &settings.shown;
    if let What::Question(question) = &settings.what {
        warn(question, shown.quiet, env, io);
    }
    let answer = answer(settings, &mut Signals::install()?, env, io).await?;
    shown.hand_on.run(&answer, env, io).await
}

/// Asks, prints what comes until it ends or is stopped, and remembers the answer.
pub(super) async fn answer(
    settings: &Settings,
    signals: &mut Signals,
    env: &Environment,
    io: &mut Io,
) -> Result<Box<Answer>, Failure> {
    let shown = &settings.shown;
    let may_be_piped = shown.output.is_none() && !io.stdout_is_terminal;
    let mut stop = Stop::new(shown.timeout, may_be_piped, signals);
    let mut printer = Printer::new(settings, io)?;
    let ended = pump(settings, env, &mut stop, &mut printer).await;
    if let What::Question(question) = &settings.what
        && let Some(answer) = ended.answer()
        && let Err(error) = remember(answer, &question.request.query, env)
    {
        printer.warn(&error.to_string());
    }
    printer.end(ended)
}

/// Makes the store private, and says what the user should know before anything is asked.
pub(super) fn warn(question: &Question, quiet: bool, env: &Environment, io: &mut Io) {
    let warning = super::private_store(env);
    if quiet {
        return;
    }
    if let Some(warning) = warning {
        io.tell_as("warning", &warning);
    }
    if let Some(note) = question.named_model.as_deref().and_then(|model| models::note_on(model, env)) {
        io.tell_as("note", &note);
    }
}

/// Keeps what a follow-up needs, if there is a place for it.
pub(super) fn remember(answer: &Answer, query: &str, env: &Environment) -> crate::Result<()> {
    let (Some(thread), Ok(history)) = (answer.thread.clone(), History::of(env)) else { return Ok(()) };
    history.remember(Entry::new(thread, query, auth::now()))
}

/// Opens the search and prints its events until it ends, in one way or another.
async fn pump(
    settings: &Settings,
    env: &Environment,
    stop: &mut Stop<'_>,
    printer: &mut Printer<'_>,
) -> Ended {
    let opened = match stop.unless(printer.ticking(open(settings, env))).await {
        Ok(opened) => opened,
        Err(stopped) => return stopped.before_a_reply(&settings.what),
    };
    let mut search = match opened {
        Ok(search) => search,
        Err(error) => return Ended::failed(error, None),
    };
    loop {
        match stop.unless(printer.ticking(search.next())).await {
            Ok(Ok(Some(SearchEvent::Done(answer)))) => {
                let is_empty = answer.text.is_empty() && answer.sources.is_empty();
                return if is_empty { Ended::Empty(answer) } else { Ended::Answered(answer) };
            }
            Ok(Ok(Some(event))) => {
                if let Err(error) = printer.event(&event) {
                    return Ended::Failed(error.into(), None);
                }
            }
            Ok(Ok(None)) => return Ended::failed(Error::Incomplete(Cut::EndOfBody), search.received()),
            Ok(Err(error)) => return Ended::failed(error, search.received()),
            Err(stopped) => return stopped.within_a_reply(&settings.what, search.received()),
        }
    }
}

async fn open(settings: &Settings, env: &Environment) -> crate::Result<Search> {
    let reception = &settings.shown.reception;
    match &settings.what {
        What::Recording { path, model } => Search::replay(path.clone(), model.clone(), reception),
        What::Run(id) => {
            let resumed = Box::pin(Subscription::of(env)?.resume(id, reception)).await;
            resumed.map(Search::Subscription)
        }
        What::Question(question) => Box::pin(ask(question, reception, env)).await,
    }
}

async fn ask(question: &Question, reception: &Reception, env: &Environment) -> crate::Result<Search> {
    match &question.provider {
        Provider::Subscription(subscription) if !question.files.is_empty() => {
            ask_about_files(subscription, question, reception).await
        }
        provider => provider.search(env, &question.request, reception).await,
    }
}

async fn ask_about_files(
    subscription: &Subscription,
    question: &Question,
    reception: &Reception,
) -> crate::Result<Search> {
    let uploaded = subscription.upload(&question.files, &question.meter).await?;
    let request = SearchRequest { attachments: uploaded.urls, ..question.request.clone() };
    let mut search = subscription.search(&request, reception).await?;
    for name in uploaded.unconfirmed {
        search
            .note(format!("the service did not confirm that it has read {name}; the answer may not know it"));
    }
    Ok(Search::Subscription(search))
}

/// What a stop means for the search.
impl Stopped {
    fn before_a_reply(self, what: &What) -> Ended {
        match self {
            Self::Signal(signal) => Ended::Failed(stopped_by(signal, what), None),
            Self::ClosedPipe => Ended::Failed(io::Error::from(io::ErrorKind::BrokenPipe).into(), None),
            Self::Deadline(timeout) if what.is_of_api() => {
                Ended::failed(Error::ApiRequest(no_answer_within(timeout)), None)
            }
            Self::Deadline(timeout) => {
                let host = "the service".to_owned();
                Ended::failed(Error::TimedOut { host, seconds: timeout.as_secs() }, None)
            }
        }
    }

    fn within_a_reply(self, what: &What, received: Option<Answer>) -> Ended {
        match (self, received) {
            (Self::Deadline(timeout), None) if what.is_of_api() => {
                Ended::failed(Error::ApiReply(no_answer_within(timeout)), None)
            }
            (stopped @ Self::ClosedPipe, _) | (stopped, None) => stopped.before_a_reply(what),
            (Self::Signal(signal), received) => {
                Ended::Failed(stopped_by(signal, what), received.map(Box::new))
            }
            (Self::Deadline(timeout), received) => {
                Ended::failed(Error::Incomplete(Cut::Deadline(timeout.as_secs())), received)
            }
        }
    }
}

fn stopped_by(signal: Signal, what: &What) -> Failure {
    if what.is_of_api() { Failure::Aborted(signal) } else { Failure::Signal(signal) }
}

fn no_answer_within(timeout: Duration) -> String {
    format!("no answer within {} seconds", timeout.as_secs())
}
