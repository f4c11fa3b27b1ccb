//! A message to the user, through a topic of ntfy or any other webhook.

use std::time::Duration;

use url::Url;

use super::http;
use crate::domain::error::{Error, Result};

/// How long the post may take.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Posts `message` as plain text; ntfy shows `title` above it.
pub async fn post(url: &Url, title: &str, message: &str) -> Result<()> {
    let request = http::client(url)?.post(url.clone()).timeout(TIMEOUT);
    let request = request.header("Title", title).header("Priority", "high").header("Tags", "warning,key");
    let response = request.body(message.to_owned()).send().await;
    // The path of the address may be secret, such as the topic, so the error names the host alone.
    let error = |reason: String| Error::Unexpected { path: format!("{} ({reason})", http::host_of(url)) };
    let response = response.map_err(|cause| error(http::innermost(&cause)))?;
    if response.status().is_success() {
        Ok(())
    } else {
        Err(error(format!("HTTP {}", response.status().as_u16())))
    }
}
