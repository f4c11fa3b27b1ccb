//! A search: reads the reply of the subscription endpoint.

mod read;
mod reconnect;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use tokio::time::Instant;
use url::Url;
use uuid::Uuid;

use super::ask;
use super::body::{self, Body, Chunk};
use super::run::Run;
use super::snapshot::Snapshot;
use crate::auth::{Credential, Session};
use crate::domain::answer::{Answer, Payer, SearchEvent};
use crate::domain::error::{Cut, Error, Result};
use crate::domain::request::SearchRequest;
use crate::net::sse::Decoder;
use crate::provider::Reception;

/// How long a better frame is waited for after one that is final without being `COMPLETED`.
const FINAL_FRAME_TIMEOUT: Duration = Duration::from_secs(3);

/// A running search.
#[derive(Debug)]
pub struct Search {
    body: Body,
    decoder: Decoder,
    snapshot: Snapshot,
    events: VecDeque<SearchEvent>,
    /// Whether changes are reported before the end.
    reports_changes: bool,
    /// Set by a final frame: when to stop waiting for a better one.
    deadline: Option<Instant>,
    /// How many events were read from the stream.
    events_read: usize,
    finished: bool,
    /// Whether events were merged whose changes are not reported yet.
    has_unreported: bool,
    /// A read that comes after the unreported changes.
    next_read: Option<Result<Chunk>>,
    requested_model: Option<String>,
    request_id: Option<String>,
    session: Option<Session>,
    /// Set for deep research, which reconnects when the connection breaks.
    run: Option<Run>,
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
        let request_id = Uuid::new_v4().to_string();
        let reply = ask::ask(base, credential, request, &request_id, reception.idle).await?;
        let body = Body::from_reply(reply.response, reception.idle, recorder);
        let mut search = Self {
            request_id: Some(request_id),
            session: Some(credential.session.clone()),
            run: request.research.then(|| Run::new(base, credential, reception)),
            ..Self::new(body, Some(request.model.clone()), reception)
        };
        search.rotate(reply.rotated, reply.stored);
        Ok(search)
    }

    /// Reconnects to a run of deep research.
    pub async fn resume(
        base: &Url,
        credential: &Credential,
        run: &str,
        reception: &Reception,
    ) -> Result<Self> {
        let reply = ask::reconnect(base, credential, run, reception.idle).await?;
        let mut search = Self {
            session: Some(credential.session.clone()),
            run: Some(Run { is_reported: true, ..Run::new(base, credential, reception) }),
            ..Self::new(Body::from_reply(reply.response, reception.idle, None), None, reception)
        };
        search.rotate(reply.rotated, reply.stored);
        Ok(search)
    }

    /// Uses the rotated session for later reconnects. A session that could not be stored is a warning.
    fn rotate(&mut self, rotated: Option<Session>, stored: Result<()>) {
        self.events.extend(stored.err().map(|error| SearchEvent::Warning(error.to_string())));
        if let (Some(run), Some(session)) = (&mut self.run, rotated) {
            run.credential.session = session.clone();
            self.session = Some(session);
        }
    }

    /// A search that reads a recording of a reply.
    pub fn replay(recording: PathBuf, model: Option<String>, reception: &Reception) -> Result<Self> {
        Body::from_recording(recording).map(|body| Self::new(body, model, reception))
    }

    fn new(body: Body, requested_model: Option<String>, reception: &Reception) -> Self {
        Self {
            body,
            decoder: Decoder::default(),
            snapshot: Snapshot::default(),
            events: VecDeque::new(),
            reports_changes: reception.events,
            deadline: None,
            events_read: 0,
            finished: false,
            has_unreported: false,
            next_read: None,
            requested_model,
            request_id: None,
            session: None,
            run: None,
        }
    }

    /// The model that answers, once the service has named it.
    pub fn model(&self) -> Option<&str> {
        self.snapshot.model()
    }

    /// Whether the service has begun an answer, even a blank one.
    pub fn has_answer(&self) -> bool {
        self.snapshot.has_answer()
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
            if std::mem::take(&mut self.has_unreported) {
                let reported = self.report();
                if self.finished {
                    self.body.record_rest().await?;
                }
                reported?;
                continue;
            }
            let chunk = match self.next_read.take() {
                Some(chunk) => chunk,
                None => self.body.chunk(self.deadline).await,
            };
            match chunk.map_err(|error| self.redacted(error))? {
                Chunk::Bytes(bytes) => {
                    self.has_unreported = true;
                    self.merge(&bytes)?;
                }
                Chunk::End => match self.end_of_body() {
                    Err(Error::Incomplete(cut)) => self.reconnect(cut).await?,
                    result => result?,
                },
                Chunk::DeadlineReached => self.finish()?,
                Chunk::Cut(cut) => self.reconnect(cut).await?,
            }
        }
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
    fn cut_error(&mut self, cut: Cut) -> Error {
        self.finished = true;
        self.service_error().unwrap_or(Error::Incomplete(cut))
    }

    fn service_error(&self) -> Option<Error> {
        let error = self.snapshot.error()?;
        Some(self.redacted(Error::Service { code: error.code, message: error.message, limit: error.limit }))
    }

    /// `error` without the session, which the service may repeat in its messages.
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

    /// The answer so far, marked incomplete; `None` before the first event.
    pub fn received(&mut self) -> Option<Answer> {
        (self.events_read > 0).then(|| self.answer(false))
    }

    fn answer(&mut self, complete: bool) -> Answer {
        let mut notes = self.snapshot.model_notes(self.requested_model.as_deref());
        if let (Some(_), Some(id), false) = (&self.run, self.snapshot.run(), complete) {
            notes.push(format!("the run goes on; `pplx research get {id}` fetches it"));
        }
        Answer {
            text: self.snapshot.answer(),
            sources: self.snapshot.sources(),
            model: self.snapshot.model().map(str::to_owned),
            requested_model: self.requested_model.clone(),
            payer: Payer::Subscription,
            thread: self.snapshot.thread(),
            request_id: self.request_id.clone(),
            complete,
            notes,
            ..Answer::default()
        }
    }
}
