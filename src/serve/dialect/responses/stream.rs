//! A response as it comes. The helpers of OpenAI's libraries refuse an event that they do not know, an index that was
//! not opened, or an id that changes.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::events::{Frames, Left};
use super::object::{self, Draft, Ids};
use super::request::Request;
use crate::serve::api_error::Refusal;
use crate::serve::log::Record;
use crate::serve::settle::answer_stream::{Piece, Reply};
use crate::serve::settle::completion::Finished;
use crate::serve::state::server_state::App;

/// Sends everything up to the end, and keeps what it came to.
pub(super) async fn send(
    request: Request,
    draft: Draft,
    mut reply: Reply,
    app: Arc<App>,
    frames: Frames,
    record: Record,
) -> Result<(), Left> {
    let unfinished = Unfinished { request: Some(request), draft, app };
    let mut stream =
        Stream { frames, number: 0, ids: Ids::default(), reasoning: String::new(), text: None, next: 0 };
    let begun = unfinished.draft.document("in_progress");
    stream.event("response.created", json!({ "response": begun })).await?;
    stream.event("response.in_progress", json!({ "response": begun })).await?;
    loop {
        match reply.next(&unfinished.app).await {
            Ok(Piece::Reasoning(line)) => stream.reasoning(&line).await?,
            Ok(Piece::Text(text)) => stream.text(&text).await?,
            Ok(Piece::Done(finished)) => return stream.finish(&finished, unfinished).await,
            Err(refusal) => {
                record.failed(refusal.name());
                return stream.fail(&refusal, unfinished).await;
            }
        }
    }
}

/// A response whose end is not kept yet. When the client leaves before, that is its end.
struct Unfinished {
    request: Option<Request>,
    draft: Draft,
    app: Arc<App>,
}

impl Unfinished {
    /// Keeps the end. What cannot be kept can still be sent.
    async fn end(mut self, document: Value, finished: Option<&Finished>) {
        if let Some(request) = self.request.take() {
            let _ = request.keep_end(&self.draft, document, finished, &self.app).await;
        }
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let Some(request) = self.request.take() else { return };
        let refusal = Refusal::reply("client_left", "The client did not wait for the end of the answer.");
        let (draft, app) = (self.draft.clone(), Arc::clone(&self.app));
        self.app.background.spawn(async move {
            // What is not kept now is settled at the next start.
            let _ = request.keep_end(&draft, draft.failed(&refusal), None, &app).await;
        });
    }
}

struct Stream {
    frames: Frames,
    /// The number of the next event.
    number: u64,
    ids: Ids,
    reasoning: String,
    /// The text so far, once there is one, and the place of its item.
    text: Option<(String, usize)>,
    /// The place of the next item.
    next: usize,
}

impl Stream {
    async fn event(&mut self, name: &str, mut data: Value) -> Result<(), Left> {
        if let Value::Object(fields) = &mut data {
            fields.insert("type".to_owned(), name.into());
            fields.insert("sequence_number".to_owned(), self.number.into());
        }
        self.number += 1;
        self.frames.event(name, &data).await
    }

    async fn reasoning(&mut self, line: &str) -> Result<(), Left> {
        let id = self.ids.reasoning.clone();
        if self.reasoning.is_empty() {
            let item = json!({ "id": id, "type": "reasoning", "summary": [] });
            self.event("response.output_item.added", json!({ "output_index": 0, "item": item })).await?;
            let part = object::summary("");
            let place = json!({ "item_id": id, "output_index": 0, "summary_index": 0, "part": part });
            self.event("response.reasoning_summary_part.added", place).await?;
            self.next = 1;
        }
        self.reasoning.push_str(line);
        let delta = json!({ "item_id": id, "output_index": 0, "summary_index": 0, "delta": line });
        self.event("response.reasoning_summary_text.delta", delta).await
    }

    async fn end_reasoning(&mut self) -> Result<(), Left> {
        if self.reasoning.is_empty() {
            return Ok(());
        }
        let (id, text) = (self.ids.reasoning.clone(), std::mem::take(&mut self.reasoning));
        let at = |name: &str, value: Value| json!({ "item_id": id, "output_index": 0, "summary_index": 0, name: value });
        self.event("response.reasoning_summary_text.done", at("text", text.as_str().into())).await?;
        self.event("response.reasoning_summary_part.done", at("part", object::summary(&text))).await?;
        let item = object::reasoning(&id, &text);
        self.event("response.output_item.done", json!({ "output_index": 0, "item": item })).await
    }

    async fn text(&mut self, delta: &str) -> Result<(), Left> {
        if self.text.is_none() {
            self.open_text().await?;
        }
        let Some((text, index)) = &mut self.text else { return Ok(()) };
        text.push_str(delta);
        let index = *index;
        let delta = self.at_text(index, json!({ "delta": delta, "logprobs": [] }));
        self.event("response.output_text.delta", delta).await
    }

    async fn open_text(&mut self) -> Result<(), Left> {
        self.end_reasoning().await?;
        let index = self.next;
        self.next += 1;
        self.text = Some((String::new(), index));
        let item = object::message(&self.ids.message, "in_progress", None);
        self.event("response.output_item.added", json!({ "output_index": index, "item": item })).await?;
        let part = self.at_text(index, json!({ "part": object::text_part("", &[]) }));
        self.event("response.content_part.added", part).await
    }

    fn at_text(&self, index: usize, mut data: Value) -> Value {
        if let Value::Object(fields) = &mut data {
            fields.insert("item_id".to_owned(), self.ids.message.as_str().into());
            fields.insert("output_index".to_owned(), index.into());
            fields.insert("content_index".to_owned(), 0.into());
        }
        data
    }

    async fn finish(mut self, finished: &Finished, unfinished: Unfinished) -> Result<(), Left> {
        let document = unfinished.draft.completed_as(finished, &self.ids);
        self.end_reasoning_if_open().await?;
        if finished.calls.is_empty() {
            self.end_text(finished).await?;
        } else {
            self.calls(&document).await?;
        }
        // A client that has heard of the end finds the response.
        unfinished.end(document.clone(), Some(finished)).await;
        self.event("response.completed", json!({ "response": document })).await
    }

    async fn end_reasoning_if_open(&mut self) -> Result<(), Left> {
        if self.text.is_none() { self.end_reasoning().await } else { Ok(()) }
    }

    async fn end_text(&mut self, finished: &Finished) -> Result<(), Left> {
        if self.text.is_none() {
            self.open_text().await?;
        }
        let Some((text, index)) = self.text.take() else { return Ok(()) };
        let annotations = object::annotations(finished);
        for (number, annotation) in annotations.iter().enumerate() {
            let data = json!({ "annotation_index": number, "annotation": annotation });
            let data = self.at_text(index, data);
            self.event("response.output_text.annotation.added", data).await?;
        }
        let done = self.at_text(index, json!({ "text": text, "logprobs": [] }));
        self.event("response.output_text.done", done).await?;
        let part = object::text_part(&text, &annotations);
        let done = self.at_text(index, json!({ "part": part }));
        self.event("response.content_part.done", done).await?;
        let item = object::message(&self.ids.message, "completed", Some(part));
        self.event("response.output_item.done", json!({ "output_index": index, "item": item })).await
    }

    /// The calls of functions, which are whole: they were checked before anything was sent.
    async fn calls(&mut self, document: &Value) -> Result<(), Left> {
        let items = document.get("output").and_then(Value::as_array).into_iter().flatten().enumerate();
        for (index, item) in
            items.filter(|(_, item)| item.get("type").is_some_and(|kind| kind == "function_call"))
        {
            let field = |name: &str| item.get(name).cloned().unwrap_or_default();
            let opened = object::opened_call(item.clone());
            self.event("response.output_item.added", json!({ "output_index": index, "item": opened }))
                .await?;
            let delta = json!({ "item_id": field("id"), "output_index": index, "delta": field("arguments") });
            self.event("response.function_call_arguments.delta", delta).await?;
            let done = json!({
                "item_id": field("id"),
                "output_index": index,
                "name": field("name"),
                "arguments": field("arguments"),
            });
            self.event("response.function_call_arguments.done", done).await?;
            self.event("response.output_item.done", json!({ "output_index": index, "item": item })).await?;
        }
        Ok(())
    }

    async fn fail(mut self, refusal: &Refusal, unfinished: Unfinished) -> Result<(), Left> {
        let document = unfinished.draft.failed(refusal);
        unfinished.end(document.clone(), None).await;
        self.event("response.failed", json!({ "response": document })).await
    }
}
