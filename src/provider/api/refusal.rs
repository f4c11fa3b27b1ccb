//! Refusals by the API, from the status and the body of a reply or from an event in a stream.

use std::time::Duration;

use reqwest::Response;
use serde_json::Value;
use tokio::time::timeout;

use crate::auth::ApiKey;
use crate::domain::error::{ApiRefusal, Why};
use crate::net::http::TextReply;

/// How much of the body is read, in bytes.
const MAX_BODY: usize = 64 << 10;
/// The longest wait that is believed, in seconds.
const MAX_WAIT: i64 = 366 * 24 * 3600;
/// The types of error of an account that has no chat completions any more.
const RETIRED: [&str; 2] = ["chat_completions_not_available", "agent_api_migration_required"];

impl ApiRefusal {
    /// Whether the API refused the field `parameter` of the request.
    pub(super) fn is_about(&self, parameter: &str) -> bool {
        self.why == Why::Request && self.detail.as_deref() == Some(&parameter_phrase(parameter))
    }
}

fn parameter_phrase(parameter: &str) -> String {
    format!("it is about {parameter}")
}

/// The refusal in a reply with a bad status.
pub(super) async fn from_response(response: Response, key: &ApiKey, idle: Duration) -> ApiRefusal {
    let status = response.status().as_u16();
    let reset = response.headers().get("x-ratelimit-reset").and_then(|value| value.to_str().ok());
    let reset = reset.and_then(|reset| reset.trim().parse::<i64>().ok());
    let reply = timeout(idle, TextReply::read(response, MAX_BODY)).await.ok().and_then(Result::ok);
    let body = reply.as_ref().and_then(|reply| serde_json::from_str(&reply.body).ok()).unwrap_or(Value::Null);
    let blocked = reply.as_ref().is_some_and(TextReply::is_challenge);
    let why = if blocked { Why::Blocked } else { reason_for(status, &body) };
    let wait = reply.and_then(|reply| reply.retry_after);
    let detail = if why == Why::Rate { wait_phrase(wait.as_deref(), reset) } else { detail_in(&body) };
    new(status, &body, why, detail, key)
}

/// The refusal in an event of a stream, or in a reply with a good status.
pub(super) fn from_object(body: &Value, key: &ApiKey) -> ApiRefusal {
    let status = ["/error/code", "/code"].iter().find_map(|place| body.pointer(place)?.as_u64());
    let status = status.and_then(|status| u16::try_from(status).ok());
    let why = reason_for(status.unwrap_or_default(), body);
    ApiRefusal {
        message: "The API reported an error without saying which".to_owned(),
        ..new(0, body, why, detail_in(body), key)
    }
    .with_message(message_in(body), key)
}

impl ApiRefusal {
    fn with_message(self, message: Option<String>, key: &ApiKey) -> Self {
        let message = message.map_or(self.message, |message| key.secret.redact(&message));
        Self { message, ..self }
    }
}

fn new(status: u16, body: &Value, why: Why, detail: Option<String>, key: &ApiKey) -> ApiRefusal {
    let detail = detail.map(|detail| key.secret.redact(&detail));
    let message = format!("Perplexity API error (HTTP {status})");
    ApiRefusal { message, why, detail, origin: key.origin.clone() }.with_message(message_in(body), key)
}

/// The message of a body: `error`, else `error.message`, else `message`. An empty one counts as none, and the next is
/// not tried.
fn message_in(body: &Value) -> Option<String> {
    let body = body.as_object()?;
    let found = match body.get("error") {
        Some(text @ Value::String(_)) => Some(text),
        error => error
            .and_then(|error| error.get("message"))
            .filter(|message| !message.is_null())
            .or_else(|| body.get("message")),
    };
    found.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// What the message leaves out: the parameter that it is about, or the text of `detail`.
fn detail_in(body: &Value) -> Option<String> {
    if let Some(parameter) = body.pointer("/error/param").and_then(Value::as_str) {
        return Some(parameter_phrase(parameter));
    }
    match body.get("detail")? {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let texts: Vec<&str> = items.iter().filter_map(|item| item.get("msg")?.as_str()).collect();
            (!texts.is_empty()).then(|| texts.join("; "))
        }
        _ => None,
    }
}

fn reason_for(status: u16, body: &Value) -> Why {
    let text_at = |place: &&str| body.pointer(place)?.as_str();
    let kind =
        ["/error/type", "/error/code", "/code"].iter().filter_map(text_at).collect::<Vec<_>>().join(" ");
    match status {
        _ if RETIRED.iter().any(|retired| kind.contains(retired)) => Why::Retired,
        _ if kind.contains("quota") || kind.contains("credit") || kind.contains("billing") => Why::Credits,
        _ if kind.contains("rate_limit") => Why::Rate,
        400 | 413 | 422 => Why::Request,
        401 | 403 => Why::Key,
        402 => Why::Credits,
        429 => Why::Rate,
        408 | 500..=599 => Why::Service,
        _ => Why::Other,
    }
}

/// How long to wait: `Retry-After`, else until `reset`, the renewal of the limit in Unix seconds.
fn wait_phrase(retry_after: Option<&str>, reset: Option<i64>) -> Option<String> {
    match (retry_after.filter(|text| !text.is_empty()), reset) {
        (Some(seconds), _) if seconds.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(format!("wait {seconds} seconds"))
        }
        (Some(date), _) => Some(format!("wait until {date}")),
        (None, Some(reset)) => {
            let seconds = reset.saturating_sub(chrono::Utc::now().timestamp()).max(0);
            (seconds < MAX_WAIT).then(|| format!("wait {seconds} seconds"))
        }
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e3_to_e5_which_sentence_is_told() {
        for (body, expected) in [
            (r#"{"error":"text"}"#, Some("text")),
            (r#"{"error":{"message":"m"}}"#, Some("m")),
            (r#"{"message":"m"}"#, Some("m")),
            (r#"{"error":{"message":null},"message":"m"}"#, Some("m")),
            (r#"{"error":{},"message":"m"}"#, Some("m")),
            (r#"{"error":null,"message":"m"}"#, Some("m")),
            (r#"{"error":""}"#, None),
            (r#"{"error":"","message":"m"}"#, None),
            (r#"{"error":{"message":""},"message":"m"}"#, None),
            (r#"{"error":{"message":5}}"#, None),
            (r#"{"error":{"message":5},"message":"m"}"#, None),
            ("null", None),
            ("{}", None),
            ("[]", None),
            (r#""text""#, None),
            (r#"{"detail":"x"}"#, None),
        ] {
            let value = serde_json::from_str(body).unwrap();
            assert_eq!(message_in(&value).as_deref(), expected, "{body}");
        }
    }

    #[test]
    fn the_type_tells_what_a_status_is_about() {
        let typed = |kind: &str| serde_json::json!({ "error": { "type": kind } });
        for (status, kind, expected) in [
            (400, "invalid_request", Why::Request),
            (401, "invalid_api_key", Why::Key),
            (401, "insufficient_quota", Why::Credits),
            (402, "", Why::Credits),
            (403, "chat_completions_not_available", Why::Retired),
            (403, "agent_api_migration_required", Why::Retired),
            (403, "forbidden", Why::Key),
            (404, "not_found", Why::Other),
            (422, "", Why::Request),
            (424, "", Why::Other),
            (429, "request_rate_limit_exceeded", Why::Rate),
            (503, "internal_error", Why::Service),
        ] {
            assert_eq!(reason_for(status, &typed(kind)), expected, "{status} {kind}");
        }
    }

    #[test]
    fn what_the_sentence_leaves_out_is_told_beside_it() {
        let detail = |body: &str| detail_in(&serde_json::from_str(body).unwrap());
        assert_eq!(detail(r#"{"error":{"param":"effort"}}"#).as_deref(), Some("it is about effort"));
        assert_eq!(detail(r#"{"detail":[{"msg":"a","loc":[]},{"msg":"b"}]}"#).as_deref(), Some("a; b"));
        assert_eq!(detail(r#"{"detail":"x"}"#).as_deref(), Some("x"));
        assert_eq!(detail("{}"), None);
    }
}
