//! Chat completions: the body of a request, a reply in one object, and a reply that streams.

use serde_json::{Map, Value, json};

use super::json::{malformed, sources, text, usage};
use super::options::{filters, language, search_options};
use super::partial_answer::PartialAnswer;
use crate::domain::answer::Source;
use crate::domain::error::{Cut, Error, Result};
use crate::domain::request::{Effort, SearchRequest};

/// The default of `max_tokens`.
const DEFAULT_MAX_TOKENS: u32 = 1024;
/// The default for models that reason first or write reports.
const REASONING_MAX_TOKENS: u32 = 16_384;

/// Whether chat completions have the effort and the model of `request`.
pub(super) fn supports(request: &SearchRequest) -> bool {
    request.effort != Some(Effort::XHigh) && !request.model.contains('/')
}

/// The model to request: the one for the effort, else the named one.
pub(super) fn model(request: &SearchRequest) -> String {
    let model = match request.effort {
        None => return request.model.clone(),
        Some(Effort::Fast) => "sonar",
        Some(Effort::Low) => "sonar-pro",
        Some(Effort::Medium) => "sonar-reasoning-pro",
        Some(Effort::High | Effort::XHigh) => "sonar-deep-research",
    };
    model.to_owned()
}

/// The body of a request. An effort of `xhigh` is an error.
pub(super) fn body(request: &SearchRequest, stream: bool) -> Result<Value> {
    if request.effort == Some(Effort::XHigh) {
        let message = "Chat completions have no effort xhigh; the Agent API has it (--api-dialect agent).";
        return Err(Error::ApiOption(message.to_owned()));
    }
    let model = model(request);
    let reasons = ["sonar-reasoning-pro", "sonar-deep-research"].contains(&model.as_str());
    let tokens =
        request.max_tokens.unwrap_or(if reasons { REASONING_MAX_TOKENS } else { DEFAULT_MAX_TOKENS });
    let mut messages = vec![json!({ "role": "user", "content": request.query })];
    if let Some(system) = &request.system {
        messages.insert(0, json!({ "role": "system", "content": system }));
    }
    let mut body = json!({ "model": model, "max_tokens": tokens, "messages": messages });
    if let Some(fields) = body.as_object_mut() {
        fields.extend(options(request, stream));
    }
    Ok(body)
}

/// The optional fields; without any the body has three fields.
fn options(request: &SearchRequest, stream: bool) -> Map<String, Value> {
    let mut options = Map::new();
    let mut set = |name: &str, value: Value| drop(options.insert(name.to_owned(), value));
    if stream {
        set("stream", true.into());
    }
    if let Some(tag) = &request.language {
        set("language_preference", language(tag).into());
    }
    let search = search_options(request);
    if !search.is_empty() {
        set("web_search_options", search.into());
    }
    options.extend(filters(request));
    options
}

/// Reads a reply that comes as one object.
pub(super) fn read_reply(reply: &Value) -> Result<PartialAnswer> {
    let choice = reply.pointer("/choices/0");
    let sources = match reply.get("search_results") {
        Some(results) => sources(results, "search_results")?,
        None => sources_from_citations(reply.get("citations"))?,
    };
    Ok(PartialAnswer {
        text: text(choice.and_then(|choice| choice.pointer("/message/content"))).unwrap_or_default(),
        sources,
        model: text(reply.get("model")),
        id: text(reply.get("id")),
        usage: usage(reply),
        cut: choice.and_then(cut_reason),
        step: None,
        is_complete: true,
    })
}

/// Sources from a list of addresses, for a reply without `search_results`.
fn sources_from_citations(citations: Option<&Value>) -> Result<Vec<Source>> {
    let Some(citations) = citations.filter(|citations| !citations.is_null()) else { return Ok(Vec::new()) };
    let urls = citations.as_array().ok_or_else(|| malformed("citations is no list"))?;
    let numbered = urls.iter().enumerate();
    numbered
        .map(|(index, url)| {
            let url = url.as_str().ok_or_else(|| malformed("citations has an entry that is no text"))?;
            Ok(Source { numbers: vec![index + 1], url: url.to_owned(), ..Source::default() })
        })
        .collect()
}

fn cut_reason(choice: &Value) -> Option<Cut> {
    (choice.get("finish_reason").and_then(Value::as_str) == Some("length")).then_some(Cut::Tokens)
}

/// Merges one object of a stream. Each list is complete, so the last one counts.
pub(super) fn merge_chunk(partial: &mut PartialAnswer, chunk: &Value) -> Result<()> {
    let choice = chunk.pointer("/choices/0");
    let text_at =
        |place| choice.and_then(|choice| choice.pointer(place)).and_then(Value::as_str).unwrap_or_default();
    let (message, delta) = (text_at("/message/content"), text_at("/delta/content"));
    // `message` holds the full text so far, but some replies repeat `delta` there.
    if message.is_empty() || (message == delta && !partial.text.is_empty()) {
        partial.text.push_str(delta);
    } else {
        message.clone_into(&mut partial.text);
    }
    let list = |name: &str| chunk.get(name).filter(|list| !list.is_null());
    if let Some(results) = list("search_results") {
        partial.sources = sources(results, "search_results")?;
    } else if let Some(citations) = list("citations")
        && partial.sources.iter().all(|source| source.title.is_empty())
    {
        partial.sources = sources_from_citations(Some(citations))?;
    }
    partial.model = text(chunk.get("model")).or(partial.model.take());
    partial.id = text(chunk.get("id")).or(partial.id.take());
    partial.usage = usage(chunk).or(partial.usage.take());
    if let Some(choice) = choice {
        partial.cut = cut_reason(choice).or(partial.cut.take());
    }
    // The last object has the usage; without it, another object may follow.
    partial.is_complete = is_last(chunk) && partial.usage.is_some();
    Ok(())
}

fn is_last(chunk: &Value) -> bool {
    chunk.get("object").and_then(Value::as_str) == Some("chat.completion.done")
}

/// Whether the text is complete with this object of a stream, even if more objects may follow.
pub(super) fn completes_text(chunk: &Value) -> bool {
    let has = |place: &str, value: &str| chunk.pointer(place).and_then(Value::as_str) == Some(value);
    let reason = chunk.pointer("/choices/0/finish_reason").and_then(Value::as_str);
    let finished = reason.is_some_and(|reason| !reason.is_empty());
    finished || is_last(chunk) || has("/type", "end_of_stream") || has("/status", "COMPLETED")
}
