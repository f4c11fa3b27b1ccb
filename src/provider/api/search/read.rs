//! Bytes to events, and events to what is gathered.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, timeout};

use super::Search;
use crate::domain::answer::SearchEvent;
use crate::domain::error::{Cut, Error, Result};
use crate::net::http::innermost;
use crate::net::sse::TooLarge;
use crate::provider::api::json::{malformed, object};
use crate::provider::api::partial_answer::Kind;
use crate::provider::api::{agent, chat, pages, refusal};

/// The longest body that is read as a whole, in bytes.
const MAX: usize = 8 << 20;

/// How long usage and cost may come after the text is whole.
const GRACE: Duration = Duration::from_secs(3);

impl Search {
    pub(super) async fn read_whole(&mut self) -> Result<()> {
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
    pub(super) async fn read_on(&mut self) -> Result<()> {
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
}
