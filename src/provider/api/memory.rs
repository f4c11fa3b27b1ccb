//! Which interface the API has for the account: learnt from a refusal, and believed for a week.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::auth::{self, ApiKey};
use crate::env::Environment;
use crate::private::{self, Durability};

/// How long it is believed, in milliseconds.
const WEEK: i64 = 7 * 24 * 3600 * 1000;

/// What is known about the API at one address, for one key.
#[derive(Debug)]
pub(super) struct Memory {
    /// Tells address and key apart from others, and does not say what they are. A program built by another compiler may
    /// count otherwise, which costs a refusal.
    account: u64,
    /// Without a place for it, nothing is remembered.
    path: Option<PathBuf>,
}

#[derive(Serialize, Deserialize)]
struct Content {
    /// The account that is refused chat completions.
    account: u64,
    /// In Unix milliseconds.
    learnt: i64,
}

impl Memory {
    pub(super) fn of(env: &Environment, base: &Url, key: &ApiKey) -> Self {
        let mut hasher = DefaultHasher::new();
        (base.as_str(), key.key.expose()).hash(&mut hasher);
        let path = env.state_dir().ok().map(|folder| folder.join("api-dialect.json"));
        Self { account: hasher.finish(), path }
    }

    /// Whether chat completions were refused within the last week. What cannot be read was not.
    pub(super) fn prefers_agent(&self) -> bool {
        let bytes = self.path.as_ref().and_then(|path| fs::read(path).ok());
        let content: Option<Content> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        content.is_some_and(|content| {
            content.account == self.account && (0..WEEK).contains(&(auth::now() - content.learnt))
        })
    }

    /// Remembers that they are refused. Where that cannot be kept, the next run asks anew, which costs a moment.
    pub(super) fn prefer_agent(&self) {
        let Some(path) = &self.path else { return };
        let content = Content { account: self.account, learnt: auth::now() };
        if let (Some(folder), Ok(bytes)) = (path.parent(), serde_json::to_vec(&content))
            && private::create_private_dir(folder).is_ok()
            && let Ok(_lock) = private::lock(folder)
        {
            let _ = private::write(path, &bytes, Durability::Unsynced);
        }
    }
}
