//! The state database, `state.db`: opened when it is first used, by one connection that works off the async thread.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use tokio::time::timeout;

use super::env::Environment;
use super::migration;
use super::off_thread::{LIMIT, off_thread};
use super::private;
use super::schema;
use crate::domain::error::{Error, Result};

/// How long a database that another process uses is waited for, less than the [`LIMIT`] of the whole work.
const BUSY_LIMIT: Duration = Duration::from_millis(1500);
/// How often opening is tried again: SQLite does not wait by itself while the journal's mode is changed.
const OPEN_INTERVAL: Duration = Duration::from_millis(5);
/// After how many pages the log is written back, by the run whose change fills it. Each time costs a wait for the disk.
const CHECKPOINT_PAGES: i64 = 200;

/// The state of one user. Its clones share the connection.
#[derive(Debug, Clone)]
pub struct Database {
    path: PathBuf,
    connection: Arc<tokio::sync::Mutex<Option<Connection>>>,
    warnings: Arc<Mutex<Vec<String>>>,
}

impl Database {
    /// The database in the user's state folder; nothing is opened yet.
    pub fn for_user(env: &Environment) -> Result<Self> {
        let path = env.state_dir()?.join("state.db");
        Ok(Self { path, connection: Arc::default(), warnings: Arc::default() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the user should know of how it was opened: a damaged database that was set aside, a file of an earlier
    /// version that could not be read. Each is returned once.
    pub fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the database, which is created if need be. [`Error::Busy`] where that takes longer than two seconds.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run(move |connection, opening| {
            opening.connection(connection).and_then(|connection| opening.finish(work(connection)))
        })
        .await
    }

    /// Reads the database. Nothing is created: where there is none, there is nothing in it.
    pub(super) async fn read<T: Default + Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run(move |connection, opening| {
            if connection.is_none() && !opening.has_content() {
                return Ok(T::default());
            }
            match opening.connection(connection) {
                Ok(connection) => opening.finish(work(connection)),
                Err(error) => match opening.unchanging() {
                    Some(connection) => opening.finish(work(&connection)),
                    None => Err(error),
                },
            }
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Option<Connection>, &Opening) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let opening = Opening { path: self.path.clone(), warnings: Arc::clone(&self.warnings) };
        let connection = Arc::clone(&self.connection);
        let working = async {
            let mut connection = connection.lock_owned().await;
            off_thread(&self.path, move || {
                let result = work(&mut connection, &opening);
                if matches!(result, Err(Error::DamagedState { .. })) {
                    *connection = None;
                }
                result
            })
            .await
        };
        let busy = Err(Error::Busy { path: self.path.clone() });
        timeout(LIMIT, working).await.unwrap_or(busy)
    }
}

/// How the database is opened.
#[derive(Debug)]
struct Opening {
    path: PathBuf,
    warnings: Arc<Mutex<Vec<String>>>,
}

impl Opening {
    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// Whether there is a database, or something of an earlier version to take over.
    fn has_content(&self) -> bool {
        self.path.exists() || migration::has_files(self.folder())
    }

    /// The connection; it is opened if it is not yet. A damaged database is set aside, and a new one takes its place.
    fn connection<'a>(&self, open: &'a mut Option<Connection>) -> Result<&'a mut Connection> {
        let opened = match open.take() {
            Some(connection) => connection,
            None => match self.open() {
                Err(Error::DamagedState { .. }) => {
                    self.set_aside()?;
                    self.open()?
                }
                opened => opened?,
            },
        };
        Ok(open.insert(opened))
    }

    fn open(&self) -> Result<Connection> {
        private::create_private_dir(self.folder()).map_err(|source| self.file_error("create", source))?;
        // The files beside it take its rights over.
        private::open_private(&self.path).map_err(|source| self.file_error("open", source))?;
        private::tighten(&self.path, private::OTHERS_ANY)
            .map_err(|source| self.file_error("protect", source))?;
        self.refuse_newer(version_in_header(&self.path))?;
        let end = Instant::now() + BUSY_LIMIT;
        loop {
            match self.try_open() {
                Err(error) if is_busy(&error) && Instant::now() < end => std::thread::sleep(OPEN_INTERVAL),
                Err(error) => return Err(self.error(error)),
                Ok(connection) => {
                    self.refuse_newer(schema::version(&connection).map_err(|error| self.error(error))?)?;
                    return Ok(connection);
                }
            }
        }
    }

    fn try_open(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(BUSY_LIMIT)?;
        // The end of a run does not wait for the disk.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        if schema::version(&connection)? > schema::VERSION {
            return Ok(connection);
        }
        connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")?;
        connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
        if schema::version(&connection)? == 0 {
            self.create(&mut connection)?;
        }
        Ok(connection)
    }

    /// Makes the tables, unless another process just has, and fills them from the files of earlier versions.
    fn create(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        if schema::version(&transaction)? > 0 {
            return Ok(());
        }
        schema::create(&transaction)?;
        let imported = migration::import(&transaction, self.folder())?;
        transaction.commit()?;
        imported.remove_files();
        imported.warnings.into_iter().for_each(|warning| self.warn(warning));
        Ok(())
    }

    /// A connection to a database that cannot be changed, such as one in a folder that can only be read.
    fn unchanging(&self) -> Option<Connection> {
        let path = url::Url::from_file_path(&self.path).ok()?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(format!("{path}?immutable=1"), flags).ok()?;
        (schema::version(&connection).ok()? == schema::VERSION).then_some(connection)
    }

    /// Renames a damaged database, unless another process has put a good one in its place meanwhile.
    fn set_aside(&self) -> Result<()> {
        let _lock = private::lock(self.folder()).map_err(|source| self.file_error("lock", source))?;
        if !self.is_damaged() {
            return Ok(());
        }
        let path = self.path.to_string_lossy().into_owned();
        let aside = format!("{path}.damaged-{}", chrono::Utc::now().format("%Y%m%dT%H%M%S%.6f"));
        fs::rename(&self.path, &aside).map_err(|source| self.file_error("set aside", source))?;
        for beside in ["-wal", "-shm"] {
            // Without the database they mean nothing, and there need not be any.
            let _ = fs::rename(format!("{path}{beside}"), format!("{aside}{beside}"));
        }
        self.warn(format!(
            "{path} is damaged and was set aside as {aside}; what it held is not used any more"
        ));
        Ok(())
    }

    fn is_damaged(&self) -> bool {
        let checked = self.open().and_then(|connection| {
            let check = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
            check.map_err(|error| self.error(error))
        });
        match checked {
            Ok(found) => found != "ok",
            Err(error) => matches!(error, Error::DamagedState { .. }),
        }
    }

    fn refuse_newer(&self, found: i64) -> Result<()> {
        if found > schema::VERSION {
            return Err(Error::NewerState { path: self.path.clone(), found, known: schema::VERSION });
        }
        Ok(())
    }

    /// The result of work that was done. Damage that shows only then is set aside as well, for the next work.
    fn finish<T>(&self, result: rusqlite::Result<T>) -> Result<T> {
        result.map_err(|error| {
            let error = self.error(error);
            if matches!(error, Error::DamagedState { .. }) {
                // The error that is returned says that it is damaged.
                let _ = self.set_aside();
            }
            error
        })
    }

    fn warn(&self, warning: String) {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(warning);
    }

    fn file_error(&self, action: &'static str, source: io::Error) -> Error {
        Error::file(action, &self.path, source)
    }

    fn error(&self, error: rusqlite::Error) -> Error {
        let path = self.path.clone();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy { path },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::DamagedState { path },
            _ => self.file_error("use", io::Error::other(error)),
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// The version that the file's header names, read without SQLite, which would write beside the file; 0 where there is
/// no header. <https://www.sqlite.org/fileformat.html#user_version_number>
fn version_in_header(path: &Path) -> i64 {
    use std::io::Read;
    let mut header = [0; 64];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut header));
    match (read, header) {
        (Ok(()), [b'S', b'Q', b'L', b'i', b't', b'e', b' ', .., a, b, c, d]) => {
            i64::from(u32::from_be_bytes([a, b, c, d]))
        }
        _ => 0,
    }
}

#[cfg(test)]
pub(super) mod tests;
