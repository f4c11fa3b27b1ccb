//! The responses of `pplx serve`. What they mean is for the server to say: here they are texts.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use super::database::Database;
use crate::domain::error::Result;

/// How long a response is kept, in seconds.
const KEPT: i64 = 7 * 24 * 3600;
/// How many are kept.
const LIMIT: i64 = 2000;

/// The table of the responses.
#[derive(Debug, Clone)]
pub struct Responses {
    database: Database,
}

/// A response, and what it takes to go on from it.
#[derive(Clone, PartialEq, Eq)]
pub struct ResponseRow {
    /// Its id.
    pub id: String,
    /// When it was asked, in Unix seconds.
    pub created: i64,
    /// The document that clients see: a JSON object with a `status`.
    pub document: String,
    /// The items that it was asked with, as JSON.
    pub input: String,
    /// The conversation up to its answer, as JSON.
    pub transcript: String,
    /// The thread at the service, as JSON.
    pub thread: Option<String>,
}

impl std::fmt::Debug for ResponseRow {
    /// A thread holds a token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResponseRow").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Responses {
    /// The responses in this database.
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// Takes over what an earlier version kept in a file of its own. Answers that were on their way
    /// when an earlier server ended, before `started` in Unix seconds, are marked as failed with the JSON object `error`.
    pub async fn begin(&self, started: Option<i64>, error: String) -> Result<()> {
        let folder = self.database.path().parent().unwrap_or(Path::new(".")).to_owned();
        self.database
            .write(move |connection| {
                super::migration::import_responses(connection, &folder)?;
                if let Some(started) = started {
                    fail_interrupted(connection, started, &error)?;
                }
                prune(connection, now())
            })
            .await
    }

    /// Keeps a response; one of the same id is replaced.
    pub async fn put(&self, row: ResponseRow) -> Result<()> {
        self.database
            .write(move |connection| {
                let transaction =
                    connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
                let sql =
                    "INSERT OR REPLACE INTO responses (id, created, document, input, transcript, thread)
                    VALUES (?, ?, ?, ?, ?, ?)";
                transaction.prepare_cached(sql)?.execute(params![
                    row.id,
                    row.created,
                    row.document,
                    row.input,
                    row.transcript,
                    row.thread
                ])?;
                prune(&transaction, row.created)?;
                transaction.commit()
            })
            .await
    }

    /// Keeps how a response ended, once: with its document, and with transcript and thread where it was answered. One
    /// that was deleted meanwhile stays deleted.
    pub async fn finish(
        &self,
        id: &str,
        document: String,
        answered: Option<(String, Option<String>)>,
    ) -> Result<()> {
        let id = id.to_owned();
        self.database
            .write(move |connection| {
                let (transcript, thread) = answered.unzip();
                let sql =
                    "UPDATE responses SET document = ?, transcript = coalesce(?, transcript), thread = ?
                    WHERE id = ? AND json_extract(document, '$.status') = 'in_progress'";
                let changed = params![document, transcript, thread.flatten(), id];
                connection.prepare_cached(sql)?.execute(changed).map(drop)
            })
            .await
    }

    /// The response of this id.
    pub async fn get(&self, id: &str) -> Result<Option<ResponseRow>> {
        let id = id.to_owned();
        self.database
            .read(move |connection| {
                let sql = "SELECT id, created, document, input, transcript, thread FROM responses
                    WHERE id = ? AND created > ?";
                connection.prepare_cached(sql)?.query_row(params![id, now() - KEPT], row).optional()
            })
            .await
    }

    /// The thread of a response, once: what follows on it again gets none.
    pub async fn take_thread(&self, id: &str) -> Result<Option<String>> {
        let id = id.to_owned();
        self.database
            .write(move |connection| {
                let transaction =
                    connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
                let thread: Option<Option<String>> = transaction
                    .prepare_cached("SELECT thread FROM responses WHERE id = ?")?
                    .query_row([&id], |row| row.get(0))
                    .optional()?;
                transaction
                    .prepare_cached("UPDATE responses SET thread = NULL WHERE id = ?")?
                    .execute([&id])?;
                transaction.commit()?;
                Ok(thread.flatten())
            })
            .await
    }

    /// Deletes a response. False where there was none.
    pub async fn delete(&self, id: &str) -> Result<bool> {
        let id = id.to_owned();
        self.database
            .write(move |connection| {
                connection.execute("DELETE FROM responses WHERE id = ?", [id]).map(|rows| rows > 0)
            })
            .await
    }
}

fn now() -> i64 {
    chrono::Utc::now().timestamp()
}

fn row(row: &rusqlite::Row<'_>) -> rusqlite::Result<ResponseRow> {
    Ok(ResponseRow {
        id: row.get(0)?,
        created: row.get(1)?,
        document: row.get(2)?,
        input: row.get(3)?,
        transcript: row.get(4)?,
        thread: row.get(5)?,
    })
}

fn prune(connection: &Connection, now: i64) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM responses WHERE created <= ?")?.execute([now - KEPT])?;
    let sql = "DELETE FROM responses WHERE id IN (SELECT id FROM responses ORDER BY created DESC LIMIT -1 OFFSET ?)";
    connection.prepare_cached(sql)?.execute([LIMIT]).map(drop)
}

fn fail_interrupted(connection: &Connection, started: i64, error: &str) -> rusqlite::Result<()> {
    let sql = "UPDATE responses SET document = json_set(document, '$.status', 'failed', '$.error', json(?))
        WHERE created < ? AND json_extract(document, '$.status') IN ('in_progress', 'queued')";
    connection.execute(sql, params![error, started]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::super::database::tests::database;
    use super::*;

    fn response(id: &str, created: i64, status: &str) -> ResponseRow {
        ResponseRow {
            id: id.to_owned(),
            created,
            document: format!("{{\"id\":\"{id}\",\"status\":\"{status}\"}}"),
            input: "[]".to_owned(),
            transcript: "{}".to_owned(),
            thread: Some("[\"t\",null,\"secret\"]".to_owned()),
        }
    }

    #[tokio::test]
    async fn what_is_kept_outlives_the_server() {
        let folder = tempfile::tempdir().unwrap();
        let (complete, open) =
            (response("resp_1", now(), "completed"), response("resp_2", now(), "in_progress"));
        let first = Responses::new(database(folder.path()));
        first.put(complete.clone()).await.unwrap();
        first.put(open).await.unwrap();
        drop(first);
        let second = Responses::new(database(folder.path()));
        second.begin(Some(now() + 1), "{\"code\":\"interrupted\"}".to_owned()).await.unwrap();
        assert_eq!(second.get("resp_1").await.unwrap().unwrap(), complete);
        let document = second.get("resp_2").await.unwrap().unwrap().document;
        assert!(document.contains("\"failed\"") && document.contains("\"interrupted\""), "{document}");
        assert!(second.delete("resp_1").await.unwrap() && !second.delete("resp_1").await.unwrap());
        second.finish("resp_1", "{}".to_owned(), None).await.unwrap();
        assert_eq!(second.get("resp_1").await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_response_ends_once_and_its_thread_goes_on_once() {
        let folder = tempfile::tempdir().unwrap();
        let responses = Responses::new(database(folder.path()));
        responses.put(response("resp_1", now(), "in_progress")).await.unwrap();
        let answered = Some(("{\"turns\":[]}".to_owned(), Some("[\"u\"]".to_owned())));
        responses.finish("resp_1", "{\"status\":\"completed\"}".to_owned(), answered).await.unwrap();
        responses.finish("resp_1", "{\"status\":\"failed\"}".to_owned(), None).await.unwrap();
        let kept = responses.get("resp_1").await.unwrap().unwrap();
        assert_eq!(
            (kept.document.as_str(), kept.transcript.as_str()),
            ("{\"status\":\"completed\"}", "{\"turns\":[]}")
        );
        assert_eq!(responses.take_thread("resp_1").await.unwrap().as_deref(), Some("[\"u\"]"));
        assert_eq!(responses.take_thread("resp_1").await.unwrap(), None);
    }

    #[tokio::test]
    async fn old_ones_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let responses = Responses::new(database(folder.path()));
        responses.put(response("resp_old", now() - KEPT - 1, "completed")).await.unwrap();
        assert_eq!(responses.get("resp_old").await.unwrap(), None);
        responses.put(response("resp_new", now(), "completed")).await.unwrap();
        assert!(responses.get("resp_new").await.unwrap().is_some());
    }
}
