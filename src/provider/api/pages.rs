//! `POST /search`: pages, and no answer.

use serde_json::{Map, Value, json};

use super::gathered::{Gathered, filter_fields, sources, text};
use crate::error::Result;
use crate::request::{Recency, SearchRequest};

pub(super) fn body(request: &SearchRequest) -> Value {
    let filters = &request.filters;
    let mut body = Map::new();
    body.insert("query".to_owned(), request.query.as_str().into());
    let mut set = |name: &str, value: Value| drop(body.insert(name.to_owned(), value));
    for (name, value) in filter_fields(request.recency.map(Recency::name), filters) {
        set(name, value);
    }
    if let Some(size) = filters.context_size {
        set("search_context_size", size.name().into());
    }
    if let Some(country) = &filters.country {
        set("country", country.as_str().into());
    }
    json!(body)
}

/// Reads a whole reply.
pub(super) fn whole(reply: &Value) -> Result<Gathered> {
    let sources = sources(reply.get("results").unwrap_or(&Value::Null), "results")?;
    Ok(Gathered { sources, id: text(reply.get("id")), over: true, ..Gathered::default() })
}
