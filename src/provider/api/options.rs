//! The options of a request that all dialects have in common.

use serde_json::{Map, Value, json};

use crate::domain::choice::Choice;
use crate::domain::request::{Filters, SearchRequest};

/// The domains to search, and with a dash before each those to exclude.
fn domains(filters: &Filters) -> Vec<String> {
    let excluded = filters.excluded_domains.iter().map(|domain| format!("-{domain}"));
    filters.domains.iter().cloned().chain(excluded).collect()
}

/// The filters of the search, which have the same names in all dialects.
pub(super) fn filters(request: &SearchRequest) -> Map<String, Value> {
    let filters = &request.filters;
    let day = |day: chrono::NaiveDate| Value::from(day.format("%m/%d/%Y").to_string());
    let domains = domains(filters);
    present([
        ("search_domain_filter", (!domains.is_empty()).then(|| domains.into())),
        ("search_recency_filter", request.recency.map(|recency| recency.name().into())),
        ("search_after_date_filter", filters.after.map(day)),
        ("search_before_date_filter", filters.before.map(day)),
    ])
}

/// Context size and country, which have the same names in both dialects that answer.
pub(super) fn search_options(request: &SearchRequest) -> Map<String, Value> {
    let filters = &request.filters;
    present([
        ("search_context_size", filters.context_size.map(|size| size.name().into())),
        ("user_location", filters.country.as_ref().map(|country| json!({ "country": country }))),
    ])
}

fn present<const N: usize>(fields: [(&str, Option<Value>); N]) -> Map<String, Value> {
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// The language of a tag without its region, as the API takes it: `de` for `de-AT`.
pub(super) fn language(tag: &str) -> String {
    tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase()
}
