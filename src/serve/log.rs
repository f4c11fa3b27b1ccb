//! The log: one line of JSON for each request, on standard error. It never holds a question, an answer or a key.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{SecondsFormat, Utc};
use serde::Serialize;
use tokio::time::Instant;

/// The line of a request. It is written when the last clone of the record is dropped: at the end of the answer.
#[derive(Debug, Clone)]
pub(super) struct Record(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    started: Instant,
    line: Mutex<Line>,
}

#[derive(Debug, Default, Serialize)]
struct Line {
    time: String,
    request: String,
    method: String,
    path: String,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    /// The code of the error that it ended with, or `left` where the client did not wait for the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'static str>,
    ms: u64,
}

impl Record {
    /// `path` is the route, which holds no id and no key.
    pub(super) fn start(request: String, method: String, path: String) -> Self {
        let time = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
        let line = Line { time, request, method, path, ..Line::default() };
        Self(Arc::new(Inner { started: Instant::now(), line: Mutex::new(line) }))
    }

    pub(super) fn set_question(&self, model: &str, stream: bool) {
        self.change(|line| (line.model, line.stream) = (Some(model.to_owned()), Some(stream)));
    }

    pub(super) fn set_status(&self, status: u16) {
        self.change(|line| line.status = status);
    }

    pub(super) fn set_error(&self, error: &'static str) {
        self.change(|line| line.error = Some(error));
    }

    fn change(&self, change: impl FnOnce(&mut Line)) {
        change(&mut self.0.line.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let mut line = std::mem::take(&mut *self.line.lock().unwrap_or_else(PoisonError::into_inner));
        line.ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        if line.status == 0 {
            line.error = line.error.or(Some("left"));
        }
        write(&line);
    }
}

/// Something that happened outside of a request.
pub(super) fn event(event: &'static str, detail: &str) {
    #[derive(Serialize)]
    struct Event<'a> {
        time: String,
        event: &'static str,
        detail: &'a str,
    }
    let time = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
    write(&Event { time, event, detail });
}

fn write(line: &impl Serialize) {
    if let Ok(mut bytes) = serde_json::to_vec(line) {
        bytes.push(b'\n');
        // There is no other place to report that the log cannot be written.
        let _ = std::io::stderr().lock().write_all(&bytes);
    }
}
