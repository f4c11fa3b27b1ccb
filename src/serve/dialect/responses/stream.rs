//! A response as a stream of events. The helpers of OpenAI's libraries refuse an event that they do not know, an index that was
//! not opened, or an id that changes.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::events::{ClientGone, Frames};
use super::object::{self, Draft, Ids};
use super::run::Run;
use crate::serve::api_error::ApiError;
use crate::serve::log::Record;
use crate::serve::settle::answer_stream::{AnswerStream, Piece};
use crate::serve::settle::completion::Completion;

/// Sends everything up to the end, and stores it.
pub(super) async fn send(
    run: Run,
    mut answer: AnswerStream,
    frames: Frames,
    record: Record,
) -> Result<(), ClientGone> {
    let server = Arc::clone(&run.server);
    let mut stream = Stream::new(frames, run.draft.clone());
    let unfinished = Unfinished(Some(run));
    let document = stream.draft.document("in_progress");
    stream.event("response.created", json!({ "response": document })).await?;
    stream.event("response.in_progress", json!({ "response": document })).await?;
    loop {
        match answer.next(&server).await {
            Ok(Piece::Reasoning(line)) => stream.reasoning(&line).await?,
            Ok(Piece::Text(text)) => stream.text(&text).await?,
            Ok(Piece::Done(completion)) => return stream.finish(&completion, unfinished).await,
            Err(error) => {
                record.set_error(error.name());
                return stream.fail(&error, unfinished).await;
            }
        }
    }
}

/// A response whose end is not stored yet. When it is dropped before, the client has gone, and it is stored as failed.
struct Unfinished(Option<Run>);

impl Unfinished {
    /// Stores the end. What cannot be stored can still be sent.
    async fn end(mut self, document: Value, completion: Option<&Completion>) {
        if let Some(run) = self.0.take() {
            let _ = run.store_end(document, completion).await;
        }
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let Some(run) = self.0.take() else { return };
        let error = ApiError::upstream("client_left", "The client did not wait for the end of the answer.");
        let server = Arc::clone(&run.server);
        server.background.spawn(async move {
            // What cannot be stored now is marked as failed at the next start.
            let _ = run.store_end(run.draft.failed(&error), None).await;
        });
    }
}

struct Stream {
    frames: Frames,
    draft: Draft,
    /// The number of the next event.
    number: u64,
    ids: Ids,
    reasoning: String,
    /// The text so far, and the index of its item; `None` before the first text.
    text: Option<(String, usize)>,
    /// The index of the next item.
    next: usize,
}

impl Stream {
    fn new(frames: Frames, draft: Draft) -> Self {
        Self { frames, draft, number: 0, ids: Ids::default(), reasoning: String::new(), text: None, next: 0 }
    }

    async fn event(&mut self, name: &str, mut data: Value) -> Result<(), ClientGone> {
        if let Value::Object(fields) = &mut data {
            fields.insert("type".to_owned(), name.into());
            fields.insert("sequence_number".to_owned(), self.number.into());
        }
        self.number += 1;
        self.frames.event(name, &data).await
    }

    async fn reasoning(&mut self, line: &str) -> Result<(), ClientGone> {
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

    async fn end_reasoning(&mut self) -> Result<(), ClientGone> {
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

    async fn text(&mut self, delta: &str) -> Result<(), ClientGone> {
        if self.text.is_none() {
            self.open_text().await?;
        }
        let Some((text, index)) = &mut self.text else { return Ok(()) };
        text.push_str(delta);
        let index = *index;
        let delta = self.at_text(index, json!({ "delta": delta, "logprobs": [] }));
        self.event("response.output_text.delta", delta).await
    }

    async fn open_text(&mut self) -> Result<(), ClientGone> {
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

    async fn finish(mut self, completion: &Completion, unfinished: Unfinished) -> Result<(), ClientGone> {
        let document = self.draft.completed(completion, &self.ids);
        self.end_reasoning().await?;
        if completion.calls.is_empty() {
            self.end_text(completion).await?;
        } else {
            self.calls(&document).await?;
        }
        // Stored first, so that a client that has seen the end finds the response.
        unfinished.end(document.clone(), Some(completion)).await;
        self.event("response.completed", json!({ "response": document })).await
    }

    async fn end_text(&mut self, completion: &Completion) -> Result<(), ClientGone> {
        if self.text.is_none() {
            self.open_text().await?;
        }
        let Some((text, index)) = self.text.take() else { return Ok(()) };
        let annotations = object::annotations(completion);
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

    /// The calls of functions. Each was checked as a whole, so its arguments come in one delta.
    async fn calls(&mut self, document: &Value) -> Result<(), ClientGone> {
        let items = document.get("output").and_then(Value::as_array).into_iter().flatten().enumerate();
        for (index, item) in
            items.filter(|(_, item)| item.get("type").is_some_and(|kind| kind == "function_call"))
        {
            let field = |name: &str| item.get(name).cloned().unwrap_or_default();
            let opened = object::call_without_arguments(item.clone());
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

    async fn fail(mut self, error: &ApiError, unfinished: Unfinished) -> Result<(), ClientGone> {
        let document = self.draft.failed(error);
        unfinished.end(document.clone(), None).await;
        self.event("response.failed", json!({ "response": document })).await
    }
}
