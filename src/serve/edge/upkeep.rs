//! What goes on beside the requests: the session, the models and the quota are looked at again. Nothing here costs a
//! question.

use std::sync::Arc;
use std::time::Duration;

use crate::auth::{self, Credential, Store, Verdict};
use crate::domain::error::{Error, Result};
use crate::domain::origin::Origin;
use crate::net::http;
use crate::serve::log;
use crate::serve::state::server_state::App;
use crate::serve::state::session::State;

/// How often the session is checked.
const SESSION_INTERVAL: Duration = Duration::from_secs(6 * 3600);
/// How soon again where it could not be.
const SESSION_AGAIN: Duration = Duration::from_secs(300);
/// How often the list of models is looked at again.
const MODELS_INTERVAL: Duration = Duration::from_secs(24 * 3600);
/// How soon again where it could not be fetched: there may have been no session yet, or no network.
const MODELS_AGAIN: Duration = Duration::from_secs(300);
/// How soon state that could not be had is tried again.
const STATE_AGAIN: Duration = Duration::from_secs(5);

/// Starts all of it, for as long as the server runs.
pub(crate) fn start(app: &Arc<App>) {
    tokio::spawn(watch_session(Arc::clone(app)));
    tokio::spawn(renew_models(Arc::clone(app)));
    tokio::spawn(begin_responses(Arc::clone(app), chrono::Utc::now().timestamp()));
}

/// Renews the list of models, and with it what is left of the quota.
async fn renew_models(app: Arc<App>) {
    loop {
        let pause = match app.renew_models().await {
            Ok(()) => MODELS_INTERVAL,
            Err(error) => {
                log::event("models", &error.to_string());
                MODELS_AGAIN
            }
        };
        app.renew_quota_soon();
        tokio::time::sleep(pause).await;
    }
}

/// Settles what an earlier server left, as soon as the database can be had.
async fn begin_responses(app: Arc<App>, started: i64) {
    // The first try comes before any request; a later one must leave the answers to those alone.
    let mut before = started + 1;
    while let Err(error) = app.responses.begin(before).await {
        before = started;
        log::event("state", &error.to_string());
        tokio::time::sleep(STATE_AGAIN).await;
    }
}

/// Checks the session for as long as the server runs.
async fn watch_session(app: Arc<App>) {
    loop {
        let pause = match check_session(&app).await {
            Ok(()) => SESSION_INTERVAL,
            Err(error) => {
                app.session.note(&error);
                log::event("session_check", &error.to_string());
                SESSION_AGAIN
            }
        };
        tokio::time::sleep(pause).await;
    }
}

/// Asks the service whether it knows the session, and keeps the one that it puts in its place.
async fn check_session(app: &App) -> Result<()> {
    let credential = auth::resolve(&app.env).await?;
    let plan = auth::verify(&app.env, &credential).await?;
    app.catalogue.set_plan(plan);
    app.session.set(State::Valid);
    Ok(())
}

/// Puts another session in place of the stored one, once the service has said that it knows it.
pub(crate) async fn replace_session(app: &App, session: auth::Session) -> Result<()> {
    if let Some(origin @ Origin::Environment(_)) = auth::environment_origin(&app.env) {
        let message = format!("the session comes from {origin}, which only a restart can change");
        return Err(Error::Login(message));
    }
    let checked = auth::check(http::web_base(&app.env)?, &session).await?;
    let Verdict::Known { email, plan } = checked.verdict else { return Err(Error::NotAccepted) };
    let store = Store::of(&app.env)?;
    let session = checked.rotated.unwrap_or(session);
    let credential = Credential { email, ..Credential::new(session, Origin::Store(store.path().to_owned())) };
    store.off_thread(move |store| store.write(&credential)).await?;
    app.quota.forget();
    app.catalogue.set_plan(plan);
    app.session.set(State::Valid);
    Ok(())
}
