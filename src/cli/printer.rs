//! Where a search is printed, and how it is told that it ended.

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
    /// With neither text nor pages, which is an answer of its own for programs.
    Empty(Box<Answer>),
    /// With what had arrived before.
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
        let tells_steps = watched && io.moves_cursor && !output.quiet && !output.verbose;
        let waits = !matches!(settings.answer_from, AnswerFrom::Recording { .. });
        let streams = output.style.screen.is_some();
        Ok(Self {
            io,
            file,
            renderer,
            verbose: output.verbose,
            quiet: output.quiet,
            progress: Progress::new(tells_steps && waits, uploading(settings)),
            streams,
            format: output.format,
        })
    }

    /// Prints an event, and with `--verbose` tells about it.
    pub(super) fn event(&mut self, event: &SearchEvent) -> io::Result<()> {
        if self.verbose {
            self.tell(event);
        }
        match event {
            SearchEvent::Step(step) => self.progress.step(step, self.io),
            SearchEvent::Text(_) if self.streams => self.progress.close(self.io),
            SearchEvent::Run(id) => self.tell_of_run(id),
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

    /// A run goes on without us: whoever knows its id loses nothing.
    fn tell_of_run(&mut self, id: &str) {
        if !self.quiet {
            self.progress.clear(self.io);
            let id = one_line(id);
            self.io.tell_as(
                "note",
                &format!("research run {id}; `pplx research get {id}` fetches it at any time"),
            );
        }
    }

    fn tell(&mut self, event: &SearchEvent) {
        match event {
            SearchEvent::Step(step) => self.io.tell(&one_line(&step::phrase(step))),
            SearchEvent::Warning(warning) => self.io.tell_as("warning", warning),
            _ => {}
        }
    }

    /// The result of `work`; meanwhile the line about it shows the time.
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

    /// Prints how it ended, and gives back a whole answer. What has arrived of an unfinished one is printed and marked.
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
                return Err(self.told(&Error::NoResults.into()));
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
        Err(self.told(&failure))
    }

    /// Tells of a failure; its exit code is left.
    fn told(&mut self, failure: &Failure) -> Failure {
        if let Some(problem) = failure.problem() {
            output::problem(&problem, self.io);
        }
        Failure::Silent(failure.exit_code())
    }
}

/// The upload that comes first, if one does.
fn uploading(settings: &Settings) -> Option<Uploading> {
    let AnswerFrom::Question(question) = &settings.answer_from else { return None };
    let total = question.files.iter().map(|file| file.bytes.len() as u64).sum();
    (total > 0).then(|| Uploading { meter: question.meter.clone(), total })
}

/// The reply ended before the answer did; nothing says that what came is wrong.
fn is_unfinished(failure: &Failure) -> bool {
    matches!(failure, Failure::Library(Error::Incomplete(_)) | Failure::Signal(_) | Failure::Aborted(_))
}

/// An empty answer is kept only where the reply was cut, and the invitation to sign up is no answer at all.
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
