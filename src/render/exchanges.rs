//! A thread: each question with its answer.

use std::io;

use serde::Serialize;

use super::json::{AnswerDocument, with_document, write_document};
use super::report::write_exchange;
use super::text::one_line;
use super::{Paint, Style};
use crate::domain::answer::{Exchange, Payer};

#[derive(Debug, Serialize)]
struct ThreadDocument {
    version: u32,
    /// Each has the question, and all fields of the document of an answer.
    entries: Vec<serde_json::Value>,
}

#[derive(Debug, Serialize)]
struct EntryDocument<'a> {
    query: &'a str,
    #[serde(flatten)]
    answer: &'a AnswerDocument<'a>,
}

fn document_style(now: i64) -> Style {
    Style {
        limit: None,
        wrap: true,
        screen: None,
        width: 80,
        paint: Paint::default(),
        now,
        payer: Payer::Subscription,
    }
}

/// The thread as Markdown; ages are counted from `now` (Unix seconds).
pub fn markdown(thread: &[Exchange], now: i64) -> String {
    let mut out = Vec::new();
    for exchange in thread {
        // Writing to memory cannot fail.
        let _ = write_exchange(&one_line(&exchange.query), &exchange.answer, &document_style(now), &mut out);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The thread as a JSON document.
pub fn json(thread: &[Exchange], now: i64) -> io::Result<String> {
    let entry = |exchange: &Exchange| {
        with_document(&exchange.answer, &document_style(now), |answer| {
            serde_json::to_value(EntryDocument { query: &exchange.query, answer })
        })
    };
    let entries: Vec<serde_json::Value> = thread.iter().map(entry).collect::<Result<_, _>>()?;
    let mut out = Vec::new();
    write_document(&ThreadDocument { version: 1, entries }, &mut out)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}
