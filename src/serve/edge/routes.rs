//! Which address leads where, and what every request passes through.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};
use tower_http::timeout::RequestBodyTimeoutLayer;
use uuid::Uuid;

use super::admin;
use super::guard;
use super::health;
use super::models;
use super::page;
use crate::serve::api_error::{Named, Refusal};
use crate::serve::dialect::chat;
use crate::serve::dialect::files;
use crate::serve::dialect::responses;
use crate::serve::log::Record;
use crate::serve::state::server_state::App;

/// All of them.
pub(crate) fn router(app: &Arc<App>, mounted: Option<Router>) -> Router {
    let mut keyed = Router::new()
        .route("/v1/models", get(models::list))
        .route("/v1/models/{id}", get(models::get))
        .route("/v1/chat/completions", post(chat::create))
        .route("/v1/responses", post(responses::create))
        .route("/v1/responses/{id}", get(responses::get).delete(responses::delete))
        .route("/v1/responses/{id}/cancel", post(responses::cancel))
        .route("/v1/responses/{id}/input_items", get(responses::input_items))
        .route(
            "/v1/files",
            get(files::list).post(files::create).layer(DefaultBodyLimit::max(files::MAX_UPLOAD)),
        )
        .route("/v1/files/{id}", get(files::get).merge(delete(files::delete)))
        .route("/v1/files/{id}/content", get(files::content))
        .route("/admin/session", post(admin::replace_session).layer(DefaultBodyLimit::max(admin::MAX_BODY)));
    let mut with_key_in_path = Router::new();
    if let Some(mounted) = mounted {
        keyed = keyed.route_service("/mcp", mounted.clone());
        with_key_in_path = with_key_in_path
            .route_service("/{key}/mcp", mounted)
            .route_layer(from_fn_with_state(Arc::clone(app), guard::key_in_path));
    }
    let keyed = keyed.route_layer(from_fn_with_state(Arc::clone(app), guard::keys));
    let open = Router::new()
        .route("/health", get(health::get))
        .route("/", get(page::html))
        .route("/{name}", get(page::asset));
    keyed
        .merge(with_key_in_path)
        .merge(open)
        .fallback(nowhere)
        .method_not_allowed_fallback(wrong_method)
        // Bodies are bounded where they are read, each kind by its own limit.
        .layer(DefaultBodyLimit::disable())
        .layer(RequestBodyTimeoutLayer::new(STALLED))
        .layer(from_fn_with_state(Arc::clone(app), guard::callers))
        .layer(cors(app))
        .layer(from_fn(recorded))
        .with_state(Arc::clone(app))
}

/// How long a client that is sending may send nothing.
const STALLED: Duration = Duration::from_secs(60);

/// Lets pages of other origins in that may; nothing is allowed unless that was said.
fn cors(app: &Arc<App>) -> CorsLayer {
    let app = Arc::clone(app);
    CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(move |origin, _| app.access.allows_origin(origin)))
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(
            [
                "x-request-id",
                "x-should-retry",
                "retry-after",
                "x-pplx-ignored",
                "x-ratelimit-remaining-requests",
            ]
            .map(HeaderName::from_static),
        )
}

/// Gives a request its id, and its line in the log.
async fn recorded(mut request: Request, next: Next) -> Response {
    let id = format!("req_{}", Uuid::new_v4().simple());
    let route = request.extensions().get::<MatchedPath>().map_or("(none)", MatchedPath::as_str);
    let record = Record::begin(id.clone(), request.method().to_string(), route.to_owned());
    request.extensions_mut().insert(record.clone());
    let mut response = uniform(next.run(request).await).await;
    record.status(response.status().as_u16());
    if let Some(Named(error)) = response.extensions().get() {
        record.failed(error);
    }
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", id);
    }
    response
}

/// The most that is read of an error that somebody else has put into words, in bytes.
const MAX_REASON: usize = 2048;

/// Errors of the framework, which are plain text, in the one shape of errors.
async fn uniform(response: Response) -> Response {
    let status = response.status();
    let is_json = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let reason = to_bytes(response.into_body(), MAX_REASON).await.unwrap_or_default();
    let reason = String::from_utf8_lossy(&reason).into_owned();
    let message =
        if reason.trim().is_empty() { format!("The request was refused (HTTP {status}).") } else { reason };
    Refusal::request(status, "invalid_request", message).into_response()
}

async fn nowhere(uri: Uri) -> Refusal {
    let path: String = uri.path().chars().take(100).collect();
    Refusal::missing("unknown_url", format!("There is nothing at {path}."))
}

async fn wrong_method(method: Method, uri: Uri) -> Refusal {
    let path: String = uri.path().chars().take(100).collect();
    let message = format!("{path} does not take {method}.");
    Refusal::request(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
}
