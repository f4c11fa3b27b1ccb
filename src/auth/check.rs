//! Asking the service whether it accepts a session.

use url::Url;

use super::Credential;
use super::endpoint::{Endpoint, Reply};
use super::session::Session;
use crate::domain::error::{Error, Result};
use crate::net::http;
use crate::state::env::Environment;

/// The service's reply about a session.
#[derive(Debug)]
pub struct Checked {
    /// Whether the service accepts the session.
    pub verdict: Verdict,
    /// The new session, if the service rotated it.
    pub rotated: Option<Session>,
}

/// Whether the service accepts a session.
#[derive(Debug)]
pub enum Verdict {
    /// It belongs to this account.
    Known {
        /// The account's address.
        email: Option<String>,
        /// Its plan: `pro`, `max`, `none`.
        plan: Option<String>,
    },
    /// It belongs to no account.
    Unknown,
}

/// Asks `GET /api/auth/session`, which costs no question. It answers `{}` to someone who is not logged in.
pub async fn check(base: Url, session: &Session) -> Result<Checked> {
    let mut endpoint = Endpoint::new(base)?;
    let reply = endpoint.get("api/auth/session", Some(&session.cookie_header())).await?;
    let rotated = session.rotated_by(&endpoint.jar);
    verdict(&reply).map(|verdict| Checked { verdict, rotated })
}

/// The plan of the account that a credential belongs to, where the service names it. If the service rotates the
/// session, the new one is stored. [`Error::NotAccepted`] where it belongs to no account.
pub async fn verify(env: &Environment, credential: &Credential) -> Result<Option<String>> {
    let checked = check(http::web_base(env)?, &credential.session).await?;
    if let Some(rotated) = checked.rotated {
        super::store_rotated(credential, rotated).await?;
    }
    match checked.verdict {
        Verdict::Known { plan, .. } => Ok(plan),
        Verdict::Unknown => Err(Error::NotAccepted),
    }
}

fn verdict(reply: &Reply) -> Result<Verdict> {
    if matches!(reply.status.as_u16(), 401 | 403) {
        return Ok(Verdict::Unknown);
    }
    if !reply.status.is_success() {
        return Err(Error::Status { status: reply.status.as_u16(), reason: None });
    }
    Ok(match reply.fields.object("user") {
        Some(user) => Verdict::Known {
            email: user.text("email").map(str::to_owned),
            plan: user.text("subscription_tier").map(str::to_owned),
        },
        None => Verdict::Unknown,
    })
}
