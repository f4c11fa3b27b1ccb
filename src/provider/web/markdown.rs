//! The markdown blocks of a reply, each a growing text.

use serde_json::Value;

use super::patch::{self, Change, Patch, Pointer};
use super::text::GrowingText;
use super::wire::{MarkdownBlock, PatchOperation};

/// The blocks, in the order of their segments.
#[derive(Debug, Default)]
pub(super) struct Markdown {
    entries: Vec<MarkdownEntry>,
}

/// The text of one block.
#[derive(Debug)]
pub(super) struct MarkdownEntry {
    /// Stays the same when entries are inserted before this one.
    pub(super) id: usize,
    usage: String,
    /// The number in a usage such as `ask_text_2_markdown`; `None` where there is none.
    pub(super) segment: Option<u64>,
    /// Whether the usage is `ask_text`, which has the text of all segments.
    pub(super) is_aggregate: bool,
    pub(super) text: GrowingText,
}

impl Markdown {
    pub(super) fn entries(&self) -> &[MarkdownEntry] {
        &self.entries
    }

    pub(super) fn texts_mut(&mut self) -> impl Iterator<Item = &mut GrowingText> {
        self.entries.iter_mut().map(|entry| &mut entry.text)
    }

    /// Merges a block that was sent in full, not as a patch.
    pub(super) fn merge(&mut self, usage: &str, block: MarkdownBlock, in_final_frame: bool) {
        if let Some(entry) = self.entry(usage) {
            entry.text.merge(block, in_final_frame);
        }
    }

    /// Applies patches to a block.
    pub(super) fn patch(&mut self, usage: &str, patches: &[PatchOperation<'_>], in_final_frame: bool) {
        if let Some(entry) = self.entry(usage) {
            patch::apply(&mut MarkdownPatch { text: &mut entry.text, in_final_frame }, patches);
        }
    }

    /// The entry of a usage, added if it is new; `None` for a usage that is not text of the answer.
    fn entry(&mut self, usage: &str) -> Option<&mut MarkdownEntry> {
        if !self.entries.iter().any(|entry| entry.usage == usage) {
            self.entries.push(MarkdownEntry::new(self.entries.len(), usage)?);
            self.entries.sort_by_key(|entry| entry.segment);
        }
        self.entries.iter_mut().find(|entry| entry.usage == usage)
    }
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

/// A `markdown_block` under the patches of one frame.
#[derive(Debug)]
struct MarkdownPatch<'a> {
    text: &'a mut GrowingText,
    in_final_frame: bool,
}

impl Patch for MarkdownPatch<'_> {
    fn patch(&mut self, path: Pointer<'_>, change: Change<'_>) {
        match path.split() {
            None => {
                if let Some(block) = change.value::<MarkdownBlock>() {
                    self.text.merge(block, self.in_final_frame);
                }
            }
            Some((field, rest)) => self.text.patch_field(&field, "answer", rest, change, self.in_final_frame),
        }
    }

    fn to_json(&self) -> Value {
        self.text.to_json_as("answer")
    }
}
