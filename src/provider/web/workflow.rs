//! The workflow form of a reply: the answer as items of steps (fixture `tests/streams/answer-workflow.sse`).

use serde::Deserialize;
use serde_json::Value;

use super::lenient::{flag, object, objects, text, texts};
use super::patch::{Change, Patch, Pointer, patch_fields};
use super::text::GrowingText;
use super::wire::WebResult;

/// `workflow_block` of the block `workflow_root`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Workflow {
    #[serde(deserialize_with = "objects")]
    pub(super) steps: Option<Vec<WorkflowStep>>,
}
patch_fields!(Workflow, "steps" => steps);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WorkflowStep {
    #[serde(deserialize_with = "objects")]
    pub(super) items: Option<Vec<WorkflowItem>>,
}
patch_fields!(WorkflowStep, "items" => items);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WorkflowItem {
    #[serde(deserialize_with = "object")]
    pub(super) payload: Option<Payload>,
}
patch_fields!(WorkflowItem, "payload" => payload);

/// The payload of an item; which field is set depends on the type of the item.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Payload {
    #[serde(deserialize_with = "object")]
    pub(super) text_payload: Option<TextPayload>,
    #[serde(deserialize_with = "object")]
    pub(super) queries_payload: Option<Queries>,
    #[serde(deserialize_with = "object")]
    pub(super) sources_payload: Option<SourcesPayload>,
}
patch_fields!(Payload, "text_payload" => text_payload);

/// Text whose `variant` is `answer`, or a kind of thinking.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "TextPayloadWire")]
pub(super) struct TextPayload {
    variant: Option<String>,
    pub(super) text: GrowingText,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TextPayloadWire {
    #[serde(deserialize_with = "text")]
    variant: Option<String>,
    #[serde(deserialize_with = "text")]
    text: Option<String>,
    #[serde(deserialize_with = "texts")]
    chunks: Option<Vec<String>>,
    #[serde(deserialize_with = "flag")]
    is_streaming: Option<bool>,
}

impl From<TextPayloadWire> for TextPayload {
    /// `text` lags behind the chunks until streaming ends; then it replaces them.
    fn from(wire: TextPayloadWire) -> Self {
        let is_final =
            wire.is_streaming == Some(false) && wire.text.as_ref().is_some_and(|text| !text.is_empty());
        let chunks = wire.chunks.filter(|_| !is_final).unwrap_or_default();
        Self { variant: wire.variant, text: GrowingText::new(wire.text, chunks) }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Queries {
    #[serde(deserialize_with = "texts")]
    pub(super) queries: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SourcesPayload {
    #[serde(deserialize_with = "objects")]
    pub(super) sources: Option<Vec<WebResult>>,
}

impl Patch for TextPayload {
    fn patch(&mut self, path: Pointer<'_>, change: Change<'_>) {
        match path.split() {
            None => *self = change.value().unwrap_or_default(),
            Some((field, _)) if field == "variant" => self.variant = change.value(),
            Some((field, rest)) => self.text.patch_field(&field, "text", rest, change, false),
        }
    }

    fn to_json(&self) -> Value {
        let mut json = self.text.to_json_as("text");
        if let Some(object) = json.as_object_mut() {
            object.insert("variant".to_owned(), self.variant.clone().into());
        }
        json
    }
}

impl Workflow {
    /// The payloads of all items, in order.
    pub(super) fn payloads(&self) -> impl Iterator<Item = &Payload> {
        let items = self.steps.iter().flatten().flat_map(|step| step.items.iter().flatten());
        items.filter_map(|item| item.payload.as_ref())
    }

    /// The texts of the answer items.
    pub(super) fn answers(&self) -> impl Iterator<Item = &GrowingText> {
        self.payloads().filter_map(|payload| payload.text_payload.as_ref()).filter_map(TextPayload::answer)
    }

    /// The same, mutable.
    pub(super) fn answers_mut(&mut self) -> impl Iterator<Item = &mut GrowingText> {
        let items = self.steps.iter_mut().flatten().flat_map(|step| step.items.iter_mut().flatten());
        let payloads = items.filter_map(|item| item.payload.as_mut());
        payloads
            .filter_map(|payload| payload.text_payload.as_mut())
            .filter_map(|payload| payload.answer().is_some().then_some(&mut payload.text))
    }
}

impl TextPayload {
    fn answer(&self) -> Option<&GrowingText> {
        let is_answer = self.variant.as_deref().is_some_and(|variant| variant.eq_ignore_ascii_case("answer"));
        is_answer.then_some(&self.text)
    }
}
