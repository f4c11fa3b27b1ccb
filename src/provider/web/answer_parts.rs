//! Which texts of a reply make the answer, and what changed in them.

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
    /// Marks all texts as unchanged, because their changes have been reported.
    pub(super) fn mark_unchanged(&mut self) {
        let markdown = self.markdown.texts_mut();
        for text in markdown.chain(self.workflow.answers_mut()).chain(self.assets.reports_mut()) {
            text.take_unchanged();
        }
    }
}

/// The texts that make the answer, in order.
#[derive(Debug)]
pub(super) struct AnswerParts<'a> {
    form: Form,
    /// Each part with an id that stays the same during the reply.
    parts: Vec<(usize, &'a GrowingText)>,
    /// How many bytes at the start are the same in the aggregate and the first segment.
    common: usize,
    /// How many of these bytes have changed in neither.
    unchanged_common: usize,
    /// The id of the first segment.
    first_segment: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Form {
    /// No text yet.
    #[default]
    None,
    /// The report of deep research.
    Report,
    /// The numbered markdown blocks.
    Segments,
    /// The markdown block `ask_text`.
    Aggregate,
    /// The answer items of a workflow.
    Workflow,
}

impl<'a> AnswerParts<'a> {
    /// Chooses a research report, else the markdown segments, or the aggregate if it continues them, else the answer
    /// items of the workflow. Where the final frame gave full texts to some markdown blocks, only those count.
    pub(super) fn choose(texts: &'a Texts, reported: &ReportedAnswer) -> Self {
        if let Some(report) = texts.assets.report() {
            return Self::new(Form::Report, vec![report]);
        }
        let any_final = texts.markdown.entries().iter().any(|entry| entry.text.is_final());
        let candidates = texts.markdown.entries().iter().filter(|entry| !entry.text.is_blank());
        let candidates = candidates.filter(|entry| !any_final || entry.text.is_final());
        let (aggregates, segments): (Vec<_>, Vec<_>) = candidates.partition(|entry| entry.is_aggregate);
        let segments = in_order(segments);
        let aggregate = aggregates.first().map(|entry| (entry.id, &entry.text));
        match (segments.first(), aggregate) {
            (Some(&(id, first)), Some(aggregate)) => {
                let known = if id == reported.first_segment { reported.common } else { 0 };
                let unchanged_common = known.min(aggregate.1.unchanged()).min(first.unchanged());
                let (aggregate_text, first) = (aggregate.1.as_str(), first.as_str());
                let common = unchanged_common
                    + common_prefix(tail(aggregate_text, unchanged_common), tail(first, unchanged_common));
                let joined: usize = segments.iter().map(|(_, segment)| segment.as_str().len()).sum();
                let continues = common == first.len() && aggregate_text.len() > joined;
                let parts = if continues {
                    Self::new(Form::Aggregate, vec![aggregate])
                } else {
                    Self::new(Form::Segments, segments)
                };
                Self { common, unchanged_common, first_segment: id, ..parts }
            }
            (Some(_), None) => Self::new(Form::Segments, segments),
            (None, Some(aggregate)) => Self::new(Form::Aggregate, vec![aggregate]),
            (None, None) => Self::from_workflow(texts),
        }
    }

    fn from_workflow(texts: &'a Texts) -> Self {
        let answers = texts.workflow.answers().enumerate();
        let parts: Vec<_> = answers.filter(|(_, text)| !text.is_blank()).collect();
        Self::new(if parts.is_empty() { Form::None } else { Form::Workflow }, parts)
    }

    fn new(form: Form, parts: Vec<(usize, &'a GrowingText)>) -> Self {
        Self { form, parts, common: 0, unchanged_common: 0, first_segment: 0 }
    }

    /// How many bytes at the start are unchanged, if the parts are the same as before; a lower bound.
    fn unchanged(&self) -> usize {
        let mut length_before = 0;
        for (_, part) in &self.parts {
            let length = part.as_str().len();
            if part.unchanged() != usize::MAX {
                return length_before + part.unchanged().min(length);
            }
            length_before += length;
        }
        length_before
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

/// The numbered segments, or without any the newest block without a number.
fn in_order(entries: Vec<&MarkdownEntry>) -> Vec<(usize, &GrowingText)> {
    let (numbered, plain): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.segment.is_some());
    let chosen = if numbered.is_empty() { plain.into_iter().last().into_iter().collect() } else { numbered };
    chosen.into_iter().map(|entry| (entry.id, &entry.text)).collect()
}

/// The answer as it was last reported, to find what is new.
#[derive(Debug, Default)]
pub(super) struct ReportedAnswer {
    form: Form,
    /// The ids of its parts.
    parts: Vec<usize>,
    /// As in [`AnswerParts`].
    common: usize,
    /// As in [`AnswerParts`].
    first_segment: usize,
    text: String,
}

impl ReportedAnswer {
    /// Takes over `answer` and returns the change, if there is one. The cost is that of the changed text.
    pub(super) fn update(&mut self, answer: &AnswerParts<'_>) -> Option<TextChange> {
        (self.common, self.first_segment) = (answer.common, answer.first_segment);
        let same = self.form == answer.form && self.parts.iter().eq(answer.parts.iter().map(|(id, _)| id));
        let start = match (self.form, answer.form) {
            _ if same => answer.unchanged(),
            (Form::Segments | Form::Aggregate, Form::Segments | Form::Aggregate) => answer.unchanged_common,
            _ => 0,
        };
        let start = boundary(&self.text, start);
        self.form = answer.form;
        self.parts = answer.parts.iter().map(|(id, _)| *id).collect();
        if answer.form == Form::None {
            return None;
        }
        let mut text = answer.text_from(start);
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

/// The start of the last character in `text` that begins at `at` or before.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// How many bytes at the start are the same in two texts, up to the end of a character.
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
