//! The items of `input`: as turns of the conversation, and as the list that can be read again.

use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::content;
use crate::serve::api_error::ApiError;
use crate::serve::conversation::functions;
use crate::serve::conversation::turns::{Conversation, Role, is_data_url};

/// Items of earlier answers that add nothing to the conversation.
const SKIPPED_TYPES: [&str; 7] = [
    "reasoning",
    "web_search_call",
    "file_search_call",
    "computer_call",
    "mcp_call",
    "image_generation_call",
    "code_interpreter_call",
];

/// Adds `input` to the conversation, and returns its items as they are stored.
pub(super) fn read(input: Option<&Value>, conversation: &mut Conversation) -> Result<Vec<Value>, ApiError> {
    let items = match input {
        Some(Value::String(text)) => vec![json!({ "role": "user", "content": text })],
        Some(Value::Array(items)) if !items.is_empty() => items.clone(),
        _ => {
            return Err(ApiError::invalid(
                "input",
                "'input' must be text, or a list with at least one item.",
            ));
        }
    };
    for (index, item) in items.iter().enumerate() {
        add(conversation, item, &format!("input[{index}]"))?;
    }
    Ok(items.into_iter().map(stored_item).collect())
}

fn add(conversation: &mut Conversation, item: &Value, place: &str) -> Result<(), ApiError> {
    if let Value::String(text) = item {
        conversation.add_with_files(Role::User, text.clone(), Vec::new());
        return Ok(());
    }
    let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "" | "message" | "input_message" => add_message(conversation, item, place),
        "function_call" => {
            conversation.add_call(functions::call_text(text("name"), text("arguments"), text("call_id")));
            Ok(())
        }
        "function_call_output" => {
            let output =
                content::read(item.get("output").unwrap_or(&Value::Null), &format!("{place}.output"))?;
            let text = functions::output_text(text("call_id"), &output.text);
            conversation.add_with_files(Role::Tool, text, output.files);
            Ok(())
        }
        kind if SKIPPED_TYPES.contains(&kind) => Ok(()),
        other => Err(ApiError::invalid(place, format!("Items of the type '{other}' are not supported."))),
    }
}

fn add_message(conversation: &mut Conversation, item: &Value, place: &str) -> Result<(), ApiError> {
    let content = content::read(item.get("content").unwrap_or(&Value::Null), &format!("{place}.content"))?;
    match item.get("role").and_then(Value::as_str).unwrap_or_default() {
        "system" | "developer" => conversation.system.push(content.text),
        "user" => {
            conversation.add_with_files(Role::User, content.text, content.files);
        }
        "assistant" => conversation.add(Role::Assistant, content.text),
        other => {
            let message =
                format!("'{place}.role' is '{other}'; the roles are system, developer, user and assistant.");
            return Err(ApiError::invalid(place, message));
        }
    }
    Ok(())
}

/// An item with the fields that clients expect, and without the data of files.
fn stored_item(item: Value) -> Value {
    let item = match item {
        Value::String(text) => json!({ "role": "user", "content": text }),
        item => item,
    };
    let Value::Object(mut fields) = without_data(item) else { return Value::Null };
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or("message").to_owned();
    let is_message = matches!(kind.as_str(), "message" | "input_message");
    if is_message {
        let is_answer = fields.get("role").is_some_and(|role| role == "assistant");
        let content = fields.remove("content").unwrap_or_default();
        fields.insert("content".to_owned(), stored_content(content, is_answer));
    }
    fields.insert("type".to_owned(), if is_message { "message".into() } else { kind.into() });
    fields.entry("status").or_insert_with(|| "completed".into());
    let prefix = if is_message { "msg" } else { "item" };
    fields.entry("id").or_insert_with(|| format!("{prefix}_{}", Uuid::new_v4().simple()).into());
    fields.into()
}

fn stored_content(content: Value, is_answer: bool) -> Value {
    let kind = if is_answer { "output_text" } else { "input_text" };
    let text = |text: Value| {
        if is_answer {
            json!({ "type": kind, "text": text, "annotations": [] })
        } else {
            json!({ "type": kind, "text": text })
        }
    };
    match content {
        Value::Array(parts) => parts
            .into_iter()
            .map(|part| match part.get("type").and_then(Value::as_str) {
                Some("text") => text(part.get("text").cloned().unwrap_or_default()),
                _ => part,
            })
            .collect(),
        content => json!([text(content)]),
    }
}

/// A value without the data of files, wherever it stands.
fn without_data(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(without_data).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(
                |(name, value)| {
                    if name == "file_data" { (name, NOT_KEPT.into()) } else { (name, without_data(value)) }
                },
            )
            .collect(),
        Value::String(text) if is_data_url(&text) && text.contains(";base64,") => NOT_KEPT.into(),
        value => value,
    }
}

/// What is stored in the place of a file's data.
const NOT_KEPT: &str = "[not kept]";

/// Which of the items a client asks for.
#[derive(Debug, Deserialize)]
pub(crate) struct Page {
    limit: Option<usize>,
    order: Option<String>,
    after: Option<String>,
    before: Option<String>,
}

/// How many items a page may have, and has by default.
const MAX_LIMIT: usize = 100;
const DEFAULT_LIMIT: usize = 20;

/// A page of items. The newest come first, as in OpenAI's interface.
pub(super) fn page(mut items: Vec<Value>, page: &Page) -> Result<Value, ApiError> {
    let limit = page.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(ApiError::invalid("limit", format!("'limit' must be from 1 to {MAX_LIMIT}.")));
    }
    match page.order.as_deref() {
        Some("asc") => {}
        None | Some("desc") => items.reverse(),
        Some(_) => return Err(ApiError::invalid("order", "'order' must be asc or desc.")),
    }
    if let Some(after) = &page.after {
        let start = position(&items, after, "after")?;
        items.drain(..=start);
    }
    if let Some(before) = &page.before {
        let end = position(&items, before, "before")?;
        items.truncate(end);
    }
    let has_more = items.len() > limit;
    items.truncate(limit);
    let id = |item: Option<&Value>| item.and_then(|item| item.get("id")).cloned().unwrap_or_default();
    let (first, last) = (id(items.first()), id(items.last()));
    Ok(json!({ "object": "list", "data": items, "first_id": first, "last_id": last, "has_more": has_more }))
}

fn position(items: &[Value], id: &str, param: &str) -> Result<usize, ApiError> {
    let place = items.iter().position(|item| item.get("id").is_some_and(|known| known == id));
    place.ok_or_else(|| ApiError::invalid(param, format!("There is no item '{id}'.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(value: &Value) -> Vec<&str> {
        value["data"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
    }

    #[test]
    fn pages_follow_on_each_other() {
        let items: Vec<Value> = (0..5).map(|number| json!({ "id": format!("i{number}") })).collect();
        let get = |limit, order: Option<&str>, after: Option<&str>| {
            let owned = |text: Option<&str>| text.map(str::to_owned);
            page(items.clone(), &Page { limit, order: owned(order), after: owned(after), before: None })
        };
        let first = get(Some(2), Some("asc"), None).unwrap();
        assert_eq!((ids(&first), first["has_more"].as_bool()), (vec!["i0", "i1"], Some(true)));
        let last = get(Some(3), Some("asc"), Some("i1")).unwrap();
        assert_eq!((ids(&last), last["has_more"].as_bool()), (vec!["i2", "i3", "i4"], Some(false)));
        assert_eq!(ids(&get(None, None, None).unwrap()), ["i4", "i3", "i2", "i1", "i0"]);
        for bad in [
            get(Some(0), None, None),
            get(Some(101), None, None),
            get(None, Some("x"), None),
            get(None, None, Some("x")),
        ] {
            assert!(bad.is_err());
        }
    }

    #[test]
    fn items_become_turns_and_are_stored() {
        let mut conversation = Conversation::default();
        let input = json!([
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": [{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]},
            {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c1"},
            {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_image", "image_url": "DATA:image/png;base64,AAAA"}]},
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}, {"type": "file", "file": {"file_data": "AAAA"}}]},
            {"type": "reasoning", "summary": []},
        ]);
        let stored_item = read(Some(&input), &mut conversation).unwrap();
        let roles: Vec<Role> = conversation.turns.iter().map(|turn| turn.role).collect();
        assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::User]);
        assert_eq!((conversation.system.len(), conversation.files.len()), (1, 4));
        assert!(stored_item.iter().all(|item| item["id"].is_string() && item["type"].is_string()));
        assert!(!Value::from(stored_item).to_string().contains("AAAA"));
        for bad in [
            json!([]),
            json!(5),
            json!([{"type": "computer_use"}]),
            json!([{"role": "robot", "content": "x"}]),
        ] {
            assert!(read(Some(&bad), &mut Conversation::default()).is_err(), "{bad}");
        }
    }

    #[test]
    fn blank_input_is_an_item_but_no_question() {
        for blank in [json!(""), json!(" \n"), json!([{"role": "user", "content": []}])] {
            let mut conversation = Conversation::default();
            assert_eq!(read(Some(&blank), &mut conversation).unwrap().len(), 1, "{blank}");
            let error = conversation.check("input").unwrap_err();
            assert_eq!(error.message, "The last user message is blank.", "{blank}");
        }
    }
}
