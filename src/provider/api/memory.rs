//! Which dialect the API has for an account, as remembered from a refusal.

use std::hash::{DefaultHasher, Hash, Hasher};

use url::Url;

use crate::auth::{self, ApiKey};
use crate::state::env::Environment;
use crate::state::{Database, Dialects};

/// The remembered dialect of the API at one address, for one key.
#[derive(Debug)]
pub(super) struct DialectMemory {
    /// A hash of address and key, so that neither is stored. Another version of the compiler may hash differently,
    /// which costs one more refusal.
    account: i64,
    /// `None` without a state folder; then nothing is remembered.
    dialects: Option<Dialects>,
}

impl DialectMemory {
    pub(super) fn new(env: &Environment, base: &Url, key: &ApiKey) -> Self {
        let mut hasher = DefaultHasher::new();
        (base.as_str(), key.secret.expose()).hash(&mut hasher);
        let dialects = Database::for_user(env).ok().map(Dialects::new);
        Self { account: hasher.finish().cast_signed(), dialects }
    }

    /// Whether chat completions were refused within the last week; false where the database cannot be read.
    pub(super) async fn prefers_agent(&self) -> bool {
        match &self.dialects {
            Some(dialects) => dialects.prefers_agent(self.account, auth::now()).await.unwrap_or(false),
            None => false,
        }
    }

    /// Remembers that chat completions were refused. If that cannot be stored, the next run is refused once more.
    pub(super) async fn prefer_agent(&self) {
        if let Some(dialects) = &self.dialects {
            let _ = dialects.prefer_agent(self.account, auth::now()).await;
        }
    }
}
