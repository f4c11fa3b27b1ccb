//! The Responses interface: `/v1/responses`.

mod background;
mod calls;
mod items;
mod object;
mod request;
mod stream;

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use self::request::Request;
use super::events;
use super::fields::Fields;
use crate::serve::api_error::Refusal;
use crate::serve::dialect::parameters;
use crate::serve::log::Record;
use crate::serve::state::responses::Stored;
use crate::serve::state::server_state::App;

/// Asks, and answers in one piece, as it comes, or later.
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Extension(record): Extension<Record>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let fields = Fields::read(body).await?;
    let request = Request::of(&fields, &headers, &app).await?;
    record.asks(&request.question.model.id, request.streams);
    let mut response = if request.background {
        background::start(request, &app).await?.into_response()
    } else {
        let reply = request.question.ask(&app).await?;
        if request.streams {
            let answering = Arc::clone(&app);
            let draft = request.draft();
            // An answer that cannot be kept is an answer all the same.
            let _ = request.keep_draft(&draft, &app).await;
            events::response(record.clone(), |frames| {
                stream::send(request, draft, reply, answering, frames, record)
            })
        } else {
            let draft = request.draft();
            let finished = reply.whole(&app).await?;
            let document = draft.completed(&finished);
            let _ = request.keep(&draft, &document, &finished, &app).await;
            Json(document).into_response()
        }
    };
    app.renew_quota_soon();
    parameters::tell_ignored(&fields, response.headers_mut());
    app.quota.headers(response.headers_mut());
    Ok(response)
}

/// A stored response.
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(query): Query<GetQuery>,
) -> Result<Json<Value>, Refusal> {
    if query.stream == Some(true) {
        return Err(Refusal::bad(
            "stream",
            "A stored response is not streamed again; get it without 'stream'.",
        ));
    }
    Ok(Json(find(&app, &id).await?.document))
}

#[derive(Debug, Deserialize)]
pub(crate) struct GetQuery {
    stream: Option<bool>,
}

/// Forgets a response; one that is answered in the background is not answered any further.
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    app.background.stop(&id);
    if !app.responses.delete(&id).await? {
        return Err(missing(&id));
    }
    Ok(Json(json!({ "id": id, "object": "response", "deleted": true })))
}

/// Ends a response that is being answered in the background.
pub(crate) async fn cancel(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let stored = find(&app, &id).await?;
    if stored.document.get("background") != Some(&Value::Bool(true)) {
        let message = "Only a response that was created with 'background' can be cancelled.";
        return Err(Refusal::request(StatusCode::BAD_REQUEST, "not_cancellable", message));
    }
    if stored.text("status") == Some("cancelled") {
        return Ok(Json(stored.document));
    }
    if !app.background.stop(&id) {
        let message = "The response is not being answered any more.";
        return Err(Refusal::request(StatusCode::BAD_REQUEST, "not_cancellable", message));
    }
    let document = object::cancelled(stored.document);
    app.responses.end(&id, document.clone(), None).await?;
    Ok(Json(document))
}

/// What a response was asked with.
pub(crate) async fn input_items(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(page): Query<items::Page>,
) -> Result<Json<Value>, Refusal> {
    let stored = find(&app, &id).await?;
    items::page(stored.input, &page).map(Json)
}

async fn find(app: &App, id: &str) -> Result<Stored, Refusal> {
    app.responses.get(id).await?.ok_or_else(|| missing(id))
}

fn missing(id: &str) -> Refusal {
    Refusal::missing("response_not_found", format!("There is no stored response '{id}'."))
}
