//! The subscription: what can be asked of it with the user's session, and what happens when a session or a thread is
//! refused.

use std::path::PathBuf;

use url::Url;

use super::Reception;
use super::web;
use super::web::account::Limit;
use super::web::upload::Uploaded;
use crate::auth::{self, Credential};
use crate::domain::answer::{Answer, Exchange, SavedThread, SearchEvent};
use crate::domain::attachment::{Attachment, Meter};
use crate::domain::error::{Error, Result};
use crate::domain::models::Models;
use crate::domain::request::SearchRequest;
use crate::net::http;
use crate::state::env::Environment;

/// The subscription, for the user of an environment.
#[derive(Debug, Clone)]
pub struct Subscription {
    base: Url,
    env: Environment,
    /// A stored session stays where it is when it is refused.
    keeps_refused: bool,
}

impl Subscription {
    /// The service itself, or what the environment names in its place.
    pub fn of(env: &Environment) -> Result<Self> {
        http::web_base(env).map(|base| Self { base, env: env.clone(), keeps_refused: false })
    }

    /// The same for a program that runs for long: one refusal must not log the user out, and leaves the store alone.
    #[must_use]
    pub fn keeping_refused(self) -> Self {
        Self { keeps_refused: true, ..self }
    }

    /// The models that the account may name.
    pub async fn models(&self) -> Result<Models> {
        self.as_user(|credential| async move { web::account::models(&self.base, &credential).await }).await
    }

    /// Uploads files for a question; `meter` counts what has been sent.
    pub async fn upload(&self, files: &[Attachment], meter: &Meter) -> Result<Uploaded> {
        self.as_user(
            |credential| async move { web::upload::upload(&self.base, &credential, files, meter).await },
        )
        .await
    }

    /// The account's saved threads that match `search`, the newest first.
    pub async fn threads(&self, count: usize, search: &str) -> Result<Vec<SavedThread>> {
        self.as_user(
            |credential| async move { web::threads::list(&self.base, &credential, count, search).await },
        )
        .await
    }

    /// A saved thread.
    pub async fn thread(&self, slug: &str) -> Result<Vec<Exchange>> {
        self.as_user(|credential| async move { web::threads::show(&self.base, &credential, slug).await })
            .await
    }

    /// Deletes a saved thread.
    pub async fn delete_thread(&self, slug: &str) -> Result<()> {
        self.as_user(|credential| async move { web::threads::delete(&self.base, &credential, slug).await })
            .await
    }

    /// What is left of each kind of use.
    pub async fn limits(&self) -> Result<Vec<Limit>> {
        self.as_user(|credential| async move { web::account::limits(&self.base, &credential).await }).await
    }

    /// Asks. A follow-up on a thread that cannot be continued is asked once more as a new thread, with a note in its
    /// answer.
    pub async fn search(&self, request: &SearchRequest, reception: &Reception) -> Result<Search> {
        let can_be_retold =
            request.without_thread().effective_query().chars().count() <= SearchRequest::MAX_QUERY;
        let again = (request.thread.is_some() && can_be_retold).then(|| Again {
            subscription: self.clone(),
            request: request.without_thread(),
            reception: reception.clone(),
        });
        match (self.ask(request, reception).await, again) {
            (Err(Error::ThreadGone), Some(again)) => Box::pin(again.ask()).await,
            (asked, again) => {
                asked.map(|inner| Search { inner, again: again.map(Box::new), notes: Vec::new() })
            }
        }
    }

    /// Takes up a run of deep research again, wherever it is.
    pub async fn resume(&self, run: &str, reception: &Reception) -> Result<Search> {
        let resumed =
            |credential| async move { web::Search::resume(&self.base, &credential, run, reception).await };
        let inner = self.as_user(resumed).await?;
        Ok(Search { inner: Box::new(inner), again: None, notes: Vec::new() })
    }

    async fn ask(&self, request: &SearchRequest, reception: &Reception) -> Result<Box<web::Search>> {
        let opened =
            |credential| async move { web::Search::open(&self.base, &credential, request, reception).await };
        self.as_user(opened).await.map(Box::new)
    }

    /// Calls with the credential that the environment leads to. A stored session that is refused is cleared, and the
    /// desktop app's is tried once in its place.
    async fn as_user<T, F>(&self, call: impl Fn(Credential) -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let credential = auth::resolve(&self.env).await?;
        match call(credential.clone()).await {
            Err(refusal @ Error::Refused { .. }) if !self.keeps_refused => {
                match auth::replace_refused(&self.env, &credential).await {
                    Some(other) => call(other).await,
                    None => Err(refusal),
                }
            }
            other => other,
        }
    }
}

/// What the service's error on a stale thread is called. It is the error for much else, too.
const STALE: &str = "GENERIC_FAILED_RESPONSE";

/// How to ask once more, as a new thread.
#[derive(Debug)]
struct Again {
    subscription: Subscription,
    request: SearchRequest,
    reception: Reception,
}

impl Again {
    async fn ask(self) -> Result<Search> {
        let inner = self.subscription.ask(&self.request, &self.reception).await?;
        let note = "the thread could not be continued; this is the first answer of a new one".to_owned();
        Ok(Search { inner, again: None, notes: vec![note] })
    }
}

/// A running search. Pulled, not pushed: dropping it ends it.
#[derive(Debug)]
pub struct Search {
    inner: Box<web::Search>,
    /// Set for a follow-up, until it has begun to answer.
    again: Option<Box<Again>>,
    /// What the answer's reader should know besides.
    notes: Vec<String>,
}

impl Search {
    /// A search that is answered from a recording of the subscription endpoint, without network or login. `model`
    /// is the model that was asked for, if that is known.
    pub fn replay(recording: PathBuf, model: Option<String>, reception: &Reception) -> Result<Self> {
        let inner = web::Search::replay(recording, model, reception)?;
        Ok(Self { inner: Box::new(inner), again: None, notes: Vec::new() })
    }

    /// Takes what has arrived already and tells nothing yet; false where there is no more.
    pub fn absorb(&mut self) -> bool {
        self.inner.absorb()
    }

    /// The next event, if it is known already: nothing is read for it.
    pub fn known(&mut self) -> Option<SearchEvent> {
        let event = self.inner.known();
        self.noted(event)
    }

    /// The model that answers, once the service has said so.
    pub fn model(&self) -> Option<&str> {
        self.inner.model()
    }

    /// Whether the service has begun an answer, be it blank.
    pub fn has_answer(&self) -> bool {
        self.inner.has_answer()
    }

    /// The next event; `None` after [`SearchEvent::Done`].
    pub async fn next(&mut self) -> Result<Option<SearchEvent>> {
        match self.inner.next().await {
            Err(Error::Service { code: Some(code), .. }) if code == STALE && self.is_unanswered() => {
                if let Some(again) = self.again.take() {
                    let anew = Box::pin(again.ask()).await?;
                    self.inner = anew.inner;
                    self.notes.extend(anew.notes);
                }
                self.inner.next().await.map(|event| self.noted(event))
            }
            other => other.map(|event| self.noted(event)),
        }
    }

    /// Whether this is a follow-up that has no text yet.
    fn is_unanswered(&mut self) -> bool {
        let has_text = self.inner.received().is_some_and(|answer| !answer.text.trim().is_empty());
        self.again.is_some() && !has_text
    }

    /// Adds something that the answer's reader should know.
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    fn noted(&self, event: Option<SearchEvent>) -> Option<SearchEvent> {
        match event {
            Some(SearchEvent::Done(mut answer)) => {
                answer.notes.extend_from_slice(&self.notes);
                Some(SearchEvent::Done(answer))
            }
            event => event,
        }
    }

    /// What has arrived of the answer, marked incomplete; `None` while nothing has.
    pub fn received(&mut self) -> Option<Answer> {
        self.inner.received()
    }
}
