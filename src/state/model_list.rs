//! The last list of models that the service gave.

use rusqlite::OptionalExtension;

use super::Database;
use crate::domain::error::Result;
use crate::domain::models::Models;

/// How long a list is good, in milliseconds: models come and go within weeks.
const FRESH: i64 = 24 * 3600 * 1000;

/// Where the list is kept.
#[derive(Debug, Clone)]
pub struct ModelList {
    database: Database,
}

/// A list, and when it was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModels {
    /// In Unix milliseconds.
    pub fetched: i64,
    /// The models.
    pub models: Models,
}

impl ListedModels {
    /// Whether the list is less than a day old.
    pub fn is_fresh(&self, now: i64) -> bool {
        (0..FRESH).contains(&(now - self.fetched))
    }
}

impl ModelList {
    /// The list in this database.
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// The list, however old.
    pub async fn read(&self) -> Result<Option<ListedModels>> {
        let stored: Option<(String, i64)> = self
            .database
            .read(|connection| {
                let sql = "SELECT models, fetched FROM model_list";
                connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).optional()
            })
            .await?;
        // A list that cannot be understood is as good as none.
        Ok(stored.and_then(|(models, fetched)| {
            serde_json::from_str(&models).ok().map(|models| ListedModels { fetched, models })
        }))
    }

    /// The models of the list, however old; else the built-in ones.
    pub async fn known(&self) -> Models {
        let listed = self.read().await.ok().flatten();
        listed.map_or_else(Models::built_in, |listed| listed.models)
    }

    /// Keeps a list in place of the one before.
    pub async fn write(&self, list: ListedModels) -> Result<()> {
        self.database
            .write(move |connection| {
                let transaction = connection.transaction()?;
                replace(&transaction, &list)?;
                transaction.commit()
            })
            .await
    }
}

/// Within a transaction.
pub(super) fn replace(connection: &rusqlite::Connection, list: &ListedModels) -> rusqlite::Result<()> {
    let models = serde_json::to_string(&list.models).unwrap_or_default();
    connection.execute("DELETE FROM model_list", [])?;
    connection
        .execute("INSERT INTO model_list (models, fetched) VALUES (?, ?)", (models, list.fetched))
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::super::database::tests::database;
    use super::*;

    #[tokio::test]
    async fn the_last_list_stays() {
        let folder = tempfile::tempdir().unwrap();
        let list = ModelList::new(database(folder.path()));
        assert_eq!(list.read().await.unwrap(), None);
        for fetched in [1, 2] {
            list.write(ListedModels { fetched, models: Models::built_in() }).await.unwrap();
        }
        let kept = ListedModels { fetched: 2, models: Models::built_in() };
        assert_eq!(list.read().await.unwrap(), Some(kept));
    }

    #[test]
    fn a_list_is_fresh_for_a_day() {
        let list = ListedModels { fetched: 1_000, models: Models::default() };
        assert_eq!(
            [1_000, FRESH, FRESH + 1_000, 0].map(|now| list.is_fresh(now)),
            [true, true, false, false]
        );
    }
}
