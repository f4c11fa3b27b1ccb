//! Responses on disk: `serve.db` in the state folder, for this user alone. What was answered is there before the client
//! hears of its end, so a server that is killed loses nothing.

use std::collections::HashMap;
use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::task::AbortHandle;

use super::super::conversation::{Attached, Turn};
use super::super::refusal::Refusal;
use crate::answer::Thread;
use crate::cli::failure::Failure;
use crate::env::Environment;
use crate::error::Error;
use crate::private;

/// How long a response is kept, in seconds.
const KEPT: i64 = 7 * 24 * 3600;
/// How many are kept.
const MOST: i64 = 2000;
/// How long another process may hold the file.
const PATIENCE: Duration = Duration::from_secs(5);

const TABLE: &str = "CREATE TABLE IF NOT EXISTS responses (
    id TEXT PRIMARY KEY, created INTEGER NOT NULL, document TEXT NOT NULL, input TEXT NOT NULL, said TEXT NOT NULL,
    thread TEXT) STRICT;
    CREATE INDEX IF NOT EXISTS responses_created ON responses (created);";

/// A response, and what it takes to go on from it.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Stored {
    pub(super) id: String,
    /// Unix seconds.
    pub(super) created: i64,
    /// As clients see it.
    pub(super) document: Value,
    /// The items that it was asked with.
    pub(super) input: Vec<Value>,
    pub(super) said: Said,
    pub(super) thread: Option<Thread>,
}

impl Stored {
    /// A field of the document that is text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.document.get(name).and_then(Value::as_str)
    }
}

/// What was said up to the answer. Instructions are not inherited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Said {
    /// Those of the last request, to tell whether the next has the same.
    #[serde(default)]
    pub(super) instructions: Option<String>,
    pub(super) system: Vec<String>,
    pub(super) turns: Vec<Turn>,
    /// The files that can be got again.
    #[serde(default)]
    pub(super) files: Vec<Attached>,
}

/// All of them, and the tasks that answer some.
#[derive(Debug)]
pub(in super::super) struct Responses {
    /// Held by the first server of this folder, whose responses a second one leaves alone.
    _first: Option<File>,
    connection: Arc<Mutex<Connection>>,
    running: Mutex<HashMap<String, AbortHandle>>,
}

impl Responses {
    /// Opens the file. What an earlier server left unanswered will not be.
    pub(in super::super) fn open(env: &Environment) -> Result<Self, Failure> {
        let folder = env.state_dir()?;
        let path = folder.join("serve.db");
        let failed = |source: std::io::Error| Error::File { action: "open", path: path.clone(), source };
        private::create_private_dir(&folder).map_err(failed)?;
        // The journal beside the file takes its rights over.
        private::open_private(&path).map_err(failed)?;
        private::tighten(&path, private::OTHERS_ANY).map_err(failed)?;
        let first = private::open_private(&folder.join("serve.lock")).map_err(failed)?;
        let first = first.try_lock().is_ok().then_some(first);
        let open = || {
            let connection = Connection::open(&path)?;
            connection.busy_timeout(PATIENCE)?;
            connection.execute_batch("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;")?;
            connection.execute_batch(TABLE)?;
            if first.is_some() {
                fail_interrupted(&connection)?;
            }
            prune(&connection, chrono::Utc::now().timestamp())?;
            Ok(connection)
        };
        let opened: rusqlite::Result<Connection> = open();
        let connection = opened.map_err(|error| failed(std::io::Error::other(error)))?;
        Ok(Self { _first: first, connection: Arc::new(Mutex::new(connection)), running: Mutex::default() })
    }

    /// Keeps a response; one of the same id is replaced.
    pub(super) async fn put(&self, stored: Stored) -> Result<(), Refusal> {
        self.with(move |connection| {
            connection
                .prepare_cached("INSERT OR REPLACE INTO responses VALUES (?, ?, ?, ?, ?, ?)")?
                .execute(params![
                    stored.id,
                    stored.created,
                    stored.document.to_string(),
                    Value::from(stored.input).to_string(),
                    json!(stored.said).to_string(),
                    stored.thread.as_ref().map(thread_text),
                ])?;
            prune(connection, stored.created)
        })
        .await
    }

    /// Keeps how a response ended, once. One that was deleted meanwhile stays deleted.
    pub(super) async fn end(
        &self,
        id: &str,
        document: Value,
        end: Option<(Said, Option<Thread>)>,
    ) -> Result<(), Refusal> {
        let id = id.to_owned();
        self.with(move |connection| {
            let document = document.to_string();
            match end {
                Some((said, thread)) => {
                    let sql = "UPDATE responses SET document = ?, said = ?, thread = ? WHERE id = ? AND \
                        json_extract(document, '$.status') = 'in_progress'";
                    let said = json!(said).to_string();
                    let thread = thread.as_ref().map(thread_text);
                    connection.prepare_cached(sql)?.execute(params![document, said, thread, id])?
                }
                None => connection
                    .prepare_cached(
                        "UPDATE responses SET document = ? WHERE id = ? AND \
                        json_extract(document, '$.status') = 'in_progress'",
                    )?
                    .execute(params![document, id])?,
            };
            Ok(())
        })
        .await
    }

    pub(super) async fn get(&self, id: &str) -> Result<Option<Stored>, Refusal> {
        let id = id.to_owned();
        self.with(move |connection| {
            let oldest = chrono::Utc::now().timestamp() - KEPT;
            let sql =
                "SELECT created, document, input, said, thread FROM responses WHERE id = ? AND created > ?";
            let row = |row: &rusqlite::Row<'_>| {
                Ok(Stored {
                    id: id.clone(),
                    created: row.get(0)?,
                    document: parsed(&row.get::<_, String>(1)?),
                    input: parsed(&row.get::<_, String>(2)?),
                    said: parsed(&row.get::<_, String>(3)?),
                    thread: row.get::<_, Option<String>>(4)?.as_deref().and_then(thread_of),
                })
            };
            connection.prepare_cached(sql)?.query_row(params![id, oldest], row).optional()
        })
        .await
    }

    /// The thread of a response, once: what follows on it again is told anew.
    pub(super) async fn take_thread(&self, id: &str) -> Result<Option<Thread>, Refusal> {
        let id = id.to_owned();
        self.with(move |connection| {
            let thread: Option<String> = connection
                .prepare_cached("SELECT thread FROM responses WHERE id = ?")?
                .query_row([&id], |row| row.get(0))
                .optional()?
                .flatten();
            connection.prepare_cached("UPDATE responses SET thread = NULL WHERE id = ?")?.execute([&id])?;
            Ok(thread.as_deref().and_then(thread_of))
        })
        .await
    }

    /// False where there was none.
    pub(super) async fn delete(&self, id: &str) -> Result<bool, Refusal> {
        let id = id.to_owned();
        self.with(move |connection| {
            connection.execute("DELETE FROM responses WHERE id = ?", [id]).map(|rows| rows > 0)
        })
        .await
    }

    /// Notes the task that answers a response.
    pub(super) fn started(&self, id: &str, task: AbortHandle) {
        self.running().insert(id.to_owned(), task);
    }

    /// The task that answers a response is done.
    pub(super) fn ended(&self, id: &str) {
        self.running().remove(id);
    }

    /// Stops the task that answers a response; false where there is none.
    pub(super) fn stop(&self, id: &str) -> bool {
        self.running().remove(id).inspect(AbortHandle::abort).is_some()
    }

    /// Whether something is answered in the background.
    pub(in super::super) fn is_busy(&self) -> bool {
        self.running().values().any(|task| !task.is_finished())
    }

    fn running(&self) -> std::sync::MutexGuard<'_, HashMap<String, AbortHandle>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the file beside the other requests.
    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Refusal> {
        let connection = Arc::clone(&self.connection);
        let working = move || work(&connection.lock().unwrap_or_else(PoisonError::into_inner));
        match tokio::task::spawn_blocking(working).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(error)) => Err(Refusal::own(format!("The store of responses failed: {error}."))),
            Err(_) => Err(Refusal::own("The store of responses failed.")),
        }
    }
}

/// What cannot be read counts as empty.
fn parsed<T: Default + for<'de> Deserialize<'de>>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_default()
}

fn thread_text(thread: &Thread) -> String {
    json!([thread.id, thread.context, thread.token]).to_string()
}

fn thread_of(text: &str) -> Option<Thread> {
    let (id, context, token) = serde_json::from_str(text).ok()?;
    Some(Thread { id, context, token })
}

fn prune(connection: &Connection, now: i64) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM responses WHERE created <= ?")?.execute([now - KEPT])?;
    let sql = "DELETE FROM responses WHERE id IN (SELECT id FROM responses ORDER BY created DESC LIMIT -1 OFFSET ?)";
    connection.prepare_cached(sql)?.execute([MOST])?;
    Ok(())
}

fn fail_interrupted(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "UPDATE responses SET document = json_set(document, '$.status', 'failed', '$.error',
        json('{\"code\":\"interrupted\",\"message\":\"The server ended before the answer did.\"}'))
        WHERE json_extract(document, '$.status') IN ('in_progress', 'queued')";
    connection.execute(sql, []).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(folder: &tempfile::TempDir) -> Environment {
        Environment::of(&[("XDG_STATE_HOME", folder.path().to_str().unwrap())])
    }

    fn stored(id: &str, created: i64, status: &str) -> Stored {
        let thread = Thread { id: "t".to_owned(), context: None, token: Some("secret".to_owned()) };
        Stored {
            id: id.to_owned(),
            created,
            document: json!({ "id": id, "status": status }),
            input: vec![json!({ "type": "message" })],
            said: Said { system: vec!["s".to_owned()], ..Said::default() },
            thread: Some(thread),
        }
    }

    fn now() -> i64 {
        chrono::Utc::now().timestamp()
    }

    #[tokio::test]
    async fn what_is_kept_outlives_the_server() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, half) = (stored("resp_1", now(), "completed"), stored("resp_2", now(), "in_progress"));
        let first = Responses::open(&env(&folder)).unwrap();
        first.put(whole.clone()).await.unwrap();
        first.put(half).await.unwrap();
        drop(first);
        let second = Responses::open(&env(&folder)).unwrap();
        assert_eq!(second.get("resp_1").await.unwrap().unwrap(), whole);
        let half = second.get("resp_2").await.unwrap().unwrap().document;
        assert_eq!(
            (half["status"].as_str(), half["error"]["code"].as_str()),
            (Some("failed"), Some("interrupted"))
        );
        assert!(second.delete("resp_1").await.unwrap() && !second.delete("resp_1").await.unwrap());
        second.end("resp_1", json!({}), None).await.unwrap();
        assert_eq!(second.get("resp_1").await.unwrap(), None);
    }

    #[tokio::test]
    async fn old_ones_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let responses = Responses::open(&env(&folder)).unwrap();
        responses.put(stored("resp_old", now() - KEPT - 1, "completed")).await.unwrap();
        assert_eq!(responses.get("resp_old").await.unwrap(), None);
        for number in 0..3 {
            responses.put(stored(&format!("resp_{number}"), now() + number, "completed")).await.unwrap();
        }
        responses
            .with(|connection| connection.query_row("SELECT count(*) FROM responses", [], |row| row.get(0)))
            .await
            .map(|count: i64| assert_eq!(count, 3))
            .unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_it() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let _responses = Responses::open(&env(&folder)).unwrap();
        let files = std::fs::read_dir(folder.path().join("pplx")).unwrap().map(|entry| entry.unwrap().path());
        let mut paths: Vec<_> = files.collect();
        assert!(paths.iter().any(|path| path.ends_with("serve.db")), "{paths:?}");
        paths.push(folder.path().join("pplx"));
        for path in paths {
            assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o077, 0, "{path:?}");
        }
    }
}
