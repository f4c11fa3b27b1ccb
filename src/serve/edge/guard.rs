//! Which requests get through, by the rules of [`Access`](crate::serve::state::access::Access).

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::serve::api_error::ApiError;
use crate::serve::state::server_state::ServerState;

/// Lets a request through that calls the server by a known name, from no page or one that may.
pub(crate) async fn check_caller(
    State(server): State<Arc<ServerState>>,
    request: Request,
    next: Next,
) -> Response {
    match server.access.check_caller(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

/// Lets a request through that has the key.
pub(crate) async fn check_key(
    State(server): State<Arc<ServerState>>,
    request: Request,
    next: Next,
) -> Response {
    if request.method() == Method::OPTIONS {
        return next.run(request).await;
    }
    match server.access.check_key(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

/// Lets a request through that has the key in its path, for clients that can set an address and nothing else.
pub(crate) async fn check_key_in_path(
    State(server): State<Arc<ServerState>>,
    Path(key): Path<String>,
    request: Request,
    next: Next,
) -> Response {
    if server.access.is_key(&key) { next.run(request).await } else { ApiError::wrong_key().into_response() }
}
