//! Answers and events as text, in each output format.

pub mod age;
mod answer_only;
mod citations;
pub mod exchanges;
mod json;
mod live_text;
mod ndjson;
mod pretty;
mod report;
pub mod step;
pub mod text;
mod usage;
mod wrap;

pub use json::write_document;

use std::io::{self, Write};

use crate::domain::answer::{Answer, Payer, SearchEvent, Source};
use crate::domain::choice::Choice;

/// The output formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Answer, sources and meta data as text.
    Report,
    /// The same for people at a terminal: formatted Markdown with links.
    Pretty,
    /// The answer's text alone.
    Answer,
    /// One JSON object.
    Json,
    /// One JSON object a line, as events arrive.
    Ndjson,
}

impl Choice for Format {
    const ALL: &'static [Self] = &[Self::Report, Self::Pretty, Self::Answer, Self::Json, Self::Ndjson];

    fn name(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Pretty => "pretty",
            Self::Answer => "answer",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
        }
    }
}

/// How to print.
#[derive(Debug, Clone)]
pub struct Style {
    /// How many sources to print at most.
    pub limit: Option<usize>,
    /// Break lines that some readers of the output would cut.
    pub wrap: bool,
    /// The terminal to draw on as text arrives; `None` to write text once it can no longer change.
    pub screen: Option<Screen>,
    /// The width of drawn text, in cells.
    pub width: usize,
    /// Which escape sequences drawn text may hold.
    pub paint: Paint,
    /// The current time in Unix seconds, from which ages are counted.
    pub now: i64,
    /// Which provider answers: in JSON, missing fields are null for the subscription and absent for the API.
    pub payer: Payer,
}

/// Which escape sequences are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Paint {
    /// Colours and emphasis.
    pub color: bool,
    /// Links that the terminal follows (OSC 8).
    pub links: bool,
}

/// A terminal's size, in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Screen {
    /// Columns, at least 1.
    pub width: usize,
    /// Rows, at least 1.
    pub height: usize,
}

impl Screen {
    /// The current size of the terminal; 80 by 24 where it is unknown.
    pub fn current() -> Self {
        let (width, height) =
            terminal_size::terminal_size().map_or((0, 0), |(width, height)| (width.0, height.0));
        let or = |cells: u16, default| if cells == 0 { default } else { usize::from(cells) };
        Self { width: or(width, 80), height: or(height, 24) }
    }
}

/// A failure, as it is reported to people and programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// One word for programs, such as `auth` or `network`.
    pub kind: &'static str,
    /// The name of an error of the API.
    pub code: Option<&'static str>,
    /// What happened, in one line.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// The sources of an answer to list under a limit; the same in all formats.
pub fn listed(answer: &Answer, limit: usize) -> Vec<&Source> {
    citations::Listing::new(answer, Some(limit)).visible
}

/// Prints one search.
pub trait Render {
    /// Prints an event before the end, where the format has one for it.
    fn event(&mut self, event: &SearchEvent, out: &mut dyn Write) -> io::Result<()>;

    /// Prints the answer at the end, which may be incomplete.
    fn answer(&mut self, answer: &Answer, out: &mut dyn Write) -> io::Result<()>;

    /// Prints a failure, and the part of the answer that was `received` before it. The message for people goes to
    /// standard error elsewhere; only the JSON formats print it here.
    fn problem(
        &mut self,
        problem: &Problem,
        received: Option<&Answer>,
        out: &mut dyn Write,
    ) -> io::Result<()>;
}

/// The renderer of a format.
pub fn renderer(format: Format, style: Style) -> Box<dyn Render + Send> {
    match format {
        Format::Report => Box::new(report::Report::new(style)),
        Format::Pretty => Box::new(pretty::Pretty::new(style, Screen::current)),
        Format::Answer => Box::new(answer_only::AnswerOnly::new(&style)),
        Format::Json => Box::new(json::Json::new(style)),
        Format::Ndjson => Box::new(ndjson::Ndjson::new(style)),
    }
}
