//! What all requests share.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::access::Access;
use super::background::Background;
use super::catalogue::Catalogue;
use super::files::{Files, Refused};
use super::quota::Quota;
use super::responses::Responses;
use super::session::Session;
use super::threads::Threads;
use crate::auth;
use crate::config::file::SettingsFile;
use crate::config::question::{self, QuestionOptions};
use crate::domain::error::Error;
use crate::domain::request::SearchRequest;
use crate::outcome::failure::Failure;
use crate::provider::{Provider, Subscription};
use crate::serve::api_error::Refusal;
use crate::serve::settings::Settings;
use crate::state::env::Environment;
use crate::state::off_thread::within;
use crate::state::{Database, ListedModels, ModelList};

/// How long the disk may take for a file.
const FILES_LIMIT: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct App {
    pub(crate) env: Environment,
    pub(crate) subscription: Subscription,
    /// What every question has in common: the settings of `settings.toml`.
    pub(crate) template: SearchRequest,
    pub(crate) access: Access,
    pub(crate) catalogue: Catalogue,
    pub(crate) quota: Quota,
    pub(crate) session: Session,
    pub(crate) threads: Threads,
    /// `None` where there is no folder for them.
    files: Option<Files>,
    pub(crate) responses: Responses,
    pub(crate) background: Background,
    /// The last list of models; `None` where there is no folder for it.
    models: Option<ModelList>,
    /// Who may read what has arrived.
    pub(crate) turns: Semaphore,
    pub(crate) experimental_tools: bool,
    pub(crate) refuse_substitution: bool,
}

impl App {
    pub(crate) fn new(settings: &Settings, env: Environment) -> Result<Arc<Self>, Failure> {
        let file = SettingsFile::read(&env)?;
        if file.chooses_api() {
            let message = "settings.toml chooses the official API, which needs no server of ours.";
            return Err(Failure::usage(message, "set `provider = \"web\"` there, or leave it out"));
        }
        let question = question::for_subscription(QuestionOptions::default(), &file, &env)?;
        let Provider::Subscription(subscription) = question.provider else {
            return Err(Failure::usage("The server asks the subscription only.", "leave out the provider"));
        };
        let database = Database::for_user(&env).ok();
        Ok(Arc::new(Self {
            subscription: subscription.keeping_refused(),
            catalogue: Catalogue::new(question.request.model.clone(), settings.aliases.clone(), None),
            template: question.request,
            access: Access::of(settings),
            quota: Quota::default(),
            session: Session::new(settings.notify.clone()),
            threads: Threads::default(),
            files: Files::of(&env).ok(),
            responses: Responses::new(&env, database.clone()),
            background: Background::default(),
            models: database.map(ModelList::new),
            turns: Semaphore::new(1),
            experimental_tools: settings.experimental_tools,
            refuse_substitution: settings.refuse_substitution,
            env,
        }))
    }

    /// Fetches the list of models, which costs no question, unless the last one is of today.
    pub(crate) async fn renew_models(&self) -> crate::Result<()> {
        let kept = match &self.models {
            // A list that cannot be read is fetched.
            Some(list) => list.read().await.ok().flatten(),
            None => None,
        };
        if let Some(kept) = &kept {
            self.catalogue.renew(kept.clone());
        }
        if kept.is_some_and(|kept| kept.is_fresh(auth::now())) {
            return Ok(());
        }
        let fetched = ListedModels { fetched: auth::now(), models: self.subscription.models().await? };
        self.catalogue.renew(fetched.clone());
        match &self.models {
            Some(list) => list.write(fetched).await,
            None => Ok(()),
        }
    }

    /// Works on the files beside the other requests.
    pub(crate) async fn on_files<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Files) -> Result<T, Refused> + Send + 'static,
    ) -> Result<T, Refusal> {
        let files = self.files.clone().ok_or(Error::NoConfigDir)?;
        let folder = files.folder().to_owned();
        within(FILES_LIMIT, &folder, move || Ok(work(&files))).await?.map_err(Refusal::from)
    }

    /// Asks in the background what is left, if that is not known.
    pub(crate) fn renew_quota_soon(self: &Arc<Self>) {
        if self.session.is_usable() && self.quota.is_due() {
            let app = Arc::clone(self);
            // What is not known is not told.
            tokio::spawn(async move { app.quota.renew(&app.subscription).await.ok() });
        }
    }
}
