//! The Responses interface: `/v1/responses`.

mod calls;
mod items;
mod object;
mod request;
mod run;
mod stream;

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use self::object::Ids;
use self::request::{Delivery, Request};
use self::run::Run;
use super::events;
use super::fields::Fields;
use crate::serve::api_error::ApiError;
use crate::serve::dialect::parameters;
use crate::serve::log::Record;
use crate::serve::state::responses::StoredResponse;
use crate::serve::state::server_state::ServerState;

/// Answers in one piece, as a stream, or in the background.
pub(crate) async fn create(
    State(server): State<Arc<ServerState>>,
    Extension(record): Extension<Record>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let fields = Fields::read(body).await?;
    let request = Request::read(&fields, &headers, &server).await?;
    record.set_question(&request.question.model.id, request.delivery == Delivery::Streamed);
    let delivery = request.delivery;
    let run = Run::new(request, Arc::clone(&server));
    let mut response = match delivery {
        Delivery::InOnePiece => in_one_piece(run).await?,
        Delivery::Streamed => streamed(run, record).await?,
        Delivery::Background => in_background(run).await?,
    };
    server.renew_quota_soon();
    parameters::add_ignored_header(&fields, response.headers_mut());
    server.quota.add_headers(response.headers_mut());
    Ok(response)
}

async fn in_one_piece(run: Run) -> Result<Response, ApiError> {
    let completion = run.complete().await?;
    let document = run.draft.completed(&completion, &Ids::default());
    // An answer that cannot be stored is an answer all the same.
    let _ = run.store_completed(document.clone(), &completion).await;
    Ok(Json(document).into_response())
}

async fn streamed(run: Run, record: Record) -> Result<Response, ApiError> {
    let answer = run.ask().await?;
    // As above.
    let _ = run.store_draft().await;
    Ok(events::streamed(record.clone(), |frames| stream::send(run, answer, frames, record)))
}

/// Begins to answer. Without a place to store the answer there is nothing to begin.
async fn in_background(run: Run) -> Result<Response, ApiError> {
    run.store_draft().await?;
    let document = run.draft.document("in_progress");
    let (id, server) = (run.draft.id.clone(), Arc::clone(&run.server));
    server.background.answer(&id, run.answer_in_background());
    Ok(Json(document).into_response())
}

/// A stored response.
pub(crate) async fn get(
    State(server): State<Arc<ServerState>>,
    Path(id): Path<String>,
    Query(query): Query<GetQuery>,
) -> Result<Json<Value>, ApiError> {
    if query.stream == Some(true) {
        return Err(ApiError::invalid(
            "stream",
            "A stored response is not streamed again; get it without 'stream'.",
        ));
    }
    Ok(Json(find(&server, &id).await?.document))
}

#[derive(Debug, Deserialize)]
pub(crate) struct GetQuery {
    stream: Option<bool>,
}

/// Deletes a response, and ends its answering if that goes on in the background.
pub(crate) async fn delete(
    State(server): State<Arc<ServerState>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    server.background.stop(&id);
    if !server.responses.delete(&id).await? {
        return Err(not_found(&id));
    }
    Ok(Json(json!({ "id": id, "object": "response", "deleted": true })))
}

/// Ends a response that is being answered in the background.
pub(crate) async fn cancel(
    State(server): State<Arc<ServerState>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let stored = find(&server, &id).await?;
    if stored.document.get("background") != Some(&Value::Bool(true)) {
        let message = "Only a response that was created with 'background' can be cancelled.";
        return Err(ApiError::with_status(StatusCode::BAD_REQUEST, "not_cancellable", message));
    }
    if stored.text("status") == Some("cancelled") {
        return Ok(Json(stored.document));
    }
    if !server.background.stop(&id) {
        let message = "The response is not being answered any more.";
        return Err(ApiError::with_status(StatusCode::BAD_REQUEST, "not_cancellable", message));
    }
    let document = object::cancelled(stored.document);
    server.responses.end(&id, document.clone(), None).await?;
    Ok(Json(document))
}

/// The input of a response.
pub(crate) async fn input_items(
    State(server): State<Arc<ServerState>>,
    Path(id): Path<String>,
    Query(page): Query<items::Page>,
) -> Result<Json<Value>, ApiError> {
    let stored = find(&server, &id).await?;
    items::page(stored.input, &page).map(Json)
}

async fn find(server: &ServerState, id: &str) -> Result<StoredResponse, ApiError> {
    server.responses.get(id).await?.ok_or_else(|| not_found(id))
}

fn not_found(id: &str) -> ApiError {
    ApiError::not_found("response_not_found", format!("There is no stored response '{id}'."))
}
