//! The response as a document, in each of its states.

use chrono::Utc;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::serve::api_error::ApiError;
use crate::serve::conversation::formats::Format;
use crate::serve::dialect::extras::extras;
use crate::serve::settle::citations::{Citation, citations_of};
use crate::serve::settle::completion::{Completion, ToolCall, Usage};

/// A response that has an id, and no answer yet. Every document of it is made from this.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) id: String,
    /// Unix seconds.
    pub(super) created: i64,
    model: String,
    echo: Map<String, Value>,
    /// Says that the format was demanded by prompt only; `None` for plain text.
    format_note: Option<&'static str>,
}

impl Draft {
    pub(super) fn new(model: String, echo: Map<String, Value>, format: &Format) -> Self {
        Self {
            id: id("resp"),
            created: Utc::now().timestamp(),
            model,
            echo,
            format_note: format.is_json().then_some("prompted, not constrained"),
        }
    }

    /// The document in this state, without output.
    pub(super) fn document(&self, status: &str) -> Value {
        let mut document = json!({
            "id": self.id,
            "object": "response",
            "created_at": self.created,
            "completed_at": null,
            "status": status,
            "error": null,
            "incomplete_details": null,
            "model": self.model,
            "output": [],
            "usage": null,
        });
        if let Value::Object(fields) = &mut document {
            fields.extend(self.echo.clone());
        }
        document
    }

    /// The document with the answer, whose items have these ids.
    pub(super) fn completed(&self, completion: &Completion, ids: &Ids) -> Value {
        let mut document = self.document("completed");
        if let Value::Object(fields) = &mut document {
            fields.insert("completed_at".to_owned(), Utc::now().timestamp().into());
            fields.insert("model".to_owned(), completion.model.as_str().into());
            fields.insert("output".to_owned(), output(completion, ids).into());
            fields.insert("usage".to_owned(), usage(completion.usage));
            fields.extend(extras(completion));
            if let (Some(note), Some(Value::Object(own))) = (self.format_note, fields.get_mut("pplx")) {
                own.insert("format".to_owned(), note.into());
            }
        }
        document
    }

    pub(super) fn failed(&self, error: &ApiError) -> Value {
        let mut document = self.document("failed");
        if let Value::Object(fields) = &mut document {
            let error = json!({ "code": error.name(), "message": error.message });
            fields.insert("error".to_owned(), error);
        }
        document
    }
}

/// The document of a response whose answering was ended.
pub(super) fn cancelled(mut document: Value) -> Value {
    if let Value::Object(fields) = &mut document {
        fields.insert("status".to_owned(), "cancelled".into());
    }
    document
}

/// The ids of an answer's items.
#[derive(Debug, Clone)]
pub(super) struct Ids {
    pub(super) reasoning: String,
    pub(super) message: String,
}

impl Default for Ids {
    fn default() -> Self {
        Self { reasoning: id("rs"), message: id("msg") }
    }
}

fn id(kind: &str) -> String {
    format!("{kind}_{}", Uuid::new_v4().simple())
}

fn output(completion: &Completion, ids: &Ids) -> Vec<Value> {
    let reasoning =
        (!completion.reasoning.is_empty()).then(|| reasoning(&ids.reasoning, &completion.reasoning));
    let rest = if completion.calls.is_empty() {
        let part = text_part(&completion.text, &annotations(completion));
        vec![message(&ids.message, "completed", Some(part))]
    } else {
        completion.calls.iter().map(call).collect()
    };
    reasoning.into_iter().chain(rest).collect()
}

pub(super) fn reasoning(id: &str, text: &str) -> Value {
    json!({ "id": id, "type": "reasoning", "summary": [summary(text)] })
}

pub(super) fn summary(text: &str) -> Value {
    json!({ "type": "summary_text", "text": text })
}

pub(super) fn message(id: &str, status: &str, part: Option<Value>) -> Value {
    let content: Vec<Value> = part.into_iter().collect();
    json!({ "id": id, "type": "message", "role": "assistant", "status": status, "content": content })
}

pub(super) fn text_part(text: &str, annotations: &[Value]) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": annotations, "logprobs": [] })
}

fn call(call: &ToolCall) -> Value {
    json!({
        "id": id("fc"),
        "type": "function_call",
        "status": "completed",
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments,
    })
}

/// A call as it is announced, before its arguments.
pub(super) fn call_without_arguments(mut call: Value) -> Value {
    if let Value::Object(fields) = &mut call {
        fields.insert("arguments".to_owned(), "".into());
        fields.insert("status".to_owned(), "in_progress".into());
    }
    call
}

/// The citations in a text, as this interface has them: flat, with offsets in characters.
pub(super) fn annotations(completion: &Completion) -> Vec<Value> {
    let annotation = |citation: Citation<'_>| {
        json!({
            "type": "url_citation",
            "url": citation.source.url,
            "title": citation.source.label(),
            "start_index": citation.start,
            "end_index": citation.end,
        })
    };
    citations_of(completion).into_iter().map(annotation).collect()
}

fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input,
        "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": usage.output,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": usage.total(),
    })
}
