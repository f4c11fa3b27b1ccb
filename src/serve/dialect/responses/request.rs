//! The request for a response.

use axum::http::HeaderMap;
use serde_json::{Map, Value, json};

use super::super::content;
use super::super::fields::Fields;
use super::super::options;
use super::calls;
use super::items;
use crate::serve::api_error::ApiError;
use crate::serve::ask::question::Question;
use crate::serve::conversation::formats::Format;
use crate::serve::conversation::turns::{Conversation, Role};
use crate::serve::dialect::parameters;
use crate::serve::state::responses::Transcript;
use crate::serve::state::server_state::ServerState;

/// A request that can be asked.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) question: Question,
    pub(super) delivery: Delivery,
    /// Whether the response can be got again.
    pub(super) store: bool,
    /// The items of `input`, as they are stored.
    pub(super) input: Vec<Value>,
    /// The conversation up to the question.
    pub(super) transcript: Transcript,
    /// The fields of the request that the response repeats.
    pub(super) echo: Map<String, Value>,
}

/// How the client gets the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    InOnePiece,
    Streamed,
    /// By a later request.
    Background,
}

/// The fields that a response repeats, each with its default as JSON. Most of them mean nothing to the service.
const ECHOED: [(&str, &str); 17] = [
    ("background", "false"),
    ("instructions", "null"),
    ("max_output_tokens", "null"),
    ("max_tool_calls", "null"),
    ("metadata", "{}"),
    ("parallel_tool_calls", "true"),
    ("previous_response_id", "null"),
    ("prompt_cache_key", "null"),
    ("safety_identifier", "null"),
    ("service_tier", "\"default\""),
    ("store", "true"),
    ("temperature", "1.0"),
    ("tool_choice", "\"auto\""),
    ("tools", "[]"),
    ("top_p", "1.0"),
    ("truncation", "\"disabled\""),
    ("user", "null"),
];

impl Request {
    pub(super) async fn read(
        fields: &Fields,
        headers: &HeaderMap,
        server: &ServerState,
    ) -> Result<Self, ApiError> {
        let store = fields.flag("store")?.unwrap_or(true);
        let delivery = delivery(fields, store)?;
        let functions = parameters::functions(fields, server)?;
        let format = fields.object("text")?.and_then(|text| text.get("format"));
        let format = Format::parse(format, "text.format")?;
        let instructions = instructions(fields)?;
        let previous = previous(fields, instructions.as_deref(), server).await?;
        let thread_of = previous.thread_of.clone();
        let Input { mut conversation, items: input, is_one_question } = Input::read(fields, previous)?;
        let transcript = transcript(&conversation, instructions.clone());
        conversation.system.splice(0..0, instructions);
        let model = parameters::model(fields, server)?;
        let options = options::read(fields)?;
        let echo = echo(fields)?;
        // Last, since it takes the thread from the stored response.
        let thread = match thread_of.filter(|_| is_one_question) {
            Some(id) => server.responses.take_thread(&id).await?,
            None => None,
        };
        let question = Question {
            model,
            conversation,
            thread,
            options,
            format,
            functions,
            in_one_piece: delivery != Delivery::Streamed,
            refuse_substitution: parameters::refuses_substitution(headers, server),
            param: "input",
        };
        Ok(Self { question, delivery, store, input, transcript, echo })
    }
}

fn delivery(fields: &Fields, store: bool) -> Result<Delivery, ApiError> {
    if fields.get("conversation").is_some() {
        let message = "Conversations are not supported; use 'previous_response_id'.";
        return Err(ApiError::invalid("conversation", message));
    }
    match (flag(fields, "background")?, flag(fields, "stream")?) {
        (true, streams) if streams || !store => {
            let message = "'background' needs 'store', and goes without 'stream'.";
            Err(ApiError::invalid("background", message))
        }
        (true, _) => Ok(Delivery::Background),
        (false, true) => Ok(Delivery::Streamed),
        (false, false) => Ok(Delivery::InOnePiece),
    }
}

/// What `input` adds to the conversation.
struct Input {
    conversation: Conversation,
    items: Vec<Value>,
    /// It adds one question of the user and nothing else: only that can be asked in the previous thread.
    is_one_question: bool,
}

impl Input {
    fn read(fields: &Fields, previous: Previous) -> Result<Self, ApiError> {
        let Transcript { system, turns, files, .. } = previous.transcript;
        let (one_more_turn, same_system) = (turns.len() + 1, system.len());
        let mut conversation = Conversation::continued(system, turns, files);
        let items = items::read(fields.get("input"), &mut conversation)?;
        conversation.check("input")?;
        calls::check(&previous.output, &items)?;
        let is_one_question = conversation.turns.len() == one_more_turn
            && conversation.system.len() == same_system
            && conversation.turns.last().is_some_and(|turn| turn.role == Role::User);
        Ok(Self { conversation, items, is_one_question })
    }
}

fn transcript(conversation: &Conversation, instructions: Option<String>) -> Transcript {
    Transcript {
        instructions,
        system: conversation.system.clone(),
        turns: conversation.turns.clone(),
        files: conversation.files.iter().filter(|file| !file.is_data()).cloned().collect(),
    }
}

fn flag(fields: &Fields, name: &str) -> Result<bool, ApiError> {
    Ok(fields.flag(name)?.unwrap_or(false))
}

fn instructions(fields: &Fields) -> Result<Option<String>, ApiError> {
    let Some(given) = fields.get("instructions") else { return Ok(None) };
    let text = match given {
        Value::Array(items) => {
            let contents = items.iter().map(|item| item.get("content").unwrap_or(item));
            let texts: Result<Vec<String>, ApiError> = contents
                .map(|content| content::read(content, "instructions").map(|content| content.text))
                .collect();
            texts?.join("\n\n")
        }
        other => content::read(other, "instructions")?.text,
    };
    Ok(Some(text))
}

/// The response that a request goes on from; empty where it names none.
#[derive(Debug, Default)]
struct Previous {
    transcript: Transcript,
    /// Its id, where its thread can go on: only with the same instructions, which are not inherited.
    thread_of: Option<String>,
    output: Vec<Value>,
}

async fn previous(
    fields: &Fields,
    instructions: Option<&str>,
    server: &ServerState,
) -> Result<Previous, ApiError> {
    let Some(id) = fields.text("previous_response_id")? else { return Ok(Previous::default()) };
    let stored = server.responses.get(id).await?.ok_or_else(|| {
        let message = format!("There is no stored response '{id}'.");
        ApiError::not_found("previous_response_not_found", message).with_param("previous_response_id")
    })?;
    if stored.text("status") != Some("completed") {
        let message = format!("The response '{id}' is not completed, so nothing can follow on it.");
        return Err(ApiError::invalid("previous_response_id", message));
    }
    let has_same_instructions = stored.transcript.instructions.as_deref() == instructions;
    let output = stored.document.get("output").and_then(Value::as_array).cloned().unwrap_or_default();
    let thread_of = (has_same_instructions && stored.thread.is_some()).then_some(stored.id);
    Ok(Previous { transcript: stored.transcript, thread_of, output })
}

fn echo(fields: &Fields) -> Result<Map<String, Value>, ApiError> {
    let mut echo = Map::new();
    for (name, default) in ECHOED {
        let given = fields.get(name).cloned();
        let value = given.map_or_else(|| serde_json::from_str(default), Ok).unwrap_or(Value::Null);
        echo.insert(name.to_owned(), value);
    }
    let text = fields
        .object("text")?
        .cloned()
        .map_or_else(|| json!({ "format": { "type": "text" } }), Value::Object);
    echo.insert("text".to_owned(), text);
    let reasoning = fields.object("reasoning")?.cloned().unwrap_or_default();
    let field = |name: &str| reasoning.get(name).cloned().unwrap_or(Value::Null);
    let reasoning = json!({ "effort": field("effort"), "summary": field("summary") });
    echo.insert("reasoning".to_owned(), reasoning);
    Ok(echo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_fields_have_default_values() {
        let fields = Fields(Map::from_iter([("temperature".to_owned(), json!(0.3))]));
        let echo = echo(&fields).unwrap();
        assert_eq!(echo["temperature"], 0.3);
        assert_eq!(echo["tool_choice"], "auto");
        assert_eq!(echo["metadata"], json!({}));
        assert_eq!(echo["text"]["format"]["type"], "text");
    }
}
