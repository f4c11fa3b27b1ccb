//! The lines on a terminal while they may still change. Only lines that differ are written again.

use std::io::{self, Write};

use super::span::Line;
use crate::render::Screen;

/// The lines drawn so far. The cursor is at the end of the last one.
#[derive(Debug)]
pub(super) struct DrawnLines {
    screen: Screen,
    lines: Vec<Line>,
}

impl DrawnLines {
    pub(super) fn new(screen: Screen) -> Self {
        Self { screen, lines: Vec::new() }
    }

    /// Sets a new size of the terminal. After a change of the width, the terminal has broken its lines anew.
    pub(super) fn resize(&mut self, screen: Screen) {
        self.screen = screen;
    }

    /// Replaces the lines from `from` on by `new`, and writes those that differ.
    pub(super) fn replace(&mut self, from: usize, new: Vec<Line>, out: &mut dyn Write) -> io::Result<()> {
        let unchanged = self.count_unchanged(from, &new);
        let mut first = (from + unchanged).min(self.lines.len());
        let mut fresh: Vec<Line> = new.into_iter().skip(unchanged).collect();
        if fresh.is_empty() && first < self.lines.len() {
            // Where lines are only removed, the last remaining one is written again, so that the cursor ends behind it.
            first = first.saturating_sub(1);
            fresh.extend(self.lines.get(first).cloned());
        }
        let mut old = self.lines.split_off(first);
        if old.is_empty() {
            self.write_below(&fresh, out)?;
        } else if let ([last], Some(grown)) = (old.as_slice(), fresh.first())
            && let Some(rest) = grown.text.strip_prefix(last.text.as_str())
        {
            out.write_all(rest.as_bytes())?;
            write_lines(fresh.get(1..).unwrap_or_default(), true, out)?;
        } else if !fresh.is_empty() || !old.is_empty() {
            self.rewrite(&mut old, &fresh, out)?;
        }
        self.lines.extend(fresh);
        Ok(())
    }

    /// How many lines need not be written: those that are equal, and those that have scrolled away and have the same
    /// text.
    fn count_unchanged(&self, from: usize, new: &[Line]) -> usize {
        let pairs = || self.lines.iter().skip(from).zip(new);
        let equal = pairs().take_while(|(old, new)| old == new).count();
        let same_text = pairs().take_while(|(old, new)| old.plain == new.plain).count();
        let mut rows = 0;
        let reachable = self.lines.iter().rev().take_while(|line| {
            rows += self.rows(line);
            rows <= self.screen.height
        });
        let scrolled = self.lines.len() - reachable.count();
        let first = equal.max(same_text.min(scrolled.saturating_sub(from)));
        first + pairs().skip(first).take_while(|(old, new)| old == new).count()
    }

    fn write_below(&self, lines: &[Line], out: &mut dyn Write) -> io::Result<()> {
        write_lines(lines, !self.lines.is_empty(), out)
    }

    /// Writes `fresh` over `old`, the last lines on the terminal. Where the first of them has scrolled away and cannot
    /// be reached, all are written again below.
    fn rewrite(&self, old: &mut Vec<Line>, fresh: &[Line], out: &mut dyn Write) -> io::Result<()> {
        let up: usize = old.iter().map(|line| self.rows(line)).sum::<usize>() - 1;
        if up >= self.screen.height {
            out.write_all("\n\n(rewritten from here)\n".as_bytes())?;
        } else if up > 0 {
            write!(out, "\x1B[{up}A\r\x1B[J")?;
        } else {
            out.write_all(b"\r\x1B[K")?;
        }
        old.clear();
        write_lines(fresh, false, out)
    }

    fn rows(&self, line: &Line) -> usize {
        line.cells.div_ceil(self.screen.width).max(1)
    }

    /// How many lines there are.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }
}

fn write_lines(lines: &[Line], mut on_new_line: bool, out: &mut dyn Write) -> io::Result<()> {
    for line in lines {
        if std::mem::replace(&mut on_new_line, true) {
            out.write_all(b"\n")?;
        }
        out.write_all(line.text.as_bytes())?;
    }
    Ok(())
}
