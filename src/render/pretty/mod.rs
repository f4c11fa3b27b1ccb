//! For people at a terminal: Markdown drawn as it comes, citations and addresses as links.
//!
//! The text is kept as blocks. A change draws only the block that it touches and those after it, and of those only the
//! lines that differ; so a finished block is written once, and text that the service takes back is redrawn.

mod citations;
mod inline;
mod markdown;
mod sheet;
mod span;
mod table;

use std::io::{self, Write};

use anstyle::{AnsiColor, Style as Look};

use self::citations::Citations;
use self::inline::Canvas;
use self::markdown::blocks;
use self::sheet::Sheet;
use self::span::{Line, Span, wrapped};
use super::age;
use super::citations::{Listing, brackets};
use super::text::{cut, one_line, sanitize};
use super::usage;
use super::{Problem, Render, Screen, Style};
use crate::domain::answer::{Answer, SearchEvent, Source, TextChange};

/// How much of a snippet is shown, in characters.
const SNIPPET: usize = 240;

/// Draws the answer, then its sources and what is known about it.
pub(super) struct Pretty {
    style: Style,
    /// The lines on the terminal; `None` where nothing is drawn before the end.
    sheet: Option<Sheet>,
    text: String,
    /// The blocks of the text: where each begins, in bytes, and its first line.
    blocks: Vec<(usize, usize)>,
    citations: Citations,
    /// The size of the terminal at any time.
    size: Box<dyn Fn() -> Screen + Send>,
}

impl Pretty {
    /// A renderer for a terminal whose size `size` tells.
    pub(super) fn new(style: Style, size: impl Fn() -> Screen + Send + 'static) -> Self {
        let sheet = style.screen.map(Sheet::new);
        let (text, blocks, citations) = <(String, Vec<(usize, usize)>, Citations)>::default();
        Self { style, sheet, text, blocks, citations, size: Box::new(size) }
    }

    fn change(&mut self, change: &TextChange, out: &mut dyn Write) -> io::Result<()> {
        change.apply(&mut self.text);
        self.draw_from(change.at, out)
    }

    /// Draws from the block that byte `at` is in, or could still join.
    fn draw_from(&mut self, at: usize, out: &mut dyn Write) -> io::Result<()> {
        self.follow_resize();
        let (start, first_line) = self.reopen(at);
        let Some(sheet) = &mut self.sheet else { return Ok(()) };
        let source = self.text.get(start..).unwrap_or_default();
        let clean = sanitize(source);
        let canvas = Canvas { width: self.style.width, paint: self.style.paint, citations: &self.citations };
        let mut lines: Vec<Line> = Vec::new();
        for block in blocks(&clean, canvas) {
            if !lines.is_empty() {
                lines.push(Line::default());
            }
            // Where something was taken out, places in the clean text are none in the source.
            if clean.len() == source.len() || self.blocks.is_empty() {
                self.blocks.push((start + block.start, first_line + lines.len()));
            }
            lines.extend(block.lines);
        }
        sheet.replace(first_line, lines, out)
    }

    /// Drops the blocks that a change at byte `at` may alter, and says where the first of them begins. That is the
    /// block it is in and the one before, which it could still join, and all that no blank line separates from them.
    fn reopen(&mut self, at: usize) -> (usize, usize) {
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

    /// Takes a changed size over: what is drawn from now on fits it.
    fn follow_resize(&mut self) {
        let now = self.style.screen.map(|_| (self.size)());
        if let (Some(now), Some(sheet)) = (now, &mut self.sheet)
            && self.style.screen != Some(now)
        {
            self.style.screen = Some(now);
            self.style.width = now.width;
            sheet.resize(now);
        }
    }

    /// Draws the final text, with the final numbers of its sources.
    fn finish(&mut self, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
        let citations = Citations::of(&answer.sources);
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
        let listing = Listing::of(answer, self.style.limit);
        let note = listing.note().map(|note| format!(" ({note})")).unwrap_or_default();
        let count = listing.shown.len();
        let heading = format!("{count} {}{note}", if count == 1 { "source" } else { "sources" });
        self.write_lines(&[vec![Span::new(heading, Look::new().bold())]], out)?;
        for source in listing.shown {
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
        self.write_lines(&indented(&head, self.style.width), out)?;
        // The address stays in one piece, so that it can be copied.
        let address = Span { link: Some(url.clone()), ..Span::new(url, Look::new().underline()) };
        self.write_lines(&[vec![Span::new("    ", Look::new()), address]], out)?;
        let snippet = source.snippet.as_deref().map(one_line).unwrap_or_default();
        if !snippet.is_empty() {
            let snippet = Span::new(cut(&snippet, SNIPPET, usize::MAX), Look::new().dimmed());
            self.write_lines(&indented_all(&[snippet], self.style.width), out)?;
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
                self.citations = Citations::of(sources);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn answer(&mut self, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
        if self.sheet.is_none() {
            // Nothing was drawn and nothing can change: a sheet that is never redrawn.
            self.sheet = Some(Sheet::new(Screen { width: self.style.width, height: 1 }));
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
            None if self.sheet.as_ref().is_some_and(|sheet| sheet.len() > 0) => out.write_all(b"\n"),
            None => Ok(()),
        }
    }
}

/// Lines of which all but the first are indented.
fn indented(spans: &[Span], width: usize) -> Vec<Vec<Span>> {
    let mut lines = wrapped(spans, width.saturating_sub(4));
    lines.iter_mut().skip(1).for_each(|line| line.insert(0, Span::new("    ", Look::new())));
    lines
}

fn indented_all(spans: &[Span], width: usize) -> Vec<Vec<Span>> {
    let mut lines = wrapped(spans, width.saturating_sub(4));
    for line in &mut lines {
        line.insert(0, Span::new("    ", Look::new()));
    }
    lines
}

#[cfg(test)]
mod tests;
