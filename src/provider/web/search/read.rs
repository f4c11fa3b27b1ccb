//! From bytes to events, from events to the snapshot, and the changes of the snapshot.

use bytes::Bytes;
use futures_util::FutureExt;
use tokio::time::Instant;

use super::{FINAL_FRAME_TIMEOUT, Search};
use crate::domain::answer::SearchEvent;
use crate::domain::error::{Cut, Result};
use crate::net::sse::TooLarge;
use crate::provider::web::body::Chunk;
use crate::provider::web::snapshot::StreamState;

impl Search {
    /// Merges one read of what has arrived already, and reports nothing, so that the next event has all changes so far.
    /// False where nothing more has arrived.
    pub fn read_available(&mut self) -> bool {
        if self.finished || self.next_read.is_some() {
            return false;
        }
        match self.body.chunk(self.deadline).now_or_never() {
            Some(Ok(Chunk::Bytes(bytes))) => {
                self.has_unreported = true;
                self.next_read = self.merge(&bytes).err().map(Err);
                self.snapshot.state() == StreamState::Open && self.next_read.is_none()
            }
            Some(other) => {
                self.next_read = Some(other);
                false
            }
            None => false,
        }
    }

    /// The next event that needs no read, if there is one.
    pub fn next_available(&mut self) -> Option<SearchEvent> {
        if self.snapshot.state() == StreamState::Open && std::mem::take(&mut self.has_unreported) {
            self.report_changes();
        }
        self.events.pop_front()
    }

    /// Merges all events of one read.
    pub(super) fn merge(&mut self, bytes: &Bytes) -> Result<()> {
        let mut input: &[u8] = bytes;
        while self.snapshot.state() != StreamState::Ended {
            match self.decoder.next(&mut input) {
                Ok(Some(event)) => {
                    self.events_read += 1;
                    let merged = self.snapshot.receive(event.name, event.data);
                    self.events.extend(merged.err().map(|skipped| SearchEvent::Warning(skipped.to_string())));
                }
                Ok(None) => break,
                Err(TooLarge { limit }) => return Err(self.cut_error(Cut::TooLarge(limit))),
            }
        }
        Ok(())
    }

    /// Reports the changes since the last report, and finishes after the last event.
    pub(super) fn report(&mut self) -> Result<()> {
        self.report_changes();
        match self.snapshot.state() {
            StreamState::Open => Ok(()),
            StreamState::Final => {
                self.deadline.get_or_insert_with(|| Instant::now() + FINAL_FRAME_TIMEOUT);
                Ok(())
            }
            StreamState::Ended => self.finish(),
        }
    }

    /// Handles the end of the body. The last event may lack its blank line.
    pub(super) fn end_of_body(&mut self) -> Result<()> {
        if let Some(event) = self.decoder.finish() {
            self.events_read += 1;
            let merged = self.snapshot.receive(event.name, event.data);
            self.events.extend(merged.err().map(|skipped| SearchEvent::Warning(skipped.to_string())));
        }
        self.report_changes();
        match self.snapshot.state() {
            StreamState::Open if self.events_read == 0 => Err(match self.body.not_a_stream() {
                Some(error) => self.redacted(error),
                None => self.cut_error(Cut::EndOfBody),
            }),
            StreamState::Open => Err(self.cut_error(Cut::EndOfBody)),
            StreamState::Final | StreamState::Ended => self.finish(),
        }
    }

    fn report_changes(&mut self) {
        if let (Some(run), Some(id)) = (&mut self.run, self.snapshot.run()) {
            run.attempts = 0;
            if !std::mem::replace(&mut run.is_reported, true) {
                self.events.push_back(SearchEvent::Run(id.to_owned()));
            }
        }
        if !self.reports_changes {
            return;
        }
        let text = self.snapshot.take_text_change();
        self.events.extend(self.snapshot.take_steps().into_iter().map(SearchEvent::Step));
        self.events.extend(self.snapshot.take_sources().map(SearchEvent::Sources));
        self.events.extend(text.map(SearchEvent::Text));
    }
}
