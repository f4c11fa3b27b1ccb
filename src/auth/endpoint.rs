//! The calls of `/api/auth`: JSON both ways, with one cookie jar.

use reqwest::header::{COOKIE, HeaderValue};
use reqwest::{Client, Method, StatusCode};
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::cookie::CookieJar;
use super::secret::Secret;
use crate::domain::error::{Error, Result};
use crate::net::http;

/// The largest reply that is read, in bytes.
const MAX_REPLY: usize = 1 << 20;

/// The status and the fields of a reply.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) fields: Fields,
}

/// The fields of a reply. Each is optional, and a wrong type counts as absent.
#[derive(Debug, Default)]
pub(super) struct Fields(serde_json::Map<String, Value>);

impl Fields {
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    pub(super) fn object(&self, name: &str) -> Option<Self> {
        Some(Self(self.0.get(name)?.as_object()?.clone()))
    }

    /// The service's own description of a failure.
    pub(super) fn reason(&self) -> Option<&str> {
        ["text", "message", "error_message", "error", "detail", "error_code", "status"]
            .iter()
            .find_map(|name| self.text(name))
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        serde_json::Map::deserialize(from).map(Self)
    }
}

/// A client of `/api/auth` that keeps the cookies of its calls.
#[derive(Debug)]
pub(super) struct Endpoint {
    client: Client,
    base: Url,
    pub(super) jar: CookieJar,
}

impl Endpoint {
    pub(super) fn new(base: Url) -> Result<Self> {
        Ok(Self { client: http::client(&base)?, base, jar: CookieJar::default() })
    }

    pub(super) async fn get(&mut self, path: &str, session: Option<&Secret>) -> Result<Reply> {
        self.call(Method::GET, path, None, session).await
    }

    pub(super) async fn post(&mut self, path: &str, body: &Value) -> Result<Reply> {
        self.call(Method::POST, path, Some(body), None).await
    }

    async fn call(
        &mut self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        session: Option<&Secret>,
    ) -> Result<Reply> {
        let url = http::endpoint(&self.base, path);
        let request = self.client.request(method, url.clone()).headers(http::app_headers());
        let request = match session.cloned().or_else(|| self.jar.header()) {
            Some(cookies) => request.header(COOKIE, sensitive_header(&cookies)?),
            None => request,
        };
        let request = match body {
            Some(body) => request.header("content-type", "application/json").body(body.to_string()),
            None => request,
        };
        let exchange = async {
            let response = request.send().await.map_err(|error| http::connect_error(&url, &error))?;
            self.store_cookies(&response);
            http::TextReply::read(response, MAX_REPLY).await
        };
        let reply = tokio::time::timeout(http::CALL_TIMEOUT, exchange).await.unwrap_or_else(|_| {
            Err(Error::TimedOut { host: http::host_of(&url), seconds: http::CALL_TIMEOUT.as_secs() })
        })?;
        if reply.is_challenge() {
            return Err(Error::Blocked { status: reply.status.as_u16() });
        }
        if reply.status == StatusCode::TOO_MANY_REQUESTS {
            return Err(Error::RateLimited { retry_after: reply.retry_after });
        }
        if reply.status.is_server_error() {
            return Err(Error::Unavailable { host: http::host_of(&url), status: reply.status.as_u16() });
        }
        Ok(Reply { status: reply.status, fields: serde_json::from_str(&reply.body).unwrap_or_default() })
    }

    fn store_cookies(&mut self, response: &reqwest::Response) {
        http::set_cookies(response).for_each(|cookie| self.jar.set(cookie));
    }
}

/// A header value that stays out of debug output.
fn sensitive_header(secret: &Secret) -> Result<HeaderValue> {
    http::secret_header(secret.expose())
        .ok_or_else(|| Error::Login("a cookie of the service cannot be sent back".to_owned()))
}
