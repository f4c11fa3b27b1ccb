//! Markdown as styled lines.

use anstyle::{AnsiColor, Style};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use unicode_width::UnicodeWidthStr;

use super::inline::{Canvas, Events, inline, is_inline};
use super::span::{CODE, Line, Span, wrapped};
use super::table;

/// The bullets of lists by their depth.
const BULLETS: [&str; 3] = ["• ", "◦ ", "▪ "];

/// A drawn block at the top level of a text.
#[derive(Debug)]
pub(super) struct Block {
    /// The start of its source, in bytes: at the start of a line.
    pub(super) start: usize,
    pub(super) lines: Vec<Line>,
}

/// The blocks of a Markdown text.
pub(super) fn blocks(text: &str, canvas: Canvas<'_>) -> Vec<Block> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let events: Vec<_> = Parser::new_ext(text, options).into_offset_iter().collect();
    let mut blocks = Vec::new();
    let mut depth = 0;
    let mut first = 0;
    for (index, (event, range)) in events.iter().enumerate() {
        if depth == 0 {
            first = index;
            let before = text.get(..range.start).unwrap_or_default();
            blocks.push(Block { start: before.rfind('\n').map_or(0, |feed| feed + 1), lines: Vec::new() });
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
        if depth == 0
            && let Some(block) = blocks.last_mut()
        {
            let events: Vec<Event<'_>> =
                events.iter().take(index + 1).skip(first).map(|(event, _)| event.clone()).collect();
            block.lines = draw(events, canvas);
        }
    }
    blocks
}

fn draw(events: Vec<Event<'_>>, canvas: Canvas<'_>) -> Vec<Line> {
    let mut drawing = Drawing { canvas, lines: Vec::new(), margins: Vec::new(), list_depth: 0 };
    drawing.children(&mut events.into_iter().peekable());
    drawing.lines
}

/// The start of the lines of a list item or a quote: `mark` on the first line, `rest` on the others.
#[derive(Debug)]
struct Margin {
    mark: Option<Span>,
    rest: Span,
}

struct Drawing<'a> {
    canvas: Canvas<'a>,
    lines: Vec<Line>,
    margins: Vec<Margin>,
    /// The depth of nested lists.
    list_depth: usize,
}

impl Drawing<'_> {
    /// Draws blocks up to the end of the one that contains them.
    fn children(&mut self, events: &mut Events<'_>) {
        let mut first = true;
        while let Some(event) = events.peek() {
            if matches!(event, Event::End(_)) {
                return;
            }
            // No blank line between the text of a list item and a list inside it.
            let nested_list = matches!(event, Event::Start(Tag::List(_))) && self.list_depth > 0;
            if !first && !nested_list {
                self.blank();
            }
            first = false;
            self.block(events);
        }
    }

    fn block(&mut self, events: &mut Events<'_>) {
        if events.peek().is_some_and(is_inline) {
            let spans = inline(events, Style::new(), self.canvas);
            return self.paragraph(&spans);
        }
        match events.next() {
            Some(Event::Start(Tag::Heading { level, .. })) => {
                let spans = inline(events, heading_style(level), self.canvas);
                self.paragraph(&spans);
                events.next();
            }
            Some(Event::Start(Tag::CodeBlock(kind))) => self.code(events, &kind),
            Some(Event::Start(Tag::List(start))) => self.list(events, start),
            Some(Event::Start(Tag::BlockQuote(_))) => {
                let bar = Span::new("│ ", Style::new().dimmed());
                self.with_margin(Margin { mark: None, rest: bar }, events);
                events.next();
            }
            Some(Event::Start(Tag::Table(columns))) => {
                let rows = self.rows(events);
                let lines = table::lines(&columns, &rows, self.width());
                for line in &lines {
                    self.line(line);
                }
            }
            Some(Event::Rule) => {
                let rule = "─".repeat(self.width().min(40));
                self.line(&[Span::new(rule, Style::new().dimmed())]);
            }
            Some(Event::Start(_)) => {
                self.children(events);
                events.next();
            }
            _ => {}
        }
    }

    fn list(&mut self, events: &mut Events<'_>, start: Option<u64>) {
        let bullet = BULLETS.get(self.list_depth % BULLETS.len()).copied().unwrap_or_default();
        self.list_depth += 1;
        let mut number = start;
        while let Some(Event::Start(Tag::Item)) = events.next() {
            let mark = number.map_or_else(|| bullet.to_owned(), |number| format!("{number}. "));
            number = number.map(|number| number.saturating_add(1));
            let rest = Span::new(" ".repeat(mark.width()), Style::new());
            let mark = Some(Span::new(mark, Style::new().fg_color(Some(AnsiColor::Cyan.into()))));
            self.with_margin(Margin { mark, rest }, events);
            events.next();
        }
        self.list_depth -= 1;
    }

    fn with_margin(&mut self, margin: Margin, events: &mut Events<'_>) {
        let before = self.lines.len();
        self.margins.push(margin);
        self.children(events);
        if self.lines.len() == before {
            self.line(&[]);
        }
        self.margins.pop();
    }

    fn code(&mut self, events: &mut Events<'_>, kind: &CodeBlockKind<'_>) {
        let mut code = String::new();
        while let Some(Event::Text(text)) = events.next() {
            code.push_str(&text);
        }
        if let CodeBlockKind::Fenced(language) = kind
            && let Some(language) = language.split_whitespace().next()
        {
            self.line(&[Span::new(format!("  {language}"), Style::new().dimmed())]);
        }
        for line in code.trim_end_matches('\n').split('\n') {
            // Non-breaking blanks, so that code is broken only where it is too wide.
            let line = line.replace('\t', "    ").replace(' ', "\u{A0}");
            for piece in wrapped(&[Span::new(line, CODE)], self.width().saturating_sub(2)) {
                let piece =
                    piece.into_iter().map(|span| Span { text: span.text.replace('\u{A0}', " "), ..span });
                let line: Vec<Span> = std::iter::once(Span::new("  ", Style::new())).chain(piece).collect();
                self.line(&line);
            }
        }
    }

    fn rows(&mut self, events: &mut Events<'_>) -> Vec<Vec<Vec<Span>>> {
        let mut rows: Vec<Vec<Vec<Span>>> = Vec::new();
        while let Some(event) = events.next() {
            match event {
                Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(Vec::new()),
                Event::Start(Tag::TableCell) => {
                    let style = if rows.len() == 1 { Style::new().bold() } else { Style::new() };
                    let cell = inline(events, style, self.canvas);
                    if let Some(row) = rows.last_mut() {
                        row.push(cell);
                    }
                }
                Event::End(TagEnd::Table) => break,
                _ => {}
            }
        }
        rows
    }

    fn paragraph(&mut self, spans: &[Span]) {
        for line in wrapped(spans, self.width()) {
            self.line(&line);
        }
    }

    fn width(&self) -> usize {
        let margins: usize = self.margins.iter().map(|margin| margin.rest.text.width()).sum();
        self.canvas.width.saturating_sub(margins).max(1)
    }

    fn line(&mut self, spans: &[Span]) {
        let margins =
            self.margins.iter_mut().map(|margin| margin.mark.take().unwrap_or_else(|| margin.rest.clone()));
        let line: Vec<Span> = margins.chain(spans.iter().cloned()).collect();
        self.lines.push(self.canvas.paint.line(&line));
    }

    fn blank(&mut self) {
        let margins: Vec<Span> = self.margins.iter().map(|margin| margin.rest.clone()).collect();
        let blank = self.canvas.paint.line(&margins);
        let is_blank = blank.text.trim().is_empty();
        self.lines.push(if is_blank { Line::default() } else { blank });
    }
}

fn heading_style(level: HeadingLevel) -> Style {
    let style = Style::new().bold().fg_color(Some(AnsiColor::Green.into()));
    if level <= HeadingLevel::H2 { style.underline() } else { style }
}
