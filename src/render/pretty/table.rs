//! Tables that fit the width of the terminal.

use anstyle::Style;
use pulldown_cmark::Alignment;

use super::span::{Span, cells, wrapped};

/// The separator of columns.
const GAP: &str = " │ ";
/// The width to which the widest column is reduced before any becomes narrower, in cells.
const MIN_WIDTH: usize = 6;

/// The lines of a table whose first row is its head. Cells are wrapped where the table would be too wide.
pub(super) fn lines(alignments: &[Alignment], rows: &[Vec<Vec<Span>>], width: usize) -> Vec<Vec<Span>> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths = widths(rows, columns, width);
    let mut lines = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        lines.extend(row_lines(row, &widths, alignments));
        if index == 0 {
            let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            lines.push(vec![Span::new(rules.join("─┼─"), Style::new().dimmed())]);
        }
    }
    lines
}

/// The widths of the columns: of their content, the widest reduced until the table fits.
fn widths(rows: &[Vec<Vec<Span>>], columns: usize, width: usize) -> Vec<usize> {
    let natural = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cells(cell));
        cells.max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..columns).map(|column| natural(column).max(1)).collect();
    let room = width.saturating_sub(GAP.chars().count() * columns.saturating_sub(1));
    loop {
        let total: usize = widths.iter().sum();
        let Some(widest) = widths.iter_mut().max() else { return widths };
        if total <= room || *widest <= 1 {
            return widths;
        }
        let excess = total - room;
        *widest = widest.saturating_sub(excess.min((*widest).saturating_sub(MIN_WIDTH)).max(1)).max(1);
    }
}

fn row_lines(row: &[Vec<Span>], widths: &[usize], alignments: &[Alignment]) -> Vec<Vec<Span>> {
    let empty = Vec::new();
    let wrapped: Vec<Vec<Vec<Span>>> = widths
        .iter()
        .enumerate()
        .map(|(column, width)| wrapped(row.get(column).unwrap_or(&empty), *width))
        .collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let line = |index: usize| {
        let mut line = Vec::new();
        for (column, (cell, width)) in wrapped.iter().zip(widths).enumerate() {
            if column > 0 {
                line.push(Span::new(GAP, Style::new().dimmed()));
            }
            let text = cell.get(index).unwrap_or(&empty);
            let alignment = alignments.get(column).copied().unwrap_or(Alignment::None);
            let is_last = column + 1 == widths.len();
            push_aligned(&mut line, text, *width, alignment, is_last);
        }
        line
    };
    (0..height).map(line).collect()
}

fn push_aligned(line: &mut Vec<Span>, text: &[Span], width: usize, alignment: Alignment, is_last: bool) {
    let free = width.saturating_sub(cells(text));
    let before = match alignment {
        Alignment::Right => free,
        Alignment::Center => free / 2,
        Alignment::Left | Alignment::None => 0,
    };
    line.push(Span::new(" ".repeat(before), Style::new()));
    line.extend(text.iter().cloned());
    let after = if is_last { 0 } else { free - before };
    line.push(Span::new(" ".repeat(after), Style::new()));
}
