//! The picture of a session in the README: what a terminal shows of a real run, drawn as SVG.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::support::terminal::Terminal;
use crate::support::{Home, Reply, Server};
use vt100::{Cell, Color, Parser};

const QUESTION: &str = "why do herons stand on one leg";
/// A cell, in pixels.
const CELL: (usize, usize) = (9, 19);
const MARGIN: usize = 14;

/// The screen after `pplx search` was answered from a stream of tests/streams.
fn session() -> Parser {
    let stream = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams/herons.sse")).unwrap();
    let server = Server::answering(Reply::stream(stream));
    let home = Home::logged_in(&server).env("TERM", "xterm-256color");
    let (code, seen) = Terminal::start(home.command(&["search", QUESTION])).finish();
    assert_eq!(code, 0);
    let mut screen = Parser::new(30.try_into().unwrap(), 80.try_into().unwrap(), 0);
    screen.process(format!("\x1B[32m$\x1B[0m pplx search \"{QUESTION}\"\r\n{seen}").as_bytes());
    screen
}

fn colour(cell: &Cell) -> &'static str {
    match (cell.fgcolor(), cell.dim()) {
        (_, true) => "#8b949e",
        (Color::Idx(1), _) => "#ff7b72",
        (Color::Idx(2), _) => "#7ee787",
        (Color::Idx(3), _) => "#e3b341",
        (Color::Idx(4), _) => "#79c0ff",
        (Color::Idx(5), _) => "#d2a8ff",
        (Color::Idx(6), _) => "#76e3ea",
        (Color::Default, _) => "#e6edf3",
        (other, _) => panic!("{other:?} has no colour here"),
    }
}

fn style(cell: &Cell) -> String {
    let mut style = format!("fill=\"{}\"", colour(cell));
    for (set, attribute) in [
        (cell.bold(), " font-weight=\"bold\""),
        (cell.italic(), " font-style=\"italic\""),
        (cell.underline(), " text-decoration=\"underline\""),
    ] {
        if set {
            style.push_str(attribute);
        }
    }
    style
}

/// The texts of a row: where each begins, how it looks, what it says.
fn spans(screen: &vt100::Screen, row: u16) -> Vec<(usize, String, String)> {
    let mut spans: Vec<(usize, String, String)> = Vec::new();
    let last = (0..80).rev().find(|column| !screen.cell(row, *column).unwrap().contents().trim().is_empty());
    for column in 0..=last.map_or(0, |last| last) {
        let cell = screen.cell(row, column).unwrap();
        let text = if cell.has_contents() { cell.contents() } else { " " };
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        match spans.last_mut() {
            Some((_, known, so_far)) if *known == style(cell) => so_far.push_str(&text),
            _ => spans.push((column.into(), style(cell), text)),
        }
    }
    spans
}

fn svg(screen: &vt100::Screen) -> String {
    let rows = u16::try_from(screen.contents().trim_end().lines().count()).unwrap();
    let (width, height) = (80 * CELL.0 + 2 * MARGIN, usize::from(rows) * CELL.1 + 2 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"ui-monospace, Menlo, \
         Consolas, monospace\" font-size=\"15\">\n<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#0d1117\"/>\n"
    );
    for row in 0..rows {
        let y = MARGIN + (usize::from(row) + 1) * CELL.1 - 5;
        for (column, style, text) in spans(screen, row).iter().filter(|(.., text)| !text.trim().is_empty()) {
            let (x, length) =
                (MARGIN + column * CELL.0, text.trim_end().replace("&amp;", "&").chars().count() * CELL.0);
            writeln!(
                svg,
                "<text x=\"{x}\" y=\"{y}\" textLength=\"{length}\" xml:space=\"preserve\" {style}>{}</text>",
                text.trim_end()
            )
            .unwrap();
        }
    }
    svg.push_str("</svg>\n");
    svg
}

#[test]
fn the_picture_of_the_readme_is_a_real_run() {
    let drawn = svg(session().screen());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("doc/session.svg");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &drawn).unwrap();
    }
    assert_eq!(drawn, fs::read_to_string(path).unwrap(), "UPDATE=1 cargo test picture draws it anew");
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    assert!(readme.contains("(doc/session.svg)"));
}
