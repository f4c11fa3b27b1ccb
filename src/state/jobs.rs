//! Questions of agents whose answers are fetched later, so that a program that ends loses none.

use rusqlite::OptionalExtension;

use super::database::Database;
use super::rows::{Job, insert_job};
use crate::domain::error::Result;

/// The table of the jobs.
#[derive(Debug, Clone)]
pub struct Jobs {
    database: Database,
}

impl Jobs {
    /// The jobs in this database.
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// Whether a job can have this name.
    pub fn is_name(id: &str) -> bool {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        !id.is_empty() && id.len() <= 100 && id.bytes().all(fits)
    }

    /// Keeps a job, and forgets the oldest ones.
    pub async fn write(&self, job: Job) -> Result<()> {
        self.database
            .write(move |connection| {
                let transaction =
                    connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
                insert_job(&transaction, &job, chrono::Utc::now().timestamp_micros())?;
                transaction.commit()
            })
            .await
    }

    /// The job of this name.
    pub async fn read(&self, id: &str) -> Result<Option<Job>> {
        let id = id.to_owned();
        self.database
            .read(move |connection| {
                let sql = "SELECT id, query, run, result, done FROM jobs WHERE id = ?";
                connection.query_row(sql, [id], job).optional()
            })
            .await
    }
}

fn job(row: &rusqlite::Row<'_>) -> rusqlite::Result<Job> {
    let result: Option<String> = row.get(3)?;
    Ok(Job {
        id: row.get(0)?,
        query: row.get(1)?,
        run: row.get(2)?,
        result: result.and_then(|text| serde_json::from_str(&text).ok()),
        done: row.get(4)?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::database::tests::database;
    use super::super::rows::JOBS_LIMIT;
    use super::*;

    fn job(id: &str) -> Job {
        let result = Some(serde_json::json!({ "answer": "a" }));
        Job { id: id.to_owned(), query: "q".to_owned(), run: None, result, done: false }
    }

    #[tokio::test]
    async fn jobs_are_kept_by_name_and_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let jobs = Jobs::new(database(folder.path()));
        assert_eq!(jobs.read("j-0").await.unwrap(), None);
        for number in 0..=JOBS_LIMIT {
            jobs.write(job(&format!("j-{number}"))).await.unwrap();
        }
        assert_eq!(jobs.read("j-100").await.unwrap(), Some(job("j-100")));
        assert_eq!(jobs.read("j-0").await.unwrap(), None);
        let done = Job { done: true, run: Some("r".to_owned()), ..job("j-5") };
        jobs.write(done.clone()).await.unwrap();
        assert_eq!(jobs.read("j-5").await.unwrap(), Some(done));
    }

    #[test]
    fn names_are_plain() {
        assert!(Jobs::is_name("0b7c-x_1"));
        for name in ["", "../auth", "a/b", "a.b", &"a".repeat(101)] {
            assert!(!Jobs::is_name(name), "{name}");
        }
    }
}
