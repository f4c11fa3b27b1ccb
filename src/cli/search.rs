//! `pplx search`.

use std::io::{self, Write};
use std::pin::Pin;
use std::time::Duration;

use tokio::time::{Interval, Sleep};

use super::args::SearchArgs;
use super::failure::Failure;
use super::settings::{self, Settings};
use super::signals::{Signal, Signals};
use crate::answer::{Answer, SearchEvent, Step};
use crate::env::Environment;
use crate::error::{Cut, Error};
use crate::io::Io;
use crate::overwrite::Overwrite;
use crate::provider::{Provider, Search};
use crate::render::{Render, renderer};

/// Asks, and prints what comes.
pub(super) async fn run(args: SearchArgs, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    let wants_json = args.json;
    let settings = match settings::resolve(args, env, io) {
        Ok(settings) => settings,
        Err(failure) if wants_json => return Err(super::in_json(failure, io)),
        Err(failure) => return Err(failure),
    };
    if settings.replay.is_none() && !settings.quiet {
        super::warn_of_open_store(env, io);
    }
    let mut stop = Stop::new(settings.timeout, settings.output.is_none() && !io.stdout_is_terminal)?;
    let mut printer = Printer::new(&settings, io)?;
    let ended = pump(&settings, env, &mut stop, &mut printer).await;
    printer.end(ended)
}

/// Opens the search and prints its events until it ends, in one way or another.
async fn pump(settings: &Settings, env: &Environment, stop: &mut Stop, printer: &mut Printer<'_>) -> Ended {
    let opened = match &settings.replay {
        Some(recording) => {
            Search::replay(recording.clone(), settings.named_model.clone(), &settings.reception)
        }
        None => match stop.unless(ask(settings, env)).await {
            Ok(opened) => opened,
            Err(stopped) => return stopped.before_a_reply(),
        },
    };
    let mut search = match opened {
        Ok(search) => search,
        Err(error) => return Ended::failed(error, None),
    };
    loop {
        match stop.unless(search.next()).await {
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
    provider.search(env, &settings.request, &settings.reception).await
}

/// How a search ended.
enum Ended {
    Answered(Answer),
    /// With what had arrived before.
    Failed(Failure, Option<Answer>),
}

impl Ended {
    fn failed(error: Error, received: Option<Answer>) -> Self {
        Self::Failed(error.into(), received)
    }
}

/// How often it is looked whether the reader of standard output has left.
const LOOK: Duration = Duration::from_millis(200);

/// What ends a run from outside: a deadline, a signal, or a reader that leaves.
struct Stop {
    timeout: Duration,
    deadline: Option<Pin<Box<Sleep>>>,
    signals: Signals,
    /// Set where standard output is a pipe, perhaps.
    look: Option<Interval>,
}

enum Stopped {
    Deadline(Duration),
    Signal(Signal),
    ClosedPipe,
}

impl Stop {
    fn new(timeout: Option<Duration>, may_be_piped: bool) -> io::Result<Self> {
        Ok(Self {
            timeout: timeout.unwrap_or_default(),
            deadline: timeout.map(|timeout| Box::pin(tokio::time::sleep(timeout))),
            signals: Signals::install()?,
            look: may_be_piped.then(|| tokio::time::interval(LOOK)),
        })
    }

    /// The result of `work`, unless it is stopped first.
    async fn unless<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Stopped> {
        let deadline = async {
            match &mut self.deadline {
                Some(deadline) => deadline.as_mut().await,
                None => std::future::pending().await,
            }
        };
        let left = async {
            match &mut self.look {
                Some(look) => {
                    while !crate::io::stdout_is_closed() {
                        look.tick().await;
                    }
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            result = work => Ok(result),
            signal = self.signals.next() => Err(Stopped::Signal(signal)),
            () = deadline => Err(Stopped::Deadline(self.timeout)),
            () = left => Err(Stopped::ClosedPipe),
        }
    }
}

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
            (Self::Signal(signal), received) => Ended::Failed(Failure::Signal(signal), received),
            (Self::Deadline(timeout), received) => {
                Ended::failed(Error::Incomplete(Cut::Deadline(timeout.as_secs())), received)
            }
        }
    }
}

/// Where the search is printed: the renderer, its output, and standard error.
struct Printer<'a> {
    io: &'a mut Io,
    file: Option<Overwrite>,
    renderer: Box<dyn Render + Send>,
    verbose: bool,
}

impl<'a> Printer<'a> {
    fn new(settings: &Settings, io: &'a mut Io) -> Result<Self, Failure> {
        let open = |path: &std::path::PathBuf| {
            Overwrite::open(path).map_err(|error| {
                Failure::usage(
                    format!("Could not write {}: {error}.", path.display()),
                    "name another file for --output",
                )
            })
        };
        let file = settings.output.as_ref().map(open).transpose()?;
        let renderer = renderer(settings.format, settings.style.clone());
        Ok(Self { io, file, renderer, verbose: settings.verbose })
    }

    fn event(&mut self, event: &SearchEvent) -> io::Result<()> {
        if self.verbose {
            self.tell(event);
        }
        self.print(|renderer, out| renderer.event(event, out))
    }

    fn print(
        &mut self,
        print: impl FnOnce(&mut dyn Render, &mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let out = match &mut self.file {
            Some(file) => file,
            None => self.io.out(),
        };
        print(&mut *self.renderer, out)?;
        out.flush()
    }

    fn tell(&mut self, event: &SearchEvent) {
        match event {
            SearchEvent::Step(Step::Searching(words)) => {
                self.io.tell(&format!("Searching: {}", words.join(" | ")));
            }
            SearchEvent::Step(Step::Reading(pages)) => self.io.tell(&format!("Reading {pages} sources")),
            SearchEvent::Step(Step::Thinking) => self.io.tell("Thinking"),
            SearchEvent::Step(Step::Writing) => self.io.tell("Writing"),
            SearchEvent::Warning(warning) => self.io.tell_as("warning", warning),
            _ => {}
        }
    }

    /// Prints how it ended. What has arrived of an unfinished answer is printed and marked.
    fn end(mut self, ended: Ended) -> Result<(), Failure> {
        let (failure, received) = match ended {
            Ended::Answered(answer) => {
                self.print(|renderer, out| renderer.answer(&answer, out))?;
                return Ok(());
            }
            Ended::Failed(failure, received) => (failure, received),
        };
        let Some(problem) = failure.problem() else { return Err(failure) };
        let received = received
            .filter(|answer| keeps_what_arrived(&failure, answer))
            .map(|answer| marked(answer, &problem.message));
        match &received {
            Some(answer) if is_unfinished(&failure) => {
                self.print(|renderer, out| renderer.answer(answer, out))?;
            }
            received => self.print(|renderer, out| renderer.problem(&problem, received.as_ref(), out))?,
        }
        super::tell(&problem, self.io);
        Err(Failure::Silent(failure.exit_code()))
    }
}

/// The reply ended before the answer did; nothing says that what came is wrong.
fn is_unfinished(failure: &Failure) -> bool {
    matches!(failure, Failure::Library(Error::Incomplete(_)) | Failure::Signal(_))
}

/// An empty answer is kept only where the reply was cut, and the invitation to sign up is no answer at all.
fn keeps_what_arrived(failure: &Failure, answer: &Answer) -> bool {
    match failure {
        Failure::Library(Error::Service { .. }) => !answer.text.trim().is_empty(),
        failure => is_unfinished(failure),
    }
}

fn marked(mut answer: Answer, message: &str) -> Answer {
    answer.notes.insert(0, message.trim_end_matches('.').to_owned());
    answer
}
