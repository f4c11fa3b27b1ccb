//! A reply of the API being read: events, and the answer at the end.

mod read;

use std::collections::VecDeque;
use std::time::Duration;

use reqwest::Response;
use tokio::time::Instant;

use super::agent;
use super::partial_answer::{Gathered, Kind};
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
    kind: Kind,
    key: ApiKey,
    idle: Duration,
    decoder: Decoder,
    agent: agent::Stream,
    gathered: Gathered,
    told: Told,
    events: VecDeque<SearchEvent>,
    requested_model: String,
    notes: Vec<String>,
    /// Set once the text is whole, though usage and cost may follow: until when they are waited for.
    finished: Option<Instant>,
    /// Whether any byte came.
    begun: bool,
    /// Whether any event came.
    is_stream: bool,
    /// The start of a reply that is no stream after all.
    head: Vec<u8>,
    /// What to end with, once what came before it is told.
    failure: Option<Error>,
    done: bool,
}

/// What the events so far have said.
#[derive(Debug, Default)]
struct Told {
    text: String,
    sources: Vec<Source>,
    step: Option<Step>,
}

impl Search {
    pub(super) fn new(call: &Call<'_>, response: Response, kind: Kind, requested_model: String) -> Self {
        Self {
            response,
            kind,
            key: call.key.clone(),
            idle: call.idle,
            decoder: Decoder::default(),
            agent: agent::Stream::default(),
            gathered: Gathered::default(),
            told: Told::default(),
            events: VecDeque::new(),
            requested_model,
            notes: Vec::new(),
            finished: None,
            begun: false,
            is_stream: false,
            head: Vec::new(),
            failure: None,
            done: false,
        }
    }

    /// Adds something that the answer's reader should know.
    pub(super) fn note(&mut self, notes: Vec<String>) {
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
            if self.gathered.over {
                return self.end().map(Some);
            }
            let read = match self.kind {
                Kind::ChatStream | Kind::AgentStream => self.read_on().await,
                Kind::Chat | Kind::Agent | Kind::Pages => self.read_whole().await,
            };
            self.failure = read.err();
        }
    }

    /// What has arrived of the answer, marked incomplete; `None` while nothing has.
    pub fn received(&mut self) -> Option<Answer> {
        let answer = self.answer(false);
        (!answer.text.is_empty() || !answer.sources.is_empty() || self.gathered.over).then_some(answer)
    }

    /// Tells what changed since it was told last.
    fn tell(&mut self) {
        if self.gathered.step != self.told.step {
            self.told.step.clone_from(&self.gathered.step);
            self.events.extend(self.gathered.step.clone().map(SearchEvent::Step));
        }
        if self.gathered.sources != self.told.sources {
            self.told.sources.clone_from(&self.gathered.sources);
            self.events.push_back(SearchEvent::Sources(self.gathered.sources.clone()));
        }
        let text = if self.kind == Kind::ChatStream {
            think::so_far(&self.gathered.text)
        } else {
            &self.gathered.text
        };
        if let Some(change) = TextChange::between(&self.told.text, text) {
            change.apply(&mut self.told.text);
            self.events.push_back(SearchEvent::Text(change));
        }
    }

    fn end(&mut self) -> Result<SearchEvent> {
        self.done = true;
        if let Some(cut) = self.gathered.cut.clone() {
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
            Kind::Chat | Kind::ChatStream => think::split(&self.gathered.text),
            Kind::Agent | Kind::AgentStream | Kind::Pages => (None, self.gathered.text.as_str()),
        };
        Answer {
            text: text.to_owned(),
            sources: self.gathered.sources.clone(),
            model: self.gathered.model.clone(),
            requested_model: Some(self.requested_model.clone()).filter(|model| !model.is_empty()),
            payer: Payer::Key,
            thread: None,
            request_id: self.gathered.id.clone(),
            complete,
            notes: self.notes.clone(),
            reasoning: reasoning.filter(|thoughts| !thoughts.is_empty()).map(str::to_owned),
            usage: self.gathered.usage.clone(),
            sources_only: self.kind == Kind::Pages,
        }
    }
}
