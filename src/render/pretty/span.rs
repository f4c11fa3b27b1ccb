//! Styled text, and breaking it into lines.

use anstyle::{AnsiColor, Color, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::render::Paint;

/// The style of code.
pub(super) const CODE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Yellow)));

/// A piece of text in one style, perhaps a link.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Span {
    pub(super) text: String,
    pub(super) style: Style,
    /// The address that the text leads to.
    pub(super) link: Option<String>,
}

impl Span {
    pub(super) fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style, link: None }
    }

    fn with_text(&self, text: &str) -> Self {
        Self { text: text.to_owned(), style: self.style, link: self.link.clone() }
    }
}

/// A line as it is drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Line {
    /// The text with its escape sequences; it ends in the default style.
    pub(super) text: String,
    /// The text without escape sequences.
    pub(super) plain: String,
    /// How many cells it takes.
    pub(super) cells: usize,
}

impl Paint {
    /// Renders the spans as one line.
    pub(super) fn line(self, spans: &[Span]) -> Line {
        let mut line = Line { cells: cells(spans), ..Line::default() };
        for span in spans {
            self.push(&mut line.text, span);
            line.plain.push_str(&span.text);
        }
        line
    }

    fn push(self, out: &mut String, span: &Span) {
        let link = span.link.as_deref().filter(|_| self.links);
        if let Some(link) = link {
            out.push_str("\x1B]8;;");
            out.push_str(link);
            out.push_str("\x1B\\");
        }
        if self.color && span.style != Style::new() {
            out.push_str(&span.style.render().to_string());
            out.push_str(&span.text);
            out.push_str(&span.style.render_reset().to_string());
        } else {
            out.push_str(&span.text);
        }
        if link.is_some() {
            out.push_str("\x1B]8;;\x1B\\");
        }
    }
}

/// How many cells spans take.
pub(super) fn cells(spans: &[Span]) -> usize {
    spans.iter().map(|span| span.text.width()).sum()
}

/// Joins neighbours of the same style, which the parser may have split.
pub(super) fn joined(spans: Vec<Span>) -> Vec<Span> {
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match joined.last_mut() {
            Some(last) if last.style == span.style && last.link == span.link => {
                last.text.push_str(&span.text);
            }
            _ => joined.push(span),
        }
    }
    joined
}

/// Breaks spans into lines of at most `width` cells: at line feeds, at blanks, and inside a word that is wider.
pub(super) fn wrapped(spans: &[Span], width: usize) -> Vec<Vec<Span>> {
    let mut wrapping =
        Wrapping { width: width.max(1), lines: Vec::new(), line: Vec::new(), used: 0, word: Vec::new() };
    for span in spans {
        for (index, part) in span.text.split('\n').enumerate() {
            if index > 0 {
                wrapping.end_word();
                wrapping.end_line();
            }
            wrapping.add_text(span, part);
        }
    }
    wrapping.end_word();
    wrapping.end_line();
    wrapping.lines
}

struct Wrapping {
    width: usize,
    lines: Vec<Vec<Span>>,
    line: Vec<Span>,
    /// The cells of `line`.
    used: usize,
    /// The current word, which may have several styles.
    word: Vec<Span>,
}

impl Wrapping {
    fn add_text(&mut self, span: &Span, part: &str) {
        for piece in part.split_inclusive(' ') {
            let word = piece.trim_end_matches(' ');
            if !word.is_empty() {
                self.word.push(span.with_text(word));
            }
            if word.len() < piece.len() {
                self.end_word();
                self.blank(span);
            }
        }
    }

    /// Adds one blank between words, however many there are, but none at the start or the end of a full line.
    fn blank(&mut self, span: &Span) {
        let follows_word = self.line.last().is_some_and(|last| !last.text.ends_with(' '));
        if follows_word && self.used < self.width {
            self.line.push(span.with_text(" "));
            self.used += 1;
        }
    }

    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        let cells = cells(&word);
        if cells == 0 {
            return;
        }
        if self.used + cells > self.width && self.used > 0 {
            self.end_line();
        }
        for span in word {
            self.push_broken(&span);
        }
    }

    /// Appends a piece of a word, over several lines if it is wider than one.
    fn push_broken(&mut self, span: &Span) {
        let mut text = String::new();
        for character in span.text.chars() {
            let cells = character.width().unwrap_or(0);
            if self.used + cells > self.width && self.used > 0 {
                self.line.push(span.with_text(&std::mem::take(&mut text)));
                self.end_line();
            }
            text.push(character);
            self.used += cells;
        }
        self.line.push(span.with_text(&text));
    }

    fn end_line(&mut self) {
        let mut line = joined(std::mem::take(&mut self.line));
        if let Some(last) = line.last_mut() {
            last.text.truncate(last.text.trim_end_matches(' ').len());
        }
        line.retain(|span| !span.text.is_empty());
        self.lines.push(line);
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(text: &str, width: usize) -> Vec<String> {
        let lines = wrapped(&[Span::new(text, Style::new())], width);
        lines.iter().map(|line| line.iter().map(|span| span.text.as_str()).collect()).collect()
    }

    #[test]
    fn lines_break_at_blanks_and_in_words_that_are_too_wide() {
        assert_eq!(broken("one two three", 7), ["one two", "three"]);
        assert_eq!(broken("one  two", 20), ["one two"]);
        assert_eq!(broken("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(broken("a\nb", 9), ["a", "b"]);
        assert_eq!(broken("", 9), [""]);
    }

    #[test]
    fn wide_characters_take_two_cells() {
        assert_eq!(broken("測定測定測", 5), ["測定", "測定", "測"]);
        assert_eq!(broken("👩 測", 4), ["👩", "測"]);
    }

    #[test]
    fn a_word_may_change_its_look() {
        let bold = Style::new().bold();
        let lines = wrapped(
            &[Span::new("see it", Style::new()), Span::new("alics", bold), Span::new(", x", Style::new())],
            9,
        );
        let texts: Vec<Vec<&str>> =
            lines.iter().map(|line| line.iter().map(|span| span.text.as_str()).collect()).collect();
        assert_eq!(texts, [vec!["see"], vec!["it", "alics", ","], vec!["x"]]);
    }

    #[test]
    fn escapes_are_written_only_where_they_are_wanted() {
        let span = Span { link: Some("https://x.example".to_owned()), ..Span::new("x", Style::new().bold()) };
        assert_eq!(Paint::default().line(std::slice::from_ref(&span)).text, "x");
        let all = Paint { color: true, links: true }.line(&[span]);
        assert_eq!(
            (all.text.as_str(), all.cells),
            ("\x1B]8;;https://x.example\x1B\\\x1B[1mx\x1B[0m\x1B]8;;\x1B\\", 1)
        );
    }
}
