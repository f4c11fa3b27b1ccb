//! From bytes to events, and from events to the partial answer.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, timeout};

use super::Search;
use crate::domain::answer::SearchEvent;
use crate::domain::error::{Cut, Error, Result};
use crate::net::http::innermost;
use crate::net::sse::TooLarge;
use crate::provider::api::json::{malformed, parse_object};
use crate::provider::api::partial_answer::ReplyKind;
use crate::provider::api::{agent, chat, refusal, sources_only};

/// The largest reply in one object, in bytes.
const MAX_REPLY: usize = 8 << 20;

/// How long usage and cost are waited for after the text is complete.
const USAGE_TIMEOUT: Duration = Duration::from_secs(3);

impl Search {
    pub(super) async fn read_object(&mut self) -> Result<()> {
        let mut body = std::mem::take(&mut self.head);
        while let Some(bytes) = self.chunk().await.map_err(|cut| malformed(&cut.to_string()))? {
            body.extend_from_slice(&bytes);
            if body.len() > MAX_REPLY {
                return Err(malformed(&format!("it is larger than {MAX_REPLY} bytes")));
            }
        }
        let reply = parse_object(&body)?;
        let holds_error = reply.get("error").is_some_and(|error| !error.is_null());
        self.partial = match self.kind {
            ReplyKind::Sources => sources_only::read_reply(&reply)?,
            ReplyKind::Chat | ReplyKind::ChatStream if holds_error && reply.get("choices").is_none() => {
                return Err(refusal::from_object(&reply, &self.key).into());
            }
            ReplyKind::Chat | ReplyKind::ChatStream => chat::read_reply(&reply)?,
            ReplyKind::Agent | ReplyKind::AgentStream
                if agent::has_failed(&reply) || (holds_error && reply.get("output").is_none()) =>
            {
                return Err(refusal::from_object(&reply, &self.key).into());
            }
            ReplyKind::Agent | ReplyKind::AgentStream => agent::read_reply(&reply)?,
        };
        Ok(())
    }

    /// Reads one chunk of a stream, and reports what changed.
    pub(super) async fn read_chunk(&mut self) -> Result<()> {
        let read = match self.chunk().await {
            Ok(Some(bytes)) if self.is_object(&bytes) => {
                self.kind =
                    if self.kind == ReplyKind::ChatStream { ReplyKind::Chat } else { ReplyKind::Agent };
                self.head = bytes.into();
                return Ok(());
            }
            Ok(Some(bytes)) => self.merge_events(&bytes),
            Ok(None) => self.merge_last_event().and_then(|()| self.end_stream(Cut::EndOfBody)),
            Err(cut) => self.end_stream(cut),
        };
        self.report_changes();
        read
    }

    /// Whether `bytes` start a reply that is an object instead of a stream, as no event begins with a brace or a
    /// bracket.
    fn is_object(&mut self, bytes: &[u8]) -> bool {
        let had_bytes = std::mem::replace(&mut self.has_bytes, true);
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        !had_bytes && matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['))
    }

    /// The end of the stream. It is an error unless the text was complete before.
    fn end_stream(&mut self, cut: Cut) -> Result<()> {
        if self.partial.is_complete || self.usage_deadline.is_some() {
            self.partial.is_complete = true;
            return Ok(());
        }
        Err(self.cut_error(cut))
    }

    /// The error of a stream that was cut. One that brought nothing is a reply that cannot be read.
    fn cut_error(&mut self, cut: Cut) -> Error {
        match self.received() {
            Some(_) => Error::Incomplete(cut),
            None if self.has_events || cut != Cut::EndOfBody => malformed(&cut.to_string()),
            None => malformed("it is no event stream"),
        }
    }

    async fn chunk(&mut self) -> std::result::Result<Option<Bytes>, Cut> {
        let limit = self
            .usage_deadline
            .map_or(self.idle, |deadline| deadline.saturating_duration_since(Instant::now()).min(self.idle));
        match timeout(limit, self.response.chunk()).await {
            Ok(Ok(chunk)) => Ok(chunk),
            Ok(Err(error)) => Err(Cut::Broken(innermost(&error))),
            Err(_) => Err(Cut::Idle(self.idle.as_secs())),
        }
    }

    fn merge_events(&mut self, mut input: &[u8]) -> Result<()> {
        while !self.partial.is_complete {
            let event = match self.decoder.next(&mut input) {
                Ok(Some(event)) => (event.name.to_owned(), event.data.to_owned()),
                Ok(None) => return Ok(()),
                Err(TooLarge { limit }) => return Err(self.cut_error(Cut::TooLarge(limit))),
            };
            self.merge_event(&event.0, &event.1)?;
        }
        Ok(())
    }

    fn merge_last_event(&mut self) -> Result<()> {
        let last = self.decoder.finish().map(|event| (event.name.to_owned(), event.data.to_owned()));
        last.map_or(Ok(()), |(name, data)| self.merge_event(&name, &data))
    }

    /// Merges one event. One that is not an object is skipped.
    fn merge_event(&mut self, name: &str, data: &str) -> Result<()> {
        self.has_events = true;
        if data.trim() == "[DONE]" {
            // This completes chat completions. A run of the Agent API has an event of its own for its end.
            if self.kind == ReplyKind::AgentStream {
                return self.end_stream(Cut::EndOfBody);
            }
            self.partial.is_complete = true;
            return Ok(());
        }
        let Some(event) = parse_object(data.as_bytes()).ok() else {
            if !data.is_empty() {
                self.events.push_back(SearchEvent::Warning(
                    "an event that is no JSON object was skipped".to_owned(),
                ));
            }
            return Ok(());
        };
        if self.kind == ReplyKind::ChatStream {
            if event.get("error").is_some_and(|error| !error.is_null()) {
                return Err(refusal::from_object(&event, &self.key).into());
            }
            if chat::completes_text(&event) {
                self.usage_deadline.get_or_insert_with(|| Instant::now() + USAGE_TIMEOUT);
            }
            return chat::merge_chunk(&mut self.partial, &event);
        }
        match self.agent.merge_event(&mut self.partial, name, event) {
            agent::Effect::Continues => Ok(()),
            agent::Effect::Fails(reply) => Err(refusal::from_object(&reply, &self.key).into()),
            agent::Effect::Ends(reply) if agent::has_failed(&reply) => {
                Err(refusal::from_object(&reply, &self.key).into())
            }
            agent::Effect::Ends(reply) => agent::merge_last(&mut self.partial, &reply),
        }
    }
}
