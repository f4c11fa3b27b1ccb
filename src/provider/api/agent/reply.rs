//! A reply that comes as one object, and the object at the end of a stream.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::json::{malformed, source, text, usage};
use super::super::partial_answer::Gathered;
use crate::domain::answer::Source;
use crate::domain::error::{Cut, Result};

/// Reads a whole reply. A run that failed comes with a good status, too.
pub(in crate::provider::api) fn whole(reply: &Value) -> Result<Gathered> {
    let output =
        reply.get("output").and_then(Value::as_array).ok_or_else(|| malformed("output is no list"))?;
    let messages: Vec<String> = output.iter().filter_map(message).collect();
    Ok(Gathered { text: messages.join("\n\n"), sources: pages(output), ..about(reply) })
}

/// What a reply says besides its output.
fn about(reply: &Value) -> Gathered {
    Gathered {
        model: text(reply.get("model")),
        id: text(reply.get("id")),
        usage: usage(reply),
        cut: cut(reply),
        over: true,
        ..Gathered::default()
    }
}

/// Takes in the reply at the end of a stream. What it lacks is what came before it.
pub(in crate::provider::api) fn end(gathered: &mut Gathered, reply: &Value) -> Result<()> {
    let before = std::mem::take(gathered);
    let nothing_came = before.text.is_empty() && before.sources.is_empty();
    let mut end = match whole(reply) {
        Err(error) if nothing_came => return Err(error),
        whole => whole.unwrap_or_else(|_| about(reply)),
    };
    if end.text.is_empty() {
        end.text = before.text;
    }
    if end.sources.is_empty() {
        end.sources = before.sources;
    }
    end.id = end.id.or(before.id);
    *gathered = end;
    Ok(())
}

/// Whether a reply says that there is no answer.
pub(in crate::provider::api) fn failed(reply: &Value) -> bool {
    matches!(reply.get("status").and_then(Value::as_str), Some("failed" | "cancelled"))
}

/// Why an answer ends early, if it does. A run that is still on its way has no end yet.
fn cut(reply: &Value) -> Option<Cut> {
    match reply.get("status").and_then(Value::as_str)? {
        "incomplete" => match reply.pointer("/incomplete_details/reason").and_then(Value::as_str) {
            Some("max_output_tokens") => Some(Cut::Tokens),
            reason => Some(Cut::Service(reason.unwrap_or("it gave no reason").to_owned())),
        },
        "completed" => None,
        status => Some(Cut::Service(status.to_owned())),
    }
}

/// The text of a message; `None` for anything else, and for one without text.
pub(super) fn message(item: &Value) -> Option<String> {
    if item.get("type").and_then(Value::as_str) != Some("message") {
        return None;
    }
    let parts = item.get("content")?.as_array()?;
    let texts = parts.iter().filter(|part| part.get("type").and_then(Value::as_str) == Some("output_text"));
    let text: String = texts.filter_map(|part| part.get("text")?.as_str()).collect();
    (!text.is_empty()).then_some(text)
}

/// The pages of all searches in the order of their ids, then those that were fetched besides.
pub(super) fn pages(output: &[Value]) -> Vec<Source> {
    let of_kind = |kind: &'static str, list: &'static str| {
        let items = output.iter().filter(move |item| item.get("type").and_then(Value::as_str) == Some(kind));
        items.filter_map(move |item| item.get(list)?.as_array()).flatten()
    };
    let mut pages = numbered(of_kind("search_results", "results"));
    let known: BTreeSet<String> = pages.iter().map(|page| page.url.clone()).collect();
    let last = pages.iter().filter_map(|page| page.numbers.last().copied()).max().unwrap_or(0);
    let fetched = of_kind("fetch_url_results", "contents").filter_map(|item| source(item, Vec::new()));
    let mut fetched: Vec<Source> = fetched.filter(|page| !known.contains(&page.url)).collect();
    for (index, page) in fetched.iter_mut().enumerate() {
        page.numbers = vec![last + index + 1];
    }
    pages.extend(fetched);
    pages
}

/// A mark `[n]` means the page with the id `n`. Where two searches gave one id to different pages, or none at all,
/// pages are numbered as they first appear.
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
        let Some(id) = id else { return by_appearance(found) };
        let known = by_id.entry(*id).or_insert_with(|| page.clone());
        if known.url != page.url {
            return by_appearance(found);
        }
    }
    by_id.into_iter().map(|(id, page)| Source { numbers: vec![id], ..page }).collect()
}

fn by_appearance(found: Vec<(Option<usize>, Source)>) -> Vec<Source> {
    let mut seen = BTreeSet::new();
    let first = found.into_iter().map(|(_, page)| page).filter(|page| seen.insert(page.url.clone()));
    first.enumerate().map(|(index, page)| Source { numbers: vec![index + 1], ..page }).collect()
}
