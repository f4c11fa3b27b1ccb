//! A reply of the API being read: events, and the answer at the end.

mod read;

use std::collections::VecDeque;
use std::time::Duration;

use reqwest::Response;
use tokio::time::Instant;

use super::agent;
use super::partial_answer::{PartialAnswer, ReplyKind};
use super::send::Call;
use super::think;
use crate::auth::ApiKey;
use crate::domain::answer::{Answer, Payer, SearchEvent, Source, Step, TextChange};
use crate::domain::error::{Cut, Error, Result};
use crate::net::sse::Decoder;

/// A running search.
#[derive(Debug)]
pub struct Search {
    response: Response,
    kind: ReplyKind,
    key: ApiKey,
    idle: Duration,
    decoder: Decoder,
    agent: agent::Stream,
    partial: PartialAnswer,
    reported: Reported,
    events: VecDeque<SearchEvent>,
    requested_model: String,
    notes: Vec<String>,
    /// Set once the text is complete: until when usage and cost are waited for.
    usage_deadline: Option<Instant>,
    /// Whether any bytes were received.
    has_bytes: bool,
    /// Whether any event was received.
    has_events: bool,
    /// The first bytes of a reply that turned out not to be a stream.
    head: Vec<u8>,
    /// The error to return after the events before it.
    failure: Option<Error>,
    done: bool,
}

/// What the events so far have reported.
#[derive(Debug, Default)]
struct Reported {
    text: String,
    sources: Vec<Source>,
    step: Option<Step>,
}

impl Search {
    pub(super) fn new(call: &Call<'_>, response: Response, kind: ReplyKind, requested_model: String) -> Self {
        Self {
            response,
            kind,
            key: call.key.clone(),
            idle: call.idle,
            decoder: Decoder::default(),
            agent: agent::Stream::default(),
            partial: PartialAnswer::default(),
            reported: Reported::default(),
            events: VecDeque::new(),
            requested_model,
            notes: Vec::new(),
            usage_deadline: None,
            has_bytes: false,
            has_events: false,
            head: Vec::new(),
            failure: None,
            done: false,
        }
    }

    /// Adds notes to the answer.
    pub(super) fn add_notes(&mut self, notes: Vec<String>) {
        self.notes.extend(notes);
    }

    /// The next event; `None` after [`SearchEvent::Done`].
    pub async fn next(&mut self) -> Result<Option<SearchEvent>> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(Some(event));
            }
            if let Some(failure) = self.failure.take() {
                self.done = true;
                return Err(failure);
            }
            if self.done {
                return Ok(None);
            }
            if self.partial.is_complete {
                return self.finish().map(Some);
            }
            let read = match self.kind {
                ReplyKind::ChatStream | ReplyKind::AgentStream => self.read_chunk().await,
                ReplyKind::Chat | ReplyKind::Agent | ReplyKind::Sources => self.read_object().await,
            };
            self.failure = read.err();
        }
    }

    /// The answer so far, marked incomplete; `None` while nothing has arrived.
    pub fn received(&mut self) -> Option<Answer> {
        let answer = self.answer(false);
        (!answer.text.is_empty() || !answer.sources.is_empty() || self.partial.is_complete).then_some(answer)
    }

    /// Reports what changed since the last report.
    fn report_changes(&mut self) {
        if self.partial.step != self.reported.step {
            self.reported.step.clone_from(&self.partial.step);
            self.events.extend(self.partial.step.clone().map(SearchEvent::Step));
        }
        if self.partial.sources != self.reported.sources {
            self.reported.sources.clone_from(&self.partial.sources);
            self.events.push_back(SearchEvent::Sources(self.partial.sources.clone()));
        }
        let text = if self.kind == ReplyKind::ChatStream {
            think::answer_so_far(&self.partial.text)
        } else {
            &self.partial.text
        };
        if let Some(change) = TextChange::between(&self.reported.text, text) {
            change.apply(&mut self.reported.text);
            self.events.push_back(SearchEvent::Text(change));
        }
    }

    fn finish(&mut self) -> Result<SearchEvent> {
        self.done = true;
        if let Some(cut) = self.partial.cut.clone() {
            let cut = match cut {
                Cut::Service(reason) => Cut::Service(self.key.secret.redact(&reason)),
                cut => cut,
            };
            return Err(Error::Incomplete(cut));
        }
        Ok(SearchEvent::Done(Box::new(self.answer(true))))
    }

    fn answer(&self, complete: bool) -> Answer {
        let (reasoning, text) = match self.kind {
            ReplyKind::Chat | ReplyKind::ChatStream => think::split(&self.partial.text),
            ReplyKind::Agent | ReplyKind::AgentStream | ReplyKind::Sources => {
                (None, self.partial.text.as_str())
            }
        };
        Answer {
            text: text.to_owned(),
            sources: self.partial.sources.clone(),
            model: self.partial.model.clone(),
            requested_model: Some(self.requested_model.clone()).filter(|model| !model.is_empty()),
            payer: Payer::Key,
            thread: None,
            request_id: self.partial.id.clone(),
            complete,
            notes: self.notes.clone(),
            reasoning: reasoning.filter(|thoughts| !thoughts.is_empty()).map(str::to_owned),
            usage: self.partial.usage.clone(),
            sources_only: self.kind == ReplyKind::Sources,
        }
    }
}
