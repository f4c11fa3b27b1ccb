//! The answers that can be followed up.

use rusqlite::{OptionalExtension, Row};

use super::database::Database;
use super::rows::{Answered, insert_answer};
use crate::domain::answer::Thread;
use crate::domain::error::Result;

/// The table of the answers. It holds the tokens of threads, so it is as private as the session.
#[derive(Debug)]
pub struct Answers {
    database: Database,
}

impl Answers {
    /// The answers in this database.
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// Remembers an answer, and forgets the oldest ones.
    pub async fn remember(&self, answered: Answered) -> Result<()> {
        self.database
            .write(move |connection| {
                let transaction =
                    connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
                insert_answer(&transaction, &answered)?;
                transaction.commit()
            })
            .await
    }

    /// The last answer.
    pub async fn last(&self) -> Result<Option<Thread>> {
        let sql = "SELECT entry, context, token FROM answers ORDER BY number DESC LIMIT 1";
        self.database.read(move |connection| connection.query_row(sql, [], thread).optional()).await
    }

    /// The newest answer of this entry or thread.
    pub async fn find(&self, id: &str) -> Result<Option<Thread>> {
        let id = id.to_owned();
        let sql = "SELECT entry, context, token FROM answers WHERE entry = ?1 OR context = ?1
            ORDER BY number DESC LIMIT 1";
        self.database.read(move |connection| connection.query_row(sql, [id], thread).optional()).await
    }

    /// The ids of all answers, the newest first.
    pub async fn ids(&self) -> Result<Vec<String>> {
        self.database
            .read(|connection| {
                let mut ids = connection.prepare("SELECT entry FROM answers ORDER BY number DESC")?;
                ids.query_map([], |row| row.get(0))?.collect()
            })
            .await
    }
}

fn thread(row: &Row<'_>) -> rusqlite::Result<Thread> {
    Ok(Thread { id: row.get(0)?, context: row.get(1)?, token: row.get(2)? })
}

#[cfg(test)]
mod tests {
    use super::super::database::tests::database;
    use super::super::rows::ANSWERS_LIMIT;
    use super::*;

    fn answered(id: &str, context: &str) -> Answered {
        let thread = Thread { id: id.to_owned(), context: Some(context.to_owned()), token: None };
        Answered::new(thread, "why?", 1)
    }

    #[tokio::test]
    async fn the_newest_is_found_and_the_oldest_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let answers = Answers::new(database(folder.path()));
        assert_eq!((answers.last().await.unwrap(), answers.ids().await.unwrap()), (None, Vec::new()));
        for number in 0..=ANSWERS_LIMIT {
            answers.remember(answered(&format!("e{number}"), "c")).await.unwrap();
        }
        answers.remember(answered("e7", "other")).await.unwrap();
        assert_eq!(answers.last().await.unwrap().unwrap().id, "e7");
        assert_eq!(answers.find("c").await.unwrap().unwrap().id, format!("e{ANSWERS_LIMIT}"));
        assert_eq!(answers.find("e0").await.unwrap(), None);
        let ids = answers.ids().await.unwrap();
        assert_eq!((ids.len(), ids[0].as_str(), ids[1].as_str()), (200, "e7", "e200"));
    }
}
