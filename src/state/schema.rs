//! The tables, and their version. A version is never changed: the next one gets the steps that lead to it.

use rusqlite::Connection;

/// The version that this program reads and writes.
pub(super) const VERSION: i64 = 1;

const TABLES: &str = "
CREATE TABLE answers (
    number INTEGER PRIMARY KEY, entry TEXT NOT NULL UNIQUE, context TEXT, token TEXT, query TEXT NOT NULL,
    answered INTEGER NOT NULL
) STRICT;
CREATE INDEX answers_context ON answers (context);
CREATE TABLE jobs (
    id TEXT PRIMARY KEY, query TEXT NOT NULL, run TEXT, result TEXT, done INTEGER NOT NULL, changed INTEGER NOT NULL
) STRICT;
CREATE TABLE model_list (models TEXT NOT NULL, fetched INTEGER NOT NULL) STRICT;
CREATE TABLE agent_accounts (account INTEGER PRIMARY KEY, learnt INTEGER NOT NULL) STRICT;
CREATE TABLE responses (
    id TEXT PRIMARY KEY, created INTEGER NOT NULL, document TEXT NOT NULL, input TEXT NOT NULL, transcript TEXT NOT NULL,
    thread TEXT
) STRICT;
CREATE INDEX responses_created ON responses (created);";

/// The version of a database; 0 for one that was just created.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Makes the tables of a new database.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    connection.pragma_update(None, "user_version", VERSION)
}
