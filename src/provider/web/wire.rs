//! The parts of a frame as the service sends them: only the fields that are used, each optional.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::lenient::{integer, object, objects, text, text_or_number, texts};

/// Text in chunks. `answer`, where present, is the full text.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MarkdownBlock {
    #[serde(deserialize_with = "text")]
    pub(super) answer: Option<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) chunks: Option<Vec<String>>,
    /// How many of the earlier chunks stay before these: an index of chunks, not of characters.
    #[serde(deserialize_with = "integer")]
    pub(super) chunk_starting_offset: Option<i64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WebResultBlock {
    #[serde(deserialize_with = "objects")]
    pub(super) web_results: Option<Vec<WebResult>>,
}

impl WebResultBlock {
    /// How many results the block has.
    pub(super) fn len(&self) -> usize {
        self.web_results.as_ref().map_or(0, Vec::len)
    }
}

/// A result of the search. `sources_list` has `title` and `date` in place of `name` and `timestamp`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct WebResult {
    #[serde(deserialize_with = "text")]
    pub(super) name: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) title: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) url: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) snippet: Option<String>,
    #[serde(deserialize_with = "text_or_number")]
    pub(super) timestamp: Option<String>,
    #[serde(deserialize_with = "text_or_number")]
    pub(super) date: Option<String>,
    #[serde(deserialize_with = "object")]
    pub(super) meta_data: Option<MetaData>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct MetaData {
    #[serde(deserialize_with = "text_or_number")]
    pub(super) published_date: Option<String>,
}

/// The steps before the answer is written.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PlanBlock {
    #[serde(deserialize_with = "objects")]
    pub(super) steps: Option<Vec<PlanStep>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PlanStep {
    #[serde(deserialize_with = "object")]
    pub(super) search_web_content: Option<SearchContent>,
    #[serde(deserialize_with = "object")]
    pub(super) web_results_content: Option<WebResultBlock>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SearchContent {
    #[serde(deserialize_with = "objects")]
    pub(super) queries: Option<Vec<SearchQuery>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SearchQuery {
    #[serde(deserialize_with = "text")]
    pub(super) query: Option<String>,
}

/// One operation of a JSON patch (RFC 6902).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PatchOperation<'a> {
    #[serde(deserialize_with = "text")]
    pub(super) op: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) path: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) from: Option<String>,
    #[serde(borrow)]
    pub(super) value: Option<&'a RawValue>,
}
