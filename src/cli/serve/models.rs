//! `/v1/models`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde_json::{Value, json};

use super::app::App;
use super::catalogue::Entry;
use super::refusal::Refusal;

/// All that the account may ask.
pub(super) async fn list(State(app): State<Arc<App>>) -> Json<Value> {
    Json(json!({ "object": "list", "data": app.catalogue.entries() }))
}

pub(super) async fn get(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Json<Entry>, Refusal> {
    app.catalogue.entry(&id).map(Json)
}
