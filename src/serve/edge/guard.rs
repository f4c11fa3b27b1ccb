//! Who gets through: the name by which the server is called, the page that calls it, and the key.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::serve::api_error::Refusal;
use crate::serve::state::server_state::App;

/// Lets through who calls the server by its name, from a page that may.
pub(crate) async fn callers(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    match app.access.check_caller(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// Lets through who has the key.
pub(crate) async fn keys(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    if request.method() == Method::OPTIONS {
        return next.run(request).await;
    }
    match app.access.check_key(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// Lets through who has the key in the path, for clients that can set an address and nothing else.
pub(crate) async fn key_in_path(
    State(app): State<Arc<App>>,
    Path(key): Path<String>,
    request: Request,
    next: Next,
) -> Response {
    if app.access.is_key(&key) { next.run(request).await } else { Refusal::key().into_response() }
}
