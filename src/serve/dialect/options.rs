//! The fields beyond OpenAI's interfaces in a request.

use super::fields::Fields;
use crate::domain::choice::Choice;
use crate::domain::request::Recency;
use crate::serve::api_error::ApiError;
use crate::serve::ask::question::SearchOptions;

/// Reads the options that a request has.
pub(super) fn read(fields: &Fields) -> Result<SearchOptions, ApiError> {
    let ages = Recency::ALL.iter().map(|age| age.name()).collect::<Vec<_>>();
    let age = fields.one_of("search_recency_filter", &ages)?.or(fields.one_of("recency", &ages)?);
    Ok(SearchOptions {
        language: fields.text("language")?.map(str::to_owned),
        sources: sources(fields)?,
        recency: age.and_then(Recency::from_name),
        save: fields.flag("save")?,
    })
}

/// `sources`, or the `search_mode` of Perplexity's own API.
fn sources(fields: &Fields) -> Result<Vec<String>, ApiError> {
    const KNOWN: [&str; 3] = ["web", "scholar", "social"];
    let wrong = || ApiError::invalid("sources", format!("'sources' must be a list of {}.", KNOWN.join(", ")));
    if let Some(list) = fields.list("sources")? {
        let names =
            list.iter().map(|name| name.as_str().filter(|name| KNOWN.contains(name)).map(str::to_owned));
        return names.collect::<Option<Vec<_>>>().ok_or_else(wrong);
    }
    Ok(match fields.one_of("search_mode", &["web", "academic"])? {
        Some("academic") => vec!["scholar".to_owned()],
        _ => Vec::new(),
    })
}
