//! Sending a question, and the meaning of the reply's status.

use std::time::Duration;

use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderMap, HeaderName, HeaderValue, ORIGIN, REFERER,
};
use reqwest::{Client, Response};
use serde_json::{Map, Value, json};
use tokio::time::timeout;
use url::Url;
use uuid::Uuid;

use super::body::describe_body;
use super::extract::{error_reason, is_about_limits};
use crate::auth::{Credential, Session, store_rotated};
use crate::domain::answer::Thread;
use crate::domain::choice::Choice;
use crate::domain::error::{Error, Result};
use crate::domain::request::{Recency, SearchRequest};
use crate::net::http::{self, TextReply};

/// The language of a request that names none.
const DEFAULT_LANGUAGE: &str = "en-US";
const ASK_PATH: &str = "rest/sse/perplexity_ask";
/// How much of the body of an error is read, in bytes.
const MAX_ERROR_BODY: usize = 64 << 10;
/// How much of an unknown body a message quotes, in characters.
const MAX_QUOTE: usize = 200;

/// A reply that is an event stream.
#[derive(Debug)]
pub(super) struct StreamReply {
    pub(super) response: Response,
    /// The session that the service put in place of the one that was sent, if it did.
    pub(super) rotated: Option<Session>,
    /// Whether that session could be stored.
    pub(super) stored: Result<()>,
}

/// Sends the question under the id `request_id`. It is sent once more, unchanged, only if the connection broke before
/// the status line: after that, the question may have been counted.
pub(super) async fn ask(
    base: &Url,
    credential: &Credential,
    request: &SearchRequest,
    request_id: &str,
    idle: Duration,
) -> Result<StreamReply> {
    let client = http::client(base)?;
    let url = http::endpoint(base, ASK_PATH);
    let headers = headers(&credential.session, request_id)?;
    let body = body(request, request_id).to_string();
    let send = || send_once(&client, &url, &headers, &body, idle);
    let response = match send().await {
        Err(SendError::Disconnected) => send().await,
        first => first,
    };
    into_stream(response.map_err(|error| error.into_error(&url))?, credential, request.thread.is_some()).await
}

/// Reconnects to the reply of a run. Its first event is a full snapshot.
pub(super) async fn reconnect(
    base: &Url,
    credential: &Credential,
    run: &str,
    idle: Duration,
) -> Result<StreamReply> {
    let client = http::client(base)?;
    let url = http::endpoint(base, &format!("{ASK_PATH}/reconnect/{}", http::segment(run)));
    let headers = headers(&credential.session, &Uuid::new_v4().to_string())?;
    let body = json!({ "reconnectInitialSnapshot": true }).to_string();
    let response = send_once(&client, &url, &headers, &body, idle).await;
    into_stream(response.map_err(|error| error.into_error(&url))?, credential, true).await
}

/// Checks that a reply is a stream, and stores the session that it rotates.
async fn into_stream(response: Response, credential: &Credential, is_follow_up: bool) -> Result<StreamReply> {
    let rotated = credential.session.rotated(http::set_cookies(&response));
    let stored = match rotated.clone() {
        Some(rotated) => store_rotated(credential, rotated).await,
        None => Ok(()),
    };
    if !response.status().is_success() {
        return Err(refusal(response, credential, is_follow_up).await);
    }
    if is_page_or_json(&response) {
        return Err(not_a_stream(response, credential).await);
    }
    Ok(StreamReply { response, rotated, stored })
}

/// Whether the `Content-Type` is that of a page or of JSON.
fn is_page_or_json(response: &Response) -> bool {
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.is_some_and(|text| text.contains("html") || text.contains("json"))
}

async fn not_a_stream(response: Response, credential: &Credential) -> Error {
    match TextReply::read(response, MAX_ERROR_BODY).await {
        Ok(reply) if reply.is_challenge() => Error::Blocked { status: reply.status.as_u16() },
        Ok(reply) => Error::NotAStream { found: credential.session.redact(&describe_body(&reply.body)) },
        Err(error) => error,
    }
}

enum SendError {
    /// The connection broke before the status line.
    Disconnected,
    Other(Error),
}

impl SendError {
    fn into_error(self, url: &Url) -> Error {
        let reason = "the connection broke before a reply".to_owned();
        match self {
            Self::Disconnected => Error::Connect { host: http::host_of(url), reason },
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
) -> std::result::Result<Response, SendError> {
    let request = client.post(url.clone()).headers(headers.clone()).body(body.to_owned());
    match timeout(idle, request.send()).await {
        Ok(Ok(response)) => Ok(response),
        Ok(Err(error)) if error.is_request() && !error.is_connect() && !error.is_timeout() => {
            Err(SendError::Disconnected)
        }
        Ok(Err(error)) => Err(SendError::Other(http::connect_error(url, &error))),
        Err(_) => {
            Err(SendError::Other(Error::TimedOut { host: http::host_of(url), seconds: idle.as_secs() }))
        }
    }
}

/// A header value that stays out of debug output.
pub(super) fn secret_value(text: &str) -> Result<HeaderValue> {
    http::secret_header(text)
        .ok_or_else(|| Error::Paste("The session holds characters that cannot be sent".to_owned()))
}

/// The headers of a question. With the bearer token alone, without the cookie, the service silently answers as to a
/// guest.
fn headers(session: &Session, request_id: &str) -> Result<HeaderMap> {
    let mut headers = http::app_headers();
    headers.insert(AUTHORIZATION, secret_value(&format!("Bearer {}", session.token().expose()))?);
    headers.insert(COOKIE, secret_value(session.cookie_header().expose())?);
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

/// The body of a question. `supported_block_use_cases` is left out, because with it the service moves the answer into
/// other kinds of blocks.
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
            "language": request.language.as_deref().unwrap_or(DEFAULT_LANGUAGE),
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
        make_follow_up(params, thread);
    }
    body
}

/// Turns the parameters into those of a follow-up: it names the entry before it and the thread's token, and leaves out
/// what belongs to a first question. A recency that was asked for is still sent.
fn make_follow_up(params: &mut Map<String, Value>, thread: &Thread) {
    params.remove("frontend_context_uuid");
    if params.get("search_recency_filter").is_some_and(Value::is_null) {
        params.remove("search_recency_filter");
    }
    params.insert("last_backend_uuid".to_owned(), thread.id.as_str().into());
    params.insert("read_write_token".to_owned(), thread.token.as_deref().into());
    params.insert("query_source".to_owned(), "followup".into());
    params.insert("followup_source".to_owned(), "link".into());
}

/// The error that a reply with a bad status stands for.
pub(super) async fn refusal(response: Response, credential: &Credential, is_follow_up: bool) -> Error {
    let host = http::host_of(response.url());
    let url = response.url().clone();
    let reply = match TextReply::read(response, MAX_ERROR_BODY).await {
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
        403 if reply.is_json() && reason.as_deref().is_some_and(is_about_limits) => {
            Error::Service { code: None, message: reason, limit: true }
        }
        // The reply for a thread that is gone or belongs to someone else. If it was the session that is refused, asking
        // again without the thread will show that.
        403 if reply.is_json() && is_follow_up => Error::ThreadGone,
        403 if reply.is_json() => refused(),
        403 => Error::Blocked { status },
        407 => Error::Proxy { proxy: host, reason: "it wants a login (HTTP 407)".to_owned() },
        429 => Error::RateLimited { retry_after: reply.retry_after },
        408 | 500..=599 => Error::Unavailable { host, status },
        _ => Error::Status { status, reason },
    }
}

/// The reason that a body gives. HTML is never quoted.
fn reason_in(reply: &TextReply) -> Option<String> {
    if reply.is_json() {
        return error_reason(&reply.body).or_else(|| quoted(&reply.body));
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
