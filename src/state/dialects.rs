//! Which accounts of the official API are refused chat completions: learnt from a refusal, and believed for a week.

use rusqlite::OptionalExtension;

use super::database::Database;
use super::rows::insert_agent_account;
use crate::domain::error::Result;

/// How long a refusal is believed, in milliseconds.
const WEEK: i64 = 7 * 24 * 3600 * 1000;

/// The table of these accounts.
#[derive(Debug, Clone)]
pub struct Dialects {
    database: Database,
}

impl Dialects {
    /// The accounts in this database.
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// Whether `account` was refused chat completions within the week before `now`, in Unix milliseconds.
    pub async fn prefers_agent(&self, account: i64, now: i64) -> Result<bool> {
        let learnt: Option<i64> = self
            .database
            .read(move |connection| {
                let sql = "SELECT learnt FROM agent_accounts WHERE account = ?";
                connection.query_row(sql, [account], |row| row.get(0)).optional()
            })
            .await?;
        Ok(learnt.is_some_and(|learnt| (0..WEEK).contains(&(now - learnt))))
    }

    /// Remembers that `account` was refused them, and forgets what is older than a week.
    pub async fn prefer_agent(&self, account: i64, now: i64) -> Result<()> {
        self.database
            .write(move |connection| {
                let transaction = connection.transaction()?;
                transaction.execute("DELETE FROM agent_accounts WHERE learnt <= ?", [now - WEEK])?;
                insert_agent_account(&transaction, account, now)?;
                transaction.commit()
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::super::database::tests::database;
    use super::*;

    #[tokio::test]
    async fn a_refusal_is_believed_for_a_week() {
        let folder = tempfile::tempdir().unwrap();
        let dialects = Dialects::new(database(folder.path()));
        assert!(!dialects.prefers_agent(-1, 0).await.unwrap());
        dialects.prefer_agent(-1, 100).await.unwrap();
        let mut believed = Vec::new();
        for (account, now) in [(-1, 100), (-1, 99), (2, 100), (-1, 99 + WEEK), (-1, 100 + WEEK)] {
            believed.push(dialects.prefers_agent(account, now).await.unwrap());
        }
        assert_eq!(believed, [true, false, false, true, false]);
    }
}
