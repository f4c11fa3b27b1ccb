//! `/v1/models`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde_json::{Value, json};

use crate::serve::api_error::Refusal;
use crate::serve::state::catalogue::Entry;
use crate::serve::state::server_state::App;

/// All that the account may ask.
pub(crate) async fn list(State(app): State<Arc<App>>) -> Json<Value> {
    Json(json!({ "object": "list", "data": app.catalogue.entries() }))
}

pub(crate) async fn get(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Json<Entry>, Refusal> {
    app.catalogue.entry(&id).map(Json)
}
