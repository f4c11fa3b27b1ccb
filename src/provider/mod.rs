//! Who answers a search. Each provider turns a [`SearchRequest`] into [`SearchEvent`]s; nothing else of it shows.

pub mod web;

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::answer::{Answer, SearchEvent};
use crate::auth::{self, Credential};
use crate::env::Environment;
use crate::error::{Error, Result};
use crate::http;
use crate::request::SearchRequest;

/// How a reply is received.
#[derive(Debug, Clone)]
pub struct Reception {
    /// How long nothing may arrive. Any byte counts.
    pub idle: Duration,
    /// Where the reply's exact bytes are kept.
    pub record: Option<PathBuf>,
    /// Tell what happens on the way. Whoever only waits for the end saves the work.
    pub events: bool,
}

/// A provider, with what it needs to be asked.
#[derive(Debug)]
pub enum Provider {
    /// The subscription endpoint, at this address.
    Web(Url),
}

impl Provider {
    /// The provider that the user's session belongs to.
    pub fn of_subscription(env: &Environment) -> Result<Self> {
        http::web_base(env).map(Self::Web)
    }

    /// Asks with the credential that `env` leads to. A stored session that is refused is cleared, and the desktop
    /// app's is tried once in its place.
    pub async fn search(
        &self,
        env: &Environment,
        request: &SearchRequest,
        reception: &Reception,
    ) -> Result<Search> {
        let credential = auth::resolve(env).await?;
        match self.search_as(&credential, request, reception).await {
            Err(refusal @ Error::Refused { .. }) => match auth::replace_refused(env, &credential).await {
                Some(other) => self.search_as(&other, request, reception).await,
                None => Err(refusal),
            },
            other => other,
        }
    }

    async fn search_as(
        &self,
        credential: &Credential,
        request: &SearchRequest,
        reception: &Reception,
    ) -> Result<Search> {
        match self {
            Self::Web(base) => web::Search::open(base, credential, request, reception).await.map(Search::web),
        }
    }
}

/// A running search. Pulled, not pushed: dropping it ends it.
#[derive(Debug)]
pub struct Search(Inner);

#[derive(Debug)]
enum Inner {
    Web(Box<web::Search>),
}

impl Search {
    fn web(search: web::Search) -> Self {
        Self(Inner::Web(Box::new(search)))
    }

    /// A search that is answered from a recording of the subscription endpoint, without network or login. `model`
    /// is the model that was asked for, if that is known.
    pub fn replay(recording: PathBuf, model: Option<String>, reception: &Reception) -> Result<Self> {
        web::Search::replay(recording, model, reception).map(Self::web)
    }

    /// The next event; `None` after [`SearchEvent::Done`]. Safe to drop while it waits.
    pub async fn next(&mut self) -> Result<Option<SearchEvent>> {
        match &mut self.0 {
            Inner::Web(search) => search.next().await,
        }
    }

    /// What has arrived of the answer, marked incomplete; `None` while nothing has.
    pub fn received(&mut self) -> Option<Answer> {
        match &mut self.0 {
            Inner::Web(search) => search.received(),
        }
    }
}
