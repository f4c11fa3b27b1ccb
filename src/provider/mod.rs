//! The services that answer a search. Each provider turns a [`SearchRequest`] into [`SearchEvent`]s.

pub mod api;
pub mod subscription;
pub mod web;

pub use api::{Api, Dialect};
pub use subscription::Subscription;
pub use web::account::Limit;
pub use web::upload::Uploaded;

use std::path::PathBuf;
use std::time::Duration;

use crate::domain::answer::{Answer, SearchEvent};
use crate::domain::choice::Choice;
use crate::domain::error::Result;
use crate::domain::request::SearchRequest;
use crate::state::env::Environment;

/// How a reply is received.
#[derive(Debug, Clone)]
pub struct Reception {
    /// The longest time in which no byte arrives.
    pub idle: Duration,
    /// The file to write the exact bytes of the reply to.
    pub record: Option<PathBuf>,
    /// Whether events before the end are wanted. Without them, their work is saved.
    pub events: bool,
}

/// The names of the providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderName {
    /// The subscription.
    Web,
    /// The official API.
    Api,
}

impl Choice for ProviderName {
    const ALL: &'static [Self] = &[Self::Web, Self::Api];

    fn name(self) -> &'static str {
        match self {
            Self::Web => "web",
            Self::Api => "api",
        }
    }
}

/// A provider, ready to be asked.
#[derive(Debug, Clone)]
pub enum Provider {
    /// The user's subscription.
    Subscription(Subscription),
    /// The official API, paid with the credits of a key.
    Api(Api),
}

impl Provider {
    /// Asks with the session or the key from `env` or the store: the subscription never gets a key, the API never a
    /// session.
    pub async fn search(
        &self,
        env: &Environment,
        request: &SearchRequest,
        reception: &Reception,
    ) -> Result<Search> {
        match self {
            Self::Subscription(subscription) => {
                subscription.search(request, reception).await.map(Search::Subscription)
            }
            Self::Api(api) => api.search(env, request, reception).await.map(Box::new).map(Search::Api),
        }
    }
}

/// A running search. Events are pulled with [`Search::next`]; dropping the search cancels it.
#[derive(Debug)]
pub enum Search {
    /// At the subscription endpoint.
    Subscription(subscription::Search),
    /// At the official API.
    Api(Box<api::Search>),
}

impl Search {
    /// A search that is answered from a recording of the subscription endpoint, without network or login. `model`
    /// is the model that was asked for, if that is known.
    pub fn replay(recording: PathBuf, model: Option<String>, reception: &Reception) -> Result<Self> {
        subscription::Search::replay(recording, model, reception).map(Self::Subscription)
    }

    /// The next event; `None` after [`SearchEvent::Done`].
    pub async fn next(&mut self) -> Result<Option<SearchEvent>> {
        match self {
            Self::Subscription(search) => search.next().await,
            Self::Api(search) => search.next().await,
        }
    }

    /// The answer so far, marked incomplete; `None` while nothing has arrived.
    pub fn received(&mut self) -> Option<Answer> {
        match self {
            Self::Subscription(search) => search.received(),
            Self::Api(search) => search.received(),
        }
    }
}
