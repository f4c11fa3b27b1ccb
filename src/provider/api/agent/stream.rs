//! A reply that streams.

use serde_json::{Value, json};

use super::super::json::text;
use super::super::partial_answer::PartialAnswer;
use super::reply::{message_text, sources};
use crate::domain::answer::Step;

/// The state of a stream besides the partial answer.
#[derive(Debug, Default)]
pub(in crate::provider::api) struct Stream {
    /// The finished items, for their sources.
    items: Vec<Value>,
    /// The texts, in the order in which they began.
    messages: Vec<Message>,
}

/// A message that grows, with the index and the id by which events name it.
#[derive(Debug)]
struct Message {
    index: Option<Value>,
    id: Option<Value>,
    text: String,
}

/// What an event means for the stream.
#[derive(Debug)]
pub(in crate::provider::api) enum Effect {
    /// The stream goes on.
    Continues,
    /// It ends with this reply.
    Ends(Value),
    /// It ends with the error in this object.
    Fails(Value),
}

impl Stream {
    /// Merges one event. Unknown ones are ignored.
    pub(in crate::provider::api) fn merge_event(
        &mut self,
        partial: &mut PartialAnswer,
        name: &str,
        event: Value,
    ) -> Effect {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or(name).to_owned();
        match kind.as_str() {
            "response.created" | "response.in_progress" => {
                partial.id = text(event.pointer("/response/id")).or(partial.id.take());
            }
            "response.reasoning.search_queries" => {
                let queries = event.get("queries").and_then(Value::as_array).into_iter().flatten();
                let queries = queries.filter_map(Value::as_str).map(str::to_owned).collect();
                partial.step = Some(Step::Searching(queries));
            }
            "response.reasoning.fetch_url_queries" => {
                let pages = event.get("urls").and_then(Value::as_array).map_or(1, Vec::len);
                partial.step = Some(Step::Reading(pages));
            }
            "response.reasoning.started" => partial.step = Some(Step::Thinking),
            "response.output_text.delta" => {
                partial.step = Some(Step::Writing);
                let delta = event.get("delta").and_then(Value::as_str).unwrap_or_default();
                self.change_message(&event, event.get("item_id"), |text| text.push_str(delta));
                partial.text = self.text();
            }
            "response.output_item.done" => self.finish_item(partial, &event),
            "response.completed" => return last_reply(event, "completed"),
            "response.incomplete" => return last_reply(event, "incomplete"),
            "response.failed" | "response.cancelled" | "error" => return Effect::Fails(error_object(event)),
            _ => {}
        }
        Effect::Continues
    }

    /// Changes the text of the message that an event names by its index, else by its id.
    fn change_message(&mut self, event: &Value, id: Option<&Value>, change: impl FnOnce(&mut String)) {
        let (index, id) = (event.get("output_index").cloned(), id.cloned());
        let is_named = |message: &&mut Message| match (&message.index, &index) {
            (Some(known), Some(index)) => known == index,
            _ => message.id.is_none() || id.is_none() || message.id == id,
        };
        if let Some(message) = self.messages.iter_mut().find(is_named) {
            return change(&mut message.text);
        }
        let mut text = String::new();
        change(&mut text);
        self.messages.push(Message { index, id, text });
    }

    /// The messages with a blank line between them.
    fn text(&self) -> String {
        let texts: Vec<&str> = self.messages.iter().map(|message| message.text.as_str()).collect();
        texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    fn finish_item(&mut self, partial: &mut PartialAnswer, event: &Value) {
        let Some(item) = event.get("item") else { return };
        if let Some(text) = message_text(item) {
            // A finished item has the full text, even if a delta was lost.
            self.change_message(event, item.get("id"), |known| *known = text);
            partial.text = self.text();
            return;
        }
        self.items.push(item.clone());
        let sources = sources(&self.items);
        if sources.len() > partial.sources.len() {
            partial.step = Some(Step::Reading(sources.len()));
        }
        partial.sources = sources;
    }
}

/// The reply in the last event. Where it has no status, it gets that of the event.
fn last_reply(event: Value, status: &str) -> Effect {
    let Value::Object(mut fields) = event else { return Effect::Continues };
    let mut reply = fields.remove("response").filter(Value::is_object).unwrap_or_else(|| json!({}));
    if let Some(reply) = reply.as_object_mut().filter(|reply| !reply.contains_key("status")) {
        reply.insert("status".to_owned(), status.into());
    }
    Effect::Ends(reply)
}

/// The object with the field `error`: the event, or the reply in it.
fn error_object(event: Value) -> Value {
    if event.get("error").is_some_and(|error| !error.is_null()) {
        return event;
    }
    event.get("response").cloned().unwrap_or(event)
}
