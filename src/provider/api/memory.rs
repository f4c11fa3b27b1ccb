//! Which interface the API has for an account, as far as that was learnt from a refusal.

use std::hash::{DefaultHasher, Hash, Hasher};

use url::Url;

use crate::auth::{self, ApiKey};
use crate::state::env::Environment;
use crate::state::{Database, Dialects};

/// What is known about the API at one address, for one key.
#[derive(Debug)]
pub(super) struct Memory {
    /// Tells address and key apart from others, and does not say what they are. A program built by another compiler may
    /// count otherwise, which costs a refusal.
    account: i64,
    /// Without a place for it, nothing is remembered.
    dialects: Option<Dialects>,
}

impl Memory {
    pub(super) fn new(env: &Environment, base: &Url, key: &ApiKey) -> Self {
        let mut hasher = DefaultHasher::new();
        (base.as_str(), key.secret.expose()).hash(&mut hasher);
        let dialects = Database::for_user(env).ok().map(Dialects::new);
        Self { account: hasher.finish().cast_signed(), dialects }
    }

    /// Whether chat completions were refused within the last week. What cannot be read was not.
    pub(super) async fn prefers_agent(&self) -> bool {
        match &self.dialects {
            Some(dialects) => dialects.prefers_agent(self.account, auth::now()).await.unwrap_or(false),
            None => false,
        }
    }

    /// Remembers that they are refused. Where that cannot be kept, the next run asks anew, which costs a moment.
    pub(super) async fn prefer_agent(&self) {
        if let Some(dialects) = &self.dialects {
            let _ = dialects.prefer_agent(self.account, auth::now()).await;
        }
    }
}
