//! `/v1/models`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde_json::{Value, json};

use crate::serve::api_error::ApiError;
use crate::serve::state::catalogue::ListedModel;
use crate::serve::state::server_state::ServerState;

/// All models that the account may ask.
pub(crate) async fn list(State(server): State<Arc<ServerState>>) -> Json<Value> {
    Json(json!({ "object": "list", "data": server.catalogue.list() }))
}

pub(crate) async fn get(
    State(server): State<Arc<ServerState>>,
    Path(id): Path<String>,
) -> Result<Json<ListedModel>, ApiError> {
    server.catalogue.get(&id).map(Json)
}
