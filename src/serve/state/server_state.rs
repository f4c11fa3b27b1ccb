//! What all requests share.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::access::Access;
use super::background::Background;
use super::catalogue::Catalogue;
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
use crate::serve::api_error::ApiError;
use crate::serve::settings::Settings;
use crate::state::env::Environment;
use crate::state::files::{FileError, Files};
use crate::state::off_thread::within;
use crate::state::{Database, ListedModels, ModelList};

/// How long the disk may take for a file.
const FILES_LIMIT: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct ServerState {
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
    /// Lets one answer at a time read what has arrived.
    pub(crate) read_ahead: Semaphore,
    pub(crate) experimental_tools: bool,
    pub(crate) refuse_substitution: bool,
}

impl ServerState {
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
            access: Access::from_settings(settings),
            quota: Quota::default(),
            session: Session::new(settings.notify.clone()),
            threads: Threads::default(),
            files: Files::in_state_folder(&env).ok(),
            responses: Responses::new(&env, database.clone()),
            background: Background::default(),
            models: database.map(ModelList::new),
            read_ahead: Semaphore::new(1),
            experimental_tools: settings.experimental_tools,
            refuse_substitution: settings.refuse_substitution,
            env,
        }))
    }

    /// Fetches the list of models, unless the stored one is still fresh. It costs no question.
    pub(crate) async fn renew_models(&self) -> crate::Result<()> {
        let stored = match &self.models {
            // A list that cannot be read is fetched.
            Some(list) => list.read().await.ok().flatten(),
            None => None,
        };
        if let Some(stored) = &stored {
            self.catalogue.renew(stored.clone());
        }
        if stored.is_some_and(|stored| stored.is_fresh(auth::now())) {
            return Ok(());
        }
        let fetched = ListedModels { fetched: auth::now(), models: self.subscription.models().await? };
        self.catalogue.renew(fetched.clone());
        match &self.models {
            Some(list) => list.write(fetched).await,
            None => Ok(()),
        }
    }

    /// Runs `work` on the stored files, off the async thread.
    pub(crate) async fn with_files<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Files) -> Result<T, FileError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let files = self.files.clone().ok_or(Error::NoConfigDir)?;
        let folder = files.folder().to_owned();
        within(FILES_LIMIT, &folder, move || Ok(work(&files))).await?.map_err(ApiError::from)
    }

    /// Asks in the background for the quota, if the last report is old.
    pub(crate) fn renew_quota_soon(self: &Arc<Self>) {
        if self.session.is_usable() && self.quota.is_due() {
            let server = Arc::clone(self);
            // Without a report `/health` shows none.
            tokio::spawn(async move { server.quota.renew(&server.subscription).await.ok() });
        }
    }
}
