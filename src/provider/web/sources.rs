//! The sources of a reply, from all places where it lists them.

use std::collections::HashMap;

use super::patch;
use super::results::{NumberedSources, ResultList};
use super::wire::{PatchOperation, WebResult};
use crate::domain::answer::Source;

/// The sources of all frames: in `web_results` blocks, and in `sources_list`, which is used only without them.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// The blocks by their usage, as patches find them.
    blocks: HashMap<String, ResultList>,
    in_blocks: ListedSources,
    in_sources_list: ListedSources,
    changed: bool,
}

/// One kind of list, over all frames.
#[derive(Debug, Default)]
struct ListedSources {
    numbered: NumberedSources,
    /// The list of the final frame; empty without one.
    final_list: Vec<WebResult>,
}

impl ListedSources {
    fn sources(&self) -> Vec<Source> {
        self.numbered.sources(&self.final_list)
    }

    fn set_final(&mut self, results: &[WebResult], in_final_frame: bool) {
        if in_final_frame && !results.is_empty() {
            results.clone_into(&mut self.final_list);
        }
    }
}

impl Sources {
    /// Sets a `web_results` block that was sent in full. Returns how many results it has.
    pub(super) fn set_block(&mut self, usage: &str, results: Vec<WebResult>, in_final_frame: bool) -> usize {
        self.change_block(usage, in_final_frame, |list| *list = ResultList::new(results))
    }

    /// Applies patches to a `web_results` block. Returns how many results it has then.
    pub(super) fn patch_block(
        &mut self,
        usage: &str,
        patches: &[PatchOperation<'_>],
        in_final_frame: bool,
    ) -> usize {
        self.change_block(usage, in_final_frame, |list| patch::apply(list, patches))
    }

    fn change_block(
        &mut self,
        usage: &str,
        in_final_frame: bool,
        change: impl FnOnce(&mut ResultList),
    ) -> usize {
        let list = self.blocks.entry(usage.to_owned()).or_default();
        change(list);
        self.changed |= self.in_blocks.numbered.merge(list);
        let results = list.web_results.as_deref().unwrap_or_default();
        self.in_blocks.set_final(results, in_final_frame);
        results.len()
    }

    /// Merges a `sources_list`.
    pub(super) fn merge_sources_list(&mut self, list: &[WebResult], in_final_frame: bool) {
        self.changed |= self.in_sources_list.numbered.merge_list(list);
        self.in_sources_list.set_final(list, in_final_frame);
    }

    /// Whether no frame listed a source.
    pub(super) fn is_empty(&self) -> bool {
        self.in_blocks.numbered.is_empty() && self.in_sources_list.numbered.is_empty()
    }

    /// Whether the sources changed since this was last called.
    pub(super) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// The sources of the blocks, else of `sources_list`, else `in_text`.
    pub(super) fn all(&self, in_text: impl FnOnce() -> Vec<WebResult>) -> Vec<Source> {
        if !self.in_blocks.numbered.is_empty() {
            return self.in_blocks.sources();
        }
        if !self.in_sources_list.numbered.is_empty() {
            return self.in_sources_list.sources();
        }
        let mut numbered = NumberedSources::default();
        numbered.merge_list(&in_text());
        numbered.sources(&[])
    }
}
