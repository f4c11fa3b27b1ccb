//! The frames of `perplexity_ask` as the service sends them: only the fields that are used, each optional.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::lenient::{flag, integer, object, objects, text, text_or_number, texts};

/// One frame: an incremental snapshot of the reply.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StreamEvent<'a> {
    /// `PENDING`, `COMPLETED`, `FAILED` (also in lower case), and words not seen yet.
    #[serde(deserialize_with = "text")]
    pub(super) status: Option<String>,
    /// True one frame early, too: on a `PENDING` frame that may carry the last text.
    #[serde(rename = "final", deserialize_with = "flag")]
    pub(super) is_final: Option<bool>,
    /// A sentence, or a step log encoded as JSON once or twice.
    #[serde(deserialize_with = "text")]
    pub(super) text: Option<String>,
    #[serde(borrow, deserialize_with = "objects")]
    pub(super) blocks: Option<Vec<Block<'a>>>,
    #[serde(deserialize_with = "objects")]
    pub(super) sources_list: Option<Vec<WebResult>>,
    #[serde(deserialize_with = "text")]
    pub(super) display_model: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) user_selected_model: Option<String>,
    /// The id of this entry, by which a follow-up names it.
    #[serde(deserialize_with = "text")]
    pub(super) backend_uuid: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) error_code: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) error_message: Option<String>,
}

/// A part of the reply, named by its usage and by the field that holds it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(deserialize_with = "text")]
    pub(super) intended_usage: Option<String>,
    #[serde(deserialize_with = "object")]
    pub(super) markdown_block: Option<MarkdownBlock>,
    #[serde(deserialize_with = "object")]
    pub(super) web_result_block: Option<WebResultBlock>,
    #[serde(deserialize_with = "object")]
    pub(super) workflow_block: Option<super::workflow::Workflow>,
    #[serde(deserialize_with = "object")]
    pub(super) unified_assets_block: Option<super::assets::Assets>,
    #[serde(deserialize_with = "object")]
    pub(super) plan_block: Option<PlanBlock>,
    #[serde(borrow, deserialize_with = "object")]
    pub(super) diff_block: Option<DiffBlock<'a>>,
}

/// Text in chunks. `answer`, where present, is the whole text.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MarkdownBlock {
    #[serde(deserialize_with = "text")]
    pub(super) answer: Option<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) chunks: Option<Vec<String>>,
    /// How many chunks of those already held stay before these. An index into chunks, not characters.
    #[serde(deserialize_with = "integer")]
    pub(super) chunk_starting_offset: Option<i64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WebResultBlock {
    #[serde(deserialize_with = "objects")]
    pub(super) web_results: Option<Vec<WebResult>>,
}

/// A hit of the search. `sources_list` calls the same things by other names.
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

/// What the service does before it writes.
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
    pub(super) search_web_content: Option<SearchWeb>,
    #[serde(deserialize_with = "object")]
    pub(super) web_results_content: Option<WebResultBlock>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SearchWeb {
    #[serde(deserialize_with = "objects")]
    pub(super) queries: Option<Vec<SearchWords>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SearchWords {
    #[serde(deserialize_with = "text")]
    pub(super) query: Option<String>,
}

/// JSON patches (RFC 6902) for the block that the usage and `field` name.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct DiffBlock<'a> {
    #[serde(deserialize_with = "text")]
    pub(super) field: Option<String>,
    #[serde(borrow, deserialize_with = "objects")]
    pub(super) patches: Option<Vec<PatchOperation<'a>>>,
}

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
