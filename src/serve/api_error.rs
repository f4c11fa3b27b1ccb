//! The one shape of errors: `{"error":{message,type,param,code}}`, with a status, and with what a client should know
//! before it tries again.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::domain::error::{Cut, Error};
use crate::outcome::failure::Failure;
use crate::state::files::FileError;

/// An error as clients of OpenAI's API read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ApiError {
    pub(super) status: StatusCode,
    kind: &'static str,
    pub(super) code: Option<&'static str>,
    param: Option<String>,
    pub(super) message: String,
    /// Another try cannot help, or would cost a question.
    is_final: bool,
    retry_after: Option<String>,
}

impl ApiError {
    fn new(status: StatusCode, kind: &'static str, code: Option<&'static str>, message: String) -> Self {
        Self { status, kind, code, param: None, message, is_final: true, retry_after: None }
    }

    /// Something in the request is wrong.
    pub(super) fn invalid(param: impl Into<String>, message: impl Into<String>) -> Self {
        let error = Self::new(
            StatusCode::BAD_REQUEST,
            "invalid_request_error",
            Some("invalid_value"),
            message.into(),
        );
        Self { param: Some(param.into()), ..error }
    }

    /// The body is not a JSON object, or cannot be read.
    pub(super) fn invalid_body(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", Some("invalid_body"), message.into())
    }

    /// What the request names does not exist.
    pub(super) fn not_found(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "invalid_request_error", Some(code), message.into())
    }

    /// Any other fault of the request, with a status and a code of its own.
    pub(super) fn with_status(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self::new(status, "invalid_request_error", Some(code), message.into())
    }

    /// The client may not do this.
    pub(super) fn forbidden(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "permission_error", Some(code), message.into())
    }

    /// The key is missing or wrong.
    pub(super) fn wrong_key() -> Self {
        let message = "The API key is missing or wrong. Send the one that the server was started with.";
        Self::new(
            StatusCode::UNAUTHORIZED,
            "authentication_error",
            Some("invalid_api_key"),
            message.to_owned(),
        )
    }

    /// What the service answered is not what the client asked for.
    pub(super) fn upstream(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_GATEWAY, "upstream_error", Some(code), message.into())
    }

    /// A quota is used up.
    pub(super) fn quota_exceeded(message: impl Into<String>, retry_after: Option<String>) -> Self {
        let code = Some("insufficient_quota");
        let error = Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limit_error", code, message.into());
        Self { retry_after, ..error }
    }

    #[must_use]
    pub(super) fn with_param(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    /// The object under the key `error`.
    pub(super) fn object(&self) -> Value {
        json!({ "message": self.message, "type": self.kind, "param": self.param, "code": self.code })
    }

    /// The body of the response.
    pub(super) fn document(&self) -> Value {
        json!({ "error": self.object() })
    }

    /// The code, else the type: the name in the log and in stored responses.
    pub(super) fn name(&self) -> &'static str {
        self.code.unwrap_or(self.kind)
    }
}

/// How long to wait where the service says no time, in seconds: quotas are renewed by the day.
const QUOTA_RETRY_AFTER: &str = "3600";

impl From<Error> for ApiError {
    /// What the service may have counted as a question is final: a client must not ask it again by itself.
    fn from(error: Error) -> Self {
        let (status, kind, code, is_final) = classify(&error);
        let retry_after = match &error {
            Error::RateLimited { retry_after } => retry_after.clone(),
            Error::Service { limit: true, .. } => Some(QUOTA_RETRY_AFTER.to_owned()),
            _ => None,
        };
        Self { is_final, retry_after, ..Self::new(status, kind, Some(code), message_with_hint(error)) }
    }
}

/// Message and hint, as the terminal shows them.
fn message_with_hint(error: Error) -> String {
    let problem = Failure::from(error).problem();
    problem.map_or_else(String::new, |problem| match problem.hint {
        Some(hint) => format!("{} ({hint})", problem.message),
        None => problem.message,
    })
}

/// Status, type, code, and whether it is final.
fn classify(error: &Error) -> (StatusCode, &'static str, &'static str, bool) {
    const UPSTREAM: &str = "upstream_error";
    match error {
        Error::NotAuthenticated | Error::OnlyKey(_) => {
            (StatusCode::UNAUTHORIZED, "authentication_error", "not_logged_in", true)
        }
        Error::Expired(_) | Error::Refused { .. } | Error::NotAccepted | Error::Malformed(..) => {
            (StatusCode::UNAUTHORIZED, "authentication_error", "session_refused", true)
        }
        Error::Blocked { .. } => (StatusCode::FORBIDDEN, UPSTREAM, "upstream_blocked", true),
        Error::RateLimited { .. } => {
            (StatusCode::TOO_MANY_REQUESTS, "rate_limit_error", "rate_limit_exceeded", false)
        }
        Error::Service { limit: true, .. } => {
            (StatusCode::TOO_MANY_REQUESTS, "rate_limit_error", "insufficient_quota", true)
        }
        Error::Connect { .. } | Error::Proxy { .. } => {
            (StatusCode::BAD_GATEWAY, UPSTREAM, "upstream_unreachable", false)
        }
        Error::TimedOut { .. } | Error::Incomplete(Cut::Idle(_) | Cut::Deadline(_)) => {
            (StatusCode::GATEWAY_TIMEOUT, UPSTREAM, "upstream_timeout", true)
        }
        Error::Unavailable { .. } => (StatusCode::BAD_GATEWAY, UPSTREAM, "upstream_unavailable", false),
        Error::Attachment { .. } => {
            (StatusCode::BAD_REQUEST, "invalid_request_error", "attachment_refused", true)
        }
        Error::NoResults => (StatusCode::BAD_GATEWAY, UPSTREAM, "empty_response", true),
        Error::Incomplete(_) => (StatusCode::BAD_GATEWAY, UPSTREAM, "upstream_cut", true),
        Error::File { .. }
        | Error::Busy { .. }
        | Error::DamagedState { .. }
        | Error::NewerState { .. }
        | Error::NoConfigDir
        | Error::BaseUrl { .. } => {
            (StatusCode::INTERNAL_SERVER_ERROR, "server_error", "internal_error", true)
        }
        _ => (StatusCode::BAD_GATEWAY, UPSTREAM, "upstream_error", true),
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.document())).into_response();
        let headers = response.headers_mut();
        if self.is_final {
            headers.insert("x-should-retry", HeaderValue::from_static("false"));
        }
        if let Some(value) = self.retry_after.as_deref().and_then(|text| HeaderValue::from_str(text).ok()) {
            headers.insert(header::RETRY_AFTER, value);
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(LoggedError(self.name()));
        response
    }
}

/// The code of the error that a response carries, for the log.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoggedError(pub(super) &'static str);

pub(crate) fn file_too_large(message: String) -> ApiError {
    ApiError::with_status(StatusCode::PAYLOAD_TOO_LARGE, "file_too_large", message).with_param("file")
}

pub(crate) fn file_not_found(id: &str) -> ApiError {
    ApiError::not_found("file_not_found", format!("There is no file '{id}'."))
}

impl From<FileError> for ApiError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Invalid { param, message } => Self::invalid(param, message),
            FileError::TooLarge(message) => file_too_large(message),
            FileError::Io(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::origin::Origin;

    #[test]
    fn what_the_service_counted_is_not_to_be_tried_again() {
        let refused = Error::Refused { origin: Origin::Desktop, status: 401 };
        let table = [
            (refused, 401, true),
            (Error::Blocked { status: 403 }, 403, true),
            (Error::RateLimited { retry_after: Some("7".to_owned()) }, 429, false),
            (Error::Service { code: None, message: None, limit: true }, 429, true),
            (Error::Service { code: None, message: None, limit: false }, 502, true),
            (Error::NoResults, 502, true),
            (Error::Incomplete(Cut::EndOfBody), 502, true),
            (Error::Incomplete(Cut::Idle(60)), 504, true),
            (Error::Unavailable { host: "x".to_owned(), status: 500 }, 502, false),
        ];
        for (error, status, is_final) in table {
            let message_with_hint = format!("{error:?}");
            let response = ApiError::from(error).into_response();
            assert_eq!(response.status().as_u16(), status, "{message_with_hint}");
            assert_eq!(response.headers().contains_key("x-should-retry"), is_final, "{message_with_hint}");
        }
        let response =
            ApiError::from(Error::RateLimited { retry_after: Some("7".to_owned()) }).into_response();
        assert_eq!(response.headers().get("retry-after").unwrap(), "7");
    }
}
