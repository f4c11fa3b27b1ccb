//! The request for a chat completion.

use std::sync::Arc;

use axum::http::HeaderMap;
use serde_json::Value;

use super::super::content;
use super::super::fields::Fields;
use super::super::options;
use crate::serve::api_error::ApiError;
use crate::serve::ask::question::Question;
use crate::serve::conversation::formats::Format;
use crate::serve::conversation::functions::{self, ToolSet};
use crate::serve::conversation::turns::{Conversation, Role};
use crate::serve::dialect::parameters;
use crate::serve::settle::completion::Completion;
use crate::serve::state::server_state::ServerState;

/// A request that can be asked.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) question: Question,
    pub(super) streams: bool,
    pub(super) include_usage: bool,
}

impl Request {
    pub(super) fn read(fields: &Fields, headers: &HeaderMap, server: &ServerState) -> Result<Self, ApiError> {
        let streams = fields.flag("stream")?.unwrap_or(false);
        check_choices(fields)?;
        let functions = functions(fields, server)?;
        let conversation = conversation(fields)?;
        let format = Format::parse(fields.get("response_format"), "response_format")?;
        let question = Question {
            model: parameters::model(fields, server)?,
            conversation,
            thread: None,
            options: options::read(fields)?,
            format,
            functions,
            in_one_piece: !streams,
            refuse_substitution: parameters::refuses_substitution(headers, server),
            param: "messages",
        };
        Ok(Self { question, streams, include_usage: includes_usage(fields)? })
    }

    /// Keeps the thread for the conversation's next question. After calls there is none: the service does not know their
    /// results.
    pub(super) fn remember(&self, completion: &Completion, server: &ServerState) {
        if let Some(thread) = completion.thread.clone().filter(|_| completion.calls.is_empty()) {
            server.threads.remember(&self.question.conversation, &completion.text, thread);
        }
    }
}

fn includes_usage(fields: &Fields) -> Result<bool, ApiError> {
    let Some(options) = fields.object("stream_options")? else { return Ok(false) };
    match options.get("include_usage") {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(is_on)) => Ok(*is_on),
        Some(_) => {
            Err(ApiError::invalid("stream_options", "'stream_options.include_usage' must be true or false."))
        }
    }
}

/// Checks that the request asks for one answer, as text, without probabilities.
fn check_choices(fields: &Fields) -> Result<(), ApiError> {
    if fields.get("n").is_some_and(|n| n.as_f64() != Some(1.0)) {
        return Err(ApiError::invalid("n", "Only one answer is given to a question: 'n' must be 1."));
    }
    if fields.flag("logprobs")? == Some(true)
        || fields.get("top_logprobs").is_some_and(|top| top.as_u64() != Some(0))
    {
        return Err(ApiError::invalid(
            "logprobs",
            "The service reports no probabilities: 'logprobs' must be false.",
        ));
    }
    if fields.get("audio").is_some() {
        return Err(ApiError::invalid("audio", "Answers are text: there is no 'audio'."));
    }
    match fields.list("modalities")? {
        Some(kinds) if kinds.iter().any(|kind| kind != "text") => {
            Err(ApiError::invalid("modalities", "Answers are text: 'modalities' must be [\"text\"]."))
        }
        _ => Ok(()),
    }
}

fn functions(fields: &Fields, server: &ServerState) -> Result<Option<Arc<ToolSet>>, ApiError> {
    if fields.list("functions")?.is_some_and(|list| !list.is_empty()) {
        return Err(ApiError::invalid(
            "functions",
            "'functions' is of an interface before tools; use 'tools'.",
        ));
    }
    parameters::functions(fields, server)
}

fn conversation(fields: &Fields) -> Result<Conversation, ApiError> {
    let messages = fields.list("messages")?;
    let messages = messages.filter(|messages| !messages.is_empty());
    let messages = messages.ok_or_else(|| {
        ApiError::invalid("messages", "'messages' must be a list with at least one message.")
    })?;
    let mut conversation = Conversation::default();
    for (index, message) in messages.iter().enumerate() {
        add(&mut conversation, message, &format!("messages[{index}]"))?;
    }
    conversation.check("messages")?;
    Ok(conversation)
}

fn add(conversation: &mut Conversation, message: &Value, place: &str) -> Result<(), ApiError> {
    let Some(fields) = message.as_object() else {
        return Err(ApiError::invalid(place, format!("'{place}' must be an object.")));
    };
    let role = fields.get("role").and_then(Value::as_str).unwrap_or_default();
    let content = content::read(fields.get("content").unwrap_or(&Value::Null), &format!("{place}.content"))?;
    match role {
        "system" | "developer" => conversation.system.push(content.text),
        "user" => {
            conversation.add_with_files(Role::User, content.text, content.files);
        }
        "assistant" => {
            conversation.add(Role::Assistant, content.text);
            for call in fields.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
                conversation.add_call(call_text(call));
            }
        }
        "tool" | "function" => {
            let id = fields.get("tool_call_id").or_else(|| fields.get("name")).and_then(Value::as_str);
            let text = functions::output_text(id.unwrap_or_default(), &content.text);
            conversation.add_with_files(Role::Tool, text, content.files);
        }
        other => {
            let known = "system, developer, user, assistant and tool";
            let message = format!("'{place}.role' is '{other}'; the roles are {known}.");
            return Err(ApiError::invalid(place, message));
        }
    }
    Ok(())
}

fn call_text(call: &Value) -> String {
    let text = |pointer| call.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    functions::call_text(text("/function/name"), text("/function/arguments"), text("/id"))
}
