//! A line on standard error that shows what the service is doing, and vanishes before the answer comes.

use std::time::{Duration, Instant};

use crate::answer::Step;
use crate::io::Io;
use crate::render::Screen;
use crate::render::text::{cells_cut, one_line};

/// How often the time shown is renewed.
pub(super) const TICK: Duration = Duration::from_millis(500);

/// The line, while there is one.
#[derive(Debug)]
pub(super) struct Progress {
    started: Instant,
    text: String,
    /// Whether the line may be shown: not before a search is asked, nor after its answer has begun.
    open: bool,
    shown: bool,
}

impl Progress {
    /// A line for a search that starts now; none where nobody would see it.
    pub(super) fn new(visible: bool) -> Self {
        Self { started: Instant::now(), text: "Asking".to_owned(), open: visible, shown: false }
    }

    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// The service started on something else.
    pub(super) fn step(&mut self, step: &Step, io: &mut Io) {
        self.text = described(step);
        self.draw(io);
    }

    /// Draws the line anew, with the time that has passed.
    pub(super) fn draw(&mut self, io: &mut Io) {
        if !self.open {
            return;
        }
        let line = format!("{} ({}s)", one_line(&self.text), self.started.elapsed().as_secs());
        // One cell less than the terminal has, so that it never scrolls.
        let width = Screen::of_terminal().width.saturating_sub(1);
        io.ask(&format!("\r\x1B[K{}", cells_cut(&line, width)));
        self.shown = true;
    }

    /// Takes the line away for now.
    pub(super) fn clear(&mut self, io: &mut Io) {
        if std::mem::take(&mut self.shown) {
            io.ask("\r\x1B[K");
        }
    }

    /// Takes the line away for good.
    pub(super) fn close(&mut self, io: &mut Io) {
        self.open = false;
        self.clear(io);
    }
}

/// A step in words.
pub(super) fn described(step: &Step) -> String {
    match step {
        Step::Searching(words) => format!("Searching: {}", words.join(" | ")),
        Step::Reading(1) => "Reading 1 source".to_owned(),
        Step::Reading(pages) => format!("Reading {pages} sources"),
        Step::Thinking => "Thinking".to_owned(),
        Step::Writing => "Writing".to_owned(),
    }
}
