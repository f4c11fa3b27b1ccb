//! What versions before the database kept in files of their own: read once, then removed.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::rows::{self, Answered, Job, ListedModels};
use crate::domain::answer::Thread;
use crate::domain::models::Models;

const THREADS: &str = "threads.json";
const MODELS: &str = "models.json";
const DIALECT: &str = "api-dialect.json";
const JOBS: &str = "jobs";
const RESPONSES: &str = "serve.db";

/// What was taken over.
#[derive(Debug, Default)]
pub(super) struct Imported {
    /// The files, to be removed once the database holds what was in them.
    files: Vec<PathBuf>,
    /// The files that could not be read. They stay where they are.
    pub(super) warnings: Vec<String>,
}

impl Imported {
    /// Removes the files, and the folder of the jobs if it is empty then.
    pub(super) fn remove_files(&self) {
        for file in &self.files {
            // One that stays is not read again.
            let _ = fs::remove_file(file);
            if let Some(folder) = file.parent().filter(|folder| folder.ends_with(JOBS)) {
                let _ = fs::remove_dir(folder);
            }
        }
    }

    /// What a file holds. One that cannot be read is named in a warning; one that is not there is nothing.
    fn read<T: DeserializeOwned>(&mut self, path: PathBuf) -> Option<T> {
        let read = fs::read(&path).and_then(|bytes| {
            // serde_json's own message may quote a token.
            let place =
                |error: serde_json::Error| format!("line {}, column {}", error.line(), error.column());
            serde_json::from_slice(&bytes)
                .map_err(|error| io::Error::other(format!("it is not the expected JSON ({})", place(error))))
        });
        match read {
            Ok(content) => {
                self.files.push(path);
                Some(content)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                let path = path.display();
                self.warnings.push(format!("{path} of an earlier version was not taken over: {error}"));
                None
            }
        }
    }
}

/// Whether there are files to take over when the database is created.
pub(super) fn has_files(folder: &Path) -> bool {
    [THREADS, MODELS, DIALECT, JOBS].iter().any(|name| folder.join(name).exists())
}

/// Fills new tables from the files, within a transaction.
pub(super) fn import(connection: &Connection, folder: &Path) -> rusqlite::Result<Imported> {
    let mut imported = Imported::default();
    import_answers(connection, folder, &mut imported)?;
    import_models(connection, folder, &mut imported)?;
    import_dialect(connection, folder, &mut imported)?;
    import_jobs(connection, folder, &mut imported)?;
    Ok(imported)
}

fn import_answers(connection: &Connection, folder: &Path, imported: &mut Imported) -> rusqlite::Result<()> {
    #[derive(Deserialize)]
    struct Content {
        /// Oldest first.
        threads: Vec<Entry>,
    }
    #[derive(Deserialize)]
    struct Entry {
        id: String,
        context: Option<String>,
        token: Option<String>,
        query: String,
        answered: i64,
    }
    let content: Option<Content> = imported.read(folder.join(THREADS));
    content.into_iter().flat_map(|content| content.threads).try_for_each(|entry| {
        let thread = Thread { id: entry.id, context: entry.context, token: entry.token };
        rows::insert_answer(connection, &Answered::new(thread, &entry.query, entry.answered))
    })
}

fn import_models(connection: &Connection, folder: &Path, imported: &mut Imported) -> rusqlite::Result<()> {
    #[derive(Deserialize)]
    struct Content {
        fetched: i64,
        #[serde(flatten)]
        models: Models,
    }
    match imported.read(folder.join(MODELS)) {
        Some(Content { fetched, models }) => {
            rows::replace_models(connection, &ListedModels { fetched, models })
        }
        None => Ok(()),
    }
}

fn import_dialect(connection: &Connection, folder: &Path, imported: &mut Imported) -> rusqlite::Result<()> {
    #[derive(Deserialize)]
    struct Content {
        account: u64,
        learnt: i64,
    }
    match imported.read(folder.join(DIALECT)) {
        Some(Content { account, learnt }) => {
            rows::insert_agent_account(connection, account.cast_signed(), learnt)
        }
        None => Ok(()),
    }
}

fn import_jobs(connection: &Connection, folder: &Path, imported: &mut Imported) -> rusqlite::Result<()> {
    #[derive(Deserialize)]
    struct Content {
        id: String,
        query: String,
        run: Option<String>,
        result: Option<Value>,
        done: bool,
    }
    let Ok(entries) = fs::read_dir(folder.join(JOBS)) else { return Ok(()) };
    for entry in entries.flatten() {
        let changed = entry.metadata().and_then(|metadata| metadata.modified());
        let changed = changed.map(chrono::DateTime::<chrono::Utc>::from).unwrap_or_default();
        if let Some(Content { id, query, run, result, done }) = imported.read(entry.path()) {
            let job = Job { id, query, run, result, done };
            rows::insert_job(connection, &job, changed.timestamp_micros())?;
        }
    }
    Ok(())
}

/// Takes over the responses of a server that kept them in a database of its own, and removes that. One that cannot be
/// read, such as that of a server that still runs, stays where it is.
pub(super) fn import_responses(connection: &mut Connection, folder: &Path) -> rusqlite::Result<()> {
    let path = folder.join(RESPONSES);
    if !path.exists() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    if copy_responses(&transaction, &path).is_ok() {
        transaction.commit()?;
        for ending in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{ending}", path.display()));
        }
    }
    Ok(())
}

fn copy_responses(transaction: &Connection, path: &Path) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let old = Connection::open_with_flags(path, flags)?;
    old.busy_timeout(Duration::ZERO)?;
    // Nobody else may use it while it is taken over.
    old.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;")?;
    let mut rows = old.prepare("SELECT id, created, document, input, said, thread FROM responses")?;
    let mut rows = rows.query([])?;
    let sql = "INSERT OR IGNORE INTO responses (id, created, document, input, transcript, thread)
        VALUES (?, ?, ?, ?, ?, ?)";
    let mut insert = transaction.prepare(sql)?;
    while let Some(row) = rows.next()? {
        insert.execute(params![
            row.get::<_, String>(0)?,
            row.get::<_, i64>(1)?,
            row.get::<_, String>(2)?,
            row.get::<_, String>(3)?,
            row.get::<_, String>(4)?,
            row.get::<_, Option<String>>(5)?,
        ])?;
    }
    Ok(())
}
