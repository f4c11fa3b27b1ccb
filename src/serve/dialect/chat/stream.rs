//! A chat completion as a stream of chunks.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::super::events::{ClientGone, Frames};
use super::super::extras::extras;
use super::completion::{self, Identity};
use super::request::Request;
use crate::serve::log::Record;
use crate::serve::settle::answer_stream::{AnswerStream, Piece};
use crate::serve::settle::completion::Completion;
use crate::serve::state::server_state::ServerState;

/// One frame. Clients read `choices` without checking, so every frame has it.
#[derive(Debug, Serialize)]
struct Chunk<'a> {
    id: &'a str,
    object: &'static str,
    created: i64,
    model: &'a str,
    system_fingerprint: Option<&'a str>,
    choices: &'a [Choice<'a>],
    /// Only where it was asked for: `null` before the last frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Value>,
    #[serde(flatten)]
    extras: Map<String, Value>,
}

#[derive(Debug, Serialize)]
struct Choice<'a> {
    index: usize,
    delta: Delta<'a>,
    logprobs: Option<&'a str>,
    finish_reason: Option<&'a str>,
}

#[derive(Debug, Default, Serialize)]
struct Delta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<Value>,
}

/// What all frames of an answer have in common.
struct Stream {
    identity: Identity,
    model: String,
    includes_usage: bool,
    frames: Frames,
}

/// Sends everything up to the end.
pub(super) async fn send(
    request: Request,
    mut answer: AnswerStream,
    server: Arc<ServerState>,
    frames: Frames,
    record: Record,
) -> Result<(), ClientGone> {
    let mut piece = answer.next(&server).await;
    // The model that answers is known once the service has begun.
    let model = answer.model().to_owned();
    let stream = Stream { identity: Identity::new(), model, includes_usage: request.include_usage, frames };
    stream.delta(Delta { role: Some("assistant"), content: Some(""), ..Delta::default() }).await?;
    loop {
        match piece {
            Ok(Piece::Reasoning(line)) => {
                stream.delta(Delta { reasoning_content: Some(&line), ..Delta::default() }).await?;
            }
            Ok(Piece::Text(text)) => stream.delta(Delta { content: Some(&text), ..Delta::default() }).await?,
            Ok(Piece::Done(completion)) => {
                request.remember(&completion, &server);
                return stream.finish(&completion).await;
            }
            Err(error) => {
                record.set_error(error.name());
                return stream.frames.data(&error.document()).await;
            }
        }
        piece = answer.next(&server).await;
    }
}

impl Stream {
    async fn delta(&self, delta: Delta<'_>) -> Result<(), ClientGone> {
        self.chunk(delta, None, Map::new()).await
    }

    async fn chunk(
        &self,
        delta: Delta<'_>,
        finish_reason: Option<&str>,
        extras: Map<String, Value>,
    ) -> Result<(), ClientGone> {
        self.send(&[Choice { index: 0, delta, logprobs: None, finish_reason }], Value::Null, extras).await
    }

    async fn send(
        &self,
        choices: &[Choice<'_>],
        usage: Value,
        extras: Map<String, Value>,
    ) -> Result<(), ClientGone> {
        let chunk = Chunk {
            id: &self.identity.id,
            object: "chat.completion.chunk",
            created: self.identity.created,
            model: &self.model,
            system_fingerprint: None,
            choices,
            usage: self.includes_usage.then_some(usage),
            extras,
        };
        self.frames.data(&chunk).await
    }

    /// Sends the calls, if there are any; the last chunk of the choice, with the sources and notes; the usage, if it was
    /// asked for; and the end.
    async fn finish(&self, completion: &Completion) -> Result<(), ClientGone> {
        if !completion.calls.is_empty() {
            let tool_calls = Some(completion::calls(&completion.calls));
            self.delta(Delta { tool_calls, ..Delta::default() }).await?;
        }
        let annotations = completion::annotations(completion);
        let annotations =
            Some(annotations).filter(|list| list.as_array().is_some_and(|list| !list.is_empty()));
        let last = Delta { annotations, ..Delta::default() };
        self.chunk(last, Some(completion::finish_reason(completion)), extras(completion)).await?;
        if self.includes_usage {
            self.send(&[], completion::usage(completion.usage), Map::new()).await?;
        }
        self.frames.done().await
    }
}
