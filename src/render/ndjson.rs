//! One JSON object a line, as events arrive. The fields are described in doc/scripts-and-json.md.

use std::io::{self, Write};

use serde::Serialize;

use super::json::{AnswerDocument, ProblemDocument, SourceDocument, escaped, with_document};
use super::{Problem, Render, Style};
use crate::domain::answer::{Answer, SearchEvent, Step};

/// The object of a line.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    /// The service began a step.
    Step {
        /// `searching`, `reading`, `thinking` or `writing`.
        step: &'a str,
        /// The queries searched for.
        #[serde(skip_serializing_if = "Option::is_none")]
        queries: Option<&'a [String]>,
        /// How many pages are read.
        #[serde(skip_serializing_if = "Option::is_none")]
        pages: Option<usize>,
    },
    /// A run of deep research began.
    Run {
        /// What `pplx research get` takes.
        id: &'a str,
    },
    /// The sources known so far; numbers are final only in `done`.
    Sources {
        /// All of them.
        sources: Vec<SourceDocument<'a>>,
    },
    /// Keep `at` bytes (UTF-8) of the text so far, then append `text`.
    Text {
        /// 0 up to the length of the text so far.
        at: usize,
        /// The text to append.
        text: &'a str,
    },
    /// The end: an answer, with all fields of the JSON document.
    Done(&'a AnswerDocument<'a>),
    /// The end: a failure.
    Error(ProblemDocument<'a>),
}

/// Prints a line for each event.
pub(super) struct Ndjson {
    style: Style,
}

impl Ndjson {
    pub(super) fn new(style: Style) -> Self {
        Self { style }
    }
}

impl Render for Ndjson {
    fn event(&mut self, event: &SearchEvent, out: &mut dyn Write) -> io::Result<()> {
        match event {
            SearchEvent::Step(step) => write_line(&step_line(step), out),
            SearchEvent::Sources(sources) => {
                let Style { payer, now, .. } = self.style;
                let sources = sources.iter().map(|source| SourceDocument::new(source, payer, now)).collect();
                write_line(&Line::Sources { sources }, out)
            }
            SearchEvent::Run(id) => write_line(&Line::Run { id }, out),
            SearchEvent::Text(change) => write_line(&Line::Text { at: change.at, text: &change.text }, out),
            SearchEvent::Warning(_) | SearchEvent::Done(_) => Ok(()),
        }
    }

    fn answer(&mut self, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
        with_document(answer, &self.style, |document| write_line(&Line::Done(document), out))
    }

    fn problem(
        &mut self,
        problem: &Problem,
        received: Option<&Answer>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        write_line(&Line::Error(ProblemDocument::new(problem, received)), out)
    }
}

fn step_line(step: &Step) -> Line<'_> {
    let line = |step, queries, pages| Line::Step { step, queries, pages };
    match step {
        Step::Searching(queries) => line("searching", Some(queries), None),
        Step::Reading(pages) => line("reading", None, Some(*pages)),
        Step::Thinking => line("thinking", None, None),
        Step::Writing => line("writing", None, None),
    }
}

fn write_line(line: &Line<'_>, out: &mut dyn Write) -> io::Result<()> {
    let json = serde_json::to_string(line)?;
    writeln!(out, "{}", escaped(&json))
}
