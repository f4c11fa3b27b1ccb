//! The Perplexity session of oh-my-pi, through its own command, which knows its profiles and its broker.

use super::helper::{self, Failure};
use super::session::Session;
use crate::domain::error::{Error, Result};

/// Asks `omp token perplexity`.
pub async fn session() -> Result<Session> {
    let error = |reason: &str| Error::Helper { program: "omp", reason: reason.to_owned() };
    let output = match helper::output("omp", &["token", "perplexity"]).await {
        Ok(output) => output,
        Err(Failure::NotFound) => return Err(error("it is not installed, or not on PATH")),
        Err(Failure::Io(reason)) => return Err(error(&reason.to_string())),
    };
    if !output.success {
        let reason = output.stderr.lines().next().unwrap_or("it failed without saying why");
        return Err(error(reason.trim_end_matches('.')));
    }
    let token = output.stdout.trim();
    // omp prints an API key in the same way. That must never reach the subscription's endpoint.
    if !matches!(token.split('.').count(), 3 | 5) {
        return Err(error("what it has for Perplexity is not a session (an API key, perhaps)"));
    }
    Session::from_token(token).map_err(|reason| error(&reason))
}
