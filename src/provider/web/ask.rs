//! The request, and what a reply's status means.

use std::time::Duration;

use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderMap, HeaderName, HeaderValue, ORIGIN, REFERER,
};
use reqwest::{Client, Response};
use serde_json::{Map, Value, json};
use tokio::time::timeout;
use url::Url;
use uuid::Uuid;

use super::body::described;
use super::extract::{reason_of, speaks_of_limits};
use crate::auth::{Credential, Session, keep};
use crate::domain::answer::Thread;
use crate::domain::choice::Choice;
use crate::domain::error::{Error, Result};
use crate::domain::request::{Recency, SearchRequest};
use crate::net::http::{self, TextReply};

/// Unless another is named.
const LANGUAGE: &str = "en-US";
const PATH: &str = "rest/sse/perplexity_ask";
/// How much of an error's body is read, in bytes.
const MAX_ERROR: usize = 64 << 10;
/// How much of an unknown body a message quotes, in characters.
const MAX_QUOTE: usize = 200;

/// A reply that is an event stream.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) response: Response,
    /// The session that the service put in place of the one that was sent.
    pub(super) rotated: Option<Session>,
    /// Whether it could be kept.
    pub(super) kept: Result<()>,
}

/// Sends the question under the id `request_id`. It is sent once more, unchanged, only if the connection broke before
/// any status line: after one, the question may have been counted.
pub(super) async fn ask(
    base: &Url,
    credential: &Credential,
    request: &SearchRequest,
    request_id: &str,
    idle: Duration,
) -> Result<Reply> {
    let client = http::client(base)?;
    let url = http::endpoint(base, PATH);
    let headers = headers(&credential.session, request_id)?;
    let body = body(request, request_id).to_string();
    let send = || send_once(&client, &url, &headers, &body, idle);
    let response = match send().await {
        Err(Failure::Broke) => send().await,
        first => first,
    };
    stream(response.map_err(|failure| failure.at(&url))?, credential, request.thread.is_some()).await
}

/// Takes up the reply of a run: its first frame is the whole state.
pub(super) async fn reconnect(
    base: &Url,
    credential: &Credential,
    run: &str,
    idle: Duration,
) -> Result<Reply> {
    let client = http::client(base)?;
    let url = http::endpoint(base, &format!("{PATH}/reconnect/{}", http::segment(run)));
    let headers = headers(&credential.session, &Uuid::new_v4().to_string())?;
    let body = json!({ "reconnectInitialSnapshot": true }).to_string();
    let response = send_once(&client, &url, &headers, &body, idle).await;
    stream(response.map_err(|failure| failure.at(&url))?, credential, true).await
}

/// The stream of a reply, or why there is none.
async fn stream(response: Response, credential: &Credential, is_follow_up: bool) -> Result<Reply> {
    let rotated = credential.session.rotated(http::set_cookies(&response));
    let kept = match rotated.clone() {
        Some(rotated) => keep(credential, rotated).await,
        None => Ok(()),
    };
    if !response.status().is_success() {
        return Err(refusal(response, credential, is_follow_up).await);
    }
    if has_foreign_type(&response) {
        return Err(not_a_stream(response, credential).await);
    }
    Ok(Reply { response, rotated, kept })
}

/// Whether a good reply says of itself that it is no event stream.
fn has_foreign_type(response: &Response) -> bool {
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.is_some_and(|text| text.contains("html") || text.contains("json"))
}

async fn not_a_stream(response: Response, credential: &Credential) -> Error {
    match TextReply::read(response, MAX_ERROR).await {
        Ok(reply) if reply.is_challenge() => Error::Blocked { status: reply.status.as_u16() },
        Ok(reply) => Error::NotAStream { found: credential.session.redact(&described(&reply.body)) },
        Err(error) => error,
    }
}

enum Failure {
    /// There was a connection, and it ended before the status line.
    Broke,
    Other(Error),
}

impl Failure {
    fn at(self, url: &Url) -> Error {
        let reason = "the connection broke before a reply".to_owned();
        match self {
            Self::Broke => Error::Connect { host: http::host_of(url), reason },
            Self::Other(error) => error,
        }
    }
}

async fn send_once(
    client: &Client,
    url: &Url,
    headers: &HeaderMap,
    body: &str,
    idle: Duration,
) -> std::result::Result<Response, Failure> {
    let request = client.post(url.clone()).headers(headers.clone()).body(body.to_owned());
    match timeout(idle, request.send()).await {
        Ok(Ok(response)) => Ok(response),
        Ok(Err(error)) if error.is_request() && !error.is_connect() && !error.is_timeout() => {
            Err(Failure::Broke)
        }
        Ok(Err(error)) => Err(Failure::Other(http::connect_error(url, &error))),
        Err(_) => Err(Failure::Other(Error::TimedOut { host: http::host_of(url), seconds: idle.as_secs() })),
    }
}

/// A header's value that no log shows.
pub(super) fn secret(text: &str) -> Result<HeaderValue> {
    http::secret_header(text)
        .ok_or_else(|| Error::Paste("The session holds characters that cannot be sent".to_owned()))
}

/// The service honours the cookie; with the bearer alone it answers as to a guest, without a word about it.
fn headers(session: &Session, request_id: &str) -> Result<HeaderMap> {
    let mut headers = http::app_headers();
    headers.insert(AUTHORIZATION, secret(&format!("Bearer {}", session.token().expose()))?);
    headers.insert(COOKIE, secret(session.cookie_header().expose())?);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    headers.insert(ORIGIN, HeaderValue::from_static(http::WEB_HOST));
    headers.insert(REFERER, HeaderValue::from_static("https://www.perplexity.ai/"));
    headers.insert(HeaderName::from_static("x-app-apiclient"), HeaderValue::from_static("default"));
    headers
        .insert(HeaderName::from_static("x-perplexity-request-reason"), HeaderValue::from_static("submit"));
    if let Ok(request_id) = HeaderValue::from_str(request_id) {
        headers.insert(HeaderName::from_static("x-request-id"), request_id);
    }
    Ok(headers)
}

/// `supported_block_use_cases` is left out: with it the service moves the answer into other kinds of blocks.
fn body(request: &SearchRequest, request_id: &str) -> Value {
    let query = request.effective_query();
    let mut body = json!({
        "query_str": query,
        "params": {
            "query_str": query,
            "search_focus": "internet",
            "mode": "copilot",
            "model_preference": request.model,
            "sources": request.sources,
            "attachments": request.attachments,
            "frontend_uuid": request_id,
            "frontend_context_uuid": Uuid::new_v4().to_string(),
            "version": http::API_VERSION,
            "language": request.language.as_deref().unwrap_or(LANGUAGE),
            "timezone": request.timezone,
            "search_recency_filter": request.recency.map(Recency::name),
            "is_incognito": !request.save,
            "use_schematized_api": true,
            "skip_search_enabled": true,
            "always_search_override": true,
        },
    });
    if let (Some(thread), Some(params)) =
        (&request.thread, body.pointer_mut("/params").and_then(Value::as_object_mut))
    {
        follow_up(params, thread);
    }
    body
}

/// A follow-up names the entry before it and the thread's token, and leaves out what belongs to a first question. An
/// age that was asked for is sent all the same: nothing asked is dropped silently.
fn follow_up(params: &mut Map<String, Value>, thread: &Thread) {
    params.remove("frontend_context_uuid");
    if params.get("search_recency_filter").is_some_and(Value::is_null) {
        params.remove("search_recency_filter");
    }
    params.insert("last_backend_uuid".to_owned(), thread.id.as_str().into());
    params.insert("read_write_token".to_owned(), thread.token.as_deref().into());
    params.insert("query_source".to_owned(), "followup".into());
    params.insert("followup_source".to_owned(), "link".into());
}

/// What a reply without a stream says.
pub(super) async fn refusal(response: Response, credential: &Credential, is_follow_up: bool) -> Error {
    let host = http::host_of(response.url());
    let url = response.url().clone();
    let reply = match TextReply::read(response, MAX_ERROR).await {
        Ok(reply) => reply,
        Err(error) => return error,
    };
    let status = reply.status.as_u16();
    let reason = reason_in(&reply).map(|reason| credential.session.redact(&reason));
    let refused = || Error::Refused { origin: credential.origin.clone(), status };
    match status {
        _ if reply.is_challenge() => Error::Blocked { status },
        300..=399 => Error::Redirect { status, target: redirect_target(&url, reply.location.as_deref()) },
        401 => refused(),
        402 => Error::Service { code: None, message: reason, limit: true },
        403 if reply.is_json() && reason.as_deref().is_some_and(speaks_of_limits) => {
            Error::Service { code: None, message: reason, limit: true }
        }
        // So a thread that is gone, or somebody else's, looks; a session that is refused will be, without it.
        403 if reply.is_json() && is_follow_up => Error::ThreadGone,
        403 if reply.is_json() => refused(),
        403 => Error::Blocked { status },
        407 => Error::Proxy { proxy: host, reason: "it wants a login (HTTP 407)".to_owned() },
        429 => Error::RateLimited { retry_after: reply.retry_after },
        408 | 500..=599 => Error::Unavailable { host, status },
        _ => Error::Status { status, reason },
    }
}

/// The reason that a body gives. Pages are never quoted.
fn reason_in(reply: &TextReply) -> Option<String> {
    if reply.is_json() {
        return reason_of(&reply.body).or_else(|| quoted(&reply.body));
    }
    quoted(&reply.body).filter(|quote| !quote.starts_with('<'))
}

fn quoted(body: &str) -> Option<String> {
    let quote: String = body.trim().chars().take(MAX_QUOTE).collect();
    (!quote.is_empty()).then_some(quote)
}

fn redirect_target(from: &Url, location: Option<&str>) -> String {
    let target = location.and_then(|location| from.join(location).ok());
    target.map_or_else(|| "an address that it does not name".to_owned(), |url| http::host_of(&url))
}
