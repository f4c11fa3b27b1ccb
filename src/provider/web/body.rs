//! Where a reply's bytes come from, and where a copy of them goes.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use tokio::time::{Instant, Sleep, sleep_until};

use super::extract::reason_of;
use crate::domain::error::{Cut, Error, Result};
use crate::net::http::{host_of, innermost};
use crate::state::overwrite::Overwrite;

/// How much of a recording is read at once, in bytes.
const READ: usize = 64 << 10;
/// How long a recording waits for what follows the answer.
const REST: Duration = Duration::from_secs(1);
/// How much of the start is kept to tell what it is, in bytes.
const HEAD: usize = 512;

/// The body of a reply.
#[derive(Debug)]
pub(super) struct Body {
    source: Source,
    recorder: Option<Recorder>,
    head: Vec<u8>,
}

#[derive(Debug)]
enum Source {
    Reply { response: Response, patience: Patience },
    Recording { file: File, path: PathBuf },
}

/// What came next.
#[derive(Debug)]
pub(super) enum Chunk {
    Bytes(Bytes),
    End,
    /// The time to wait for a better end is over.
    GraceOver,
    Cut(Cut),
}

impl Body {
    pub(super) fn of_reply(response: Response, idle: Duration, recorder: Option<Recorder>) -> Self {
        Self { source: Source::Reply { response, patience: Patience::new(idle) }, recorder, head: Vec::new() }
    }

    pub(super) fn of_recording(path: PathBuf) -> Result<Self> {
        let file = File::open(&path).map_err(|source| recording_error("read", &path, source))?;
        Ok(Self { source: Source::Recording { file, path }, recorder: None, head: Vec::new() })
    }

    /// The next bytes, waiting no longer than until `grace`.
    pub(super) async fn chunk(&mut self, grace: Option<Instant>) -> Result<Chunk> {
        let chunk = match &mut self.source {
            Source::Reply { response, patience } => {
                next_of_reply(response, patience, grace, self.head.is_empty()).await?
            }
            Source::Recording { file, path } => {
                let mut buffer = vec![0; READ];
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
            self.sniff(bytes)?;
        }
        Ok(chunk)
    }

    /// Records what still comes after the answer is complete. The connection may stay open, so not for long.
    pub(super) async fn record_rest(&mut self) -> Result<()> {
        let end = Instant::now() + REST;
        while self.recorder.is_some()
            && let Chunk::Bytes(_) = self.chunk(Some(end)).await?
        {}
        Ok(())
    }

    /// An event stream begins with a field's name, never with the start of a page or of JSON.
    fn sniff(&mut self, bytes: &[u8]) -> Result<()> {
        if self.head.len() >= HEAD {
            return Ok(());
        }
        self.head.extend(bytes.iter().take(HEAD - self.head.len()));
        let first = self.visible_head().first();
        if matches!(first, Some(b'<' | b'{' | b'[')) {
            return Err(self.foreign());
        }
        Ok(())
    }

    /// Why a body without a single event was no stream, if its start says so.
    pub(super) fn not_a_stream(&self) -> Option<Error> {
        let head = self.visible_head();
        let fields: [&[u8]; 5] = [b":", b"data", b"event", b"id", b"retry"];
        let stream =
            head.is_empty() || fields.iter().any(|field| field.starts_with(head) || head.starts_with(field));
        (!stream).then(|| self.foreign())
    }

    fn visible_head(&self) -> &[u8] {
        self.head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&self.head).trim_ascii_start()
    }

    fn foreign(&self) -> Error {
        Error::NotAStream { found: described(&String::from_utf8_lossy(self.visible_head())) }
    }
}

/// What a body is that is no event stream.
pub(super) fn described(body: &str) -> String {
    match body.trim_start().bytes().next() {
        Some(b'<') => "an HTML page (a sign-in or error page, perhaps of the network you are in)".to_owned(),
        Some(b'{' | b'[') => {
            reason_of(body).map_or_else(|| "JSON".to_owned(), |reason| format!("JSON ({reason})"))
        }
        None => "empty".to_owned(),
        Some(_) => "something else".to_owned(),
    }
}

async fn next_of_reply(
    response: &mut Response,
    patience: &mut Patience,
    grace: Option<Instant>,
    first: bool,
) -> Result<Chunk> {
    patience.renew();
    let seconds = patience.limit.as_secs();
    Ok(tokio::select! {
        biased;
        chunk = response.chunk() => match chunk {
            Ok(Some(bytes)) => Chunk::Bytes(bytes),
            Ok(None) => Chunk::End,
            Err(error) => Chunk::Cut(Cut::Broken(innermost(&error))),
        },
        () = patience.lose(grace) => match grace {
            Some(_) => Chunk::GraceOver,
            None if first => return Err(Error::TimedOut { host: host_of(response.url()), seconds }),
            None => Chunk::Cut(Cut::Idle(seconds)),
        },
    })
}

/// How long nothing may arrive. One timer serves all waits: it is set anew when it rings too early, not for every
/// chunk.
#[derive(Debug)]
struct Patience {
    limit: Duration,
    end: Instant,
    timer: Pin<Box<Sleep>>,
}

impl Patience {
    fn new(limit: Duration) -> Self {
        let end = Instant::now() + limit;
        Self { limit, end, timer: Box::pin(sleep_until(end)) }
    }

    fn renew(&mut self) {
        self.end = Instant::now() + self.limit;
    }

    /// Waits until nothing has arrived for too long, or until `grace`.
    async fn lose(&mut self, grace: Option<Instant>) {
        let end = grace.map_or(self.end, |grace| grace.min(self.end));
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

/// Keeps the exact bytes of a reply's body, which is the part of a reply that holds no credential.
#[derive(Debug)]
pub(super) struct Recorder {
    file: Overwrite,
    path: PathBuf,
}

impl Recorder {
    /// Opens the file before anything is asked, so that no question is wasted on one that cannot be written.
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
