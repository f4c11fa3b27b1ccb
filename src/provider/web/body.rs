//! The bytes of a reply, from the network or a recording, and their copy in a recording.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use tokio::time::{Instant, Sleep, sleep_until};

use super::extract::error_reason;
use crate::domain::error::{Cut, Error, Result};
use crate::net::http::{host_of, innermost};
use crate::state::overwrite::Overwrite;

/// How much of a recording is read at once, in bytes.
const READ_SIZE: usize = 64 << 10;
/// How long bytes after the answer are waited for, to record them.
const REST_TIMEOUT: Duration = Duration::from_secs(1);
/// How much of the start is kept to see whether it is an event stream, in bytes.
const MAX_HEAD: usize = 512;

/// The body of a reply.
#[derive(Debug)]
pub(super) struct Body {
    source: Source,
    recorder: Option<Recorder>,
    head: Vec<u8>,
}

#[derive(Debug)]
enum Source {
    Reply { response: Response, timer: IdleTimer },
    Recording { file: File, path: PathBuf },
}

/// What a read brought.
#[derive(Debug)]
pub(super) enum Chunk {
    Bytes(Bytes),
    End,
    /// Nothing arrived before the deadline.
    DeadlineReached,
    Cut(Cut),
}

impl Body {
    pub(super) fn from_reply(response: Response, idle: Duration, recorder: Option<Recorder>) -> Self {
        Self { source: Source::Reply { response, timer: IdleTimer::new(idle) }, recorder, head: Vec::new() }
    }

    pub(super) fn from_recording(path: PathBuf) -> Result<Self> {
        let file = File::open(&path).map_err(|source| recording_error("read", &path, source))?;
        Ok(Self { source: Source::Recording { file, path }, recorder: None, head: Vec::new() })
    }

    /// The next bytes. Waits until `deadline` at the latest, where there is one.
    pub(super) async fn chunk(&mut self, deadline: Option<Instant>) -> Result<Chunk> {
        let chunk = match &mut self.source {
            Source::Reply { response, timer } => {
                next_chunk(response, timer, deadline, self.head.is_empty()).await?
            }
            Source::Recording { file, path } => {
                let mut buffer = vec![0; READ_SIZE];
                let length =
                    file.read(&mut buffer).map_err(|source| recording_error("read", path, source))?;
                buffer.truncate(length);
                if length == 0 { Chunk::End } else { Chunk::Bytes(buffer.into()) }
            }
        };
        if let Chunk::Bytes(bytes) = &chunk {
            if let Some(recorder) = &mut self.recorder {
                recorder.write(bytes)?;
            }
            self.check_head(bytes)?;
        }
        Ok(chunk)
    }

    /// Records what follows the complete answer, for a limited time, because the connection may stay open.
    pub(super) async fn record_rest(&mut self) -> Result<()> {
        let deadline = Instant::now() + REST_TIMEOUT;
        while self.recorder.is_some()
            && let Chunk::Bytes(_) = self.chunk(Some(deadline)).await?
        {}
        Ok(())
    }

    /// Refuses a body that starts like HTML or JSON, which no event stream does.
    fn check_head(&mut self, bytes: &[u8]) -> Result<()> {
        if self.head.len() >= MAX_HEAD {
            return Ok(());
        }
        self.head.extend(bytes.iter().take(MAX_HEAD - self.head.len()));
        let first = self.trimmed_head().first();
        if matches!(first, Some(b'<' | b'{' | b'[')) {
            return Err(self.not_a_stream_error());
        }
        Ok(())
    }

    /// The error for a body without events whose start is not that of an event stream.
    pub(super) fn not_a_stream(&self) -> Option<Error> {
        let head = self.trimmed_head();
        let fields: [&[u8]; 5] = [b":", b"data", b"event", b"id", b"retry"];
        let is_stream =
            head.is_empty() || fields.iter().any(|field| field.starts_with(head) || head.starts_with(field));
        (!is_stream).then(|| self.not_a_stream_error())
    }

    fn trimmed_head(&self) -> &[u8] {
        self.head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&self.head).trim_ascii_start()
    }

    fn not_a_stream_error(&self) -> Error {
        Error::NotAStream { found: describe_body(&String::from_utf8_lossy(self.trimmed_head())) }
    }
}

/// Describes a body that is not an event stream.
pub(super) fn describe_body(body: &str) -> String {
    match body.trim_start().bytes().next() {
        Some(b'<') => "an HTML page (a sign-in or error page, perhaps of the network you are in)".to_owned(),
        Some(b'{' | b'[') => {
            error_reason(body).map_or_else(|| "JSON".to_owned(), |reason| format!("JSON ({reason})"))
        }
        None => "empty".to_owned(),
        Some(_) => "something else".to_owned(),
    }
}

async fn next_chunk(
    response: &mut Response,
    timer: &mut IdleTimer,
    deadline: Option<Instant>,
    is_first: bool,
) -> Result<Chunk> {
    timer.restart();
    let seconds = timer.limit.as_secs();
    Ok(tokio::select! {
        biased;
        chunk = response.chunk() => match chunk {
            Ok(Some(bytes)) => Chunk::Bytes(bytes),
            Ok(None) => Chunk::End,
            Err(error) => Chunk::Cut(Cut::Broken(innermost(&error))),
        },
        () = timer.expired(deadline) => match deadline {
            Some(_) => Chunk::DeadlineReached,
            None if is_first => return Err(Error::TimedOut { host: host_of(response.url()), seconds }),
            None => Chunk::Cut(Cut::Idle(seconds)),
        },
    })
}

/// The limit on the time in which nothing arrives. Restarting only moves `end`; the timer itself is reset when it fires
/// too early, which costs less than a reset for each chunk.
#[derive(Debug)]
struct IdleTimer {
    limit: Duration,
    end: Instant,
    timer: Pin<Box<Sleep>>,
}

impl IdleTimer {
    fn new(limit: Duration) -> Self {
        let end = Instant::now() + limit;
        Self { limit, end, timer: Box::pin(sleep_until(end)) }
    }

    fn restart(&mut self) {
        self.end = Instant::now() + self.limit;
    }

    /// Waits until the limit is reached since the last restart, or until `deadline`.
    async fn expired(&mut self, deadline: Option<Instant>) {
        let end = deadline.map_or(self.end, |deadline| deadline.min(self.end));
        if self.timer.deadline() > end {
            self.timer.as_mut().reset(end);
        }
        loop {
            self.timer.as_mut().await;
            if self.timer.deadline() >= end {
                return;
            }
            self.timer.as_mut().reset(end);
        }
    }
}

/// Writes the exact bytes of a reply's body to a file. The headers are left out, because they hold credentials.
#[derive(Debug)]
pub(super) struct Recorder {
    file: Overwrite,
    path: PathBuf,
}

impl Recorder {
    /// Opens the file. Called before the question is asked, so that none is wasted if the file cannot be written.
    pub(super) fn create(path: PathBuf) -> Result<Self> {
        let file = Overwrite::open(&path).map_err(|source| recording_error("write", &path, source))?;
        Ok(Self { file, path })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|source| recording_error("write", &self.path, source))
    }
}

fn recording_error(action: &'static str, path: &std::path::Path, source: io::Error) -> Error {
    Error::Recording { action, path: path.to_owned(), source }
}
