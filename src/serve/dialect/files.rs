//! `/v1/files`.

use std::sync::Arc;

use axum::Json;
use axum::extract::multipart::{Field, Multipart, MultipartError, MultipartRejection};
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::serve::api_error::{ApiError, file_not_found, file_too_large};
use crate::serve::state::server_state::ServerState;
use crate::state::files::{MAX_FILE, StoredFile};

/// How much of an upload is read, in bytes: more than is stored, so that a client with too large a file has sent it and
/// reads the error.
pub(crate) const MAX_UPLOAD: usize = 80 << 20;
/// How long a field that is no file may be, in bytes.
const MAX_FIELD: usize = 1024;

/// Stores a file.
pub(crate) async fn create(
    State(server): State<Arc<ServerState>>,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Json<StoredFile>, ApiError> {
    let form = form.map_err(|error| {
        ApiError::invalid_body(format!("The body must be a form: {}.", error.body_text()))
    })?;
    let form = Form::read(form).await?;
    let content = form.content.ok_or_else(|| ApiError::invalid("file", "The form must hold a 'file'."))?;
    let purpose = form.purpose.unwrap_or_else(|| "user_data".to_owned());
    let name = form.name.unwrap_or_else(|| "file".to_owned());
    let now = chrono::Utc::now().timestamp();
    server.with_files(move |files| files.add(&name, &purpose, &content, now)).await.map(Json)
}

pub(crate) async fn list(State(server): State<Arc<ServerState>>) -> Result<Json<Value>, ApiError> {
    let files = server.with_files(|files| Ok(files.list())).await?;
    let id = |file: Option<&StoredFile>| file.map(|file| file.id.clone());
    let (first, last) = (id(files.first()), id(files.last()));
    Ok(Json(
        json!({ "object": "list", "data": files, "first_id": first, "last_id": last, "has_more": false }),
    ))
}

pub(crate) async fn get(
    State(server): State<Arc<ServerState>>,
    Path(id): Path<String>,
) -> Result<Json<StoredFile>, ApiError> {
    let file_id = id.clone();
    let file = server.with_files(move |files| Ok(files.get(&file_id))).await?;
    file.map(Json).ok_or_else(|| file_not_found(&id))
}

pub(crate) async fn content(
    State(server): State<Arc<ServerState>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let file_id = id.clone();
    let found = server.with_files(move |files| Ok(files.content(&file_id))).await?;
    let (file, bytes) = found.ok_or_else(|| file_not_found(&id))?;
    let name = utf8_percent_encode(&file.filename, NON_ALPHANUMERIC);
    let disposition = HeaderValue::from_str(&format!("attachment; filename*=UTF-8''{name}"));
    let disposition = disposition.unwrap_or(HeaderValue::from_static("attachment"));
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
        (header::CONTENT_DISPOSITION, disposition),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    Ok((headers, bytes).into_response())
}

pub(crate) async fn delete(
    State(server): State<Arc<ServerState>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let file_id = id.clone();
    if !server.with_files(move |files| files.delete(&file_id)).await? {
        return Err(file_not_found(&id));
    }
    Ok(Json(json!({ "id": id, "object": "file", "deleted": true })))
}

/// The form of an upload. Clients send its fields in any order.
#[derive(Debug, Default)]
struct Form {
    content: Option<Vec<u8>>,
    name: Option<String>,
    purpose: Option<String>,
}

impl Form {
    async fn read(mut multipart: Multipart) -> Result<Self, ApiError> {
        let mut form = Self::default();
        let mut is_too_large = false;
        while let Some(field) = multipart.next_field().await.map_err(|error| form_error(&error))? {
            match field.name().unwrap_or_default() {
                "file" if form.name.is_some() => {
                    return Err(ApiError::invalid("file", "The form holds two files."));
                }
                "file" => {
                    form.name = Some(field.file_name().unwrap_or("file").to_owned());
                    form.content = read_field(field, MAX_FILE).await?;
                    is_too_large = form.content.is_none();
                }
                "purpose" => {
                    let purpose = read_field(field, MAX_FIELD).await?.unwrap_or_default();
                    form.purpose = Some(String::from_utf8_lossy(&purpose).into_owned());
                }
                _ => drop(read_field(field, 0).await?),
            }
        }
        if is_too_large {
            return Err(file_too_large(format!("A file may have {} MiB.", MAX_FILE >> 20)));
        }
        Ok(form)
    }
}

/// Reads a field; `None` where it is longer than `limit` bytes. It is read to its end all the same: a client that is
/// still sending does not read the answer.
async fn read_field(mut field: Field<'_>, limit: usize) -> Result<Option<Vec<u8>>, ApiError> {
    let mut content = Some(Vec::new());
    while let Some(chunk) = field.chunk().await.map_err(|error| form_error(&error))? {
        content = content.filter(|content| content.len() + chunk.len() <= limit);
        if let Some(content) = &mut content {
            content.extend_from_slice(&chunk);
        }
    }
    Ok(content)
}

fn form_error(error: &MultipartError) -> ApiError {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return file_too_large(format!("An upload may have {} MiB.", MAX_UPLOAD >> 20));
    }
    ApiError::invalid_body("The form is broken, or ended early.")
}
