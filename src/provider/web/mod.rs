//! The subscription endpoint, `perplexity_ask`: undocumented, and known from recordings.

pub mod account;
mod ask;
mod assets;
mod body;
mod choice;
mod extract;
mod frame;
mod lenient;
mod markdown;
mod patch;
mod progress;
mod results;
mod snapshot;
mod sources;
mod text;
pub mod threads;
pub mod upload;
mod wire;
mod workflow;

pub use snapshot::{End, ServiceError, Skipped, Snapshot};

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;
use url::Url;

use self::body::{Body, Chunk};
use super::Reception;
use crate::answer::{Answer, SearchEvent};
use crate::auth::{Credential, Session};
use crate::error::{Cut, Error, Result};
use crate::request::SearchRequest;
use crate::sse::{Decoder, TooLarge};

/// How long a reply may go on after a frame that is final without being complete.
const GRACE: Duration = Duration::from_secs(3);
/// What answers name as their provider.
const PROVIDER: &str = "perplexity (oauth)";

/// A reply being read: bytes to events to a snapshot.
#[derive(Debug)]
pub struct Search {
    body: Body,
    decoder: Decoder,
    snapshot: Snapshot,
    events: VecDeque<SearchEvent>,
    tells_changes: bool,
    /// Set once a frame was final: when to stop waiting for a better one.
    grace: Option<Instant>,
    /// How many events of the stream were read.
    frames: usize,
    finished: bool,
    requested_model: Option<String>,
    request_id: Option<String>,
    session: Option<Session>,
}

impl Search {
    /// Asks, and returns once the service has begun to answer.
    pub async fn open(
        base: &Url,
        credential: &Credential,
        request: &SearchRequest,
        reception: &Reception,
    ) -> Result<Self> {
        let recorder = reception.record.clone().map(body::Recorder::create).transpose()?;
        let asked = ask::ask(base, credential, request, reception.idle).await?;
        let body = Body::of_reply(asked.response, reception.idle, recorder);
        let mut search = Self::new(body, Some(request.model.clone()), reception);
        search.events.extend(asked.rotation.err().map(|error| SearchEvent::Warning(error.to_string())));
        Ok(Self { request_id: Some(asked.request_id), session: Some(credential.session.clone()), ..search })
    }

    /// Reads a recording of a reply.
    pub fn replay(recording: PathBuf, model: Option<String>, reception: &Reception) -> Result<Self> {
        Body::of_recording(recording).map(|body| Self::new(body, model, reception))
    }

    fn new(body: Body, requested_model: Option<String>, reception: &Reception) -> Self {
        Self {
            body,
            decoder: Decoder::default(),
            snapshot: Snapshot::default(),
            events: VecDeque::new(),
            tells_changes: reception.events,
            grace: None,
            frames: 0,
            finished: false,
            requested_model,
            request_id: None,
            session: None,
        }
    }

    /// The next event; `None` after [`SearchEvent::Done`].
    pub async fn next(&mut self) -> Result<Option<SearchEvent>> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(Some(event));
            }
            if self.finished {
                return Ok(None);
            }
            let chunk = self.body.chunk(self.grace).await;
            match chunk.map_err(|error| self.redacted(error))? {
                Chunk::Bytes(bytes) => {
                    let taken = self.take(&bytes);
                    if self.finished {
                        self.body.record_rest().await?;
                    }
                    taken?;
                }
                Chunk::End => self.take_end()?,
                Chunk::GraceOver => self.finish()?,
                Chunk::Cut(cut) => return Err(self.cut(cut)),
            }
        }
    }

    /// All events of one read. The changes that they make are told once.
    fn take(&mut self, bytes: &Bytes) -> Result<()> {
        let mut input: &[u8] = bytes;
        while self.snapshot.state() != End::Over {
            match self.decoder.next(&mut input) {
                Ok(Some(event)) => {
                    self.frames += 1;
                    let merged = self.snapshot.receive(event.name, event.data);
                    self.events.extend(merged.err().map(|skipped| SearchEvent::Warning(skipped.to_string())));
                }
                Ok(None) => break,
                Err(TooLarge { limit }) => return Err(self.cut(Cut::TooLarge(limit))),
            }
        }
        self.tell_changes();
        match self.snapshot.state() {
            End::Open => Ok(()),
            End::Final => {
                self.grace.get_or_insert_with(|| Instant::now() + GRACE);
                Ok(())
            }
            End::Over => self.finish(),
        }
    }

    /// The body ended: the last event may lack its blank line.
    fn take_end(&mut self) -> Result<()> {
        if let Some(event) = self.decoder.finish() {
            self.frames += 1;
            let merged = self.snapshot.receive(event.name, event.data);
            self.events.extend(merged.err().map(|skipped| SearchEvent::Warning(skipped.to_string())));
        }
        self.tell_changes();
        match self.snapshot.state() {
            End::Open if self.frames == 0 => Err(match self.body.not_a_stream() {
                Some(error) => self.redacted(error),
                None => self.cut(Cut::EndOfBody),
            }),
            End::Open => Err(self.cut(Cut::EndOfBody)),
            End::Final | End::Over => self.finish(),
        }
    }

    fn tell_changes(&mut self) {
        if !self.tells_changes {
            return;
        }
        let text = self.snapshot.take_text_change();
        self.events.extend(self.snapshot.take_steps().into_iter().map(SearchEvent::Step));
        self.events.extend(self.snapshot.take_sources().map(SearchEvent::Sources));
        self.events.extend(text.map(SearchEvent::Text));
    }

    fn finish(&mut self) -> Result<()> {
        self.finished = true;
        if let Some(error) = self.service_error() {
            return Err(error);
        }
        if self.snapshot.looks_anonymous() {
            return Err(Error::NotAccepted);
        }
        let answer = self.answer(true);
        if answer.text.trim().is_empty() && answer.sources.is_empty() {
            return Err(Error::NoResults);
        }
        self.events.push_back(SearchEvent::Done(Box::new(answer)));
        Ok(())
    }

    /// Why the reply ended early. An error that the service had reported before explains more.
    fn cut(&mut self, cut: Cut) -> Error {
        self.finished = true;
        self.service_error().unwrap_or(Error::Incomplete(cut))
    }

    fn service_error(&self) -> Option<Error> {
        let error = self.snapshot.error()?;
        Some(self.redacted(Error::Service { code: error.code, message: error.message, limit: error.limit }))
    }

    /// The service's words may repeat what it was sent.
    fn redacted(&self, error: Error) -> Error {
        let Some(session) = &self.session else { return error };
        let redact = |text: String| session.redact(&text);
        match error {
            Error::Service { code, message, limit } => {
                Error::Service { code: code.map(redact), message: message.map(redact), limit }
            }
            Error::NotAStream { found } => Error::NotAStream { found: redact(found) },
            other => other,
        }
    }

    /// What has arrived, marked incomplete; `None` while nothing has.
    pub fn received(&mut self) -> Option<Answer> {
        (self.frames > 0).then(|| self.answer(false))
    }

    fn answer(&mut self, complete: bool) -> Answer {
        Answer {
            text: self.snapshot.answer(),
            sources: self.snapshot.sources(),
            model: self.snapshot.model().map(str::to_owned),
            requested_model: self.requested_model.clone(),
            provider: PROVIDER,
            thread: self.snapshot.thread(),
            request_id: self.request_id.clone(),
            complete,
            notes: self.snapshot.model_notes(self.requested_model.as_deref()),
        }
    }
}
