//! Bytes to events, events to the snapshot, and what changed in it.

use bytes::Bytes;
use futures_util::FutureExt;
use tokio::time::Instant;

use super::{GRACE, Search};
use crate::domain::answer::SearchEvent;
use crate::domain::error::{Cut, Result};
use crate::net::sse::TooLarge;
use crate::provider::web::body::Chunk;
use crate::provider::web::snapshot::End;

impl Search {
    /// Takes what has arrived already, one read of it, and tells nothing: the next event is of everything so far. False
    /// where there is no more.
    pub fn absorb(&mut self) -> bool {
        if self.finished || self.held.is_some() {
            return false;
        }
        match self.body.chunk(self.grace).now_or_never() {
            Some(Ok(Chunk::Bytes(bytes))) => {
                self.untold = true;
                self.held = self.merge(&bytes).err().map(Err);
                self.snapshot.state() == End::Open && self.held.is_none()
            }
            Some(other) => {
                self.held = Some(other);
                false
            }
            None => false,
        }
    }

    /// The next event, if it is known already: nothing is read for it.
    pub fn known(&mut self) -> Option<SearchEvent> {
        if self.snapshot.state() == End::Open && std::mem::take(&mut self.untold) {
            self.tell_changes();
        }
        self.events.pop_front()
    }

    /// All events of one read.
    pub(super) fn merge(&mut self, bytes: &Bytes) -> Result<()> {
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
        Ok(())
    }

    /// Tells what the events so far have changed, once, and finishes when they were the last.
    pub(super) fn tell(&mut self) -> Result<()> {
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
    pub(super) fn take_end(&mut self) -> Result<()> {
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
        if let (Some(run), Some(id)) = (&mut self.run, self.snapshot.run()) {
            run.attempts = 0;
            if !std::mem::replace(&mut run.told, true) {
                self.events.push_back(SearchEvent::Run(id.to_owned()));
            }
        }
        if !self.tells_changes {
            return;
        }
        let text = self.snapshot.take_text_change();
        self.events.extend(self.snapshot.take_steps().into_iter().map(SearchEvent::Step));
        self.events.extend(self.snapshot.take_sources().map(SearchEvent::Sources));
        self.events.extend(text.map(SearchEvent::Text));
    }
}
