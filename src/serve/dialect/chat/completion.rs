//! A chat completion in one piece, and what it has in common with one that is streamed.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::serve::dialect::extras::extras;
use crate::serve::settle::citations::{Citation, cited};
use crate::serve::settle::completion::{Called, Finished, Usage};

/// What every chunk of an answer has, too.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) id: String,
    /// Unix seconds.
    pub(super) created: i64,
}

impl Head {
    pub(super) fn new() -> Self {
        Self { id: format!("chatcmpl-{}", Uuid::new_v4().simple()), created: chrono::Utc::now().timestamp() }
    }
}

/// The whole document.
pub(super) fn completion(finished: &Finished) -> Value {
    let head = Head::new();
    let mut completion = json!({
        "id": head.id,
        "object": "chat.completion",
        "created": head.created,
        "model": finished.model,
        "system_fingerprint": null,
        "choices": [{
            "index": 0,
            "message": message(finished),
            "finish_reason": finish_reason(finished),
            "logprobs": null,
        }],
        "usage": usage(finished.usage),
    });
    if let Value::Object(fields) = &mut completion {
        fields.extend(extras(finished));
    }
    completion
}

fn message(finished: &Finished) -> Value {
    let has_calls = !finished.calls.is_empty();
    let mut message = json!({
        "role": "assistant",
        "content": if has_calls { Value::Null } else { finished.text.as_str().into() },
        "refusal": null,
        "annotations": annotations(finished),
    });
    if let Value::Object(fields) = &mut message {
        if !finished.reasoning.is_empty() {
            fields.insert("reasoning_content".to_owned(), finished.reasoning.as_str().into());
        }
        if has_calls {
            fields.insert("tool_calls".to_owned(), calls(&finished.calls));
        }
    }
    message
}

/// The calls of functions; each has its place as `index`, which chunks need.
pub(super) fn calls(calls: &[Called]) -> Value {
    let call = |(index, call): (usize, &Called)| {
        json!({
            "index": index,
            "id": call.id,
            "type": "function",
            "function": { "name": call.name, "arguments": call.arguments },
        })
    };
    calls.iter().enumerate().map(call).collect()
}

pub(super) fn finish_reason(finished: &Finished) -> &'static str {
    if finished.calls.is_empty() { "stop" } else { "tool_calls" }
}

pub(super) fn usage(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.total(),
    })
}

/// The citations in a text, with offsets in characters.
pub(super) fn annotations(finished: &Finished) -> Value {
    let annotation = |citation: Citation<'_>| {
        json!({
            "type": "url_citation",
            "url_citation": {
                "url": citation.source.url,
                "title": citation.source.label(),
                "start_index": citation.start,
                "end_index": citation.end,
            },
        })
    };
    cited(finished).into_iter().map(annotation).collect()
}
