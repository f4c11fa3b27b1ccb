//! Asking the service whether it knows a session.

use url::Url;

use super::endpoint::Endpoint;
use super::session::Session;
use crate::error::{Error, Result};

/// What the service says of a session.
#[derive(Debug)]
pub enum Verdict {
    /// It belongs to this account.
    Known {
        /// The account's address.
        email: Option<String>,
    },
    /// The service sees nobody behind it.
    Unknown,
}

/// Asks `GET /api/auth/session`, which costs no question. It answers `{}` to someone who is not logged in.
pub async fn check(base: Url, session: &Session) -> Result<Verdict> {
    let reply = Endpoint::new(base)?.get("api/auth/session", Some(&session.cookie_header())).await?;
    if matches!(reply.status.as_u16(), 401 | 403) {
        return Ok(Verdict::Unknown);
    }
    if !reply.status.is_success() {
        return Err(Error::Status { status: reply.status.as_u16(), reason: None });
    }
    Ok(match reply.fields.object("user") {
        Some(user) => Verdict::Known { email: user.text("email").map(str::to_owned) },
        None => Verdict::Unknown,
    })
}
