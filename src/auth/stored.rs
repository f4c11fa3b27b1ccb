//! What `auth.json` holds.

use std::io;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Credential;
use super::secret::Secret;

/// The content of the file. `expires` may be any number; any other type counts as absent.
#[derive(Deserialize)]
pub(super) struct Content {
    #[serde(rename = "type", default)]
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) access: String,
    #[serde(default)]
    pub(super) expires: Option<Value>,
    #[serde(default)]
    pub(super) email: Option<String>,
    #[serde(default)]
    pub(super) cookies: Option<String>,
    #[serde(default)]
    pub(super) api_key: Option<String>,
}

impl Content {
    /// Whether there is a session. A file with a key need not have one.
    pub(super) fn has_session(&self) -> bool {
        self.api_key.is_none() || self.cookies.is_some() || !self.access.is_empty()
    }
}

/// The content with a session, as it is written.
#[derive(Serialize)]
struct SessionContent<'a> {
    r#type: &'a str,
    access: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cookies: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    api_key: Option<&'a str>,
}

/// The file for `credential` and a key.
pub(super) fn session_bytes(credential: &Credential, key: Option<&Secret>) -> io::Result<Vec<u8>> {
    let session = &credential.session;
    to_bytes(&SessionContent {
        r#type: "oauth",
        access: session.token().expose(),
        expires: credential.expires,
        email: credential.email.as_deref(),
        cookies: session.cookies().map(Secret::expose),
        api_key: key.map(Secret::expose),
    })
}

pub(super) fn to_bytes(content: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(content)?;
    bytes.push(b'\n');
    Ok(bytes)
}
