//! `pplx search`.

use std::io;

use super::args::{FormatArg, SearchArgs};
use super::failure::Failure;
use super::models;
use super::printer::{Ended, Printer};
use super::settings::{self, Settings};
use super::stop::{Stop, Stopped};
use crate::answer::{Answer, SearchEvent};
use crate::auth;
use crate::env::Environment;
use crate::error::{Cut, Error};
use crate::history::{Entry, History};
use crate::io::Io;
use crate::provider::{Provider, Search};
use crate::request::SearchRequest;

/// Asks, and prints what comes.
pub(super) async fn run(args: SearchArgs, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    let wants_json = args.json || args.format == Some(FormatArg::Json);
    let settings = match settings::resolve(args, env, io) {
        Ok(settings) => settings,
        Err(failure) if wants_json => return Err(super::in_json(failure, io)),
        Err(failure) => return Err(failure),
    };
    if settings.replay.is_none() && !settings.quiet {
        super::warn_of_open_store(env, io);
    }
    if !settings.quiet
        && settings.replay.is_none()
        && let Some(note) = settings.named_model.as_deref().and_then(|model| models::note_on(model, env))
    {
        io.tell_as("note", &note);
    }
    let mut stop = Stop::new(settings.timeout, settings.output.is_none() && !io.stdout_is_terminal)?;
    let mut printer = Printer::new(&settings, io)?;
    let ended = pump(&settings, env, &mut stop, &mut printer).await;
    if settings.replay.is_none()
        && let Err(error) = remember(&ended, &settings, env)
    {
        printer.warn(&error.to_string());
    }
    printer.end(ended)
}

/// Keeps what a follow-up needs, if there is a place for it.
fn remember(ended: &Ended, settings: &Settings, env: &Environment) -> crate::Result<()> {
    let thread = ended.answer().and_then(|answer| answer.thread.clone());
    let (Some(thread), Ok(history)) = (thread, History::of(env)) else { return Ok(()) };
    history.remember(Entry::new(thread, &settings.request.query, auth::now()))
}

/// Opens the search and prints its events until it ends, in one way or another.
async fn pump(settings: &Settings, env: &Environment, stop: &mut Stop, printer: &mut Printer<'_>) -> Ended {
    let opened = match &settings.replay {
        Some(recording) => {
            Search::replay(recording.clone(), settings.named_model.clone(), &settings.reception)
        }
        None => match stop.unless(printer.ticking(ask(settings, env))).await {
            Ok(opened) => opened,
            Err(stopped) => return stopped.before_a_reply(),
        },
    };
    let mut search = match opened {
        Ok(search) => search,
        Err(error) => return Ended::failed(error, None),
    };
    loop {
        match stop.unless(printer.ticking(search.next())).await {
            Ok(Ok(Some(SearchEvent::Done(answer)))) => return Ended::Answered(answer),
            Ok(Ok(Some(event))) => {
                if let Err(error) = printer.event(&event) {
                    return Ended::Failed(error.into(), None);
                }
            }
            Ok(Ok(None)) => return Ended::failed(Error::Incomplete(Cut::EndOfBody), search.received()),
            Ok(Err(error)) => return Ended::failed(error, search.received()),
            Err(stopped) => return stopped.with(search.received()),
        }
    }
}

async fn ask(settings: &Settings, env: &Environment) -> crate::Result<Search> {
    let provider = Provider::of_subscription(env)?;
    if settings.files.is_empty() {
        return Box::pin(provider.search(env, &settings.request, &settings.reception)).await;
    }
    let uploaded = Box::pin(provider.upload(env, &settings.files)).await?;
    let request = SearchRequest { attachments: uploaded.urls, ..settings.request.clone() };
    let mut search = Box::pin(provider.search(env, &request, &settings.reception)).await?;
    for name in uploaded.unconfirmed {
        search
            .note(format!("the service did not confirm that it has read {name}; the answer may not know it"));
    }
    Ok(search)
}

/// What a stop means for the search.
impl Stopped {
    fn before_a_reply(self) -> Ended {
        match self {
            Self::Signal(signal) => Ended::Failed(Failure::Signal(signal), None),
            Self::ClosedPipe => Ended::Failed(io::Error::from(io::ErrorKind::BrokenPipe).into(), None),
            Self::Deadline(timeout) => {
                let host = "the service".to_owned();
                Ended::failed(Error::TimedOut { host, seconds: timeout.as_secs() }, None)
            }
        }
    }

    fn with(self, received: Option<Answer>) -> Ended {
        match (self, received) {
            (stopped @ Self::ClosedPipe, _) | (stopped, None) => stopped.before_a_reply(),
            (Self::Signal(signal), received) => {
                Ended::Failed(Failure::Signal(signal), received.map(Box::new))
            }
            (Self::Deadline(timeout), received) => {
                Ended::failed(Error::Incomplete(Cut::Deadline(timeout.as_secs())), received)
            }
        }
    }
}
