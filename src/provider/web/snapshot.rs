//! The running merge of a reply's frames. Pure: no I/O, no clock.
//!
//! A reply may come as blocks, as JSON patches, in the workflow form or in the old `text` form, and may change its form
//! on the way. All are merged into one state, from which the answer is chosen.

use std::borrow::Cow;

use super::answer_parts::{AnswerParts, ReportedAnswer, Texts};
use super::extract::{FromText, from_text, is_about_limits, is_sentence};
use super::frame::{Block, DiffBlock, StreamEvent};
use super::model_names::ModelNames;
use super::newest::keep_newest;
use super::patch;
use super::progress::Progress;
use super::sources::Sources;
use super::wire::PatchOperation;
use crate::domain::answer::{Source, Step, TextChange, Thread};

/// How far the reply has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StreamState {
    /// More frames follow.
    #[default]
    Open,
    /// A frame was final but not `COMPLETED`: another may follow, or not.
    Final,
    /// No frame follows.
    Ended,
}

/// An error that the service reported inside the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceError {
    /// The service's code, such as `MODEL_OVERLOADED`.
    pub code: Option<String>,
    /// The service's message.
    pub message: Option<String>,
    /// Whether a limit or a quota is used up.
    pub limit: bool,
}

/// The state of a reply after the frames merged so far.
#[derive(Debug, Default)]
pub struct Snapshot {
    state: StreamState,
    failed: bool,
    error_code: Option<String>,
    error_message: Option<String>,
    text: Option<String>,
    models: ModelNames,
    backend_uuid: Option<String>,
    context_uuid: Option<String>,
    read_write_token: Option<String>,
    has_blocks: bool,
    texts: Texts,
    sources: Sources,
    progress: Progress,
    reported: ReportedAnswer,
}

/// An event that is no frame of the reply, and was skipped.
#[derive(Debug, thiserror::Error)]
pub enum Skipped {
    /// It is a scalar or a list, which only test streams and proxies send.
    #[error("skipped an event that is not a JSON object")]
    NotAnObject,
    /// It is not JSON, or has an escape of half a surrogate pair.
    #[error("skipped an event with broken JSON: {0}")]
    Broken(serde_json::Error),
}

impl Snapshot {
    /// Merges the next event of the stream: a frame, or a mark of the end (`end_of_stream` or `[DONE]`).
    pub fn receive(&mut self, name: &str, data: &str) -> Result<(), Skipped> {
        let data = data.trim();
        if name == "end_of_stream" || data == "[DONE]" {
            self.state = StreamState::Ended;
        } else if data.starts_with('{') {
            self.merge(serde_json::from_str(data).map_err(Skipped::Broken)?);
        } else {
            return Err(Skipped::NotAnObject);
        }
        Ok(())
    }

    /// Merges the next frame. Null and absent fields keep the value of earlier frames.
    fn merge(&mut self, event: StreamEvent<'_>) {
        let status = event.status.as_deref().unwrap_or_default();
        let completed = status.eq_ignore_ascii_case("completed");
        self.failed |= status.eq_ignore_ascii_case("failed");
        let in_final_frame = completed || event.is_final == Some(true);
        self.models.merge(event.display_model, event.user_selected_model);
        keep_newest(&mut self.backend_uuid, event.backend_uuid);
        keep_newest(&mut self.context_uuid, event.context_uuid);
        keep_newest(&mut self.read_write_token, event.read_write_token);
        keep_newest(&mut self.error_code, event.error_code.map(Cow::Owned));
        keep_newest(&mut self.error_message, event.error_message.map(Cow::Owned));
        keep_newest(&mut self.text, event.text.map(Cow::Owned));
        if let Some(list) = event.sources_list {
            self.sources.merge_sources_list(&list, in_final_frame);
        }
        for block in event.blocks.unwrap_or_default() {
            self.has_blocks = true;
            self.merge_block(block, in_final_frame);
        }
        if completed || self.failed {
            self.state = StreamState::Ended;
        } else if self.state == StreamState::Open && (in_final_frame || self.has_error()) {
            self.state = StreamState::Final;
        }
    }

    /// An empty snapshot for the reply after a reconnect, whose first frame is the full state. It reports only what
    /// this snapshot has not reported.
    #[must_use]
    pub fn for_reconnect(&mut self) -> Self {
        Self {
            reported: std::mem::take(&mut self.reported),
            progress: std::mem::take(&mut self.progress),
            backend_uuid: self.backend_uuid.clone(),
            ..Self::default()
        }
    }

    /// The id of the run, once it is known.
    pub fn run(&self) -> Option<&str> {
        self.backend_uuid.as_deref()
    }

    /// How far the reply has come.
    pub fn state(&self) -> StreamState {
        self.state
    }

    fn merge_block(&mut self, block: Block<'_>, in_final_frame: bool) {
        let usage = block.intended_usage.as_deref().unwrap_or_default();
        if let Some(markdown) = block.markdown_block {
            self.texts.markdown.merge(usage, markdown, in_final_frame);
        }
        if let Some(results) = block.web_result_block.and_then(|block| block.web_results) {
            let reading = self.sources.set_block(usage, results, in_final_frame);
            self.progress.reading(reading);
        }
        if let Some(workflow) = block.workflow_block {
            self.texts.workflow = workflow;
            self.progress.workflow(&self.texts.workflow);
        }
        if let Some(assets) = block.unified_assets_block {
            self.texts.assets = assets;
        }
        if let Some(plan) = block.plan_block {
            self.progress.plan(plan);
        }
        if usage == "reasoning_plan" {
            self.progress.thinking();
        }
        if let Some(diff) = block.diff_block {
            self.merge_diff(usage, &diff, in_final_frame);
        }
    }

    fn merge_diff(&mut self, usage: &str, diff: &DiffBlock<'_>, in_final_frame: bool) {
        let patches = diff.patches.as_deref().unwrap_or_default();
        match diff.field.as_deref() {
            Some("markdown_block") => self.texts.markdown.patch(usage, patches, in_final_frame),
            Some("web_result_block") => {
                let reading = self.sources.patch_block(usage, patches, in_final_frame);
                self.progress.reading(reading);
            }
            Some("workflow_block") => {
                patch::apply(&mut self.texts.workflow, patches);
                if !patches.iter().all(is_text_only) {
                    self.progress.workflow(&self.texts.workflow);
                }
            }
            Some("unified_assets_block") => patch::apply(&mut self.texts.assets, patches),
            Some("plan_block") => self.progress.plan_patches(patches),
            _ => {}
        }
    }

    /// What changed in the answer's text since this was last called.
    pub fn take_text_change(&mut self) -> Option<TextChange> {
        let mut reported = std::mem::take(&mut self.reported);
        let change = reported.update(&AnswerParts::choose(&self.texts, &reported));
        self.reported = reported;
        self.texts.mark_unchanged();
        if change.is_some() {
            self.progress.writing();
        }
        change
    }

    /// The steps that are new since this was last called.
    pub fn take_steps(&mut self) -> Vec<Step> {
        self.progress.take_new()
    }

    /// The sources, if they changed since this was last called.
    pub fn take_sources(&mut self) -> Option<Vec<Source>> {
        self.sources.take_changed().then(|| self.sources())
    }

    /// The sources so far; their numbers are final at the end.
    pub fn sources(&self) -> Vec<Source> {
        self.sources.all(|| self.unwrapped_text().results)
    }

    /// The answer's text, from `text` where no block has any; empty if there is none.
    pub fn answer(&self) -> String {
        let streamed = AnswerParts::choose(&self.texts, &self.reported).text_from(0);
        if streamed.trim_start().is_empty() && !self.failed {
            return self
                .unwrapped_text()
                .answer
                .filter(|text| !text.trim_start().is_empty())
                .unwrap_or_default();
        }
        streamed
    }

    fn unwrapped_text(&self) -> FromText {
        self.text.as_deref().map(from_text).unwrap_or_default()
    }

    /// The model that answered, as far as the service named it.
    pub fn model(&self) -> Option<&str> {
        self.models.answering()
    }

    /// Notes for the answer: that another model than `requested` answered, or the one for users without a plan.
    pub fn model_notes(&self, requested: Option<&str>) -> Vec<String> {
        self.models.notes(requested)
    }

    /// Whether there is an answer, even a blank one. Some replies have sources alone.
    pub fn has_answer(&self) -> bool {
        !self.texts.markdown.entries().is_empty()
    }

    /// Whether this is the reply without an answer that a client without an account gets.
    pub fn looks_anonymous(&self) -> bool {
        self.models.is_turbo() && !self.has_blocks && self.sources.is_empty()
    }

    /// The thread for a follow-up.
    pub fn thread(&self) -> Option<Thread> {
        let id = self.backend_uuid.clone()?;
        Some(Thread { id, context: self.context_uuid.clone(), token: self.read_write_token.clone() })
    }

    fn has_error(&self) -> bool {
        self.error_code.is_some() || self.error_message.is_some()
    }

    /// The error that the service reported, on any frame.
    pub fn error(&self) -> Option<ServiceError> {
        if !self.failed && !self.has_error() {
            return None;
        }
        let sentence = self.text.clone().filter(|text| is_sentence(text));
        let code = self.error_code.clone();
        let limit = code.as_deref().is_some_and(is_about_limits);
        Some(ServiceError { code, message: self.error_message.clone().or(sentence), limit })
    }
}

/// Whether a patch changes only a text of the workflow, not its steps.
fn is_text_only(patch: &PatchOperation<'_>) -> bool {
    patch.path.as_deref().is_some_and(|path| path.contains("/text_payload/"))
}
