//! The last list of models that the service gave.

use rusqlite::OptionalExtension;

use super::database::Database;
use super::rows::{ListedModels, replace_models};
use crate::domain::error::Result;
use crate::domain::models::Models;

/// Where the list is kept.
#[derive(Debug, Clone)]
pub struct ModelList {
    database: Database,
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
                replace_models(&transaction, &list)?;
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
}
