//! The output as a terminal emulator shows it.

use super::*;
use crate::render::Paint;

const TEXT: &str = "# Tide tables\n\nHigh water is at **noon** [1], *low* at `18:40` [2]; \u{6E2C}\u{5B9A}\u{5024} and 🧪 beside \
    a [page](https://example.org/page) that is long enough to wrap.\n\n| Place | High |\n|:--|--:|\n| Bay | 06:12 |\n\
    | \u{6E2F} | 12:01, but only when the wind is in the west |\n\n1. First with **bold**\n   - nested, and long enough \
    to hang under its own text\n2. Second\n\n> A quote that wraps.\n\n```rust\nlet a = rows[1];\n```\n\n---\n\nDone [2].\n";

fn style(width: usize, height: usize) -> Style {
    let paint = Paint { color: true, links: true };
    Style {
        limit: None,
        wrap: true,
        screen: Some(Screen { width, height }),
        width,
        paint,
        now: 0,
        payer: crate::domain::answer::Payer::Subscription,
    }
}

fn answer(text: &str) -> Answer {
    let source = |number: usize, title: &str| Source {
        numbers: vec![number],
        title: title.to_owned(),
        url: format!("https://source.example/{number}"),
        ..Source::default()
    };
    let sources = vec![source(1, "First \u{1B}[31mtitle\u{7}"), source(2, "Second")];
    Answer { text: text.to_owned(), sources, complete: true, ..Answer::default() }
}

/// What is written for these changes and this answer.
fn written(changes: &[(usize, &str)], answer: &Answer, style: Style) -> Vec<u8> {
    let screen = style.screen.unwrap_or(Screen { width: 80, height: 24 });
    let mut pretty = Pretty::new(style, move || screen);
    let mut out = Vec::new();
    pretty.event(&SearchEvent::Sources(answer.sources.clone()), &mut out).unwrap();
    for (at, text) in changes {
        let change = TextChange { at: *at, text: (*text).to_owned() };
        pretty.event(&SearchEvent::Text(change), &mut out).unwrap();
    }
    pretty.answer(answer, &mut out).unwrap();
    out
}

/// Sixty paragraphs like this one, with a number each in place of `N`.
fn numbered(paragraph: &str) -> String {
    (0..60).map(|number| paragraph.replace('N', &number.to_string())).collect()
}

/// The text in pieces of so many characters.
fn pieces(text: &str, size: usize) -> Vec<(usize, String)> {
    let characters: Vec<char> = text.chars().collect();
    let mut at = 0;
    let piece = |piece: &[char]| {
        let text: String = piece.iter().collect();
        at += text.len();
        (at - text.len(), text)
    };
    characters.chunks(size).map(piece).collect()
}

fn in_pieces(text: &str, size: usize, style: Style) -> Vec<u8> {
    let pieces = pieces(text, size);
    let changes: Vec<(usize, &str)> = pieces.iter().map(|(at, text)| (*at, text.as_str())).collect();
    written(&changes, &answer(text), style)
}

/// What a terminal of this width shows, with all that has scrolled away.
fn screen_of(bytes: &[u8], width: usize) -> String {
    let mut terminal =
        vt100::Parser::new(1000.try_into().unwrap(), u16::try_from(width).unwrap().try_into().unwrap(), 0);
    terminal.process(String::from_utf8_lossy(bytes).replace('\n', "\r\n").as_bytes());
    let contents = terminal.screen().contents();
    contents.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn text_that_comes_in_pieces_looks_as_if_it_had_come_at_once() {
    for width in [2, 7, 40, 80, 200] {
        let at_once = screen_of(&written(&[], &answer(TEXT), style(width, 1000)), width);
        for size in [1, 3, 17, 100] {
            assert_eq!(
                screen_of(&in_pieces(TEXT, size, style(width, 1000)), width),
                at_once,
                "{width} columns, {size} characters"
            );
        }
    }
}

#[test]
fn the_screen_at_forty_eighty_and_two_hundred_columns() {
    for width in [40, 80, 200] {
        let screen = screen_of(&in_pieces(TEXT, 5, style(width, 100)), width) + "\n";
        let file = format!("{}/tests/screens/{width}-columns.txt", env!("CARGO_MANIFEST_DIR"));
        assert_eq!(screen, std::fs::read_to_string(&file).unwrap(), "{file}");
    }
}

#[test]
fn a_rewritten_paragraph_is_redrawn_and_shown_once() {
    let text = "Kept.\n\nThe fare is 44 crowns, without bags.\n\n- a\n- b\n";
    let changes = [
        (0, "Kept.\n\nThe fare is 41 crowns.\n\n- a\n- b\n"),
        (20, "44 crowns, without bags.\n\n- a\n- b\n"),
    ];
    let screen = screen_of(&written(&changes, &answer(text), style(80, 24)), 80);
    assert!(
        screen.starts_with("Kept.\n\nThe fare is 44 crowns, without bags.\n\n• a\n• b\n\n2 sources"),
        "{screen}"
    );
    let shorter = [(0, "One long line of text.\n\nTwo."), (0, "Short.")];
    assert!(
        screen_of(&written(&shorter, &answer("Short."), style(80, 24)), 80)
            .starts_with("Short.\n\n2 sources")
    );
}

#[test]
fn a_long_answer_scrolls_and_is_written_once() {
    let text: String = numbered("Paragraph N of a long answer [1].\n\n");
    let bytes = in_pieces(&text, 9, style(80, 10));
    let screen = screen_of(&bytes, 80);
    assert!(!screen.contains("rewritten"), "{screen}");
    assert!((0..60).all(|n| screen.matches(&format!("Paragraph {n} of")).count() == 1));
}

#[test]
fn changed_links_that_have_scrolled_away_are_left() {
    let text: String = numbered("Paragraph N [1].\n\n");
    let mut pretty = Pretty::new(style(80, 10), || Screen { width: 80, height: 10 });
    let mut out = Vec::new();
    pretty.change(&TextChange { at: 0, text: text.clone() }, &mut out).unwrap();
    pretty.answer(&answer(&text), &mut out).unwrap();
    let screen = screen_of(&out, 80);
    assert!(screen.contains("Paragraph 59 [1].") && screen.contains("2 sources"), "{screen}");
    assert!(!screen.contains("rewritten"), "{screen}");
}

#[test]
fn an_answer_of_six_kilobytes_costs_less_than_thirty() {
    let paragraph =
        "A sentence of an ordinary answer with a **bold** word and a citation [1], repeated. ".repeat(4);
    let text = format!("{paragraph}\n\n- item one\n- item two\n\n").repeat(16);
    assert!(text.len() > 5_500);
    let bytes = in_pieces(&text, 25, style(100, 40));
    assert!(bytes.len() < 30_000, "{} bytes for {}", bytes.len(), text.len());
}

#[test]
fn nothing_steers_the_terminal_but_what_is_drawn() {
    let text = "a\u{1B}[2Jb\u{202E}c\u{9B}31m\n\n## d\u{1B}]0;x\u{7}";
    let bytes = in_pieces(text, 2, style(80, 24));
    let screen = screen_of(&bytes, 80);
    assert!(
        !String::from_utf8_lossy(&bytes).contains('\u{202E}')
            && !String::from_utf8_lossy(&bytes).contains("\u{1B}[2J")
    );
    assert!(screen.starts_with("abc31m\n\nd"), "{screen:?}");
}

#[test]
fn citations_and_addresses_are_links() {
    let bytes = written(&[], &answer("See [1] and `[1]`."), style(80, 24));
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(
        text.matches("\u{1B}]8;;https://source.example/1\u{1B}\\").count(),
        3,
        "citation, title, address"
    );
    let plain = Style { paint: Paint::default(), screen: None, ..style(80, 24) };
    let text = String::from_utf8(written(&[], &answer("See [a page](https://x.example)."), plain)).unwrap();
    assert!(
        text.starts_with("See a page (https://x.example).\n\n2 sources\n") && !text.contains('\u{1B}'),
        "{text}"
    );
}
