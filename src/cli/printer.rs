//! Prints a search: its events, its answer, and how it ended.

use std::io::{self, Write};

use super::output;
use super::progress::{Progress, TICK, Uploading};
use super::settings::{AnswerFrom, Settings};
use crate::domain::answer::{Answer, SearchEvent};
use crate::domain::error::Error;
use crate::outcome::failure::Failure;
use crate::render::text::one_line;
use crate::render::{Format, Render, renderer, step};
use crate::state::overwrite::Overwrite;
use crate::terminal::io::Io;

/// How a search ended.
#[derive(Debug)]
pub(super) enum Ended {
    Answered(Box<Answer>),
    /// With neither text nor pages. Programs get it as a document, people as an error.
    Empty(Box<Answer>),
    /// With what had arrived until then.
    Failed(Failure, Option<Box<Answer>>),
}

impl Ended {
    /// The answer, or what had arrived of it.
    pub(super) fn answer(&self) -> Option<&Answer> {
        match self {
            Self::Answered(answer) | Self::Empty(answer) => Some(answer),
            Self::Failed(_, received) => received.as_deref(),
        }
    }

    pub(super) fn failed(error: Error, received: Option<Answer>) -> Self {
        Self::Failed(error.into(), received.map(Box::new))
    }
}

/// Where the search is printed: the renderer, its output, and standard error.
pub(super) struct Printer<'a> {
    io: &'a mut Io,
    file: Option<Overwrite>,
    renderer: Box<dyn Render + Send>,
    verbose: bool,
    quiet: bool,
    progress: Progress,
    /// The answer is printed as it comes.
    streams: bool,
    format: Format,
}

impl<'a> Printer<'a> {
    pub(super) fn new(settings: &Settings, io: &'a mut Io) -> Result<Self, Failure> {
        let output = &settings.output;
        let open = |path: &std::path::PathBuf| {
            Overwrite::open(path).map_err(|error| {
                Failure::usage(
                    format!("Could not write {}: {error}.", path.display()),
                    "name another file for --output",
                )
            })
        };
        let file = output.file.as_ref().map(open).transpose()?;
        let renderer = renderer(output.format, output.style.clone());
        let watched = output.format == Format::Pretty && io.stdout_is_terminal && io.stderr_is_terminal;
        let shows_steps = watched && io.moves_cursor && !output.quiet && !output.verbose;
        let waits = !matches!(settings.answer_from, AnswerFrom::Recording { .. });
        let streams = output.style.screen.is_some();
        Ok(Self {
            io,
            file,
            renderer,
            verbose: output.verbose,
            quiet: output.quiet,
            progress: Progress::new(shows_steps && waits, uploading(settings)),
            streams,
            format: output.format,
        })
    }

    /// Prints an event, and reports it with `--verbose`.
    pub(super) fn event(&mut self, event: &SearchEvent) -> io::Result<()> {
        if self.verbose {
            self.report_event(event);
        }
        match event {
            SearchEvent::Step(step) => self.progress.step(step, self.io),
            SearchEvent::Text(_) if self.streams => self.progress.close(self.io),
            SearchEvent::Run(id) => self.report_run(id),
            _ => {}
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

    /// The run goes on at the service, so its id is all that is needed to fetch it later.
    fn report_run(&mut self, id: &str) {
        if !self.quiet {
            self.progress.clear(self.io);
            let id = one_line(id);
            self.io.report_as(
                "note",
                &format!("research run {id}; `pplx research get {id}` fetches it at any time"),
            );
        }
    }

    fn report_event(&mut self, event: &SearchEvent) {
        match event {
            SearchEvent::Step(step) => self.io.report(&one_line(&step::phrase(step))),
            SearchEvent::Warning(warning) => self.io.report_as("warning", warning),
            _ => {}
        }
    }

    /// The result of `work`, while the progress line keeps showing the time.
    pub(super) async fn ticking<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                biased;
                result = &mut work => return result,
                () = tokio::time::sleep(TICK), if self.progress.is_open() => self.progress.draw(self.io),
            }
        }
    }

    /// Prints how the search ended. Returns a complete answer; what arrived of an incomplete one is printed and marked.
    pub(super) fn end(mut self, ended: Ended) -> Result<Box<Answer>, Failure> {
        self.progress.close(self.io);
        let (failure, received) = match ended {
            Ended::Answered(answer) => {
                self.print(|renderer, out| renderer.answer(&answer, out))?;
                return Ok(answer);
            }
            Ended::Empty(answer) => {
                if matches!(self.format, Format::Json | Format::Ndjson) {
                    self.print(|renderer, out| renderer.answer(&answer, out))?;
                }
                return Err(self.report_failure(&Error::NoResults.into()));
            }
            Ended::Failed(failure, received) => (failure, received),
        };
        let Some(problem) = failure.problem() else { return Err(failure) };
        let received = received
            .filter(|answer| keeps_what_arrived(&failure, answer))
            .map(|answer| marked(*answer, &problem.message));
        match &received {
            Some(answer) if is_unfinished(&failure) => {
                self.print(|renderer, out| renderer.answer(answer, out))?;
            }
            received => self.print(|renderer, out| renderer.problem(&problem, received.as_ref(), out))?,
        }
        Err(self.report_failure(&failure))
    }

    /// Reports a failure. What remains of it is the exit code.
    fn report_failure(&mut self, failure: &Failure) -> Failure {
        if let Some(problem) = failure.problem() {
            output::problem(&problem, self.io);
        }
        Failure::Silent(failure.exit_code())
    }
}

/// The upload that comes before the question, if there is one.
fn uploading(settings: &Settings) -> Option<Uploading> {
    let AnswerFrom::Question(question) = &settings.answer_from else { return None };
    let total = question.files.iter().map(|file| file.bytes.len() as u64).sum();
    (total > 0).then(|| Uploading { meter: question.meter.clone(), total })
}

/// The reply ended early. What arrived is right as far as it goes.
fn is_unfinished(failure: &Failure) -> bool {
    matches!(failure, Failure::Library(Error::Incomplete(_)) | Failure::Signal(_) | Failure::Aborted(_))
}

/// Whether what arrived is worth printing: always after a cut, else only text that the service gave as an answer.
fn keeps_what_arrived(failure: &Failure, answer: &Answer) -> bool {
    match failure {
        Failure::Library(Error::Service { .. } | Error::Api(_) | Error::ApiReply(_)) => {
            !answer.text.trim().is_empty()
        }
        failure => is_unfinished(failure),
    }
}

fn marked(mut answer: Answer, message: &str) -> Answer {
    answer.notes.insert(0, message.trim_end_matches('.').to_owned());
    answer
}
