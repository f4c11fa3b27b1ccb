//! A message to the user, over a topic of ntfy or any other webhook.

use std::time::Duration;

use url::Url;

use super::http;
use crate::domain::error::{Error, Result};

const LIMIT: Duration = Duration::from_secs(20);

/// Posts `message` as plain text; ntfy shows `title` above it.
pub async fn post(url: &Url, title: &str, message: &str) -> Result<()> {
    let request = http::client(url)?.post(url.clone()).timeout(LIMIT);
    let request = request.header("Title", title).header("Priority", "high").header("Tags", "warning,key");
    let response = request.body(message.to_owned()).send().await;
    // The address may hold a secret: its topic.
    let refused = |reason: String| Error::Unexpected { path: format!("{} ({reason})", http::host_of(url)) };
    let response = response.map_err(|error| refused(http::innermost(&error)))?;
    if response.status().is_success() {
        Ok(())
    } else {
        Err(refused(format!("HTTP {}", response.status().as_u16())))
    }
}
