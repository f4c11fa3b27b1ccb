//! Which of the texts in a snapshot is the answer, and what changed in it.

use super::snapshot::{MarkdownEntry, Snapshot};
use super::text::GrowingText;
use crate::answer::TextChange;

/// The parts that make the answer, in order.
#[derive(Debug)]
pub(super) struct Choice<'a> {
    kind: Kind,
    /// Each part with an id that it keeps for the whole reply.
    parts: Vec<(usize, &'a GrowingText)>,
    /// The front of the aggregate that is known to equal the first segment, in bytes.
    verified: usize,
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
    pub(super) fn of(snapshot: &'a Snapshot, before: &Chosen) -> Self {
        if let Some(report) = snapshot.assets.report() {
            return Self { kind: Kind::Report, parts: vec![(0, report)], verified: 0 };
        }
        let settled = snapshot.markdown.iter().any(|entry| entry.text.is_settled());
        let running = snapshot.markdown.iter().filter(|entry| !entry.text.is_blank());
        let running = running.filter(|entry| !settled || entry.text.is_settled());
        let (aggregates, segments): (Vec<_>, Vec<_>) = running.partition(|entry| entry.is_aggregate);
        let segments = in_order(segments);
        match (segments.first(), aggregates.first()) {
            (Some((_, first)), Some(aggregate)) => {
                let verified = verify(&aggregate.text, first, before.verified);
                if verified == first.as_str().len() && says_more(&aggregate.text, &segments, before) {
                    Self { kind: Kind::Aggregate, parts: vec![(aggregate.id, &aggregate.text)], verified }
                } else {
                    Self { kind: Kind::Segments, parts: segments, verified }
                }
            }
            (Some(_), None) => Self { kind: Kind::Segments, parts: segments, verified: 0 },
            (None, Some(aggregate)) => {
                Self { kind: Kind::Aggregate, parts: vec![(aggregate.id, &aggregate.text)], verified: 0 }
            }
            (None, None) => Self::of_workflow(snapshot),
        }
    }

    fn of_workflow(snapshot: &'a Snapshot) -> Self {
        let answers = snapshot.workflow.answers().enumerate();
        let parts: Vec<_> = answers.filter(|(_, text)| !text.is_blank()).collect();
        let kind = if parts.is_empty() { Kind::Nothing } else { Kind::Workflow };
        Self { kind, parts, verified: 0 }
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

/// Whether the aggregate is ahead of the segments. Equal texts leave the choice as it was.
fn says_more(aggregate: &GrowingText, segments: &[(usize, &GrowingText)], before: &Chosen) -> bool {
    let joined: usize = segments.iter().map(|(_, segment)| segment.as_str().len()).sum();
    let length = aggregate.as_str().len();
    length > joined || (length == joined && before.kind == Kind::Aggregate)
}

/// How many bytes of `first` the aggregate begins with, given how many it began with before their last changes.
fn verify(aggregate: &GrowingText, first: &GrowingText, before: usize) -> usize {
    let known = before.min(aggregate.unchanged()).min(first.unchanged());
    known + common_prefix(tail(aggregate.as_str(), known), tail(first.as_str(), known))
}

/// The answer as it was last told, to tell what is new.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    kind: Kind,
    parts: Vec<usize>,
    verified: usize,
    text: String,
}

impl Chosen {
    /// Takes over `choice` and returns the difference, if there is one. Costs the changed text, not the whole.
    pub(super) fn update(&mut self, choice: &Choice<'_>) -> Option<TextChange> {
        self.verified = choice.verified;
        if choice.kind == Kind::Nothing {
            return None;
        }
        let same = self.kind == choice.kind && self.parts.iter().eq(choice.parts.iter().map(|(id, _)| id));
        let start = if same { choice.unchanged().min(self.text.len()) } else { 0 };
        self.kind = choice.kind;
        self.parts = choice.parts.iter().map(|(id, _)| *id).collect();
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

/// How many bytes two texts have in common at the front, counted in whole characters.
fn common_prefix(a: &str, b: &str) -> usize {
    let blocks = a.as_bytes().chunks(64).zip(b.as_bytes().chunks(64));
    let same = blocks.take_while(|(a, b)| a == b).count() * 64;
    let same = same.min(a.len()).min(b.len());
    let rest = a.bytes().skip(same).zip(b.bytes().skip(same)).take_while(|(a, b)| a == b).count();
    let mut common = same + rest;
    while !(a.is_char_boundary(common) && b.is_char_boundary(common)) {
        common -= 1;
    }
    common
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
