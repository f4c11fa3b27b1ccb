//! One request to the API and the start of its reply.

use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, USER_AGENT};
use reqwest::{Method, Response};
use serde_json::Value;
use tokio::time::timeout;
use url::Url;

use super::refusal;
use crate::auth::ApiKey;
use crate::domain::error::{Error, Result};
use crate::net::http;

/// The `User-Agent` header.
const USER_AGENT_TEXT: &str = concat!("pplx/", env!("CARGO_PKG_VERSION"));

/// Address, key and time limit of the calls.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) base: &'a Url,
    pub(super) key: ApiKey,
    /// The longest time in which nothing arrives.
    pub(super) idle: Duration,
}

impl Call<'_> {
    /// Posts `body` to `path`, once. Returns a reply with a good status, whose body is not read yet.
    pub(super) async fn post(&self, path: &str, body: &Value, stream: bool) -> Result<Response> {
        self.send(Method::POST, path, Some(body), stream).await
    }

    /// The same without a body.
    pub(super) async fn get(&self, path: &str) -> Result<Response> {
        self.send(Method::GET, path, None, false).await
    }

    async fn send(&self, method: Method, path: &str, body: Option<&Value>, stream: bool) -> Result<Response> {
        let url = http::endpoint(self.base, path);
        let client = http::client(self.base).map_err(|error| Error::ApiRequest(error.to_string()))?;
        let request = client.request(method, url.clone()).headers(self.headers(stream)?);
        let request = match body {
            Some(body) => request.body(body.to_string()),
            None => request,
        };
        let sent = timeout(self.idle, request.send()).await;
        let response = sent
            .map_err(|_| Error::ApiRequest(format!("no answer within {} seconds", self.idle.as_secs())))?
            .map_err(|error| Error::ApiRequest(self.redacted(&describe(&url, &error))))?;
        match response.status().as_u16() {
            200..=299 => Ok(response),
            300..=399 => Err(Error::ApiRequest(redirect_refusal(&url, &response))),
            _ => Err(refusal::from_response(response, &self.key, self.idle).await.into()),
        }
    }

    fn headers(&self, stream: bool) -> Result<HeaderMap> {
        let bearer = http::secret_header(&format!("Bearer {}", self.key.secret.expose()));
        let unusable = || Error::BadKey(self.key.origin.clone(), "it cannot be sent".to_owned());
        let accepted = if stream { "text/event-stream" } else { "application/json" };
        Ok(HeaderMap::from_iter([
            (AUTHORIZATION, bearer.ok_or_else(unusable)?),
            (CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (ACCEPT, HeaderValue::from_static(accepted)),
            (USER_AGENT, HeaderValue::from_static(USER_AGENT_TEXT)),
        ]))
    }

    fn redacted(&self, text: &str) -> String {
        self.key.secret.redact(text)
    }
}

/// The cause of a failed request, with the proxy where that failed.
fn describe(url: &Url, error: &reqwest::Error) -> String {
    match http::connect_error(url, error) {
        Error::Proxy { proxy, reason } => format!("the proxy {proxy} did not let it through: {reason}"),
        Error::Connect { host, reason } => format!("{host}: {reason}"),
        other => other.to_string(),
    }
}

/// The error about a redirect. It is never followed, because the key would be sent along.
fn redirect_refusal(from: &Url, response: &Response) -> String {
    let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
    let target = location.and_then(|location| from.join(location).ok());
    let target =
        target.map_or_else(|| "an address that it does not name".to_owned(), |url| http::host_of(&url));
    format!("a redirect to {target} (HTTP {}), which is not followed", response.status().as_u16())
}
