//! `POST /v1/chat/completions`.

mod completion;
mod request;
mod stream;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};

use self::request::Request;
use super::events;
use super::fields::Fields;
use crate::serve::api_error::Refusal;
use crate::serve::dialect::parameters;
use crate::serve::log::Record;
use crate::serve::state::server_state::App;

/// Asks, and answers in one piece or as it comes.
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Extension(record): Extension<Record>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let fields = Fields::read(body).await?;
    let request = Request::of(&fields, &headers, &app)?;
    record.asks(&request.question.model.id, request.streams);
    let reply = request.question.ask(&app).await?;
    app.renew_quota_soon();
    let mut response = if request.streams {
        let answering = Arc::clone(&app);
        events::response(record.clone(), |frames| stream::send(request, reply, answering, frames, record))
    } else {
        let finished = reply.whole(&app).await?;
        request.remember(&finished, &app);
        axum::Json(completion::completion(&finished)).into_response()
    };
    parameters::tell_ignored(&fields, response.headers_mut());
    app.quota.headers(response.headers_mut());
    Ok(response)
}
