//! `POST /search`: sources without an answer.

use serde_json::Value;

use super::json::{sources, text};
use super::options::filters;
use super::partial_answer::PartialAnswer;
use crate::domain::choice::Choice;
use crate::domain::error::Result;
use crate::domain::request::SearchRequest;

/// The body of a request.
pub(super) fn body(request: &SearchRequest) -> Value {
    let mut body = filters(request);
    let mut set = |name: &str, value: Value| drop(body.insert(name.to_owned(), value));
    set("query", request.query.as_str().into());
    if let Some(size) = request.filters.context_size {
        set("search_context_size", size.name().into());
    }
    if let Some(country) = &request.filters.country {
        set("country", country.as_str().into());
    }
    body.into()
}

/// Reads the reply.
pub(super) fn read_reply(reply: &Value) -> Result<PartialAnswer> {
    let sources = sources(reply.get("results").unwrap_or(&Value::Null), "results")?;
    Ok(PartialAnswer { sources, id: text(reply.get("id")), is_complete: true, ..PartialAnswer::default() })
}
