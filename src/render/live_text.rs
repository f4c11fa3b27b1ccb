//! Text on a terminal while it still grows: appended as it arrives, and redrawn from the paragraph that changed when
//! the service replaces text.

use std::io::{self, Write};

use unicode_width::UnicodeWidthChar;

use super::Screen;
use super::text::sanitize;
use crate::domain::answer::TextChange;

/// A text that is drawn while it grows.
#[derive(Debug)]
pub(super) struct LiveText {
    screen: Screen,
    heading: &'static str,
    started: bool,
    /// The text drawn so far, before sanitizing.
    text: String,
}

impl LiveText {
    /// Draws below `heading`, which is written together with the first text.
    pub(super) fn new(screen: Screen, heading: &'static str) -> Self {
        Self { screen, heading, started: false, text: String::new() }
    }

    /// Draws a change.
    pub(super) fn apply(&mut self, change: &TextChange, out: &mut dyn Write) -> io::Result<()> {
        if !std::mem::replace(&mut self.started, true) {
            out.write_all(self.heading.as_bytes())?;
        }
        if change.at >= self.text.len() {
            self.text.push_str(&change.text);
            return out.write_all(sanitize(&change.text).as_bytes());
        }
        let kept = self.text.get(..change.at).unwrap_or_default();
        let start = kept.rfind("\n\n").map_or(0, |paragraph| paragraph + 2);
        let rows = rows(&sanitize(self.text.get(start..).unwrap_or_default()), self.screen.width) - 1;
        change.apply(&mut self.text);
        if rows < self.screen.height {
            erase(rows, out)?;
        } else {
            out.write_all("\n\n(rewritten from here:)\n\n".as_bytes())?;
        }
        out.write_all(sanitize(self.text.get(start..).unwrap_or_default()).as_bytes())
    }

    /// Draws the final text and the line feeds `end`, less those that the text ends with.
    pub(super) fn finish(&mut self, text: &str, end: &str, out: &mut dyn Write) -> io::Result<()> {
        match TextChange::between(&self.text, text) {
            Some(rest) => self.apply(&rest, out)?,
            None if !self.started => self.apply(&TextChange { at: 0, text: String::new() }, out)?,
            None => {}
        }
        if self.text.trim().is_empty() {
            out.write_all(b"(no answer text)")?;
        }
        let line_feeds = self.text.len() - self.text.trim_end_matches('\n').len();
        out.write_all(end.get(line_feeds.min(end.len())..).unwrap_or_default().as_bytes())
    }

    /// Keeps the text drawn so far, and moves the cursor to a new line.
    pub(super) fn end_line(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.started && !self.text.ends_with('\n') {
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}

/// Moves the cursor to the start of the line `rows` above its own, and clears the screen from there.
fn erase(rows: usize, out: &mut dyn Write) -> io::Result<()> {
    match rows {
        0 => write!(out, "\r\x1B[J"),
        rows => write!(out, "\x1B[{rows}A\r\x1B[J"),
    }
}

/// How many rows of the terminal a text takes that begins in the first column.
fn rows(text: &str, width: usize) -> usize {
    let mut rows = 1;
    let mut column = 0;
    for character in text.chars() {
        let cells = match character {
            '\n' => {
                rows += 1;
                column = 0;
                continue;
            }
            '\t' => 8 - column % 8,
            other => other.width().unwrap_or(0),
        };
        if column + cells > width {
            rows += 1;
            column = 0;
        }
        column += cells;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(changes: &[(usize, &str)]) -> String {
        let mut live = LiveText::new(Screen { width: 10, height: 5 }, "");
        let mut out = Vec::new();
        for (at, text) in changes {
            live.apply(&TextChange { at: *at, text: (*text).to_owned() }, &mut out).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn growing_text_is_written_once() {
        assert_eq!(drawn(&[(0, "one "), (4, "two")]), "one two");
    }

    #[test]
    fn rewritten_text_is_redrawn_from_its_paragraph() {
        assert_eq!(drawn(&[(0, "one\n\ntwo"), (6, "hree")]), "one\n\ntwo\r\x1B[Jthree");
        assert_eq!(drawn(&[(0, "a\n\n0123456789abc"), (4, "x")]), "a\n\n0123456789abc\x1B[1A\r\x1B[J0x");
    }

    #[test]
    fn what_has_scrolled_away_is_written_anew_below() {
        let long = "line\nline\nline\nline\nline\nline";
        assert!(drawn(&[(0, long), (0, "new")]).ends_with("(rewritten from here:)\n\nnew"));
    }

    #[test]
    fn rows_count_wide_characters_and_tabs() {
        assert_eq!(
            [rows("", 10), rows("0123456789", 10), rows("0123456789a", 10), rows("測定測定測", 10)],
            [1, 1, 2, 1]
        );
        assert_eq!([rows("測定測定測a", 10), rows("123456789測", 10), rows("a\tb\tc", 10)], [2, 2, 2]);
    }
}
