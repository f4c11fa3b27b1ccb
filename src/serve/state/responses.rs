//! The responses that can be got again. What was answered is kept before the client hears of its end, so a server that is
//! killed loses nothing.

use std::fs::File;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::domain::answer::Thread;
use crate::serve::api_error::Refusal;
use crate::serve::conversation::turns::{Attached, Turn};
use crate::state::env::Environment;
use crate::state::private;
use crate::state::{self, Database, ResponseRow};

/// A response, and what it takes to go on from it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stored {
    pub(crate) id: String,
    /// Unix seconds.
    pub(crate) created: i64,
    /// As clients see it.
    pub(crate) document: Value,
    /// The items that it was asked with.
    pub(crate) input: Vec<Value>,
    pub(crate) said: Said,
    pub(crate) thread: Option<Thread>,
}

impl Stored {
    /// A field of the document that is text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.document.get(name).and_then(Value::as_str)
    }
}

/// What was said up to the answer. Instructions are not inherited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Said {
    /// Those of the last request, to tell whether the next has the same.
    #[serde(default)]
    pub(crate) instructions: Option<String>,
    pub(crate) system: Vec<String>,
    pub(crate) turns: Vec<Turn>,
    /// The files that can be got again.
    #[serde(default)]
    pub(crate) files: Vec<Attached>,
}

/// All of them.
#[derive(Debug)]
pub(crate) struct Responses {
    /// Held by the first server of this folder, whose responses a second one leaves alone.
    first: Option<File>,
    /// `None` where there is no folder for them: then none is kept.
    kept: Option<state::Responses>,
}

impl Responses {
    pub(crate) fn new(env: &Environment, database: Option<Database>) -> Self {
        Self { first: lock(env), kept: database.map(state::Responses::new) }
    }

    /// Marks what an earlier server left unanswered, before `started` in Unix seconds, as failed.
    pub(crate) async fn begin(&self, started: i64) -> crate::Result<()> {
        let error = json!({ "code": "interrupted", "message": "The server ended before the answer did." });
        match &self.kept {
            Some(kept) => kept.begin(self.first.is_some().then_some(started), error.to_string()).await,
            None => Ok(()),
        }
    }

    /// Keeps a response; one of the same id is replaced.
    pub(crate) async fn put(&self, stored: Stored) -> Result<(), Refusal> {
        match &self.kept {
            Some(kept) => Ok(kept.put(row(stored)).await?),
            None => Ok(()),
        }
    }

    /// Keeps how a response ended, once. One that was deleted meanwhile stays deleted.
    pub(crate) async fn end(
        &self,
        id: &str,
        document: Value,
        end: Option<(Said, Option<Thread>)>,
    ) -> Result<(), Refusal> {
        let Some(kept) = &self.kept else { return Ok(()) };
        let end = end.map(|(said, thread)| (json!(said).to_string(), thread.as_ref().map(thread_text)));
        Ok(kept.finish(id, document.to_string(), end).await?)
    }

    pub(crate) async fn get(&self, id: &str) -> Result<Option<Stored>, Refusal> {
        match &self.kept {
            Some(kept) => Ok(kept.get(id).await?.map(stored)),
            None => Ok(None),
        }
    }

    /// The thread of a response, once: what follows on it again is told anew.
    pub(crate) async fn take_thread(&self, id: &str) -> Result<Option<Thread>, Refusal> {
        match &self.kept {
            Some(kept) => Ok(kept.take_thread(id).await?.as_deref().and_then(thread_of)),
            None => Ok(None),
        }
    }

    /// False where there was none.
    pub(crate) async fn delete(&self, id: &str) -> Result<bool, Refusal> {
        match &self.kept {
            Some(kept) => Ok(kept.delete(id).await?),
            None => Ok(false),
        }
    }
}

/// The lock of the first server of a folder; `None` where another one has it, or there can be none.
fn lock(env: &Environment) -> Option<File> {
    let folder = env.state_dir().ok()?;
    private::create_private_dir(&folder).ok()?;
    let file = private::open_private(&folder.join("serve.lock")).ok()?;
    file.try_lock().is_ok().then_some(file)
}

fn row(stored: Stored) -> ResponseRow {
    ResponseRow {
        id: stored.id,
        created: stored.created,
        document: stored.document.to_string(),
        input: Value::from(stored.input).to_string(),
        transcript: json!(stored.said).to_string(),
        thread: stored.thread.as_ref().map(thread_text),
    }
}

fn stored(row: ResponseRow) -> Stored {
    Stored {
        document: parsed(&row.document),
        input: parsed(&row.input),
        said: parsed(&row.transcript),
        thread: row.thread.as_deref().and_then(thread_of),
        id: row.id,
        created: row.created,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_response_comes_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let env = Environment::from_variables(&[("XDG_STATE_HOME", folder.path().to_str().unwrap())]);
        let responses = Responses::new(&env, Database::for_user(&env).ok());
        let response = Stored {
            id: "resp_1".to_owned(),
            created: chrono::Utc::now().timestamp(),
            document: json!({ "id": "resp_1", "status": "completed" }),
            input: vec![json!({ "type": "message" })],
            said: Said { system: vec!["s".to_owned()], ..Said::default() },
            thread: Some(Thread { id: "t".to_owned(), context: None, token: Some("secret".to_owned()) }),
        };
        responses.put(response.clone()).await.unwrap();
        assert_eq!(responses.get("resp_1").await.unwrap().unwrap(), response);
        assert_eq!(responses.take_thread("resp_1").await.unwrap(), response.thread);
    }

    #[tokio::test]
    async fn without_a_folder_nothing_is_kept_and_nothing_fails() {
        let env = Environment::from_variables(&[]);
        let responses = Responses::new(&env, Database::for_user(&env).ok());
        responses.begin(0).await.unwrap();
        responses.end("resp_1", json!({}), None).await.unwrap();
        assert_eq!(responses.get("resp_1").await.unwrap(), None);
        assert!(!responses.delete("resp_1").await.unwrap());
    }

    #[test]
    fn one_server_is_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let env = Environment::from_variables(&[("XDG_STATE_HOME", folder.path().to_str().unwrap())]);
        let first = Responses::new(&env, None);
        assert!(first.first.is_some() && Responses::new(&env, None).first.is_none());
        drop(first);
        assert!(Responses::new(&env, None).first.is_some());
    }
}
