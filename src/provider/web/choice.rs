//! Which of the texts in a reply is the answer, and what changed in it.

use super::assets::Assets;
use super::markdown::{Markdown, MarkdownEntry};
use super::text::GrowingText;
use super::workflow::Workflow;
use crate::domain::answer::TextChange;

/// All texts of a reply, in their different forms.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub(super) markdown: Markdown,
    pub(super) workflow: Workflow,
    pub(super) assets: Assets,
}

impl Texts {
    /// What has changed so far is told.
    pub(super) fn forget_changes(&mut self) {
        let markdown = self.markdown.texts_mut();
        for text in markdown.chain(self.workflow.answers_mut()).chain(self.assets.reports_mut()) {
            text.take_unchanged();
        }
    }
}

/// The parts that make the answer, in order.
#[derive(Debug)]
pub(super) struct Choice<'a> {
    kind: Kind,
    /// Each part with an id that it keeps for the whole reply.
    parts: Vec<(usize, &'a GrowingText)>,
    /// The front in which the aggregate equals the first segment, in bytes.
    verified: usize,
    /// The part of that front in which neither has changed.
    kept: usize,
    /// The id of the first segment.
    first: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    #[default]
    Nothing,
    Report,
    Segments,
    Aggregate,
    Workflow,
}

impl<'a> Choice<'a> {
    /// A research report wins. Then the markdown segments, unless the aggregate says more; then the workflow's
    /// answer items. Blocks to which the final frame gave a whole answer leave the others out of the running.
    pub(super) fn of(texts: &'a Texts, before: &Chosen) -> Self {
        if let Some(report) = texts.assets.report() {
            return Self::new(Kind::Report, vec![report]);
        }
        let settled = texts.markdown.entries().iter().any(|entry| entry.text.is_settled());
        let running = texts.markdown.entries().iter().filter(|entry| !entry.text.is_blank());
        let running = running.filter(|entry| !settled || entry.text.is_settled());
        let (aggregates, segments): (Vec<_>, Vec<_>) = running.partition(|entry| entry.is_aggregate);
        let segments = in_order(segments);
        let aggregate = aggregates.first().map(|entry| (entry.id, &entry.text));
        match (segments.first(), aggregate) {
            (Some(&(id, first)), Some(aggregate)) => {
                let known = if id == before.first { before.verified } else { 0 };
                let kept = known.min(aggregate.1.unchanged()).min(first.unchanged());
                let (whole, first) = (aggregate.1.as_str(), first.as_str());
                let verified = kept + common_prefix(tail(whole, kept), tail(first, kept));
                let joined: usize = segments.iter().map(|(_, segment)| segment.as_str().len()).sum();
                let says_more = verified == first.len() && whole.len() > joined;
                let choice = if says_more {
                    Self::new(Kind::Aggregate, vec![aggregate])
                } else {
                    Self::new(Kind::Segments, segments)
                };
                Self { verified, kept, first: id, ..choice }
            }
            (Some(_), None) => Self::new(Kind::Segments, segments),
            (None, Some(aggregate)) => Self::new(Kind::Aggregate, vec![aggregate]),
            (None, None) => Self::of_workflow(texts),
        }
    }

    fn of_workflow(texts: &'a Texts) -> Self {
        let answers = texts.workflow.answers().enumerate();
        let parts: Vec<_> = answers.filter(|(_, text)| !text.is_blank()).collect();
        Self::new(if parts.is_empty() { Kind::Nothing } else { Kind::Workflow }, parts)
    }

    fn new(kind: Kind, parts: Vec<(usize, &'a GrowingText)>) -> Self {
        Self { kind, parts, verified: 0, kept: 0, first: 0 }
    }

    /// How many bytes at the front are surely as they were, if the parts are the same as before.
    fn unchanged(&self) -> usize {
        let mut front = 0;
        for (_, part) in &self.parts {
            let length = part.as_str().len();
            if part.unchanged() != usize::MAX {
                return front + part.unchanged().min(length);
            }
            front += length;
        }
        front
    }

    /// The text without its first `start` bytes.
    pub(super) fn text_from(&self, mut start: usize) -> String {
        let mut text = String::new();
        for (_, part) in &self.parts {
            let part = part.as_str();
            text.push_str(tail(part, start.min(part.len())));
            start = start.saturating_sub(part.len());
        }
        text
    }
}

/// The numbered segments, or without any the newest block that has no number.
fn in_order(entries: Vec<&MarkdownEntry>) -> Vec<(usize, &GrowingText)> {
    let (numbered, plain): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.segment.is_some());
    let chosen = if numbered.is_empty() { plain.into_iter().last().into_iter().collect() } else { numbered };
    chosen.into_iter().map(|entry| (entry.id, &entry.text)).collect()
}

/// The answer as it was last told, to tell what is new.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    kind: Kind,
    parts: Vec<usize>,
    verified: usize,
    first: usize,
    text: String,
}

impl Chosen {
    /// Takes over `choice` and returns the difference, if there is one. Costs the changed text, not the whole.
    pub(super) fn update(&mut self, choice: &Choice<'_>) -> Option<TextChange> {
        (self.verified, self.first) = (choice.verified, choice.first);
        let same = self.kind == choice.kind && self.parts.iter().eq(choice.parts.iter().map(|(id, _)| id));
        let start = match (self.kind, choice.kind) {
            _ if same => choice.unchanged(),
            (Kind::Segments | Kind::Aggregate, Kind::Segments | Kind::Aggregate) => choice.kept,
            _ => 0,
        };
        let start = boundary(&self.text, start);
        self.kind = choice.kind;
        self.parts = choice.parts.iter().map(|(id, _)| *id).collect();
        if choice.kind == Kind::Nothing {
            return None;
        }
        let mut text = choice.text_from(start);
        let common = common_prefix(tail(&self.text, start), &text);
        text.drain(..common);
        let at = start + common;
        if at == self.text.len() && text.is_empty() {
            return None;
        }
        self.text.truncate(at);
        self.text.push_str(&text);
        Some(TextChange { at, text })
    }
}

/// `text` from byte `start` on; all of it when that is inside a character.
fn tail(text: &str, start: usize) -> &str {
    text.get(start..).unwrap_or(text)
}

/// The last start of a character in `text` that is not after `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// How many bytes two texts have in common at the front, counted in whole characters.
fn common_prefix(a: &str, b: &str) -> usize {
    let blocks = a.as_bytes().chunks(64).zip(b.as_bytes().chunks(64));
    let same = blocks.take_while(|(a, b)| a == b).count() * 64;
    let same = same.min(a.len()).min(b.len());
    let rest = a.bytes().skip(same).zip(b.bytes().skip(same)).take_while(|(a, b)| a == b).count();
    boundary(a, same + rest).min(boundary(b, same + rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_prefix_ends_at_a_character() {
        assert_eq!(common_prefix("aé", "aè"), 1);
        assert_eq!(common_prefix("abc", "ab"), 2);
        assert_eq!(common_prefix("", "ab"), 0);
        let long = "é".repeat(200);
        assert_eq!(common_prefix(&long, &format!("{long}x")), 400);
        assert_eq!(common_prefix(&format!("{long}y"), &format!("{long}x")), 400);
    }
}
