//! What OpenAI's interfaces have no place for.

use serde_json::{Map, Value, json};

use crate::domain::answer::Source;
use crate::serve::settle::citations::numbered;
use crate::serve::settle::completion::Finished;

/// What OpenAI's interface has no place for: the sources as Perplexity's own API gives them, and what a reader should
/// know of the answer.
pub(crate) fn extras(finished: &Finished) -> Map<String, Value> {
    let numbered = numbered(&finished.sources);
    let urls: Value = numbered.iter().map(|source| source.map_or("", |source| &source.url)).collect();
    let results: Value = numbered.iter().map(|source| source.map_or(Value::Null, result)).collect();
    let mut own = json!({
        "requested_model": finished.asked,
        "model": finished.model,
        "substituted": finished.substituted,
        "notes": finished.notes,
        "estimated_usage": true,
    });
    if let (Some(corrected), Value::Object(own)) = (&finished.corrected, &mut own) {
        own.insert("corrected".to_owned(), corrected.as_str().into());
    }
    Map::from_iter([
        ("citations".to_owned(), urls),
        ("search_results".to_owned(), results),
        ("pplx".to_owned(), own),
    ])
}

fn result(source: &Source) -> Value {
    json!({ "title": source.label(), "url": source.url, "date": source.date, "snippet": source.snippet })
}
