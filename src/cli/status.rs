//! `pplx status`.

use chrono::DateTime;
use serde::Serialize;

use super::args::StatusArgs;
use super::failure::Failure;
use crate::auth::{self, Credential};
use crate::env::Environment;
use crate::io::Io;

/// The JSON document: README.md, "JSON".
#[derive(Debug, Serialize)]
struct Document<'a> {
    version: u32,
    /// Whether a search would be sent.
    logged_in: bool,
    email: Option<&'a str>,
    /// Where the session was found.
    origin: Option<String>,
    /// When it ends, in Unix milliseconds; null when only the service knows.
    expires: Option<i64>,
    error: Option<String>,
}

/// Shows the session that a search would use. Asks nobody.
pub(super) async fn run(args: &StatusArgs, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    super::warn_of_open_store(env, io);
    let found = auth::resolve(env).await;
    if args.json {
        let document = serde_json::to_string_pretty(&document(&found)).map_err(std::io::Error::from)?;
        io.say(&document)?;
    } else if let Ok(credential) = &found {
        describe(credential, io)?;
    }
    found.map(drop).map_err(Failure::from)
}

fn document(found: &crate::Result<Credential>) -> Document<'_> {
    let credential = found.as_ref().ok();
    Document {
        version: 1,
        logged_in: credential.is_some(),
        email: credential.and_then(|credential| credential.email.as_deref()),
        origin: credential.map(|credential| credential.origin.to_string()),
        expires: credential.and_then(|credential| credential.expires),
        error: found.as_ref().err().map(ToString::to_string),
    }
}

fn describe(credential: &Credential, io: &mut Io) -> std::io::Result<()> {
    let account = credential.email.as_deref().unwrap_or("unknown (the session does not say)");
    let until = credential.expires.and_then(DateTime::from_timestamp_millis);
    let until = until.map_or_else(
        || "the service decides".to_owned(),
        |until| until.format("%Y-%m-%d %H:%M UTC").to_string(),
    );
    io.say(&format!("Logged in\nAccount: {account}\nOrigin: {}\nValid until: {until}", credential.origin))
}
