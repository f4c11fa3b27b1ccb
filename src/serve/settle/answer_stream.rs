//! An answer on its way to a client, in whichever interface: the pieces that can be sent, and the completion.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use super::batch;
use super::completion::{Completion, ToolCall, Usage};
use super::settled_text::{SettledText, without_tags};
use crate::domain::answer::{Answer, SearchEvent, Step};
use crate::domain::error::{Cut, Error};
use crate::provider::subscription::Search;
use crate::render::step;
use crate::serve::api_error::ApiError;
use crate::serve::conversation::formats::Format;
use crate::serve::conversation::functions::{ModelReply, ToolSet};
use crate::serve::conversation::json::Broken;
use crate::serve::state::catalogue::ModelChoice;
use crate::serve::state::server_state::ServerState;
use crate::serve::state::session::SessionState;

/// What the client asked for.
#[derive(Debug)]
pub(crate) struct AnswerParameters {
    pub(crate) model: ModelChoice,
    pub(crate) format: Format,
    pub(crate) functions: Option<Arc<ToolSet>>,
    /// No text is sent before the answer is complete.
    pub(crate) in_one_piece: bool,
    pub(crate) refuse_substitution: bool,
    /// In characters.
    pub(crate) question_length: usize,
}

/// A piece of an answer.
#[derive(Debug)]
pub(crate) enum Piece {
    /// What the service does before it writes: a line.
    Reasoning(String),
    /// Text that is appended to what was sent.
    Text(String),
    Done(Box<Completion>),
}

/// An answer being read. Dropping it ends the upstream call.
#[derive(Debug)]
pub(crate) struct AnswerStream {
    search: Search,
    parameters: AnswerParameters,
    text: SettledText,
    reported_steps: HashSet<String>,
    reasoning: String,
    pieces: VecDeque<Result<Piece, ApiError>>,
    /// The first piece of text was sent.
    has_sent_text: bool,
}

impl AnswerStream {
    pub(crate) fn new(search: Search, parameters: AnswerParameters) -> Self {
        Self {
            search,
            parameters,
            text: SettledText::default(),
            reported_steps: HashSet::new(),
            reasoning: String::new(),
            pieces: VecDeque::new(),
            has_sent_text: false,
        }
    }

    /// The model that answers, if the service has named it yet; else the one that was asked for.
    pub(crate) fn model(&self) -> &str {
        self.search.model().unwrap_or(&self.parameters.model.id)
    }

    /// Reads up to the end.
    pub(crate) async fn collect(mut self, server: &ServerState) -> Result<Box<Completion>, ApiError> {
        loop {
            if let Piece::Done(completion) = self.next(server).await? {
                return Ok(completion);
            }
        }
    }

    /// The next piece; [`Piece::Done`] is the last.
    pub(crate) async fn next(&mut self, server: &ServerState) -> Result<Piece, ApiError> {
        loop {
            match self.pieces.pop_front() {
                Some(Ok(Piece::Text(text))) => {
                    return Ok(Piece::Text(self.with_arrived_text(text, server).await));
                }
                Some(piece) => return piece,
                None => self.read(server).await?,
            }
        }
    }

    /// Appends the text that has arrived in the meantime: a frame for each word would cost more than the words. The first
    /// text is sent at once.
    async fn with_arrived_text(&mut self, mut text: String, server: &ServerState) -> String {
        if !std::mem::replace(&mut self.has_sent_text, true) {
            return text;
        }
        batch::absorb_arrived(&mut self.search, &server.read_ahead).await;
        while let Some(event) = self.search.next_available() {
            self.handle(event, server);
        }
        while let Some(piece) = self.pieces.pop_front() {
            match piece {
                Ok(Piece::Text(more)) => text.push_str(&more),
                other => {
                    self.pieces.push_front(other);
                    break;
                }
            }
        }
        text
    }

    /// Reads the next event. Can be dropped at any time.
    async fn read(&mut self, server: &ServerState) -> Result<(), ApiError> {
        match self.search.next().await {
            Ok(Some(event)) => {
                self.handle(event, server);
                Ok(())
            }
            Ok(None) => Err(Error::Incomplete(Cut::EndOfBody).into()),
            Err(error) => {
                server.session.note_error(&error);
                Err(error.into())
            }
        }
    }

    fn handle(&mut self, event: SearchEvent, server: &ServerState) {
        let handled = match event {
            SearchEvent::Done(answer) => {
                server.session.set(SessionState::Valid);
                self.finish(*answer)
            }
            event => self.check_model(self.search.model()).map(|()| self.handle_progress(event)),
        };
        self.pieces.extend(handled.err().map(Err));
    }

    fn handle_progress(&mut self, event: SearchEvent) {
        match event {
            SearchEvent::Step(step) => self.report_step(&step),
            SearchEvent::Text(change) if !self.parameters.in_one_piece => {
                self.pieces.extend(self.text.apply(&change).map(Piece::Text).map(Ok));
            }
            _ => {}
        }
    }

    /// Reports a step once, and none after the first text: clients take reasoning that follows text for another answer.
    fn report_step(&mut self, step: &Step) {
        let line = step::phrase(step);
        if !matches!(step, Step::Writing)
            && self.text.sent().is_empty()
            && self.reported_steps.insert(line.clone())
        {
            self.reasoning.push_str(&line);
            self.reasoning.push('\n');
            self.pieces.push_back(Ok(Piece::Reasoning(line + "\n")));
        }
    }

    fn is_substituted(&self, model: Option<&str>) -> bool {
        !self.parameters.model.is_auto && model.is_some_and(|model| model != self.parameters.model.id)
    }

    fn check_model(&self, model: Option<&str>) -> Result<(), ApiError> {
        if !self.parameters.refuse_substitution || !self.is_substituted(model) {
            return Ok(());
        }
        let (requested_model, model) = (&self.parameters.model.id, model.unwrap_or_default());
        let message =
            format!("The service answers with the model '{model}' in place of '{requested_model}'.");
        Err(ApiError::upstream("model_substituted", message).with_param("model"))
    }

    fn finish(&mut self, answer: Answer) -> Result<(), ApiError> {
        self.check_model(answer.model.as_deref())?;
        // A list of pages is an answer of its own; a text that was begun and stayed blank is none.
        if answer.text.trim().is_empty() && (answer.sources.is_empty() || self.search.has_answer()) {
            return Err(Error::NoResults.into());
        }
        let Remainder { text: remainder, calls, corrected } = self.remainder(&answer.text)?;
        let text = std::mem::take(&mut self.text).into_sent() + &remainder;
        let written = text.chars().count() + calls.iter().map(|call| call.arguments.len()).sum::<usize>();
        if !remainder.is_empty() {
            self.pieces.push_back(Ok(Piece::Text(remainder)));
        }
        let requested_model = self.parameters.model.id.clone();
        self.pieces.push_back(Ok(Piece::Done(Box::new(Completion {
            usage: Usage::estimate(self.parameters.question_length, written),
            substituted: self.is_substituted(answer.model.as_deref()),
            model: answer.model.unwrap_or_else(|| requested_model.clone()),
            reasoning: std::mem::take(&mut self.reasoning),
            sources: answer.sources,
            notes: answer.notes,
            thread: answer.thread,
            has_citations: !self.parameters.format.is_json(),
            requested_model,
            text,
            calls,
            corrected,
        }))));
        Ok(())
    }

    /// What of the complete answer is still to be sent.
    fn remainder(&self, answer: &str) -> Result<Remainder, ApiError> {
        let format = &self.parameters.format;
        if let Some(functions) = &self.parameters.functions {
            let reply =
                as_written_or_without_tags(answer, |text| functions.read(text)).map_err(invalid_call)?;
            return match reply {
                ModelReply::Message(text) => {
                    format.read(&without_tags(&text)).map(Remainder::text).map_err(invalid_json)
                }
                ModelReply::Calls(calls) => {
                    let calls = calls.into_iter().map(ToolCall::new).collect();
                    Ok(Remainder { calls, ..Remainder::default() })
                }
            };
        }
        if format.is_json() {
            let text = as_written_or_without_tags(answer, |text| format.read(text));
            return text.map(Remainder::text).map_err(invalid_json);
        }
        if self.parameters.in_one_piece {
            return Ok(Remainder::text(without_tags(answer)));
        }
        Ok(match self.text.remainder(answer) {
            Some(text) => Remainder::text(text),
            None => Remainder::correction(without_tags(answer)),
        })
    }
}

/// What is sent at the end of an answer.
#[derive(Default)]
struct Remainder {
    text: String,
    /// In place of a text.
    calls: Vec<ToolCall>,
    /// The complete text, where it contradicts what was sent.
    corrected: Option<String>,
}

impl Remainder {
    fn text(text: String) -> Self {
        Self { text, ..Self::default() }
    }

    fn correction(corrected: String) -> Self {
        Self { text: format!("{CORRECTION}{corrected}"), corrected: Some(corrected), ..Self::default() }
    }
}

/// Reads an answer as it was written, since what looks like a tag may belong to it; else without tags.
fn as_written_or_without_tags<T>(
    answer: &str,
    read: impl Fn(&str) -> Result<T, Broken>,
) -> Result<T, Broken> {
    read(answer).or_else(|broken| read(&without_tags(answer)).map_err(|_| broken))
}

/// What stands between a text that the service took back and the corrected one.
const CORRECTION: &str = "\n\n---\n\n*The service has corrected its answer. The whole of it:*\n\n";

fn invalid_call(Broken(reason): Broken) -> ApiError {
    ApiError::upstream("tool_protocol_error", reason)
}

fn invalid_json(Broken(reason): Broken) -> ApiError {
    ApiError::upstream("invalid_json", reason)
}
