//! `/health`: what is known, without asking the service.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::serve::state::server_state::App;

/// Needs no key, so it tells nothing about the account but its quota.
pub(crate) async fn get(State(app): State<Arc<App>>) -> Json<Value> {
    app.renew_quota_soon();
    let state = app.session.state();
    Json(json!({
        "status": if app.session.is_usable() { "ok" } else { "degraded" },
        "version": env!("CARGO_PKG_VERSION"),
        "session": { "state": state },
        "quota": app.quota.left(),
        "auth": app.access.has_key(),
    }))
}
