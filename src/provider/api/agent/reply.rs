//! A reply that comes as one object, and the object at the end of a stream.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::json::{malformed, source, text, usage};
use super::super::partial_answer::PartialAnswer;
use crate::domain::answer::Source;
use crate::domain::error::{Cut, Result};

/// Reads a reply that comes as one object. A run that failed has a good HTTP status, too.
pub(in crate::provider::api) fn read_reply(reply: &Value) -> Result<PartialAnswer> {
    let output =
        reply.get("output").and_then(Value::as_array).ok_or_else(|| malformed("output is no list"))?;
    let messages: Vec<String> = output.iter().filter_map(message_text).collect();
    Ok(PartialAnswer { text: messages.join("\n\n"), sources: sources(output), ..without_output(reply) })
}

/// The fields of a reply besides its output.
fn without_output(reply: &Value) -> PartialAnswer {
    PartialAnswer {
        model: text(reply.get("model")),
        id: text(reply.get("id")),
        usage: usage(reply),
        cut: cut_reason(reply),
        is_complete: true,
        ..PartialAnswer::default()
    }
}

/// Merges the reply at the end of a stream. Where it lacks text or sources, those of the events before it are kept.
pub(in crate::provider::api) fn merge_last(partial: &mut PartialAnswer, reply: &Value) -> Result<()> {
    let before = std::mem::take(partial);
    let is_empty = before.text.is_empty() && before.sources.is_empty();
    let mut end = match read_reply(reply) {
        Err(error) if is_empty => return Err(error),
        read => read.unwrap_or_else(|_| without_output(reply)),
    };
    if end.text.is_empty() {
        end.text = before.text;
    }
    if end.sources.is_empty() {
        end.sources = before.sources;
    }
    end.id = end.id.or(before.id);
    *partial = end;
    Ok(())
}

/// Whether the run of a reply failed.
pub(in crate::provider::api) fn has_failed(reply: &Value) -> bool {
    matches!(reply.get("status").and_then(Value::as_str), Some("failed" | "cancelled"))
}

/// Why an answer ends early, if it does. A status that is not an end counts as one.
fn cut_reason(reply: &Value) -> Option<Cut> {
    match reply.get("status").and_then(Value::as_str)? {
        "incomplete" => match reply.pointer("/incomplete_details/reason").and_then(Value::as_str) {
            Some("max_output_tokens") => Some(Cut::Tokens),
            reason => Some(Cut::Service(reason.unwrap_or("it gave no reason").to_owned())),
        },
        "completed" => None,
        status => Some(Cut::Service(status.to_owned())),
    }
}

/// The text of an item that is a message; `None` for other items, and for a message without text.
pub(super) fn message_text(item: &Value) -> Option<String> {
    if item.get("type").and_then(Value::as_str) != Some("message") {
        return None;
    }
    let parts = item.get("content")?.as_array()?;
    let texts = parts.iter().filter(|part| part.get("type").and_then(Value::as_str) == Some("output_text"));
    let text: String = texts.filter_map(|part| part.get("text")?.as_str()).collect();
    (!text.is_empty()).then_some(text)
}

/// The sources: the results of all searches in the order of their ids, then pages that were fetched besides.
pub(super) fn sources(output: &[Value]) -> Vec<Source> {
    let entries_of = |kind: &'static str, list: &'static str| {
        let items = output.iter().filter(move |item| item.get("type").and_then(Value::as_str) == Some(kind));
        items.filter_map(move |item| item.get(list)?.as_array()).flatten()
    };
    let mut sources = numbered(entries_of("search_results", "results"));
    let known: BTreeSet<String> = sources.iter().map(|page| page.url.clone()).collect();
    let last = sources.iter().filter_map(|page| page.numbers.last().copied()).max().unwrap_or(0);
    let fetched = entries_of("fetch_url_results", "contents").filter_map(|item| source(item, Vec::new()));
    let mut fetched: Vec<Source> = fetched.filter(|page| !known.contains(&page.url)).collect();
    for (index, page) in fetched.iter_mut().enumerate() {
        page.numbers = vec![last + index + 1];
    }
    sources.extend(fetched);
    sources
}

/// Numbers the results of searches. `[n]` means the page with the id `n`. Where an id is missing or stands for
/// different pages, pages are numbered in the order in which they first appear.
fn numbered<'a>(results: impl Iterator<Item = &'a Value>) -> Vec<Source> {
    let found: Vec<(Option<usize>, Source)> = results
        .filter_map(|item| {
            let id = item.get("id");
            let id = id.and_then(|id| id.as_u64().or_else(|| id.as_str()?.parse().ok()));
            let id = id.and_then(|id| usize::try_from(id).ok());
            Some((id, source(item, Vec::new())?))
        })
        .collect();
    let mut by_id: BTreeMap<usize, Source> = BTreeMap::new();
    for (id, page) in &found {
        let Some(id) = id else { return numbered_by_appearance(found) };
        let known = by_id.entry(*id).or_insert_with(|| page.clone());
        if known.url != page.url {
            return numbered_by_appearance(found);
        }
    }
    by_id.into_iter().map(|(id, page)| Source { numbers: vec![id], ..page }).collect()
}

fn numbered_by_appearance(found: Vec<(Option<usize>, Source)>) -> Vec<Source> {
    let mut seen = BTreeSet::new();
    let first = found.into_iter().map(|(_, page)| page).filter(|page| seen.insert(page.url.clone()));
    first.enumerate().map(|(index, page)| Source { numbers: vec![index + 1], ..page }).collect()
}
