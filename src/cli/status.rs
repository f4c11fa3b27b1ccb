//! `pplx status`.

use chrono::DateTime;
use serde::Serialize;

use super::args::StatusArgs;
use super::output;
use crate::auth::{self, ApiKey, Credential, Store};
use crate::config::file::SettingsFile;
use crate::domain::origin::Origin;
use crate::outcome::failure::Failure;
use crate::outcome::usage::Usage;
use crate::provider::Limit;
use crate::state::env::Environment;
use crate::terminal::io::Io;

/// The JSON document: doc/scripts-and-json.md.
#[derive(Debug, Default, Serialize)]
struct Document<'a> {
    version: u32,
    /// Whether a search would be sent.
    logged_in: bool,
    email: Option<&'a str>,
    /// Where the session was found.
    origin: Option<String>,
    /// When it ends, in Unix milliseconds; null when only the service knows.
    expires: Option<i64>,
    /// With `--online`: `pro`, `max`, `none`; null when not asked or not said.
    plan: Option<&'a str>,
    /// With `--online`; null when not asked or not said.
    limits: Option<Vec<LimitDocument<'a>>>,
    /// Where a key of the official API was found. It is used with `--provider api` only.
    api_key: Option<String>,
    error: Option<String>,
}

#[derive(Debug, Serialize)]
struct LimitDocument<'a> {
    kind: &'a str,
    available: Option<bool>,
    /// Null where the service gives no number.
    remaining: Option<i64>,
}

impl<'a> From<&'a Limit> for LimitDocument<'a> {
    fn from(limit: &'a Limit) -> Self {
        Self { kind: &limit.kind, available: limit.available, remaining: limit.remaining }
    }
}

/// Shows the session that a search would use. Asks nobody but with `--online`.
pub(crate) async fn run(args: &StatusArgs, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    if let Some(warning) = Store::tighten_for(env) {
        io.report_as("warning", &warning);
    }
    if SettingsFile::read(env)?.chooses_api() {
        return by_key(args, env, io);
    }
    // A key that cannot be used is told where it is needed.
    let key = ApiKey::find(env).ok().flatten().map(|key| key.origin);
    let found = auth::resolve(env).await;
    let online = match &found {
        Ok(credential) if args.online => Some(Usage::fetch_with(credential, env).await),
        _ => None,
    };
    if args.json {
        let document = document(&found, online.as_ref(), key.as_ref());
        output::document(&document, io)?;
    } else if let Ok(credential) = &found {
        describe(credential, io)?;
        if let Some(Ok(online)) = &online {
            online.lines().iter().try_for_each(|line| io.print(line))?;
        }
        describe_key(key.as_ref(), io)?;
    }
    found?;
    online.transpose().map(drop).map_err(Failure::from)
}

/// The same where searches are asked of the official API: what counts is the key.
fn by_key(args: &StatusArgs, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    let key = ApiKey::resolve(env);
    let origin = key.as_ref().ok().map(|key| key.origin.to_string());
    if args.json {
        let document = Document {
            version: 1,
            logged_in: origin.is_some(),
            api_key: origin,
            error: key.as_ref().err().map(ToString::to_string),
            ..Document::default()
        };
        output::document(&document, io)?;
    } else if let Some(origin) = origin {
        io.print(&format!(
            "Searches are asked of the official API, as settings.toml says.\nAPI key: from {origin}"
        ))?;
    }
    key.map(drop).map_err(Failure::from)
}

fn document<'a>(
    found: &'a crate::Result<Credential>,
    online: Option<&'a crate::Result<Usage>>,
    key: Option<&Origin>,
) -> Document<'a> {
    let credential = found.as_ref().ok();
    let refusal = online.and_then(|online| online.as_ref().err());
    let online = online.and_then(|online| online.as_ref().ok());
    Document {
        version: 1,
        logged_in: credential.is_some() && refusal.is_none(),
        email: credential.and_then(|credential| credential.email.as_deref()),
        origin: credential.map(|credential| credential.origin.to_string()),
        expires: credential.and_then(|credential| credential.expires),
        plan: online.and_then(|online| online.plan.as_deref()),
        limits: online
            .and_then(|usage| Some(usage.limits.as_ref()?.iter().map(LimitDocument::from).collect())),
        api_key: key.map(ToString::to_string),
        error: found.as_ref().err().or(refusal).map(ToString::to_string),
    }
}

fn describe_key(key: Option<&Origin>, io: &mut Io) -> std::io::Result<()> {
    key.map_or(Ok(()), |origin| {
        io.print(&format!("API key: from {origin}; used with --provider api only, and costs money"))
    })
}

fn describe(credential: &Credential, io: &mut Io) -> std::io::Result<()> {
    let account = credential.email.as_deref().unwrap_or("unknown (the session does not say)");
    let until = credential.expires.and_then(DateTime::from_timestamp_millis);
    let until = until.map_or_else(
        || "the service decides".to_owned(),
        |until| until.format("%Y-%m-%d %H:%M UTC").to_string(),
    );
    io.print(&format!("Logged in\nAccount: {account}\nOrigin: {}\nValid until: {until}", credential.origin))
}
