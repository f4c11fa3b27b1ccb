//! `/health`: session, quota and version, without asking the service.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::serve::state::server_state::ServerState;

/// Needs no key, so it shows nothing of the account but its quota.
pub(crate) async fn get(State(server): State<Arc<ServerState>>) -> Json<Value> {
    server.renew_quota_soon();
    let state = server.session.state();
    Json(json!({
        "status": if server.session.is_usable() { "ok" } else { "degraded" },
        "version": env!("CARGO_PKG_VERSION"),
        "session": { "state": state },
        "quota": server.quota.limits(),
        "auth": server.access.has_key(),
    }))
}
