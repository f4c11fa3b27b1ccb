//! The state of the session behind the server. The user is notified when it ends.

use std::sync::{PoisonError, RwLock};

use crate::domain::error::Error;
use crate::net::notify;
use crate::serve::log;
use crate::serve::settings::NotifyUrl;
use serde::Serialize;

/// What the service has shown of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SessionState {
    /// The service was not asked yet, or could not be.
    Unknown,
    Valid,
    Expired,
    Missing,
}

#[derive(Debug)]
pub(crate) struct Session {
    state: RwLock<SessionState>,
    /// Where the user is notified that it has ended.
    notify_url: Option<NotifyUrl>,
}

impl Session {
    pub(crate) fn new(notify_url: Option<NotifyUrl>) -> Self {
        Self { state: RwLock::new(SessionState::Unknown), notify_url }
    }

    pub(crate) fn state(&self) -> SessionState {
        *self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_usable(&self) -> bool {
        matches!(self.state(), SessionState::Valid | SessionState::Unknown)
    }

    /// Takes over what a check or an answer showed. The user is notified when the session has expired, once each time.
    pub(crate) fn set(&self, state: SessionState) {
        let before =
            std::mem::replace(&mut *self.state.write().unwrap_or_else(PoisonError::into_inner), state);
        if before == state {
            return;
        }
        log::event(
            "session",
            match state {
                SessionState::Unknown => "unknown",
                SessionState::Valid => "valid",
                SessionState::Expired => "expired",
                SessionState::Missing => "missing",
            },
        );
        if state == SessionState::Expired {
            self.notify();
        }
    }

    fn notify(&self) {
        let Some(url) = self.notify_url.clone() else { return };
        tokio::spawn(async move {
            let message =
                "The Perplexity session of pplx serve has ended: run `pplx login`, or POST /admin/session.";
            if let Err(error) = notify::post(url.expose(), "pplx: session ended", message).await {
                log::event("notify", &error.to_string());
            }
        });
    }

    /// Takes over what the error of a question shows of the session.
    pub(crate) fn note_error(&self, error: &Error) {
        match error {
            // A 403 may be about the question.
            Error::Refused { status: 401, .. } | Error::NotAccepted | Error::Expired(_) => {
                self.set(SessionState::Expired);
            }
            Error::NotAuthenticated | Error::OnlyKey(_) => self.set(SessionState::Missing),
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
        assert!(text.contains("notify_url: Some(") && !text.contains("topic-of-the-test"), "{text}");
    }
}
