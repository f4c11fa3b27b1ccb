//! A reply that streams.

use serde_json::{Value, json};

use super::super::json::text;
use super::super::partial_answer::Gathered;
use super::reply::{message, pages};
use crate::domain::answer::Step;

/// What a stream has brought besides what is gathered already.
#[derive(Debug, Default)]
pub(in crate::provider::api) struct Stream {
    /// The items that are whole, for their pages.
    items: Vec<Value>,
    /// The texts, in the order in which they began.
    messages: Vec<Message>,
}

/// A message that grows, and the names by which events tell which one they mean.
#[derive(Debug)]
struct Message {
    index: Option<Value>,
    id: Option<Value>,
    text: String,
}

/// What an event of a stream is.
#[derive(Debug)]
pub(in crate::provider::api) enum Event {
    /// Something was gathered, or not.
    Step,
    /// The whole reply, at its end.
    End(Value),
    /// The reply, or the event itself, that tells of an error.
    Failed(Value),
}

impl Stream {
    /// Takes in one event. Those that are not known are ignored.
    pub(in crate::provider::api) fn take(
        &mut self,
        gathered: &mut Gathered,
        name: &str,
        event: Value,
    ) -> Event {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or(name).to_owned();
        match kind.as_str() {
            "response.created" | "response.in_progress" => {
                gathered.id = text(event.pointer("/response/id")).or(gathered.id.take());
            }
            "response.reasoning.search_queries" => {
                let queries = event.get("queries").and_then(Value::as_array).into_iter().flatten();
                let queries = queries.filter_map(Value::as_str).map(str::to_owned).collect();
                gathered.step = Some(Step::Searching(queries));
            }
            "response.reasoning.fetch_url_queries" => {
                let pages = event.get("urls").and_then(Value::as_array).map_or(1, Vec::len);
                gathered.step = Some(Step::Reading(pages));
            }
            "response.reasoning.started" => gathered.step = Some(Step::Thinking),
            "response.output_text.delta" => {
                gathered.step = Some(Step::Writing);
                let delta = event.get("delta").and_then(Value::as_str).unwrap_or_default();
                self.change(&event, event.get("item_id"), |text| text.push_str(delta));
                gathered.text = self.text();
            }
            "response.output_item.done" => self.finish(gathered, &event),
            "response.completed" => return ended(event, "completed"),
            "response.incomplete" => return ended(event, "incomplete"),
            "response.failed" | "response.cancelled" | "error" => return Event::Failed(failure(event)),
            _ => {}
        }
        Event::Step
    }

    /// Changes the text of the message that an event means: by its place, else by its id.
    fn change(&mut self, event: &Value, id: Option<&Value>, change: impl FnOnce(&mut String)) {
        let (index, id) = (event.get("output_index").cloned(), id.cloned());
        let means = |message: &&mut Message| match (&message.index, &index) {
            (Some(known), Some(index)) => known == index,
            _ => message.id.is_none() || id.is_none() || message.id == id,
        };
        if let Some(message) = self.messages.iter_mut().find(means) {
            return change(&mut message.text);
        }
        let mut text = String::new();
        change(&mut text);
        self.messages.push(Message { index, id, text });
    }

    /// Between two messages is a blank line.
    fn text(&self) -> String {
        let texts: Vec<&str> = self.messages.iter().map(|message| message.text.as_str()).collect();
        texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    fn finish(&mut self, gathered: &mut Gathered, event: &Value) {
        let Some(item) = event.get("item") else { return };
        if let Some(text) = message(item) {
            // It is whole here; pieces may have been lost on the way.
            self.change(event, item.get("id"), |known| *known = text);
            gathered.text = self.text();
            return;
        }
        self.items.push(item.clone());
        let pages = pages(&self.items);
        if pages.len() > gathered.sources.len() {
            gathered.step = Some(Step::Reading(pages.len()));
        }
        gathered.sources = pages;
    }
}

/// The reply at the end. Where it does not say itself how it ended, its event does.
fn ended(event: Value, status: &str) -> Event {
    let Value::Object(mut fields) = event else { return Event::Step };
    let mut reply = fields.remove("response").filter(Value::is_object).unwrap_or_else(|| json!({}));
    if let Some(reply) = reply.as_object_mut().filter(|reply| !reply.contains_key("status")) {
        reply.insert("status".to_owned(), status.into());
    }
    Event::End(reply)
}

/// The object that holds the error: the reply in the event, or the event.
fn failure(event: Value) -> Value {
    if event.get("error").is_some_and(|error| !error.is_null()) {
        return event;
    }
    event.get("response").cloned().unwrap_or(event)
}
