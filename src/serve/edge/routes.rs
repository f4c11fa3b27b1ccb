//! Which address is answered by what, and what every request passes through.

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
use crate::serve::api_error::{ApiError, LoggedError};
use crate::serve::dialect::chat;
use crate::serve::dialect::files;
use crate::serve::dialect::responses;
use crate::serve::log::Record;
use crate::serve::state::server_state::ServerState;

/// All routes.
pub(crate) fn router(server: &Arc<ServerState>, mounted: Option<Router>) -> Router {
    let mut with_key = Router::new()
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
        with_key = with_key.route_service("/mcp", mounted.clone());
        with_key_in_path = with_key_in_path
            .route_service("/{key}/mcp", mounted)
            .route_layer(from_fn_with_state(Arc::clone(server), guard::check_key_in_path));
    }
    let with_key = with_key.route_layer(from_fn_with_state(Arc::clone(server), guard::check_key));
    let open = Router::new()
        .route("/health", get(health::get))
        .route("/", get(page::html))
        .route("/{name}", get(page::asset));
    with_key
        .merge(with_key_in_path)
        .merge(open)
        .fallback(unknown_url)
        .method_not_allowed_fallback(method_not_allowed)
        // Each kind of body has its own limit, where it is read.
        .layer(DefaultBodyLimit::disable())
        .layer(RequestBodyTimeoutLayer::new(BODY_TIMEOUT))
        .layer(from_fn_with_state(Arc::clone(server), guard::check_caller))
        .layer(cors(server))
        .layer(from_fn(log_request))
        .with_state(Arc::clone(server))
}

/// How long a client that is sending may send nothing.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);

/// Lets pages of other origins read the answers where the rules allow them to.
fn cors(server: &Arc<ServerState>) -> CorsLayer {
    let server = Arc::clone(server);
    CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(move |origin, _| server.access.allows_origin(origin)))
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
async fn log_request(mut request: Request, next: Next) -> Response {
    let request_id = format!("req_{}", Uuid::new_v4().simple());
    let route = request.extensions().get::<MatchedPath>().map_or("(none)", MatchedPath::as_str);
    let record = Record::start(request_id.clone(), request.method().to_string(), route.to_owned());
    request.extensions_mut().insert(record.clone());
    let mut response = as_api_error(next.run(request).await).await;
    record.set_status(response.status().as_u16());
    if let Some(LoggedError(error)) = response.extensions().get() {
        record.set_error(error);
    }
    if let Ok(request_id) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert("x-request-id", request_id);
    }
    response
}

/// The most that is read of an error message of the framework, in bytes.
const MAX_MESSAGE: usize = 2048;

/// Gives errors of the framework, which are plain text, the shape of all errors.
async fn as_api_error(response: Response) -> Response {
    let status = response.status();
    let is_json = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let reason = to_bytes(response.into_body(), MAX_MESSAGE).await.unwrap_or_default();
    let reason = String::from_utf8_lossy(&reason).into_owned();
    let message =
        if reason.trim().is_empty() { format!("The request was refused (HTTP {status}).") } else { reason };
    ApiError::with_status(status, "invalid_request", message).into_response()
}

async fn unknown_url(uri: Uri) -> ApiError {
    let path: String = uri.path().chars().take(100).collect();
    ApiError::not_found("unknown_url", format!("There is nothing at {path}."))
}

async fn method_not_allowed(method: Method, uri: Uri) -> ApiError {
    let path: String = uri.path().chars().take(100).collect();
    let message = format!("{path} does not take {method}.");
    ApiError::with_status(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
}
