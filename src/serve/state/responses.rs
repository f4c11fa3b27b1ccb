//! The responses that can be got again. An answer is stored before the client sees its end, so a server that is killed
//! loses nothing.

use std::fs::File;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::domain::answer::Thread;
use crate::serve::api_error::ApiError;
use crate::serve::conversation::turns::{FileReference, Turn};
use crate::state::env::Environment;
use crate::state::private;
use crate::state::{self, Database, ResponseRow};

/// A response, and what it takes to go on from it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredResponse {
    pub(crate) id: String,
    /// Unix seconds.
    pub(crate) created: i64,
    /// As clients see it.
    pub(crate) document: Value,
    /// The items of its input.
    pub(crate) input: Vec<Value>,
    pub(crate) transcript: Transcript,
    pub(crate) thread: Option<Thread>,
}

impl StoredResponse {
    /// A field of the document that is text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.document.get(name).and_then(Value::as_str)
    }
}

/// The conversation of a response. Instructions are not inherited by the next.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Transcript {
    /// Those of the last request: its thread can go on only with the same.
    #[serde(default)]
    pub(crate) instructions: Option<String>,
    pub(crate) system: Vec<String>,
    pub(crate) turns: Vec<Turn>,
    /// The files that can be got again.
    #[serde(default)]
    pub(crate) files: Vec<FileReference>,
}

/// The responses of this folder.
#[derive(Debug)]
pub(crate) struct Responses {
    /// Held by the first server of this folder, whose responses a second one leaves alone.
    lock: Option<File>,
    /// `None` where there is no folder for it: then no response is stored.
    store: Option<state::Responses>,
}

impl Responses {
    pub(crate) fn new(env: &Environment, database: Option<Database>) -> Self {
        Self { lock: lock_folder(env), store: database.map(state::Responses::new) }
    }

    /// Marks what an earlier server left unanswered as failed: what was created before this time, in Unix seconds.
    pub(crate) async fn fail_interrupted(&self, before: i64) -> crate::Result<()> {
        let error = json!({ "code": "interrupted", "message": "The server ended before the answer did." });
        match &self.store {
            Some(store) => store.begin(self.lock.is_some().then_some(before), error.to_string()).await,
            None => Ok(()),
        }
    }

    /// Stores a response; one of the same id is replaced.
    pub(crate) async fn put(&self, response: StoredResponse) -> Result<(), ApiError> {
        match &self.store {
            Some(store) => Ok(store.put(row(response)).await?),
            None => Ok(()),
        }
    }

    /// Stores the end of a response, once. One that was deleted in the meantime stays deleted.
    pub(crate) async fn end(
        &self,
        id: &str,
        document: Value,
        end: Option<(Transcript, Option<Thread>)>,
    ) -> Result<(), ApiError> {
        let Some(store) = &self.store else { return Ok(()) };
        let end =
            end.map(|(transcript, thread)| (json!(transcript).to_string(), thread.as_ref().map(thread_text)));
        Ok(store.finish(id, document.to_string(), end).await?)
    }

    pub(crate) async fn get(&self, id: &str) -> Result<Option<StoredResponse>, ApiError> {
        match &self.store {
            Some(store) => Ok(store.get(id).await?.map(response)),
            None => Ok(None),
        }
    }

    /// The thread of a response, once: another question after it is sent with the whole conversation.
    pub(crate) async fn take_thread(&self, id: &str) -> Result<Option<Thread>, ApiError> {
        match &self.store {
            Some(store) => Ok(store.take_thread(id).await?.as_deref().and_then(thread_from_text)),
            None => Ok(None),
        }
    }

    /// False where there was none.
    pub(crate) async fn delete(&self, id: &str) -> Result<bool, ApiError> {
        match &self.store {
            Some(store) => Ok(store.delete(id).await?),
            None => Ok(false),
        }
    }
}

/// The lock of the first server of a folder; `None` where another one has it, or there can be none.
fn lock_folder(env: &Environment) -> Option<File> {
    let folder = env.state_dir().ok()?;
    private::create_private_dir(&folder).ok()?;
    let file = private::open_private(&folder.join("serve.lock")).ok()?;
    file.try_lock().is_ok().then_some(file)
}

fn row(response: StoredResponse) -> ResponseRow {
    ResponseRow {
        id: response.id,
        created: response.created,
        document: response.document.to_string(),
        input: Value::from(response.input).to_string(),
        transcript: json!(response.transcript).to_string(),
        thread: response.thread.as_ref().map(thread_text),
    }
}

fn response(row: ResponseRow) -> StoredResponse {
    StoredResponse {
        document: parsed(&row.document),
        input: parsed(&row.input),
        transcript: parsed(&row.transcript),
        thread: row.thread.as_deref().and_then(thread_from_text),
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

fn thread_from_text(text: &str) -> Option<Thread> {
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
        let response = StoredResponse {
            id: "resp_1".to_owned(),
            created: chrono::Utc::now().timestamp(),
            document: json!({ "id": "resp_1", "status": "completed" }),
            input: vec![json!({ "type": "message" })],
            transcript: Transcript { system: vec!["s".to_owned()], ..Transcript::default() },
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
        responses.fail_interrupted(0).await.unwrap();
        responses.end("resp_1", json!({}), None).await.unwrap();
        assert_eq!(responses.get("resp_1").await.unwrap(), None);
        assert!(!responses.delete("resp_1").await.unwrap());
    }

    #[test]
    fn one_server_is_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let env = Environment::from_variables(&[("XDG_STATE_HOME", folder.path().to_str().unwrap())]);
        let lock = Responses::new(&env, None);
        assert!(lock.lock.is_some() && Responses::new(&env, None).lock.is_none());
        drop(lock);
        assert!(Responses::new(&env, None).lock.is_some());
    }
}
