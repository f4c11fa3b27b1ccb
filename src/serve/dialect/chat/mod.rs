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
use crate::serve::api_error::ApiError;
use crate::serve::dialect::parameters;
use crate::serve::log::Record;
use crate::serve::state::server_state::ServerState;

/// Answers in one piece or as a stream.
pub(crate) async fn create(
    State(server): State<Arc<ServerState>>,
    Extension(record): Extension<Record>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let fields = Fields::read(body).await?;
    let request = Request::read(&fields, &headers, &server)?;
    record.set_question(&request.question.model.id, request.streams);
    let answer = request.question.ask(&server).await?;
    server.renew_quota_soon();
    let mut response = if request.streams {
        let answering = Arc::clone(&server);
        events::streamed(record.clone(), |frames| stream::send(request, answer, answering, frames, record))
    } else {
        let completion = answer.collect(&server).await?;
        request.remember(&completion, &server);
        axum::Json(completion::document(&completion)).into_response()
    };
    parameters::add_ignored_header(&fields, response.headers_mut());
    server.quota.add_headers(response.headers_mut());
    Ok(response)
}
