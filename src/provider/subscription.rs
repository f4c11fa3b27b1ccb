//! The calls to the subscription with the user's session, and the retries when a session or a thread is refused.

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
    /// Whether a refused session stays in the store.
    keeps_refused: bool,
}

impl Subscription {
    /// The subscription at the address that the environment names, else at the service's own.
    pub fn for_user(env: &Environment) -> Result<Self> {
        http::web_base(env).map(|base| Self { base, env: env.clone(), keeps_refused: false })
    }

    /// The same for a program that runs for long: a refused session stays in the store, so that one refusal does not
    /// log the user out.
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

    /// The remaining use of each kind.
    pub async fn limits(&self) -> Result<Vec<Limit>> {
        self.as_user(|credential| async move { web::account::limits(&self.base, &credential).await }).await
    }

    /// Asks. A follow-up on a thread that cannot be continued is asked once more as a new thread, if its query fits
    /// there; its answer has a note about that.
    pub async fn search(&self, request: &SearchRequest, reception: &Reception) -> Result<Search> {
        let fits_without_thread =
            request.without_thread().effective_query().chars().count() <= SearchRequest::MAX_QUERY;
        let retry = (request.thread.is_some() && fits_without_thread).then(|| NewThreadRetry {
            subscription: self.clone(),
            request: request.without_thread(),
            reception: reception.clone(),
        });
        match (self.ask(request, reception).await, retry) {
            (Err(Error::ThreadGone), Some(retry)) => Box::pin(retry.ask()).await,
            (opened, retry) => {
                opened.map(|inner| Search { inner, retry: retry.map(Box::new), notes: Vec::new() })
            }
        }
    }

    /// Reconnects to a run of deep research.
    pub async fn resume(&self, run: &str, reception: &Reception) -> Result<Search> {
        let resume =
            |credential| async move { web::Search::resume(&self.base, &credential, run, reception).await };
        let inner = self.as_user(resume).await?;
        Ok(Search { inner: Box::new(inner), retry: None, notes: Vec::new() })
    }

    async fn ask(&self, request: &SearchRequest, reception: &Reception) -> Result<Box<web::Search>> {
        let open =
            |credential| async move { web::Search::open(&self.base, &credential, request, reception).await };
        self.as_user(open).await.map(Box::new)
    }

    /// Calls with the user's session. A stored one that is refused is removed, and the desktop app's is tried once.
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

/// The code of the service's error on a thread that cannot be continued. Other errors have the same code.
const STALE_THREAD: &str = "GENERIC_FAILED_RESPONSE";

/// What is needed to ask a follow-up once more, as a new thread.
#[derive(Debug)]
struct NewThreadRetry {
    subscription: Subscription,
    request: SearchRequest,
    reception: Reception,
}

impl NewThreadRetry {
    async fn ask(self) -> Result<Search> {
        let inner = self.subscription.ask(&self.request, &self.reception).await?;
        let note = "the thread could not be continued; this is the first answer of a new one".to_owned();
        Ok(Search { inner, retry: None, notes: vec![note] })
    }
}

/// A running search. Events are pulled with [`Search::next`]; dropping the search cancels it.
#[derive(Debug)]
pub struct Search {
    inner: Box<web::Search>,
    /// Set for a follow-up, until it was asked once more.
    retry: Option<Box<NewThreadRetry>>,
    /// Notes to add to the answer.
    notes: Vec<String>,
}

impl Search {
    /// A search that is answered from a recording of the subscription endpoint, without network or login. `model`
    /// is the model that was asked for, if that is known.
    pub fn replay(recording: PathBuf, model: Option<String>, reception: &Reception) -> Result<Self> {
        let inner = web::Search::replay(recording, model, reception)?;
        Ok(Self { inner: Box::new(inner), retry: None, notes: Vec::new() })
    }

    /// Merges one read of what has arrived already, and reports nothing yet; false where nothing more has arrived.
    pub fn read_available(&mut self) -> bool {
        self.inner.read_available()
    }

    /// The next event that needs no read, if there is one.
    pub fn next_available(&mut self) -> Option<SearchEvent> {
        let event = self.inner.next_available();
        self.with_notes(event)
    }

    /// The model that answers, once the service has named it.
    pub fn model(&self) -> Option<&str> {
        self.inner.model()
    }

    /// Whether the service has begun an answer, even a blank one.
    pub fn has_answer(&self) -> bool {
        self.inner.has_answer()
    }

    /// The next event; `None` after [`SearchEvent::Done`].
    pub async fn next(&mut self) -> Result<Option<SearchEvent>> {
        match self.inner.next().await {
            Err(Error::Service { code: Some(code), .. }) if code == STALE_THREAD && self.is_unanswered() => {
                if let Some(retry) = self.retry.take() {
                    let search = Box::pin(retry.ask()).await?;
                    self.inner = search.inner;
                    self.notes.extend(search.notes);
                }
                self.inner.next().await.map(|event| self.with_notes(event))
            }
            other => other.map(|event| self.with_notes(event)),
        }
    }

    /// Whether this is a follow-up that has no text yet.
    fn is_unanswered(&mut self) -> bool {
        let has_text = self.inner.received().is_some_and(|answer| !answer.text.trim().is_empty());
        self.retry.is_some() && !has_text
    }

    /// Adds a note to the answer.
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    fn with_notes(&self, event: Option<SearchEvent>) -> Option<SearchEvent> {
        match event {
            Some(SearchEvent::Done(mut answer)) => {
                answer.notes.extend_from_slice(&self.notes);
                Some(SearchEvent::Done(answer))
            }
            event => event,
        }
    }

    /// The answer so far, marked incomplete; `None` while nothing has arrived.
    pub fn received(&mut self) -> Option<Answer> {
        self.inner.received()
    }
}
