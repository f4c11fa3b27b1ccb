//! A response from its request to its end, and what is stored of it.

use std::sync::Arc;

use serde_json::Value;

use super::object::{Draft, Ids};
use super::request::Request;
use crate::domain::answer::Thread;
use crate::serve::api_error::ApiError;
use crate::serve::conversation::functions;
use crate::serve::conversation::turns::{Conversation, Role};
use crate::serve::settle::answer_stream::AnswerStream;
use crate::serve::settle::completion::Completion;
use crate::serve::state::responses::{StoredResponse, Transcript};
use crate::serve::state::server_state::ServerState;

#[derive(Debug)]
pub(super) struct Run {
    request: Request,
    pub(super) draft: Draft,
    pub(super) server: Arc<ServerState>,
}

impl Run {
    pub(super) fn new(request: Request, server: Arc<ServerState>) -> Self {
        let (model, format) = (request.question.model.id.clone(), &request.question.format);
        let draft = Draft::new(model, request.echo.clone(), format);
        Self { request, draft, server }
    }

    /// Asks, and returns once the service has begun to answer.
    pub(super) async fn ask(&self) -> Result<AnswerStream, ApiError> {
        self.request.question.ask(&self.server).await
    }

    /// Asks, and returns the completed answer.
    pub(super) async fn complete(&self) -> Result<Box<Completion>, ApiError> {
        self.ask().await?.collect(&self.server).await
    }

    /// Answers a response that was stored as in progress.
    pub(super) async fn answer_in_background(self) {
        let completed = self.complete().await;
        let (document, completion) = match &completed {
            Ok(completion) => (self.draft.completed(completion, &Ids::default()), Some(&**completion)),
            Err(error) => (self.draft.failed(error), None),
        };
        // Where its end cannot be stored, it stays in progress until the server is started again.
        let _ = self.store_end(document, completion).await;
    }

    /// Stores it as in progress, so that it can be found from its first event on.
    pub(super) async fn store_draft(&self) -> Result<(), ApiError> {
        self.put(self.draft.document("in_progress"), self.request.transcript.clone(), None).await
    }

    /// Stores a completed response that was not stored as in progress.
    pub(super) async fn store_completed(
        &self,
        document: Value,
        completion: &Completion,
    ) -> Result<(), ApiError> {
        let (transcript, thread) = self.transcript_with(completion);
        self.put(document, transcript, thread).await
    }

    /// Stores the end of a response that was stored as in progress; without a completion it failed.
    pub(super) async fn store_end(
        &self,
        document: Value,
        completion: Option<&Completion>,
    ) -> Result<(), ApiError> {
        if !self.request.store {
            return Ok(());
        }
        let end = completion.map(|completion| self.transcript_with(completion));
        self.server.responses.end(&self.draft.id, document, end).await
    }

    async fn put(
        &self,
        document: Value,
        transcript: Transcript,
        thread: Option<Thread>,
    ) -> Result<(), ApiError> {
        if !self.request.store {
            return Ok(());
        }
        let (id, created, input) = (self.draft.id.clone(), self.draft.created, self.request.input.clone());
        let response = StoredResponse { id, created, document, input, transcript, thread };
        self.server.responses.put(response).await
    }

    /// The conversation with the answer, and the thread for the next question. After calls there is none: the service
    /// does not know their results.
    fn transcript_with(&self, completion: &Completion) -> (Transcript, Option<Thread>) {
        let transcript = &self.request.transcript;
        let mut conversation = Conversation::continued(Vec::new(), transcript.turns.clone(), Vec::new());
        conversation.add(Role::Assistant, completion.text.clone());
        for call in &completion.calls {
            conversation.add_call(functions::call_text(&call.name, &call.arguments, &call.id));
        }
        let thread = completion.thread.clone().filter(|_| completion.calls.is_empty());
        (Transcript { turns: conversation.turns, ..transcript.clone() }, thread)
    }
}
