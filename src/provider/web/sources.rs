//! The sources of a reply, from wherever it lists them.

use std::collections::HashMap;

use super::patch;
use super::results::{Gathered, ResultList};
use super::wire::{PatchOperation, WebResult};
use crate::domain::answer::Source;

/// Everything that the frames listed: `web_results` blocks, and `sources_list`, which counts only without them.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// The blocks by their usage, as patches find them.
    blocks: HashMap<String, ResultList>,
    results: Listed,
    listed: Listed,
    changed: bool,
}

/// One kind of list over all frames.
#[derive(Debug, Default)]
struct Listed {
    gathered: Gathered,
    /// What the final frame had.
    last: Vec<WebResult>,
}

impl Listed {
    fn sources(&self) -> Vec<Source> {
        self.gathered.sources(&self.last)
    }

    fn keep_last(&mut self, results: &[WebResult], in_final_frame: bool) {
        if in_final_frame && !results.is_empty() {
            results.clone_into(&mut self.last);
        }
    }
}

impl Sources {
    /// Takes a `web_results` block that arrived as it is. Returns how many results it has.
    pub(super) fn set(&mut self, usage: &str, results: Vec<WebResult>, in_final_frame: bool) -> usize {
        self.change(usage, in_final_frame, |list| *list = ResultList::of(results))
    }

    /// Applies patches to a `web_results` block. Returns how many results it has then.
    pub(super) fn patch(
        &mut self,
        usage: &str,
        patches: &[PatchOperation<'_>],
        in_final_frame: bool,
    ) -> usize {
        self.change(usage, in_final_frame, |list| patch::apply(list, patches))
    }

    fn change(&mut self, usage: &str, in_final_frame: bool, change: impl FnOnce(&mut ResultList)) -> usize {
        let list = self.blocks.entry(usage.to_owned()).or_default();
        change(list);
        self.changed |= self.results.gathered.observe(list);
        let results = list.web_results.as_deref().unwrap_or_default();
        self.results.keep_last(results, in_final_frame);
        results.len()
    }

    /// Takes a `sources_list`.
    pub(super) fn list(&mut self, list: &[WebResult], in_final_frame: bool) {
        self.changed |= self.listed.gathered.observe_all(list);
        self.listed.keep_last(list, in_final_frame);
    }

    /// Whether no frame listed anything.
    pub(super) fn is_empty(&self) -> bool {
        self.results.gathered.is_empty() && self.listed.gathered.is_empty()
    }

    /// Whether anything is new since this was last called.
    pub(super) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// The sources of the blocks, else of `sources_list`, else those `in_text`.
    pub(super) fn all(&self, in_text: impl FnOnce() -> Vec<WebResult>) -> Vec<Source> {
        if !self.results.gathered.is_empty() {
            return self.results.sources();
        }
        if !self.listed.gathered.is_empty() {
            return self.listed.sources();
        }
        let mut gathered = Gathered::default();
        gathered.observe_all(&in_text());
        gathered.sources(&[])
    }
}
