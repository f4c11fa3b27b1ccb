//! The format for people at a terminal: Markdown drawn as it arrives, with citations and addresses as links.
//!
//! The text is divided into blocks. A change draws the block that it touches and those after it, and writes only the
//! lines that differ. So a finished block is written once, and text that the service replaces is redrawn.

mod citations;
mod drawn_lines;
mod inline;
mod markdown;
mod span;
mod table;

use std::io::{self, Write};

use anstyle::{AnsiColor, Style as Look};

use self::citations::Citations;
use self::drawn_lines::DrawnLines;
use self::inline::Canvas;
use self::markdown::blocks;
use self::span::{Line, Span, wrapped};
use super::age;
use super::citations::{Listing, brackets};
use super::text::{cut, one_line, sanitize};
use super::usage;
use super::{Problem, Render, Screen, Style};
use crate::domain::answer::{Answer, SearchEvent, Source, TextChange};

/// How much of a snippet is printed, in characters.
const MAX_SNIPPET: usize = 240;

/// Prints the answer, then its sources and meta data.
pub(super) struct Pretty {
    style: Style,
    /// The lines on the terminal; `None` where nothing is drawn before the end.
    drawn: Option<DrawnLines>,
    text: String,
    /// The blocks of the text: where each begins, in bytes, and its first line.
    blocks: Vec<(usize, usize)>,
    citations: Citations,
    /// Returns the current size of the terminal.
    size: Box<dyn Fn() -> Screen + Send>,
}

impl Pretty {
    /// A renderer for a terminal whose current size `size` returns.
    pub(super) fn new(style: Style, size: impl Fn() -> Screen + Send + 'static) -> Self {
        let drawn = style.screen.map(DrawnLines::new);
        let (text, blocks, citations) = <(String, Vec<(usize, usize)>, Citations)>::default();
        Self { style, drawn, text, blocks, citations, size: Box::new(size) }
    }

    fn change(&mut self, change: &TextChange, out: &mut dyn Write) -> io::Result<()> {
        change.apply(&mut self.text);
        self.draw_from(change.at, out)
    }

    /// Draws from the first block that a change at byte `at` may alter.
    fn draw_from(&mut self, at: usize, out: &mut dyn Write) -> io::Result<()> {
        self.update_size();
        let (start, first_line) = self.remove_blocks_from(at);
        let Some(drawn) = &mut self.drawn else { return Ok(()) };
        let source = self.text.get(start..).unwrap_or_default();
        let clean = sanitize(source);
        let canvas = Canvas { width: self.style.width, paint: self.style.paint, citations: &self.citations };
        let mut lines: Vec<Line> = Vec::new();
        for block in blocks(&clean, canvas) {
            if !lines.is_empty() {
                lines.push(Line::default());
            }
            // Where characters were removed, positions in the clean text are not positions in the source.
            if clean.len() == source.len() || self.blocks.is_empty() {
                self.blocks.push((start + block.start, first_line + lines.len()));
            }
            lines.extend(block.lines);
        }
        drawn.replace(first_line, lines, out)
    }

    /// Removes the blocks that a change at byte `at` may alter, and returns the start and the first line of the first
    /// one. These are the block with the change, the one before it, which it may join, and those that no blank line
    /// separates from them.
    fn remove_blocks_from(&mut self, at: usize) -> (usize, usize) {
        while self.blocks.last().is_some_and(|(start, _)| *start >= at) {
            self.blocks.pop();
        }
        self.blocks.pop();
        loop {
            let (start, line) = self.blocks.pop().unwrap_or_default();
            let before = self.text.get(..start).unwrap_or_default();
            let last_line = before.strip_suffix('\n').and_then(|before| before.rsplit('\n').next());
            if start == 0 || last_line.is_some_and(|line| line.trim().is_empty()) {
                return (start, line);
            }
        }
    }

    /// Uses the current size of the terminal for what is drawn from now on.
    fn update_size(&mut self) {
        let now = self.style.screen.map(|_| (self.size)());
        if let (Some(now), Some(drawn)) = (now, &mut self.drawn)
            && self.style.screen != Some(now)
        {
            self.style.screen = Some(now);
            self.style.width = now.width;
            drawn.resize(now);
        }
    }

    /// Draws the final text with its final citations.
    fn finish(&mut self, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
        let citations = Citations::new(&answer.sources);
        let at = if citations == self.citations && answer.text == self.text { self.text.len() } else { 0 };
        self.citations = citations;
        answer.text.clone_into(&mut self.text);
        self.draw_from(at, out)?;
        if self.text.trim().is_empty() {
            out.write_all(b"(no answer text)")?;
        }
        out.write_all(b"\n\n")
    }

    fn write_lines(&self, lines: &[Vec<Span>], out: &mut dyn Write) -> io::Result<()> {
        for line in lines {
            writeln!(out, "{}", self.style.paint.line(line).text)?;
        }
        Ok(())
    }

    fn write_sources(&self, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
        let listing = Listing::new(answer, self.style.limit);
        let note = listing.note().map(|note| format!(" ({note})")).unwrap_or_default();
        let count = listing.visible.len();
        let heading = format!("{count} {}{note}", if count == 1 { "source" } else { "sources" });
        self.write_lines(&[vec![Span::new(heading, Look::new().bold())]], out)?;
        for source in listing.visible {
            self.write_source(source, out)?;
        }
        out.write_all(b"\n")
    }

    fn write_source(&self, source: &Source, out: &mut dyn Write) -> io::Result<()> {
        let url = one_line(&source.url);
        let numbers = brackets(&source.numbers).concat();
        let title = one_line(&source.label());
        let age = age::phrase(age::seconds(source.date.as_deref(), self.style.now));
        let head = [
            Span::new(numbers, Look::new().fg_color(Some(AnsiColor::Blue.into()))),
            Span { link: Some(url.clone()), ..Span::new(format!(" {title}"), Look::new().bold()) },
            Span::new(format!(" ({age})"), Look::new().dimmed()),
        ];
        self.write_lines(&with_hanging_indent(&head, self.style.width), out)?;
        // The address is not broken, so that it can be copied.
        let address = Span { link: Some(url.clone()), ..Span::new(url, Look::new().underline()) };
        self.write_lines(&[vec![Span::new("    ", Look::new()), address]], out)?;
        let snippet = source.snippet.as_deref().map(one_line).unwrap_or_default();
        if !snippet.is_empty() {
            let snippet = Span::new(cut(&snippet, MAX_SNIPPET, usize::MAX), Look::new().dimmed());
            self.write_lines(&with_indent(&[snippet], self.style.width), out)?;
        }
        Ok(())
    }

    fn write_meta(&self, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
        let model = answer.model.as_deref().map_or_else(|| "unknown".to_owned(), one_line);
        let thread = answer.thread.as_ref().map(|thread| format!(" · thread {}", one_line(&thread.id)));
        let thread = thread.unwrap_or_default();
        let usage = answer.usage.as_ref().and_then(usage::phrase).map(|usage| format!(" · {usage}"));
        let usage = usage.unwrap_or_default();
        let meta = format!("{} · {model}{thread}{usage}", answer.payer);
        let meta = Span::new(meta, Look::new().dimmed());
        self.write_lines(&wrapped(&[meta], self.style.width), out)?;
        for note in &answer.notes {
            let note = Span::new(
                format!("Note: {}", one_line(note)),
                Look::new().fg_color(Some(AnsiColor::Yellow.into())),
            );
            self.write_lines(&wrapped(&[note], self.style.width), out)?;
        }
        Ok(())
    }
}

impl Render for Pretty {
    fn event(&mut self, event: &SearchEvent, out: &mut dyn Write) -> io::Result<()> {
        match event {
            SearchEvent::Text(change) => self.change(change, out),
            SearchEvent::Sources(sources) => {
                self.citations = Citations::new(sources);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn answer(&mut self, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
        if self.drawn.is_none() {
            // Nothing was drawn before, so these lines are written once.
            self.drawn = Some(DrawnLines::new(Screen { width: self.style.width, height: 1 }));
        }
        if !answer.sources_only {
            self.finish(answer, out)?;
        }
        self.write_sources(answer, out)?;
        self.write_meta(answer, out)
    }

    fn problem(&mut self, _: &Problem, received: Option<&Answer>, out: &mut dyn Write) -> io::Result<()> {
        match received {
            Some(answer) => {
                self.finish(answer, out)?;
                self.write_meta(answer, out)
            }
            None if self.drawn.as_ref().is_some_and(|drawn| drawn.len() > 0) => out.write_all(b"\n"),
            None => Ok(()),
        }
    }
}

/// Wrapped lines, all but the first of them indented.
fn with_hanging_indent(spans: &[Span], width: usize) -> Vec<Vec<Span>> {
    let mut lines = wrapped(spans, width.saturating_sub(4));
    lines.iter_mut().skip(1).for_each(|line| line.insert(0, Span::new("    ", Look::new())));
    lines
}

/// Wrapped lines, all of them indented.
fn with_indent(spans: &[Span], width: usize) -> Vec<Vec<Span>> {
    let mut lines = wrapped(spans, width.saturating_sub(4));
    for line in &mut lines {
        line.insert(0, Span::new("    ", Look::new()));
    }
    lines
}

#[cfg(test)]
mod tests;
