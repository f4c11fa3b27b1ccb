//! Responses that are answered after their request.

use std::sync::Arc;

use axum::Json;
use serde_json::Value;

use super::object::Draft;
use super::request::Request;
use crate::serve::state::server_state::App;

/// Begins to answer. The document says that it is in progress.
pub(super) async fn start(request: Request, app: &Arc<App>) -> Result<Json<Value>, super::Refusal> {
    let draft = request.draft();
    request.keep_draft(&draft, app).await?;
    let document = draft.document("in_progress");
    let (id, answering) = (draft.id.clone(), Arc::clone(app));
    app.background.answer(&id, async move { answer(&request, &draft, &answering).await });
    Ok(Json(document))
}

async fn answer(request: &Request, draft: &Draft, app: &Arc<App>) {
    let answered = match request.question.ask(app).await {
        Ok(reply) => reply.whole(app).await,
        Err(refusal) => Err(refusal),
    };
    let (document, finished) = match &answered {
        Ok(finished) => (draft.completed(finished), Some(&**finished)),
        Err(refusal) => (draft.failed(refusal), None),
    };
    // Where it cannot be kept, it stays in progress until the server is started again.
    let _ = request.keep_end(draft, document, finished, app).await;
}
