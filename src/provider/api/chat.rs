//! Chat completions: the body of a request, a whole reply, and a reply that streams.

use serde_json::{Map, Value, json};

use super::json::{malformed, sources, text, usage};
use super::options::{filters, language, search_options};
use super::partial_answer::Gathered;
use crate::domain::answer::Source;
use crate::domain::error::{Cut, Error, Result};
use crate::domain::request::{Effort, SearchRequest};

/// How many tokens an answer may have unless another number is asked for.
const TOKENS: u32 = 1024;
/// The same for models that think first, or write reports.
const MANY_TOKENS: u32 = 16_384;

/// Whether this interface has what is asked for.
pub(super) fn can_ask(request: &SearchRequest) -> bool {
    request.effort != Some(Effort::XHigh) && !request.model.contains('/')
}

/// The model that is asked: the one that stands for an effort, else the one that was named.
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

pub(super) fn body(request: &SearchRequest, stream: bool) -> Result<Value> {
    if request.effort == Some(Effort::XHigh) {
        let message = "Chat completions have no effort xhigh; the Agent API has it (--api-dialect agent).";
        return Err(Error::ApiOption(message.to_owned()));
    }
    let model = model(request);
    let many = ["sonar-reasoning-pro", "sonar-deep-research"].contains(&model.as_str());
    let tokens = request.max_tokens.unwrap_or(if many { MANY_TOKENS } else { TOKENS });
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

/// What is asked for besides; without it the body has three fields.
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

/// Reads a whole reply.
pub(super) fn whole(reply: &Value) -> Result<Gathered> {
    let choice = reply.pointer("/choices/0");
    let sources = match reply.get("search_results") {
        Some(results) => sources(results, "search_results")?,
        None => cited(reply.get("citations"))?,
    };
    Ok(Gathered {
        text: text(choice.and_then(|choice| choice.pointer("/message/content"))).unwrap_or_default(),
        sources,
        model: text(reply.get("model")),
        id: text(reply.get("id")),
        usage: usage(reply),
        cut: choice.and_then(cut),
        step: None,
        over: true,
    })
}

/// Addresses alone, where the reply has no list of pages.
fn cited(citations: Option<&Value>) -> Result<Vec<Source>> {
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

fn cut(choice: &Value) -> Option<Cut> {
    (choice.get("finish_reason").and_then(Value::as_str) == Some("length")).then_some(Cut::Tokens)
}

/// Takes in one object of a stream. Lists come whole in each; the last that is there counts.
pub(super) fn take(gathered: &mut Gathered, chunk: &Value) -> Result<()> {
    let choice = chunk.pointer("/choices/0");
    let said =
        |place| choice.and_then(|choice| choice.pointer(place)).and_then(Value::as_str).unwrap_or_default();
    let (message, delta) = (said("/message/content"), said("/delta/content"));
    // The whole text so far stands beside what is new, unless it is the same.
    if message.is_empty() || (message == delta && !gathered.text.is_empty()) {
        gathered.text.push_str(delta);
    } else {
        message.clone_into(&mut gathered.text);
    }
    let listed = |name: &str| chunk.get(name).filter(|list| !list.is_null());
    if let Some(results) = listed("search_results") {
        gathered.sources = sources(results, "search_results")?;
    } else if let Some(citations) = listed("citations")
        && gathered.sources.iter().all(|source| source.title.is_empty())
    {
        gathered.sources = cited(Some(citations))?;
    }
    gathered.model = text(chunk.get("model")).or(gathered.model.take());
    gathered.id = text(chunk.get("id")).or(gathered.id.take());
    gathered.usage = usage(chunk).or(gathered.usage.take());
    if let Some(choice) = choice {
        gathered.cut = cut(choice).or(gathered.cut.take());
    }
    // The last one has the usage; where it has none yet, that may follow.
    gathered.over = is_last(chunk) && gathered.usage.is_some();
    Ok(())
}

fn is_last(chunk: &Value) -> bool {
    chunk.get("object").and_then(Value::as_str) == Some("chat.completion.done")
}

/// Whether an object of a stream says that the text is whole, even if more may follow.
pub(super) fn finishes(chunk: &Value) -> bool {
    let says = |place: &str, word: &str| chunk.pointer(place).and_then(Value::as_str) == Some(word);
    let reason = chunk.pointer("/choices/0/finish_reason").and_then(Value::as_str);
    let finished = reason.is_some_and(|reason| !reason.is_empty());
    finished || is_last(chunk) || says("/type", "end_of_stream") || says("/status", "COMPLETED")
}
