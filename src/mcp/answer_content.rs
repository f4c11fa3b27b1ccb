//! An answer as programs get it: the structured content of a result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::answer::{Answer, Source};
use crate::render::listed;
use crate::render::text::{cut, one_line, sanitize};

/// The longest title or snippet, in characters.
const MAX_SNIPPET: usize = 240;

/// One piece of an answer, with all else that is known of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AnswerContent<'a> {
    pub(super) answer: &'a str,
    /// The id by which more of the answer can be fetched.
    pub(super) id: Option<&'a str>,
    /// The byte of the answer where its next piece begins.
    pub(super) next_offset: Option<usize>,
    #[serde(flatten)]
    pub(super) details: &'a AnswerDetails,
}

/// All but the answer's text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct AnswerDetails {
    sources: Vec<SourceContent>,
    model: Option<String>,
    /// Whether the answer is not complete.
    pub(super) partial: bool,
    /// The id of the answer's entry, which a follow-up refers to.
    thread: Option<String>,
    notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct SourceContent {
    /// The numbers by which the answer cites it.
    numbers: Vec<usize>,
    url: String,
    title: String,
    snippet: Option<String>,
    /// As the service gave it.
    date: Option<String>,
}

impl AnswerDetails {
    /// With at most `limit` sources.
    pub(super) fn from_answer(answer: &Answer, limit: usize) -> Self {
        Self {
            sources: listed(answer, limit).into_iter().map(SourceContent::from).collect(),
            model: answer.model.clone(),
            partial: !answer.complete,
            thread: answer.thread.as_ref().map(|thread| thread.id.clone()),
            notes: answer.notes.clone(),
        }
    }
}

impl From<&Source> for SourceContent {
    fn from(source: &Source) -> Self {
        Self {
            numbers: source.numbers.clone(),
            url: sanitize(&source.url).into_owned(),
            title: shorten(&source.label()),
            snippet: source.snippet.as_deref().map(shorten),
            date: source.date.clone(),
        }
    }
}

/// As much of a title or a snippet as the text lists.
fn shorten(text: &str) -> String {
    cut(&one_line(text), MAX_SNIPPET, usize::MAX).into_owned()
}
