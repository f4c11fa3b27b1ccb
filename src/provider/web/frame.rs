//! A frame of `perplexity_ask`, the JSON of one event: only the fields that are used, each optional.

use std::borrow::Cow;

use serde::Deserialize;

use super::assets::Assets;
use super::lenient::{borrowed, flag, object, objects, text};
use super::wire::{MarkdownBlock, PatchOperation, PlanBlock, WebResult, WebResultBlock};
use super::workflow::Workflow;

/// One frame: an incremental snapshot of the reply.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StreamEvent<'a> {
    /// `PENDING`, `COMPLETED`, `FAILED` (also in lower case), and unknown words.
    #[serde(borrow, deserialize_with = "borrowed")]
    pub(super) status: Option<Cow<'a, str>>,
    /// True on the last frame, and often on the one before it, which is `PENDING` and may have the last text.
    #[serde(rename = "final", deserialize_with = "flag")]
    pub(super) is_final: Option<bool>,
    /// A sentence, or a log of steps encoded as JSON once or twice.
    #[serde(deserialize_with = "text")]
    pub(super) text: Option<String>,
    #[serde(borrow, deserialize_with = "objects")]
    pub(super) blocks: Option<Vec<Block<'a>>>,
    #[serde(deserialize_with = "objects")]
    pub(super) sources_list: Option<Vec<WebResult>>,
    #[serde(borrow, deserialize_with = "borrowed")]
    pub(super) display_model: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "borrowed")]
    pub(super) user_selected_model: Option<Cow<'a, str>>,
    /// The id of this entry, by which a follow-up names it.
    #[serde(borrow, deserialize_with = "borrowed")]
    pub(super) backend_uuid: Option<Cow<'a, str>>,
    /// The id of the thread.
    #[serde(borrow, deserialize_with = "borrowed")]
    pub(super) context_uuid: Option<Cow<'a, str>>,
    /// The thread's token for follow-ups; often absent on the first frames.
    #[serde(borrow, deserialize_with = "borrowed")]
    pub(super) read_write_token: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "text")]
    pub(super) error_code: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(super) error_message: Option<String>,
}

/// A part of the reply, named by its usage and by the field that holds it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow, deserialize_with = "borrowed")]
    pub(super) intended_usage: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "object")]
    pub(super) markdown_block: Option<MarkdownBlock>,
    #[serde(deserialize_with = "object")]
    pub(super) web_result_block: Option<WebResultBlock>,
    #[serde(deserialize_with = "object")]
    pub(super) workflow_block: Option<Workflow>,
    #[serde(deserialize_with = "object")]
    pub(super) unified_assets_block: Option<Assets>,
    #[serde(deserialize_with = "object")]
    pub(super) plan_block: Option<PlanBlock>,
    #[serde(borrow, deserialize_with = "object")]
    pub(super) diff_block: Option<DiffBlock<'a>>,
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
