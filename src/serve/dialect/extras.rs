//! The fields beyond OpenAI's interfaces in an answer.

use serde_json::{Map, Value, json};

use crate::domain::answer::Source;
use crate::serve::settle::citations::sources_by_number;
use crate::serve::settle::completion::Completion;

/// The sources as Perplexity's own API gives them, and under `pplx` what a reader should know of the answer.
pub(crate) fn extras(completion: &Completion) -> Map<String, Value> {
    let by_number = sources_by_number(&completion.sources);
    let urls: Value = by_number.iter().map(|source| source.map_or("", |source| &source.url)).collect();
    let results: Value = by_number.iter().map(|source| source.map_or(Value::Null, result)).collect();
    let mut own = json!({
        "requested_model": completion.requested_model,
        "model": completion.model,
        "substituted": completion.substituted,
        "notes": completion.notes,
        "estimated_usage": true,
    });
    if let (Some(corrected), Value::Object(own)) = (&completion.corrected, &mut own) {
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
