//! The report: answer, sources, meta data. What people, scripts and agents read by default.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::age;
use super::citations::{self, Listing};
use super::live_text::LiveText;
use super::text::{cut, one_line, sanitize};
use super::usage;
use super::wrap::{self, MAX_LINE};
use super::{Problem, Render, Style};
use crate::domain::answer::{Answer, SearchEvent, Source};

/// How much of a title or a snippet is printed, in characters.
const MAX_SNIPPET: usize = 240;
/// The indentation of the lines of a source.
const INDENT: &str = "    ";
/// The most bytes of a title or a snippet, so that one without blanks, which cannot be broken, fits into a line.
const MAX_SOURCE_TEXT: usize = MAX_LINE - 2 * INDENT.len();

/// Prints the report; on a terminal the answer as it arrives.
pub(super) struct Report {
    style: Style,
    live: Option<LiveText>,
}

impl Report {
    pub(super) fn new(style: Style) -> Self {
        let live = style.screen.map(|screen| LiveText::new(screen, "## Answer\n"));
        Self { style, live }
    }
}

impl Render for Report {
    fn event(&mut self, event: &SearchEvent, out: &mut dyn Write) -> io::Result<()> {
        match (&mut self.live, event) {
            (Some(live), SearchEvent::Text(change)) => live.apply(change, out),
            _ => Ok(()),
        }
    }

    fn answer(&mut self, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
        match &mut self.live {
            _ if answer.sources_only => {}
            Some(live) => live.finish(&answer.text, "\n\n", out)?,
            None => write_answer(answer, self.style.wrap, out)?,
        }
        let mut rest = String::new();
        push_sources(&mut rest, answer, &self.style);
        push_meta(&mut rest, answer);
        out.write_all(rest.as_bytes())
    }

    /// Prints the text received so far without sources, so that it is not taken for a result.
    fn problem(&mut self, _: &Problem, received: Option<&Answer>, out: &mut dyn Write) -> io::Result<()> {
        match (&mut self.live, received) {
            (Some(live), _) => live.end_line(out),
            (None, Some(answer)) => {
                write_answer(answer, self.style.wrap, out)?;
                let mut meta = String::new();
                push_meta(&mut meta, answer);
                out.write_all(meta.as_bytes())
            }
            (None, None) => Ok(()),
        }
    }
}

/// Writes the answer's text for a pipe: without outer blank lines, and with long lines broken where `wrap` says so.
pub(super) fn write_text(text: &str, wrap: bool, out: &mut dyn Write) -> io::Result<()> {
    let clean = sanitize(text);
    let trimmed = clean.trim_end().trim_start_matches('\n');
    if !wrap {
        return out.write_all(trimmed.as_bytes());
    }
    for (index, line) in wrap::lines(trimmed).enumerate() {
        if index > 0 {
            out.write_all(b"\n")?;
        }
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// Appends `line`, broken to lines of at most [`MAX_LINE`] bytes; each after the first is indented by `indent`.
fn push_wrapped(out: &mut String, line: &str, indent: &str) {
    for (index, piece) in wrap::pieces(line, MAX_LINE, MAX_LINE - indent.len()).enumerate() {
        if index > 0 {
            out.push('\n');
            out.push_str(indent);
        }
        out.push_str(piece);
    }
}

/// Writes an answer below its question.
pub(super) fn write_exchange(
    query: &str,
    answer: &Answer,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "# {query}\n")?;
    write_answer(answer, style.wrap, out)?;
    let mut rest = String::new();
    push_sources(&mut rest, answer, style);
    out.write_all(rest.as_bytes())
}

fn write_answer(answer: &Answer, wrap: bool, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"## Answer\n")?;
    match answer.text.trim_start() {
        "" => out.write_all(b"(no answer text)")?,
        _ => write_text(&answer.text, wrap, out)?,
    }
    out.write_all(b"\n\n")
}

fn push_sources(out: &mut String, answer: &Answer, style: &Style) {
    let listing = Listing::new(answer, style.limit);
    let count = listing.visible.len();
    let noun = if count == 1 { "source" } else { "sources" };
    let note = listing.note().map(|note| format!(" ({note})")).unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "## Sources\n{count} {noun}{note}");
    if answer.sources.is_empty() {
        out.push_str("(no sources returned)\n");
    }
    for (index, source) in listing.visible.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        push_source(out, source, style.now);
    }
    out.push('\n');
}

fn push_source(out: &mut String, source: &Source, now: i64) {
    let numbers = citations::brackets(&source.numbers).concat();
    let url = one_line(&source.url);
    let title = one_line(&source.label());
    let age = age::phrase(age::seconds(source.date.as_deref(), now));
    let title = cut(&title, MAX_SNIPPET, MAX_SOURCE_TEXT - numbers.len().min(MAX_LINE / 2) - age.len());
    push_wrapped(out, &format!("{numbers} {title} ({age})"), INDENT);
    let _ = writeln!(out, "\n{INDENT}{url}");
    let snippet = source.snippet.as_deref().map(one_line).unwrap_or_default();
    if !snippet.is_empty() {
        push_wrapped(out, &format!("{INDENT}{}", cut(&snippet, MAX_SNIPPET, MAX_SOURCE_TEXT)), INDENT);
        out.push('\n');
    }
}

fn push_meta(out: &mut String, answer: &Answer) {
    let mut line = |name: &str, value: &str| {
        push_wrapped(out, &format!("{name}: {}", one_line(value)), "");
        out.push('\n');
    };
    line("## Meta\nProvider", &answer.payer.to_string());
    line("Model", answer.model.as_deref().unwrap_or("unknown"));
    if let Some(thread) = &answer.thread {
        line("Thread", &thread.id);
    }
    if let Some(usage) = answer.usage.as_ref().and_then(usage::phrase) {
        line("Usage", &usage);
    }
    answer.notes.iter().for_each(|note| line("Note", note));
}
