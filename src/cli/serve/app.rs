//! What all requests share.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::catalogue::Catalogue;
use super::files::Files;
use super::guard::Guard;
use super::quota::Quota;
use super::responses::Responses;
use super::session::Session;
use super::settings::Settings;
use super::threads::Threads;
use crate::auth;
use crate::cli::failure::Failure;
use crate::cli::settings::{self as search_settings, Asked};
use crate::env::Environment;
use crate::models::{Cache, Cached};
use crate::provider::{Provider, Subscription};
use crate::request::SearchRequest;

#[derive(Debug)]
pub(super) struct App {
    pub(super) env: Environment,
    pub(super) subscription: Subscription,
    /// What every question has in common: the settings of `settings.toml`.
    pub(super) template: SearchRequest,
    pub(super) guard: Guard,
    pub(super) catalogue: Catalogue,
    pub(super) quota: Quota,
    pub(super) session: Session,
    pub(super) threads: Threads,
    pub(super) files: Files,
    pub(super) responses: Responses,
    /// Who may read what has arrived.
    pub(super) turns: Semaphore,
    pub(super) experimental_tools: bool,
    pub(super) refuse_substitution: bool,
}

impl App {
    pub(super) fn new(settings: &Settings, env: Environment) -> Result<Arc<Self>, Failure> {
        if search_settings::chooses_api(&env)? {
            let message = "settings.toml chooses the official API, which needs no server of ours.";
            return Err(Failure::usage(message, "set `provider = \"web\"` there, or leave it out"));
        }
        let asked = Asked { query: "-".to_owned(), ..Asked::default() };
        let question = search_settings::resolve_asked(asked, &env)?;
        let Provider::Subscription(subscription) = question.provider else {
            return Err(Failure::usage("The server asks the subscription only.", "leave out the provider"));
        };
        let cached = Cache::of(&env).ok().and_then(|cache| cache.read());
        Ok(Arc::new(Self {
            subscription: subscription.keeping_refused(),
            catalogue: Catalogue::new(question.request.model.clone(), settings.aliases.clone(), cached),
            template: question.request,
            guard: Guard::of(settings),
            quota: Quota::default(),
            session: Session::new(settings.notify.clone()),
            threads: Threads::default(),
            files: Files::of(&env)?,
            responses: Responses::open(&env)?,
            turns: Semaphore::new(1),
            experimental_tools: settings.experimental_tools,
            refuse_substitution: settings.refuse_substitution,
            env,
        }))
    }

    /// Fetches the list of models, which costs no question, unless the last one is of today.
    pub(super) async fn renew_models(&self) -> crate::Result<()> {
        let cache = Cache::of(&self.env)?;
        if let Some(cached) = cache.read().filter(|cached| cached.is_fresh(auth::now())) {
            self.catalogue.renew(cached);
            return Ok(());
        }
        let cached = Cached { fetched: auth::now(), models: self.subscription.models().await? };
        self.catalogue.renew(cached.clone());
        cache.write(&cached)
    }

    /// Asks in the background what is left, if that is not known.
    pub(super) fn renew_quota_soon(self: &Arc<Self>) {
        if self.session.is_usable() && self.quota.is_due() {
            let app = Arc::clone(self);
            // What is not known is not told.
            tokio::spawn(async move { app.quota.renew(&app.subscription).await.ok() });
        }
    }
}
