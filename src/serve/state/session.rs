//! What is known of the session behind the server; its end is told to the user.

use std::sync::{PoisonError, RwLock};

use crate::domain::error::Error;
use crate::net::notify;
use crate::serve::log;
use crate::serve::settings::NotifyUrl;
use serde::Serialize;

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
    notify: Option<NotifyUrl>,
}

impl Session {
    pub(crate) fn new(notify: Option<NotifyUrl>) -> Self {
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
                if let Err(error) = notify::post(url.expose(), "pplx: session ended", message).await {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::settings::notify_url;

    #[test]
    fn the_topic_does_not_show_in_debug() {
        let session = Session::new(Some(notify_url("https://ntfy.example/topic-of-the-test").unwrap()));
        let text = format!("{session:?}");
        assert!(text.contains("notify: Some(") && !text.contains("topic-of-the-test"), "{text}");
    }
}
