//! The running merge of a reply's frames. Pure: no I/O, no clock.
//!
//! A reply may come as plain blocks, as JSON patches, in the workflow form or in the old `text` form, and may
//! change its form on the way; all are merged into one state, from which the answer is chosen.

use std::collections::HashMap;

use super::assets::Assets;
use super::choice::{Choice, Chosen};
use super::extract::{FromText, from_text, is_sentence, speaks_of_limits};
use super::patch;
use super::progress::Progress;
use super::results::{Gathered, ResultList};
use super::text::{GrowingText, MarkdownPatch};
use super::wire::{Block, DiffBlock, StreamEvent, WebResult};
use super::workflow::Workflow;
use crate::answer::{Source, Step, TextChange};

/// How far the reply has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum End {
    /// More is to come.
    #[default]
    Open,
    /// A frame said that it is final, but not that the reply is complete: more may come, or not.
    Final,
    /// Nothing more is to come.
    Over,
}

/// An error that the service reported inside the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceError {
    /// The service's code, such as `MODEL_OVERLOADED`.
    pub code: Option<String>,
    /// Its sentence about it.
    pub message: Option<String>,
    /// A limit or a quota is used up.
    pub limit: bool,
}

/// The state of a reply after the frames merged so far.
#[derive(Debug, Default)]
pub struct Snapshot {
    end: End,
    failed: bool,
    error_code: Option<String>,
    error_message: Option<String>,
    text: Option<String>,
    display_model: Option<String>,
    user_selected_model: Option<String>,
    backend_uuid: Option<String>,
    turbo_named: bool,
    had_blocks: bool,
    pub(super) markdown: Vec<MarkdownEntry>,
    pub(super) workflow: Workflow,
    pub(super) assets: Assets,
    result_lists: HashMap<String, ResultList>,
    results: Gathered,
    listed: Gathered,
    /// The results on the final frame.
    final_results: Option<Vec<WebResult>>,
    final_listed: Option<Vec<WebResult>>,
    sources_changed: bool,
    progress: Progress,
    chosen: Chosen,
}

/// The text of one markdown block.
#[derive(Debug)]
pub(super) struct MarkdownEntry {
    /// Stays the same when other entries come before this one.
    pub(super) id: usize,
    usage: String,
    /// Its place among the numbered segments (`ask_text_2_markdown`); `None` for a block without a number.
    pub(super) segment: Option<u64>,
    pub(super) is_aggregate: bool,
    pub(super) text: GrowingText,
}

impl MarkdownEntry {
    fn new(id: usize, usage: &str) -> Option<Self> {
        let is_aggregate = usage == "ask_text";
        if !is_aggregate && !usage.contains("markdown") {
            return None;
        }
        let segment = usage.split('_').find_map(|part| part.parse().ok());
        Some(Self { id, usage: usage.to_owned(), segment, is_aggregate, text: GrowingText::default() })
    }
}

impl Snapshot {
    /// Merges the next frame. Null and absent fields leave what earlier frames set.
    pub fn merge(&mut self, event: StreamEvent<'_>) {
        let status = event.status.as_deref().unwrap_or_default();
        let completed = status.eq_ignore_ascii_case("completed");
        self.failed |= status.eq_ignore_ascii_case("failed");
        let in_final_frame = completed || event.is_final == Some(true);
        self.turbo_named |= event.display_model.as_deref() == Some("turbo");
        keep(&mut self.display_model, event.display_model);
        keep(&mut self.user_selected_model, event.user_selected_model);
        keep(&mut self.backend_uuid, event.backend_uuid);
        keep(&mut self.error_code, event.error_code);
        keep(&mut self.error_message, event.error_message);
        keep(&mut self.text, event.text);
        if let Some(list) = event.sources_list {
            self.sources_changed |= self.listed.observe_all(&list);
            if in_final_frame && !list.is_empty() {
                self.final_listed = Some(list);
            }
        }
        for block in event.blocks.unwrap_or_default() {
            self.had_blocks = true;
            self.merge_block(block, in_final_frame);
        }
        if completed || self.failed {
            self.end = End::Over;
        } else if self.end == End::Open && (in_final_frame || self.has_error()) {
            self.end = End::Final;
        }
    }

    /// The stream said that it is over.
    pub fn end(&mut self) {
        self.end = End::Over;
    }

    /// How far the reply has come.
    pub fn state(&self) -> End {
        self.end
    }

    fn merge_block(&mut self, block: Block<'_>, in_final_frame: bool) {
        let usage = block.intended_usage.as_deref().unwrap_or_default();
        if let Some(markdown) = block.markdown_block
            && let Some(entry) = self.markdown_entry(usage)
        {
            entry.text.merge(markdown, in_final_frame);
        }
        if let Some(results) = block.web_result_block.and_then(|block| block.web_results) {
            *self.result_list(usage) = ResultList::of(results);
            self.observe_results(usage, in_final_frame);
        }
        if let Some(workflow) = block.workflow_block {
            self.workflow = workflow;
            self.progress.workflow(&self.workflow);
        }
        if let Some(assets) = block.unified_assets_block {
            self.assets = assets;
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
            Some("markdown_block") => {
                if let Some(entry) = self.markdown_entry(usage) {
                    patch::apply(&mut MarkdownPatch { text: &mut entry.text, in_final_frame }, patches);
                }
            }
            Some("web_result_block") => {
                patch::apply(self.result_list(usage), patches);
                self.observe_results(usage, in_final_frame);
            }
            Some("workflow_block") => {
                patch::apply(&mut self.workflow, patches);
                if !patches
                    .iter()
                    .all(|patch| patch.path.as_deref().is_some_and(|path| path.contains("text_payload/")))
                {
                    self.progress.workflow(&self.workflow);
                }
            }
            Some("unified_assets_block") => patch::apply(&mut self.assets, patches),
            Some("plan_block") => self.progress.plan_patches(patches),
            _ => {}
        }
    }

    fn markdown_entry(&mut self, usage: &str) -> Option<&mut MarkdownEntry> {
        if !self.markdown.iter().any(|entry| entry.usage == usage) {
            self.markdown.push(MarkdownEntry::new(self.markdown.len(), usage)?);
            self.markdown.sort_by_key(|entry| entry.segment);
        }
        self.markdown.iter_mut().find(|entry| entry.usage == usage)
    }

    fn result_list(&mut self, usage: &str) -> &mut ResultList {
        self.result_lists.entry(usage.to_owned()).or_default()
    }

    fn observe_results(&mut self, usage: &str, in_final_frame: bool) {
        let Some(list) = self.result_lists.get_mut(usage) else { return };
        self.sources_changed |= self.results.observe(list);
        let results = list.web_results.as_deref().unwrap_or_default();
        self.progress.reading(results.len());
        if in_final_frame && !results.is_empty() {
            self.final_results = Some(results.to_vec());
        }
    }

    /// What changed in the answer's text since this was last called.
    pub fn take_text_change(&mut self) -> Option<TextChange> {
        let mut chosen = std::mem::take(&mut self.chosen);
        let change = chosen.update(&Choice::of(self, &chosen));
        self.chosen = chosen;
        self.forget_changes();
        if change.is_some() {
            self.progress.writing();
        }
        change
    }

    /// What the service started on since this was last called.
    pub fn take_steps(&mut self) -> Vec<Step> {
        self.progress.take()
    }

    /// The sources, if they changed since this was last called.
    pub fn take_sources(&mut self) -> Option<Vec<Source>> {
        std::mem::take(&mut self.sources_changed).then(|| self.sources())
    }

    /// The sources: of the `web_results` blocks, else of `sources_list`, else of `text`.
    pub fn sources(&self) -> Vec<Source> {
        if !self.results.is_empty() {
            return self.results.sources(self.final_results.as_deref().unwrap_or_default());
        }
        if !self.listed.is_empty() {
            return self.listed.sources(self.final_listed.as_deref().unwrap_or_default());
        }
        let mut in_text = Gathered::default();
        in_text.observe_all(&self.from_text().results);
        in_text.sources(&[])
    }

    /// The answer's text, from `text` where no block has any; empty if there is none at all.
    pub fn answer(&self) -> String {
        let streamed = Choice::of(self, &self.chosen).text_from(0);
        if streamed.trim_start().is_empty() && !self.failed {
            return self.from_text().answer.filter(|text| !text.trim_start().is_empty()).unwrap_or_default();
        }
        streamed
    }

    fn from_text(&self) -> FromText {
        self.text.as_deref().map(from_text).unwrap_or_default()
    }

    /// The model that answered: `display_model`, which may change in mid-stream, unless it says `turbo` while the
    /// user's choice is named beside it.
    pub fn model(&self) -> Option<&str> {
        let chosen = self.user_selected_model.as_deref().filter(|model| *model != "turbo");
        match self.display_model.as_deref() {
            None => chosen,
            Some("turbo") => chosen.or(Some("turbo")),
            named => named,
        }
    }

    /// What to say about the model: another one than asked for, or the one that needs no account.
    pub fn model_notes(&self, requested: Option<&str>) -> Vec<String> {
        let asked = requested.or(self.user_selected_model.as_deref());
        let mut notes = Vec::new();
        match (asked, self.model()) {
            (Some(asked), Some(model)) if asked != model => {
                notes.push(format!("asked for {asked}, answered by {model}"));
            }
            _ => {}
        }
        if self.turbo_named && asked != Some("turbo") {
            notes.push("the service named turbo, its model for users without a plan; `pplx status` shows the session".to_owned());
        }
        notes
    }

    /// Whether the reply is what someone without an account gets instead of an answer.
    pub fn looks_anonymous(&self) -> bool {
        let without_sources = self.results.is_empty() && self.listed.is_empty();
        self.display_model.as_deref() == Some("turbo") && !self.had_blocks && without_sources
    }

    /// The id of this entry of the thread.
    pub fn thread(&self) -> Option<&str> {
        self.backend_uuid.as_deref()
    }

    fn has_error(&self) -> bool {
        self.error_code.is_some() || self.error_message.is_some()
    }

    /// The error that the service reported, on whichever frame.
    pub fn error(&self) -> Option<ServiceError> {
        if !self.failed && !self.has_error() {
            return None;
        }
        let sentence = self.text.clone().filter(|text| is_sentence(text));
        let code = self.error_code.clone();
        let limit = code.as_deref().is_some_and(speaks_of_limits);
        Some(ServiceError { code, message: self.error_message.clone().or(sentence), limit })
    }

    fn forget_changes(&mut self) {
        let markdown = self.markdown.iter_mut().map(|entry| &mut entry.text);
        for text in markdown.chain(self.workflow.answers_mut()).chain(self.assets.report_mut()) {
            text.take_unchanged();
        }
    }
}

/// Keeps the newest value that is not blank.
fn keep(field: &mut Option<String>, newer: Option<String>) {
    if let Some(newer) = newer
        && !newer.trim_start().is_empty()
    {
        *field = Some(newer);
    }
}
