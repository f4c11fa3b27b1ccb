//! What goes on beside the requests: the session is checked, the models and the quota are renewed. Nothing here costs
//! a question.

use std::sync::Arc;
use std::time::Duration;

use crate::auth::{self, Credential, Store, Verdict};
use crate::domain::error::{Error, Result};
use crate::domain::origin::Origin;
use crate::net::http;
use crate::serve::log;
use crate::serve::state::server_state::ServerState;
use crate::serve::state::session::SessionState;

/// How often the session is checked.
const SESSION_INTERVAL: Duration = Duration::from_secs(6 * 3600);
/// How soon again after a check that failed.
const SESSION_RETRY: Duration = Duration::from_secs(300);
/// How often the list of models is renewed.
const MODELS_INTERVAL: Duration = Duration::from_secs(24 * 3600);
/// How soon again after it could not be fetched: there may have been no session yet, or no network.
const MODELS_RETRY: Duration = Duration::from_secs(300);
/// How soon the database is tried again after it could not be used.
const DATABASE_RETRY: Duration = Duration::from_secs(5);

/// Starts all of it, for as long as the server runs.
pub(crate) fn start(server: &Arc<ServerState>) {
    tokio::spawn(watch_session(Arc::clone(server)));
    tokio::spawn(renew_models(Arc::clone(server)));
    tokio::spawn(fail_interrupted_responses(Arc::clone(server), chrono::Utc::now().timestamp()));
}

/// Renews the list of models, and with it the quota.
async fn renew_models(server: Arc<ServerState>) {
    loop {
        let pause = match server.renew_models().await {
            Ok(()) => MODELS_INTERVAL,
            Err(error) => {
                log::event("models", &error.to_string());
                MODELS_RETRY
            }
        };
        server.renew_quota_soon();
        tokio::time::sleep(pause).await;
    }
}

/// Marks what an earlier server left unanswered as failed, as soon as the database can be used.
async fn fail_interrupted_responses(server: Arc<ServerState>, started: i64) {
    // The first try comes before any request. A later one must not touch what was asked in the meantime.
    let mut before = started + 1;
    while let Err(error) = server.responses.fail_interrupted(before).await {
        before = started;
        log::event("state", &error.to_string());
        tokio::time::sleep(DATABASE_RETRY).await;
    }
}

/// Checks the session for as long as the server runs.
async fn watch_session(server: Arc<ServerState>) {
    loop {
        let pause = match check_session(&server).await {
            Ok(()) => SESSION_INTERVAL,
            Err(error) => {
                server.session.note_error(&error);
                log::event("session_check", &error.to_string());
                SESSION_RETRY
            }
        };
        tokio::time::sleep(pause).await;
    }
}

/// Asks the service whether it accepts the session, and stores the one that it may send in its place.
async fn check_session(server: &ServerState) -> Result<()> {
    let credential = auth::resolve(&server.env).await?;
    let plan = auth::verify(&server.env, &credential).await?;
    server.catalogue.set_plan(plan);
    server.session.set(SessionState::Valid);
    Ok(())
}

/// Puts another session in place of the stored one, once the service has accepted it.
pub(crate) async fn replace_session(server: &ServerState, session: auth::Session) -> Result<()> {
    if let Some(origin @ Origin::Environment(_)) = auth::environment_origin(&server.env) {
        let message = format!("the session comes from {origin}, which only a restart can change");
        return Err(Error::Login(message));
    }
    let checked = auth::check(http::web_base(&server.env)?, &session).await?;
    let Verdict::Known { email, plan } = checked.verdict else { return Err(Error::NotAccepted) };
    let store = Store::for_user(&server.env)?;
    let session = checked.rotated.unwrap_or(session);
    let credential = Credential { email, ..Credential::new(session, Origin::Store(store.path().to_owned())) };
    store.off_thread(move |store| store.write(&credential)).await?;
    server.quota.forget();
    server.catalogue.set_plan(plan);
    server.session.set(SessionState::Valid);
    Ok(())
}
