//! Text that the service sends in pieces, and sometimes replaces.

use serde_json::{Value, json};

use super::patch::{Change, Place, Pointer, place};
use super::wire::MarkdownBlock;

/// A growing text: as chunks that can be replaced from any offset, and as the full text where the service sent that
/// (`answer`, or `text` in the workflow form). The newer of the two counts, unless it is blank.
///
/// Chunks are stored joined, so that appending one costs its own length alone.
#[derive(Debug, Default)]
pub(super) struct GrowingText {
    full: String,
    joined: String,
    /// The end of each chunk in `joined`, in bytes.
    chunk_ends: Vec<usize>,
    chunks_are_newer: bool,
    /// The final frame had the full text, which replaces everything streamed.
    is_final: bool,
    /// How many bytes at the start have not changed since [`GrowingText::take_unchanged`].
    unchanged: usize,
}

impl GrowingText {
    /// A text with these contents.
    pub(super) fn new(full: Option<String>, chunks: Vec<String>) -> Self {
        let mut text = Self::default();
        text.set(full, chunks, 0, false);
        text
    }

    /// The text so far.
    pub(super) fn as_str(&self) -> &str {
        if self.uses_chunks() { &self.joined } else { &self.full }
    }

    fn uses_chunks(&self) -> bool {
        let (no_chunks, no_full) = (is_blank(&self.joined), is_blank(&self.full));
        if no_chunks == no_full { self.chunks_are_newer } else { no_full }
    }

    pub(super) fn is_blank(&self) -> bool {
        is_blank(self.as_str())
    }

    pub(super) fn is_final(&self) -> bool {
        self.is_final
    }

    /// How many bytes at the start are the same as at the last [`GrowingText::take_unchanged`]; a lower bound, and
    /// `usize::MAX` without any change.
    pub(super) fn unchanged(&self) -> usize {
        self.unchanged
    }

    pub(super) fn take_unchanged(&mut self) -> usize {
        std::mem::replace(&mut self.unchanged, usize::MAX)
    }

    /// Merges a block that was sent in full, not as a patch.
    pub(super) fn merge(&mut self, block: MarkdownBlock, in_final_frame: bool) {
        let offset = usize::try_from(block.chunk_starting_offset.unwrap_or(0)).unwrap_or(0);
        self.set(block.answer, block.chunks.unwrap_or_default(), offset, in_final_frame);
    }

    /// Sets the chunks, then the full text. The full text counts unless it lags behind the chunks of the same frame; on
    /// the final frame it always counts.
    fn set(&mut self, full: Option<String>, chunks: Vec<String>, offset: usize, in_final_frame: bool) {
        let has_chunks = !chunks.is_empty();
        let would_erase =
            offset == 0 && chunks.iter().all(|chunk| is_blank(chunk)) && !is_blank(&self.joined);
        if has_chunks && !would_erase {
            self.splice(offset, self.chunk_ends.len(), chunks);
        }
        if let Some(full) = full
            && (in_final_frame || !has_chunks || full.len() >= self.joined.len())
        {
            self.set_full(full, in_final_frame);
        }
    }

    /// Sets the full text; a blank one is ignored.
    fn set_full(&mut self, full: String, in_final_frame: bool) {
        if is_blank(&full) {
            return;
        }
        self.is_final |= in_final_frame;
        self.full = full;
        self.chunks_are_newer = false;
        self.unchanged = 0;
    }

    /// Replaces the chunks from `start` up to `end` (exclusive) by `chunks`. Both are clamped to the number of chunks.
    fn splice(&mut self, start: usize, end: usize, chunks: Vec<String>) {
        let used_chunks = self.uses_chunks();
        let end = end.min(self.chunk_ends.len());
        let start = start.min(end);
        let from = self.start_of(start);
        let tail = self.joined.get(self.start_of(end)..).unwrap_or_default().to_owned();
        let tail_ends: Vec<usize> =
            self.chunk_ends.iter().skip(end).map(|chunk_end| chunk_end - self.start_of(end)).collect();
        self.joined.truncate(from);
        self.chunk_ends.truncate(start);
        for chunk in chunks {
            if self.joined.is_empty() {
                self.joined = chunk;
            } else {
                self.joined.push_str(&chunk);
            }
            self.chunk_ends.push(self.joined.len());
        }
        let shift = self.joined.len();
        self.joined.push_str(&tail);
        self.chunk_ends.extend(tail_ends.into_iter().map(|chunk_end| chunk_end + shift));
        self.chunks_are_newer = true;
        self.unchanged = if used_chunks && self.uses_chunks() { self.unchanged.min(from) } else { 0 };
    }

    fn start_of(&self, chunk: usize) -> usize {
        chunk.checked_sub(1).and_then(|before| self.chunk_ends.get(before)).copied().unwrap_or(0)
    }

    fn chunks(&self) -> Vec<&str> {
        let starts = std::iter::once(0).chain(self.chunk_ends.iter().copied());
        starts.zip(&self.chunk_ends).filter_map(|(start, end)| self.joined.get(start..*end)).collect()
    }

    fn patch_chunks(&mut self, path: Pointer<'_>, change: Change<'_>) {
        let count = self.chunk_ends.len();
        let Some((index, rest)) = path.split() else {
            if let Some(chunks) = change.value::<Vec<String>>().filter(|chunks| !chunks.is_empty()) {
                self.splice(0, count, chunks);
            }
            return;
        };
        if rest.split().is_some() {
            return;
        }
        let chunk: Vec<String> = change.value().into_iter().collect();
        match place(&index, count, false, change) {
            Place::Insert(index) => self.splice(index, index, chunk),
            Place::At(index) => self.splice(index, index + 1, chunk),
            Place::Nowhere => {}
        }
    }

    /// Patches the field `full_name`, which has the full text, or `chunks`.
    pub(super) fn patch_field(
        &mut self,
        field: &str,
        full_name: &str,
        rest: Pointer<'_>,
        change: Change<'_>,
        in_final_frame: bool,
    ) {
        if field == "chunks" {
            self.patch_chunks(rest, change);
        } else if field == full_name
            && let Some(full) = change.value()
        {
            self.set_full(full, in_final_frame);
        }
    }

    /// The text as JSON, with the full text under `full_name`.
    pub(super) fn to_json_as(&self, full_name: &str) -> Value {
        json!({ full_name: self.full, "chunks": self.chunks() })
    }
}

fn is_blank(text: &str) -> bool {
    text.trim_start().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(offset: i64, chunks: &[&str]) -> MarkdownBlock {
        MarkdownBlock {
            answer: None,
            chunks: Some(chunks.iter().map(|&chunk| chunk.to_owned()).collect()),
            chunk_starting_offset: Some(offset),
        }
    }

    fn merged(blocks: Vec<MarkdownBlock>) -> String {
        let mut text = GrowingText::default();
        for block in blocks {
            text.merge(block, false);
        }
        text.as_str().to_owned()
    }

    #[test]
    fn an_offset_keeps_so_many_chunks_and_cuts_the_rest() {
        assert_eq!(merged(vec![chunks(0, &["a", "b"]), chunks(2, &["c"])]), "abc");
        assert_eq!(merged(vec![chunks(0, &["a", "b", "c", "d"]), chunks(1, &["x"])]), "ax");
        assert_eq!(merged(vec![chunks(0, &["a"]), chunks(9, &["b"])]), "ab", "an offset too high is clamped");
        assert_eq!(merged(vec![chunks(0, &["a"]), chunks(-3, &["b"])]), "b", "a negative one replaces");
    }

    #[test]
    fn an_empty_chunk_list_wipes_nothing() {
        assert_eq!(merged(vec![chunks(0, &["a"]), chunks(0, &[]), chunks(0, &[""])]), "a");
    }

    #[test]
    fn the_newer_of_answer_and_chunks_is_the_text() {
        let answer = |text: &str| MarkdownBlock { answer: Some(text.to_owned()), ..MarkdownBlock::default() };
        assert_eq!(merged(vec![chunks(0, &["a"]), answer("ab")]), "ab");
        assert_eq!(merged(vec![answer("ab"), chunks(0, &["c"])]), "c");
        assert_eq!(merged(vec![chunks(0, &["a"]), answer("")]), "a");
    }

    #[test]
    fn an_appended_chunk_leaves_the_front_unchanged() {
        let mut text = GrowingText::new(None, vec!["one ".to_owned()]);
        text.take_unchanged();
        text.merge(chunks(1, &["two"]), false);
        assert_eq!(text.take_unchanged(), 4);
        assert_eq!(text.take_unchanged(), usize::MAX);
    }
}
