//! The session behind the server: checked at the start and every six hours, replaced by a request, and missed aloud.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use serde::Serialize;
use url::Url;

use super::server_state::App;
use crate::auth::{self, Credential, Store, Verdict};
use crate::domain::error::{Error, Result};
use crate::domain::origin::Origin;
use crate::net::http;
use crate::net::notify;
use crate::serve::log;

/// How often the session is checked, which costs no question.
const INTERVAL: Duration = Duration::from_secs(6 * 3600);
/// How soon again where it could not be.
const AGAIN: Duration = Duration::from_secs(300);

/// What is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// The service was not asked yet, or could not be.
    Unknown,
    Valid,
    Expired,
    Missing,
}

#[derive(Debug)]
pub(crate) struct Session {
    state: RwLock<State>,
    /// Where it is told that the session has ended.
    notify: Option<Url>,
}

impl Session {
    pub(crate) fn new(notify: Option<Url>) -> Self {
        Self { state: RwLock::new(State::Unknown), notify }
    }

    pub(crate) fn state(&self) -> State {
        *self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_usable(&self) -> bool {
        matches!(self.state(), State::Valid | State::Unknown)
    }

    /// Takes over what a check or an answer showed; the user is told once of each end.
    pub(crate) fn set(&self, state: State) {
        let before =
            std::mem::replace(&mut *self.state.write().unwrap_or_else(PoisonError::into_inner), state);
        if before == state {
            return;
        }
        log::event(
            "session",
            match state {
                State::Unknown => "unknown",
                State::Valid => "valid",
                State::Expired => "expired",
                State::Missing => "missing",
            },
        );
        if state == State::Expired
            && let Some(url) = self.notify.clone()
        {
            tokio::spawn(async move {
                let message = "The Perplexity session of pplx serve has ended: run `pplx login`, or POST /admin/session.";
                if let Err(error) = notify::post(&url, "pplx: session ended", message).await {
                    log::event("notify", &error.to_string());
                }
            });
        }
    }

    /// Takes note of how a question ended.
    pub(crate) fn note(&self, error: &Error) {
        match error {
            // A 403 may be about the question.
            Error::Refused { status: 401, .. } | Error::NotAccepted | Error::Expired(_) => {
                self.set(State::Expired);
            }
            Error::NotAuthenticated | Error::OnlyKey(_) => self.set(State::Missing),
            _ => {}
        }
    }
}

/// Checks the session for as long as the server runs.
pub(crate) async fn watch(app: Arc<App>) {
    loop {
        let pause = match check(&app).await {
            Ok(()) => INTERVAL,
            Err(error) => {
                app.session.note(&error);
                log::event("session_check", &error.to_string());
                AGAIN
            }
        };
        tokio::time::sleep(pause).await;
    }
}

/// Asks the service whether it knows the session, and keeps the one that it puts in its place.
async fn check(app: &App) -> Result<()> {
    let credential = auth::resolve(&app.env).await?;
    let plan = auth::verify(&app.env, &credential).await?;
    app.catalogue.set_plan(plan);
    app.session.set(State::Valid);
    Ok(())
}

/// Puts another session in place of the stored one, once the service has said that it knows it.
pub(crate) async fn replace(app: &App, session: auth::Session) -> Result<()> {
    if let Some(origin @ Origin::Environment(_)) = auth::environment_origin(&app.env) {
        let message = format!("the session comes from {origin}, which only a restart can change");
        return Err(Error::Login(message));
    }
    let checked = auth::check(http::web_base(&app.env)?, &session).await?;
    let Verdict::Known { email, plan } = checked.verdict else { return Err(Error::NotAccepted) };
    let store = Store::for_user(&app.env)?;
    let session = checked.rotated.unwrap_or(session);
    let credential = Credential { email, ..Credential::new(session, Origin::Store(store.path().to_owned())) };
    store.off_thread(move |store| store.write(&credential)).await?;
    app.quota.forget();
    app.catalogue.set_plan(plan);
    app.session.set(State::Valid);
    Ok(())
}
