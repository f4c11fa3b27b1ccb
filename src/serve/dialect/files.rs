//! Files: `/v1/files`.

use std::sync::Arc;

use axum::Json;
use axum::extract::multipart::{Field, Multipart, MultipartError, MultipartRejection};
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::serve::api_error::Refusal;
use crate::serve::state::files::{MAX_FILE, Stored, missing, too_large};
use crate::serve::state::server_state::App;

/// How much of an upload is read at most, in bytes: more than is stored, so that its client reads the answer.
pub(crate) const MAX_UPLOAD: usize = 80 << 20;
/// How long a field is that is no file, in bytes.
const MAX_FIELD: usize = 1024;

/// Stores a file.
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Json<Stored>, Refusal> {
    let form =
        form.map_err(|error| Refusal::body(format!("The body must be a form: {}.", error.body_text())))?;
    let form = Form::read(form).await?;
    let content = form.content.ok_or_else(|| Refusal::bad("file", "The form must hold a 'file'."))?;
    let purpose = form.purpose.unwrap_or_else(|| "user_data".to_owned());
    let name = form.name.unwrap_or_else(|| "file".to_owned());
    let now = chrono::Utc::now().timestamp();
    app.on_files(move |files| files.add(&name, &purpose, &content, now)).await.map(Json)
}

pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Json<Value>, Refusal> {
    let files = app.on_files(|files| Ok(files.list())).await?;
    let id = |file: Option<&Stored>| file.map(|file| file.id.clone());
    let (first, last) = (id(files.first()), id(files.last()));
    Ok(Json(
        json!({ "object": "list", "data": files, "first_id": first, "last_id": last, "has_more": false }),
    ))
}

pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<Stored>, Refusal> {
    let wanted = id.clone();
    let file = app.on_files(move |files| Ok(files.get(&wanted))).await?;
    file.map(Json).ok_or_else(|| missing(&id))
}

pub(crate) async fn content(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let wanted = id.clone();
    let found = app.on_files(move |files| Ok(files.content(&wanted))).await?;
    let (file, bytes) = found.ok_or_else(|| missing(&id))?;
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
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let wanted = id.clone();
    if !app.on_files(move |files| files.delete(&wanted)).await? {
        return Err(missing(&id));
    }
    Ok(Json(json!({ "id": id, "object": "file", "deleted": true })))
}

/// What a form for a file holds. Clients send its fields in either order.
#[derive(Debug, Default)]
struct Form {
    content: Option<Vec<u8>>,
    name: Option<String>,
    purpose: Option<String>,
}

impl Form {
    async fn read(mut form: Multipart) -> Result<Self, Refusal> {
        let mut read = Self::default();
        let mut fits = true;
        while let Some(field) = form.next_field().await.map_err(|error| broken(&error))? {
            match field.name().unwrap_or_default() {
                "file" if read.name.is_some() => {
                    return Err(Refusal::bad("file", "The form holds two files."));
                }
                "file" => {
                    read.name = Some(field.file_name().unwrap_or("file").to_owned());
                    read.content = bounded(field, MAX_FILE).await?;
                    fits = read.content.is_some();
                }
                "purpose" => {
                    let purpose = bounded(field, MAX_FIELD).await?.unwrap_or_default();
                    read.purpose = Some(String::from_utf8_lossy(&purpose).into_owned());
                }
                _ => drop(bounded(field, 0).await?),
            }
        }
        if fits { Ok(read) } else { Err(too_large(format!("A file may have {} MiB.", MAX_FILE >> 20))) }
    }
}

/// What a field holds; `None` where it is too large. It is read to its end all the same: a client that is still sending
/// does not read the answer.
async fn bounded(mut field: Field<'_>, limit: usize) -> Result<Option<Vec<u8>>, Refusal> {
    let mut content = Some(Vec::new());
    while let Some(chunk) = field.chunk().await.map_err(|error| broken(&error))? {
        content = content.filter(|content| content.len() + chunk.len() <= limit);
        if let Some(content) = &mut content {
            content.extend_from_slice(&chunk);
        }
    }
    Ok(content)
}

fn broken(error: &MultipartError) -> Refusal {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return too_large(format!("An upload may have {} MiB.", MAX_UPLOAD >> 20));
    }
    Refusal::body("The form is broken, or ended early.")
}
