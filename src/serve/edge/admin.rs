//! `POST /admin/session`: another session in place of one that has ended, without a restart.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::upkeep;
use crate::auth::Session;
use crate::domain::error::Error;
use crate::serve::api_error::ApiError;
use crate::serve::state::server_state::ServerState;

/// Takes a token or a browser's cookies: as text, or as `{"token": …}` or `{"cookies": …}`. The stored session is
/// replaced once the service has accepted the new one.
pub(crate) async fn replace_session(
    State(server): State<Arc<ServerState>>,
    body: Bytes,
) -> Result<Json<Value>, ApiError> {
    if !server.access.has_key() {
        let message = "The session can be replaced only where the server has a key.";
        return Err(ApiError::forbidden("key_needed", message));
    }
    let session = read_session(&body).ok_or_else(|| {
        ApiError::invalid_body("The body must be a token, or an object with 'token' or 'cookies'.")
    })?;
    let session = session
        .map_err(|reason| ApiError::invalid_body(format!("The body holds no usable session: {reason}.")))?;
    match upkeep::replace_session(&server, session).await {
        Ok(()) => Ok(Json(json!({ "object": "session", "state": server.session.state() }))),
        Err(error @ Error::Login(_)) => {
            Err(ApiError::with_status(StatusCode::CONFLICT, "session_fixed", error.to_string()))
        }
        Err(error) => Err(error.into()),
    }
}

/// The largest body of a new session, in bytes.
pub(crate) const MAX_BODY: usize = 64 << 10;

fn read_session(body: &[u8]) -> Option<Result<Session, String>> {
    let text = std::str::from_utf8(body).ok()?;
    let Ok(Value::Object(fields)) = serde_json::from_str(text) else {
        return Some(Session::from_token(text));
    };
    let field = |name: &str| fields.get(name).and_then(Value::as_str);
    let token = field("token").or_else(|| field("session_token")).map(Session::from_token);
    token.or_else(|| field("cookies").map(Session::from_cookies))
}
