//! A reply of the API being read: events, and the answer at the end.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use tokio::time::{Instant, timeout};

use super::agent;
use super::chat;
use super::gathered::{Gathered, Kind, malformed, object};
use super::pages;
use super::refusal;
use super::send::Call;
use super::think;
use crate::auth::ApiKey;
use crate::domain::answer::{Answer, Payer, SearchEvent, Source, Step, TextChange};
use crate::domain::error::{Cut, Error, Result};
use crate::net::http::innermost;
use crate::net::sse::{Decoder, TooLarge};

/// The longest body that is read as a whole, in bytes.
const MAX: usize = 8 << 20;

/// How long usage and cost may come after the text is whole.
const GRACE: Duration = Duration::from_secs(3);

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

    async fn read_whole(&mut self) -> Result<()> {
        let mut body = std::mem::take(&mut self.head);
        while let Some(bytes) = self.chunk().await.map_err(|cut| malformed(&cut.to_string()))? {
            body.extend_from_slice(&bytes);
            if body.len() > MAX {
                return Err(malformed(&format!("it is larger than {MAX} bytes")));
            }
        }
        let reply = object(&body)?;
        let holds_error = reply.get("error").is_some_and(|error| !error.is_null());
        self.gathered = match self.kind {
            Kind::Pages => pages::whole(&reply)?,
            Kind::Chat | Kind::ChatStream if holds_error && reply.get("choices").is_none() => {
                return Err(refusal::in_reply(&reply, &self.key).into());
            }
            Kind::Chat | Kind::ChatStream => chat::whole(&reply)?,
            Kind::Agent | Kind::AgentStream
                if agent::failed(&reply) || (holds_error && reply.get("output").is_none()) =>
            {
                return Err(refusal::in_reply(&reply, &self.key).into());
            }
            Kind::Agent | Kind::AgentStream => agent::whole(&reply)?,
        };
        Ok(())
    }

    /// Reads once, and notes what changed.
    async fn read_on(&mut self) -> Result<()> {
        let read = match self.chunk().await {
            Ok(Some(bytes)) if self.is_whole(&bytes) => {
                self.kind = if self.kind == Kind::ChatStream { Kind::Chat } else { Kind::Agent };
                self.head = bytes.into();
                return Ok(());
            }
            Ok(Some(bytes)) => self.take_all(&bytes),
            Ok(None) => self.take_last().and_then(|()| self.ended(Cut::EndOfBody)),
            Err(cut) => self.ended(cut),
        };
        self.tell();
        read
    }

    /// Whether a reply that should stream came in one piece, which begins as JSON does and no event can.
    fn is_whole(&mut self, bytes: &[u8]) -> bool {
        let begun = std::mem::replace(&mut self.begun, true);
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        !begun && matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['))
    }

    /// Nothing more comes. Where the text was whole before, that is no loss.
    fn ended(&mut self, cut: Cut) -> Result<()> {
        if self.gathered.over || self.finished.is_some() {
            self.gathered.over = true;
            return Ok(());
        }
        Err(self.nothing_more(cut))
    }

    /// A stream that brought nothing at all is a reply that cannot be read.
    fn nothing_more(&mut self, cut: Cut) -> Error {
        match self.received() {
            Some(_) => Error::Incomplete(cut),
            None if self.is_stream || cut != Cut::EndOfBody => malformed(&cut.to_string()),
            None => malformed("it is no event stream"),
        }
    }

    async fn chunk(&mut self) -> std::result::Result<Option<Bytes>, Cut> {
        let limit = self
            .finished
            .map_or(self.idle, |end| end.saturating_duration_since(Instant::now()).min(self.idle));
        match timeout(limit, self.response.chunk()).await {
            Ok(Ok(chunk)) => Ok(chunk),
            Ok(Err(error)) => Err(Cut::Broken(innermost(&error))),
            Err(_) => Err(Cut::Idle(self.idle.as_secs())),
        }
    }

    fn take_all(&mut self, mut input: &[u8]) -> Result<()> {
        while !self.gathered.over {
            let event = match self.decoder.next(&mut input) {
                Ok(Some(event)) => (event.name.to_owned(), event.data.to_owned()),
                Ok(None) => return Ok(()),
                Err(TooLarge { limit }) => return Err(self.nothing_more(Cut::TooLarge(limit))),
            };
            self.take(&event.0, &event.1)?;
        }
        Ok(())
    }

    fn take_last(&mut self) -> Result<()> {
        let last = self.decoder.finish().map(|event| (event.name.to_owned(), event.data.to_owned()));
        last.map_or(Ok(()), |(name, data)| self.take(&name, &data))
    }

    /// Takes in one event. What is no object is skipped.
    fn take(&mut self, name: &str, data: &str) -> Result<()> {
        self.is_stream = true;
        if data.trim() == "[DONE]" {
            // It is the end of chat completions; the Agent API says itself how a run ended.
            if self.kind == Kind::AgentStream {
                return self.ended(Cut::EndOfBody);
            }
            self.gathered.over = true;
            return Ok(());
        }
        let Some(event) = object(data.as_bytes()).ok() else {
            if !data.is_empty() {
                self.events.push_back(SearchEvent::Warning(
                    "an event that is no JSON object was skipped".to_owned(),
                ));
            }
            return Ok(());
        };
        if self.kind == Kind::ChatStream {
            if event.get("error").is_some_and(|error| !error.is_null()) {
                return Err(refusal::in_reply(&event, &self.key).into());
            }
            if chat::finishes(&event) {
                self.finished.get_or_insert_with(|| Instant::now() + GRACE);
            }
            return chat::take(&mut self.gathered, &event);
        }
        match self.agent.take(&mut self.gathered, name, event) {
            agent::Event::Step => Ok(()),
            agent::Event::Failed(reply) => Err(refusal::in_reply(&reply, &self.key).into()),
            agent::Event::End(reply) if agent::failed(&reply) => {
                Err(refusal::in_reply(&reply, &self.key).into())
            }
            agent::Event::End(reply) => agent::end(&mut self.gathered, &reply),
        }
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
                Cut::Service(reason) => Cut::Service(self.key.key.redact(&reason)),
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
