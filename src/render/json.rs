//! The JSON documents. Their fields are a contract, described in doc/scripts-and-json.md.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;

use super::age;
use super::citations::Listing;
use super::text::is_unprintable;
use super::{Problem, Render, Style};
use crate::domain::answer::{Answer, Payer, SearchEvent, Source};

/// The version of the documents, raised by incompatible changes.
const VERSION: u32 = 1;

/// An answer.
#[derive(Debug, Serialize)]
pub(super) struct AnswerDocument<'a> {
    version: u32,
    /// Markdown with `[n]` citations. Where there are only sources: empty from the subscription, null from the API.
    answer: Option<&'a str>,
    sources: Vec<SourceDocument<'a>>,
    /// Whether a limit left sources out; absent for the subscription, which has a note about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// The model that answered; null when the service did not name it.
    model: Option<&'a str>,
    /// The model asked for; null for a recording without `--model`.
    requested_model: Option<&'a str>,
    provider: String,
    /// The id for a follow-up.
    thread: Option<&'a str>,
    request_id: Option<&'a str>,
    /// False for a partial answer.
    complete: bool,
    notes: Vec<&'a str>,
    /// The thoughts of a reasoning model; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<&'a str>,
    /// Tokens and cost as the API reported them; absent for the subscription.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<&'a serde_json::Value>,
}

/// One source.
#[derive(Debug, Serialize)]
pub(super) struct SourceDocument<'a> {
    /// The numbers `n` for which `[n]` means this source.
    numbers: &'a [usize],
    #[serde(skip_serializing_if = "Field::is_absent")]
    title: Field<&'a str>,
    url: &'a str,
    #[serde(skip_serializing_if = "Field::is_absent")]
    snippet: Field<&'a str>,
    /// As the service sent it.
    #[serde(skip_serializing_if = "Field::is_absent")]
    date: Field<&'a str>,
    /// At the time of printing; null when the date is unknown, and absent for the API, whose documents follow the API.
    #[serde(skip_serializing_if = "Field::is_absent")]
    age_seconds: Field<i64>,
}

/// A value that may be missing: null in a document of the subscription, absent in one of the API.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Field<T> {
    Value(T),
    Null,
    Absent,
}

impl<T> Field<T> {
    fn new(value: Option<T>, payer: Payer) -> Self {
        match (value, payer) {
            (Some(value), _) => Self::Value(value),
            (None, Payer::Subscription) => Self::Null,
            (None, Payer::Key) => Self::Absent,
        }
    }

    fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

/// A failure.
#[derive(Debug, Serialize)]
pub(super) struct ProblemDocument<'a> {
    version: u32,
    error: ErrorDocument<'a>,
    /// The text that was received before the failure; absent when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    partial_answer: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct ErrorDocument<'a> {
    /// One of the kinds in `pplx help exit-codes`.
    kind: &'a str,
    /// The name of an error of the API; absent for other errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
    message: &'a str,
    hint: Option<&'a str>,
}

impl<'a> SourceDocument<'a> {
    pub(super) fn new(source: &'a Source, payer: Payer, now: i64) -> Self {
        let title =
            Some(source.title.as_str()).filter(|title| !title.is_empty() || payer == Payer::Subscription);
        let age = age::seconds(source.date.as_deref(), now).filter(|_| payer == Payer::Subscription);
        Self {
            numbers: &source.numbers,
            title: Field::new(title, payer),
            url: &source.url,
            snippet: Field::new(source.snippet.as_deref(), payer),
            date: Field::new(source.date.as_deref(), payer),
            age_seconds: Field::new(age, payer),
        }
    }
}

impl<'a> ProblemDocument<'a> {
    pub(super) fn new(problem: &'a Problem, received: Option<&'a Answer>) -> Self {
        let error = ErrorDocument {
            kind: problem.kind,
            code: problem.code,
            message: &problem.message,
            hint: problem.hint.as_deref(),
        };
        Self { version: VERSION, error, partial_answer: received.map(|answer| answer.text.as_str()) }
    }
}

/// Calls `use_document` with the document of `answer`, which borrows from local values.
pub(super) fn with_document<T>(
    answer: &Answer,
    style: &Style,
    use_document: impl FnOnce(&AnswerDocument<'_>) -> T,
) -> T {
    let listing = Listing::new(answer, style.limit);
    let note = listing.note().map(|note| format!("sources: {note}"));
    use_document(&AnswerDocument {
        version: VERSION,
        answer: Some(answer.text.as_str())
            .filter(|text| !text.is_empty() || answer.payer == Payer::Subscription),
        sources: listing
            .visible
            .iter()
            .map(|source| SourceDocument::new(source, answer.payer, style.now))
            .collect(),
        truncated: (answer.payer == Payer::Key).then_some(listing.hidden > 0),
        model: answer.model.as_deref(),
        requested_model: answer.requested_model.as_deref(),
        provider: answer.payer.to_string(),
        thread: answer.thread.as_ref().map(|thread| thread.id.as_str()),
        request_id: answer.request_id.as_deref(),
        complete: answer.complete,
        notes: answer.notes.iter().map(String::as_str).chain(note.as_deref()).collect(),
        reasoning: answer.reasoning.as_deref(),
        usage: answer.usage.as_ref(),
    })
}

/// `json` with all characters escaped that a terminal could act on. They occur in strings only.
pub(super) fn escaped(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if is_unprintable(character) {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Prints one document, at the end.
pub(super) struct Json {
    style: Style,
}

impl Json {
    pub(super) fn new(style: Style) -> Self {
        Self { style }
    }
}

impl Render for Json {
    fn event(&mut self, _: &SearchEvent, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn answer(&mut self, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
        with_document(answer, &self.style, |document| write_document(document, out))
    }

    fn problem(
        &mut self,
        problem: &Problem,
        received: Option<&Answer>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        write_document(&ProblemDocument::new(problem, received), out)
    }
}

/// Writes a document in several lines, because some readers cut long ones, and escapes what a terminal could act on.
pub fn write_document(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let json = serde_json::to_string_pretty(document)?;
    writeln!(out, "{}", escaped(&json))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_escaped_and_survives() {
        let text = "a\u{202E}b\u{9B}c\u{7F}d\x1B é\n";
        let json = escaped(&serde_json::to_string(text).unwrap());
        assert_eq!(json, "\"a\\u202eb\\u009bc\\u007fd\\u001b é\\n\"");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
