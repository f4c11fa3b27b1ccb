//! `pplx search`.

use std::io;
use std::time::Duration;

use super::args::{OutputArgs, ResearchArgs, ResearchCommand, SearchArgs};
use super::output;
use super::printer::{Ended, Printer};
use super::settings::{self, AnswerFrom, Settings};
use super::stop::{Stop, Stopped};
use crate::auth::Store;
use crate::config::model_note::model_note;
use crate::config::question::Question;
use crate::domain::answer::{Answer, SearchEvent};
use crate::domain::error::{Cut, Error};
use crate::domain::request::SearchRequest;
use crate::outcome::failure::Failure;
use crate::outcome::remember;
use crate::provider::{Provider, Reception, Search, Subscription};
use crate::render::Format;
use crate::render::text::one_line;
use crate::state::env::Environment;
use crate::state::{Answered, Database};
use crate::terminal::io::Io;
use crate::terminal::signals::{Signal, Signals};

/// Asks, and prints what comes.
pub(super) async fn run(args: SearchArgs, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    let wants_json = wants_json(&args.output, env);
    let settings = settings::for_search(args, env, io);
    settled(settings, wants_json, env, io).await
}

/// Fetches a run of research, and prints what comes.
pub(super) async fn run_research(args: ResearchArgs, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    let ResearchCommand::Get(args) = args.command;
    let wants_json = wants_json(&args.output, env);
    let settings = settings::for_run(*args, env, io);
    settled(settings, wants_json, env, io).await
}

/// Whether a failure to settle what is asked must be a document, too: by what was typed, else by the environment.
fn wants_json(output: &OutputArgs, env: &Environment) -> bool {
    let by_environment =
        || output.format.is_none() && env.text("PPLX_FORMAT").is_some_and(|name| name == "json");
    output.json || output.format == Some(Format::Json) || by_environment()
}

async fn settled(
    settings: Result<Settings, Failure>,
    wants_json: bool,
    env: &Environment,
    io: &mut Io,
) -> Result<(), Failure> {
    match settings {
        Ok(settings) => carry_out(&settings, env, io).await,
        Err(failure) if wants_json => Err(output::failure_document(failure, io)),
        Err(failure) => Err(failure),
    }
}

async fn carry_out(settings: &Settings, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    let output = &settings.output;
    if let AnswerFrom::Question(question) = &settings.answer_from {
        warn(question, output.quiet, env, io).await;
    }
    let answer = answer(settings, &mut Signals::install()?, env, io).await?;
    output.hand_on.run(&answer, env, io).await
}

/// Asks, prints what comes until it ends or is stopped, and remembers the answer.
pub(super) async fn answer(
    settings: &Settings,
    signals: &mut Signals,
    env: &Environment,
    io: &mut Io,
) -> Result<Box<Answer>, Failure> {
    let output = &settings.output;
    let may_be_piped = output.file.is_none() && !io.stdout_is_terminal;
    let mut stop = Stop::new(output.timeout, may_be_piped, signals);
    let mut printer = Printer::new(settings, io)?;
    let database = Database::for_user(env).ok();
    let ended = pump(settings, env, database.as_ref(), &mut stop, &mut printer).await;
    let answered = answered(settings, &ended);
    let result = printer.end(ended);
    let remembered = stop.unless(remember::remember(answered, database.as_ref())).await;
    for warning in remembered.into_iter().flatten().filter(|_| !output.quiet) {
        io.report_as("warning", &one_line(&warning));
    }
    result
}

/// What a follow-up on the answer needs. A recording, or a run that is only fetched, answers no question of ours.
fn answered(settings: &Settings, ended: &Ended) -> Option<Answered> {
    match &settings.answer_from {
        AnswerFrom::Question(question) => remember::answered(ended.answer()?, &question.request.query),
        AnswerFrom::Recording { .. } | AnswerFrom::Run(_) => None,
    }
}

/// Makes the store private, and says what the user should know before anything is asked.
pub(super) async fn warn(question: &Question, quiet: bool, env: &Environment, io: &mut Io) {
    let warning = Store::tighten_for(env);
    if quiet {
        return;
    }
    if let Some(warning) = warning {
        io.report_as("warning", &warning);
    }
    if let Some(model) = &question.named_model
        && let Some(note) = model_note(model, env).await
    {
        io.report_as("note", &note);
    }
}

/// Opens the search and prints its events until it ends, in one way or another.
async fn pump(
    settings: &Settings,
    env: &Environment,
    database: Option<&Database>,
    stop: &mut Stop<'_>,
    printer: &mut Printer<'_>,
) -> Ended {
    let opened = match stop.unless(printer.ticking(open(settings, env, database))).await {
        Ok(opened) => opened,
        Err(stopped) => return stopped.before_a_reply(&settings.answer_from),
    };
    let mut search = match opened {
        Ok(search) => search,
        Err(failure) => return Ended::Failed(failure, None),
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
            Err(stopped) => return stopped.within_a_reply(&settings.answer_from, search.received()),
        }
    }
}

async fn open(
    settings: &Settings,
    env: &Environment,
    database: Option<&Database>,
) -> Result<Search, Failure> {
    let reception = &settings.output.reception;
    match &settings.answer_from {
        AnswerFrom::Recording { path, model } => Ok(Search::replay(path.clone(), model.clone(), reception)?),
        AnswerFrom::Run(id) => {
            let resumed = Box::pin(Subscription::for_user(env)?.resume(id, reception)).await;
            Ok(resumed.map(Search::Subscription)?)
        }
        AnswerFrom::Question(question) => {
            let thread = remember::thread_of(&question.follow_up, database).await?;
            let request = SearchRequest {
                thread: thread.or_else(|| question.request.thread.clone()),
                ..question.request.clone()
            };
            Ok(Box::pin(ask(question, request, reception, env)).await?)
        }
    }
}

async fn ask(
    question: &Question,
    request: SearchRequest,
    reception: &Reception,
    env: &Environment,
) -> crate::Result<Search> {
    match &question.provider {
        Provider::Subscription(subscription) if !question.files.is_empty() => {
            ask_about_files(subscription, question, request, reception).await
        }
        provider => provider.search(env, &request, reception).await,
    }
}

async fn ask_about_files(
    subscription: &Subscription,
    question: &Question,
    request: SearchRequest,
    reception: &Reception,
) -> crate::Result<Search> {
    let uploaded = subscription.upload(&question.files, &question.meter).await?;
    let request = SearchRequest { attachments: uploaded.urls, ..request };
    let mut search = subscription.search(&request, reception).await?;
    for name in uploaded.unconfirmed {
        search
            .note(format!("the service did not confirm that it has read {name}; the answer may not know it"));
    }
    Ok(Search::Subscription(search))
}

/// What a stop means for the search.
impl Stopped {
    fn before_a_reply(self, answer_from: &AnswerFrom) -> Ended {
        match self {
            Self::Signal(signal) => Ended::Failed(stopped_by(signal, answer_from), None),
            Self::ClosedPipe => Ended::Failed(io::Error::from(io::ErrorKind::BrokenPipe).into(), None),
            Self::Deadline(timeout) if answer_from.is_api() => {
                Ended::failed(Error::ApiRequest(no_answer_within(timeout)), None)
            }
            Self::Deadline(timeout) => {
                let host = "the service".to_owned();
                Ended::failed(Error::TimedOut { host, seconds: timeout.as_secs() }, None)
            }
        }
    }

    fn within_a_reply(self, answer_from: &AnswerFrom, received: Option<Answer>) -> Ended {
        match (self, received) {
            (Self::Deadline(timeout), None) if answer_from.is_api() => {
                Ended::failed(Error::ApiReply(no_answer_within(timeout)), None)
            }
            (stopped @ Self::ClosedPipe, _) | (stopped, None) => stopped.before_a_reply(answer_from),
            (Self::Signal(signal), received) => {
                Ended::Failed(stopped_by(signal, answer_from), received.map(Box::new))
            }
            (Self::Deadline(timeout), received) => {
                Ended::failed(Error::Incomplete(Cut::Deadline(timeout.as_secs())), received)
            }
        }
    }
}

fn stopped_by(signal: Signal, answer_from: &AnswerFrom) -> Failure {
    if answer_from.is_api() { Failure::Aborted(signal) } else { Failure::Signal(signal) }
}

fn no_answer_within(timeout: Duration) -> String {
    format!("no answer within {} seconds", timeout.as_secs())
}
