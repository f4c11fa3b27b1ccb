//! The fields of a request's body. `null` is the same as absent; the error of a wrong type names the field.

use axum::body::{Body, to_bytes};
use axum::http::StatusCode;
use serde_json::{Map, Value};
use std::time::Duration;

use crate::serve::api_error::ApiError;

/// The largest body of JSON, in bytes: five files of the usual sizes, in Base64.
pub(crate) const MAX_BODY: usize = 32 << 20;
/// How long a body may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);

/// The JSON object in the body of a request.
#[derive(Debug)]
pub(crate) struct Fields(pub(crate) Map<String, Value>);

impl Fields {
    /// Reads a body, whatever its `Content-Type` says: several clients send none.
    pub(crate) async fn read(body: Body) -> Result<Self, ApiError> {
        let bytes = tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, MAX_BODY)).await;
        let Ok(bytes) = bytes else {
            let message = format!("The body did not arrive within {} seconds.", BODY_TIMEOUT.as_secs());
            return Err(ApiError::with_status(StatusCode::REQUEST_TIMEOUT, "body_timeout", message));
        };
        let Ok(bytes) = bytes else {
            let message = format!("The body is larger than {} MiB, or broke off.", MAX_BODY >> 20);
            return Err(ApiError::with_status(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message));
        };
        Self::parse(&bytes)
    }

    fn parse(bytes: &[u8]) -> Result<Self, ApiError> {
        if bytes.trim_ascii().is_empty() {
            return Err(ApiError::invalid_body("The body is empty; it must be a JSON object."));
        }
        let value: Value = serde_json::from_slice(bytes).map_err(|error| {
            // serde_json's own message may quote the content, which no log should hold.
            let place = format!("line {}, column {}", error.line(), error.column());
            ApiError::invalid_body(format!("The body is no JSON that can be read ({place})."))
        })?;
        match value {
            Value::Object(fields) => Ok(Self(fields)),
            _ => Err(ApiError::invalid_body("The body must be a JSON object.")),
        }
    }

    /// A field that is there and not `null`.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, ApiError> {
        self.typed(name, "true or false", Value::as_bool)
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, ApiError> {
        self.typed(name, "text", Value::as_str)
    }

    pub(crate) fn list(&self, name: &str) -> Result<Option<&Vec<Value>>, ApiError> {
        self.typed(name, "a list", Value::as_array)
    }

    pub(crate) fn object(&self, name: &str) -> Result<Option<&Map<String, Value>>, ApiError> {
        self.typed(name, "an object", Value::as_object)
    }

    /// A text that is one of these.
    pub(crate) fn one_of(&self, name: &str, known: &[&str]) -> Result<Option<&str>, ApiError> {
        match self.text(name)? {
            Some(text) if !known.contains(&text) => {
                Err(ApiError::invalid(name, format!("'{name}' must be one of {}.", known.join(", "))))
            }
            text => Ok(text),
        }
    }

    fn typed<'a, T>(
        &'a self,
        name: &str,
        what: &str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, ApiError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| ApiError::invalid(name, format!("'{name}' must be {what}.")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_object_is_a_body() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(20_000), "]".repeat(20_000));
        for bad in [b"".as_slice(), b" ", b"{", b"[1]", b"\xff\xfe{}", b"null", deep.as_bytes()] {
            let error = Fields::parse(bad).unwrap_err();
            assert_eq!(error.status, StatusCode::BAD_REQUEST);
        }
        assert!(Fields::parse(b"{\"a\":null}").unwrap().get("a").is_none());
    }

    #[test]
    fn a_wrong_type_is_told_by_name() {
        let fields = Fields::parse(br#"{"stream":"yes"}"#).unwrap();
        assert_eq!(fields.flag("stream").unwrap_err().object()["param"], "stream");
    }
}
