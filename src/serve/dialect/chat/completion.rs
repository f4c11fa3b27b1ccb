//! A chat completion in one piece, and the parts that a streamed one has as well.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::serve::dialect::extras::extras;
use crate::serve::settle::citations::{Citation, citations_of};
use crate::serve::settle::completion::{Completion, ToolCall, Usage};

/// What the document and every chunk of an answer have in common.
#[derive(Debug)]
pub(super) struct Identity {
    pub(super) id: String,
    /// Unix seconds.
    pub(super) created: i64,
}

impl Identity {
    pub(super) fn new() -> Self {
        Self { id: format!("chatcmpl-{}", Uuid::new_v4().simple()), created: chrono::Utc::now().timestamp() }
    }
}

/// The body of the response.
pub(super) fn document(completion: &Completion) -> Value {
    let identity = Identity::new();
    let mut document = json!({
        "id": identity.id,
        "object": "chat.completion",
        "created": identity.created,
        "model": completion.model,
        "system_fingerprint": null,
        "choices": [{
            "index": 0,
            "message": message(completion),
            "finish_reason": finish_reason(completion),
            "logprobs": null,
        }],
        "usage": usage(completion.usage),
    });
    if let Value::Object(fields) = &mut document {
        fields.extend(extras(completion));
    }
    document
}

fn message(completion: &Completion) -> Value {
    let has_calls = !completion.calls.is_empty();
    let mut message = json!({
        "role": "assistant",
        "content": if has_calls { Value::Null } else { completion.text.as_str().into() },
        "refusal": null,
        "annotations": annotations(completion),
    });
    if let Value::Object(fields) = &mut message {
        if !completion.reasoning.is_empty() {
            fields.insert("reasoning_content".to_owned(), completion.reasoning.as_str().into());
        }
        if has_calls {
            fields.insert("tool_calls".to_owned(), calls(&completion.calls));
        }
    }
    message
}

/// The calls of functions; `index` is the place of each, which chunks need.
pub(super) fn calls(calls: &[ToolCall]) -> Value {
    let call = |(index, call): (usize, &ToolCall)| {
        json!({
            "index": index,
            "id": call.id,
            "type": "function",
            "function": { "name": call.name, "arguments": call.arguments },
        })
    };
    calls.iter().enumerate().map(call).collect()
}

pub(super) fn finish_reason(completion: &Completion) -> &'static str {
    if completion.calls.is_empty() { "stop" } else { "tool_calls" }
}

pub(super) fn usage(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.total(),
    })
}

/// The citations in a text, with offsets in characters.
pub(super) fn annotations(completion: &Completion) -> Value {
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
    citations_of(completion).into_iter().map(annotation).collect()
}
