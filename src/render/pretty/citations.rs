//! Citations as links to their sources.

use std::collections::HashMap;

use anstyle::{AnsiColor, Style};

use super::span::{CODE, Span};
use crate::domain::answer::Source;
use crate::render::text::one_line;

/// The longest citation, such as `[12345]`, in bytes.
const MAX_CITATION: usize = 7;

/// The addresses of the sources by their numbers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Citations(HashMap<usize, String>);

impl Citations {
    pub(super) fn new(sources: &[Source]) -> Self {
        let numbered = sources
            .iter()
            .flat_map(|source| source.numbers.iter().map(|number| (*number, one_line(&source.url))));
        Self(numbered.collect())
    }

    fn get(&self, citation: &str) -> Option<&String> {
        self.0.get(&citation.strip_prefix('[')?.strip_suffix(']')?.parse().ok()?)
    }
}

/// `spans` with each `[n]` of a known source as a link, except in code.
pub(super) fn linked(spans: Vec<Span>, citations: &Citations) -> Vec<Span> {
    let mut linked = Vec::with_capacity(spans.len());
    for span in spans {
        if span.link.is_some() || span.style == CODE {
            linked.push(span);
        } else {
            split(&span, citations, &mut linked);
        }
    }
    linked
}

fn split(span: &Span, citations: &Citations, out: &mut Vec<Span>) {
    let mut plain = String::new();
    for piece in pieces(&span.text) {
        match citations.get(piece) {
            Some(url) => {
                out.push(Span::new(std::mem::take(&mut plain), span.style));
                out.push(Span { text: piece.to_owned(), style: citation_style(), link: Some(url.clone()) });
            }
            None => plain.push_str(piece),
        }
    }
    out.push(Span::new(plain, span.style));
    out.retain(|span| !span.text.is_empty());
}

/// The text in pieces, of which each short `[…]` is one.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = if rest.starts_with('[') {
            rest.find(']').map(|close| close + 1).filter(|end| *end <= MAX_CITATION).unwrap_or(1)
        } else {
            rest.find('[').unwrap_or(rest.len())
        };
        let (piece, after) = rest.split_at_checked(end)?;
        rest = after;
        Some(piece)
    })
}

fn citation_style() -> Style {
    Style::new().fg_color(Some(AnsiColor::Blue.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers_are_linked() {
        let source = Source { numbers: vec![1, 3], url: "https://a.example".to_owned(), ..Source::default() };
        let spans = linked(vec![Span::new("x[1][2] [3] [", Style::new())], &Citations::new(&[source]));
        let linked: Vec<_> = spans.iter().map(|span| (span.text.as_str(), span.link.is_some())).collect();
        assert_eq!(linked, [("x", false), ("[1]", true), ("[2] ", false), ("[3]", true), (" [", false)]);
    }
}
