//! The answers that can be followed up, kept between runs: `threads.json` in the state folder.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::answer::Thread;
use crate::env::Environment;
use crate::error::{Error, Result};
use crate::private::{self, Durability};

/// How many answers are remembered.
const MOST: usize = 200;
/// How much of a question is remembered, in characters: enough to recognise it.
const MOST_OF_QUERY: usize = 200;

/// The file. It holds the tokens of threads, so it is as private as the session.
#[derive(Debug)]
pub struct History {
    path: PathBuf,
}

/// A remembered answer.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The id of the answer's entry.
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// The beginning of the question.
    pub query: String,
    /// When it was answered, in Unix milliseconds.
    pub answered: i64,
}

#[derive(Default, Serialize, Deserialize)]
struct Content {
    /// Oldest first.
    threads: Vec<Entry>,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("id", &self.id).field("query", &self.query).finish_non_exhaustive()
    }
}

impl Entry {
    /// The answer of `thread` to `query`.
    pub fn new(thread: Thread, query: &str, answered: i64) -> Self {
        let Thread { id, context, token } = thread;
        let query = query.chars().take(MOST_OF_QUERY).collect();
        Self { id, context, token, query, answered }
    }

    /// What a follow-up refers to.
    pub fn thread(&self) -> Thread {
        Thread { id: self.id.clone(), context: self.context.clone(), token: self.token.clone() }
    }
}

impl History {
    /// The history in the user's state folder.
    pub fn of(env: &Environment) -> Result<Self> {
        Ok(Self { path: env.state_dir()?.join("threads.json") })
    }

    /// All that is remembered, oldest first.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        match fs::read(&self.path) {
            Ok(bytes) => {
                let content: Content = serde_json::from_slice(&bytes).map_err(|error| {
                    // serde_json's own message may quote a token.
                    let place = format!(
                        "it is not the expected JSON (line {}, column {})",
                        error.line(),
                        error.column()
                    );
                    self.error("read", io::Error::other(place))
                })?;
                Ok(content.threads)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(self.error("read", error)),
        }
    }

    /// The last answer.
    pub fn last(&self) -> Result<Option<Entry>> {
        self.entries().map(|mut entries| entries.pop())
    }

    /// The newest answer of this entry or thread.
    pub fn find(&self, id: &str) -> Result<Option<Entry>> {
        let matches = |entry: &Entry| entry.id == id || entry.context.as_deref() == Some(id);
        self.entries().map(|entries| entries.into_iter().rfind(matches))
    }

    /// Remembers an answer, and forgets the oldest ones.
    pub fn remember(&self, entry: Entry) -> Result<()> {
        let folder = self.path.parent().unwrap_or(&self.path);
        private::create_private_dir(folder).map_err(|error| self.error("create the folder of", error))?;
        let _lock = private::lock(folder).map_err(|error| self.error("lock the folder of", error))?;
        // What cannot be read is of no use to anybody; the answer just given matters more.
        let mut threads = self.entries().unwrap_or_default();
        threads.retain(|known| known.id != entry.id);
        threads.push(entry);
        threads.drain(..threads.len().saturating_sub(MOST));
        let bytes = serde_json::to_vec(&Content { threads }).map_err(io::Error::from);
        bytes
            .and_then(|bytes| private::write(&self.path, &bytes, Durability::Unsynced))
            .map_err(|error| self.error("write", error))
    }

    fn error(&self, action: &'static str, source: io::Error) -> Error {
        Error::File { action, path: self.path.clone(), source }
    }
}
