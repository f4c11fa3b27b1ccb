//! Printing what a search brings. Knows answers and events, not where they come from.

pub mod age;
mod answer_only;
mod citations;
pub mod exchanges;
mod json;
mod live;
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
    /// The same for people at a terminal: Markdown drawn, links to follow.
    Pretty,
    /// The answer's text alone.
    Answer,
    /// One JSON object.
    Json,
    /// One JSON object a line, as events come.
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
    /// Break lines that are longer than what readers of the output take.
    pub wrap: bool,
    /// The terminal to draw on as the text comes; `None` to write it when it can no longer change.
    pub screen: Option<Screen>,
    /// How wide drawn text may be, in cells.
    pub width: usize,
    /// Which escape sequences drawn text may hold.
    pub paint: Paint,
    /// The time now, in Unix seconds: what ages are counted from.
    pub now: i64,
    /// Whose answer it is: programs get the API's without what is missing, the subscription's with nulls.
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
    /// The size of the terminal now; a usual one where it has none.
    pub fn of_terminal() -> Self {
        let (width, height) =
            terminal_size::terminal_size().map_or((0, 0), |(width, height)| (width.0, height.0));
        let or = |cells: u16, usual| if cells == 0 { usual } else { usize::from(cells) };
        Self { width: or(width, 80), height: or(height, 24) }
    }
}

/// A failure, as it is told to people and programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// One word for programs, such as `auth` or `network`.
    pub kind: &'static str,
    /// A name that other programs know it by.
    pub code: Option<&'static str>,
    /// What happened, in one line.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// The sources of an answer that are listed under a limit, as all formats choose them.
pub fn listed(answer: &Answer, limit: usize) -> Vec<&Source> {
    citations::Listing::of(answer, Some(limit)).shown
}

/// Prints one search.
pub trait Render {
    /// Something happened on the way.
    fn event(&mut self, event: &SearchEvent, out: &mut dyn Write) -> io::Result<()>;

    /// The search ended with an answer, whole or not.
    fn answer(&mut self, answer: &Answer, out: &mut dyn Write) -> io::Result<()>;

    /// The search failed, possibly after some text had been `received`. What people read about it goes to standard
    /// error; this is for the formats that carry it, too, and to keep what was received.
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
        Format::Pretty => Box::new(pretty::Pretty::new(style, Screen::of_terminal)),
        Format::Answer => Box::new(answer_only::AnswerOnly::new(&style)),
        Format::Json => Box::new(json::Json::new(style)),
        Format::Ndjson => Box::new(ndjson::Ndjson::new(style)),
    }
}
