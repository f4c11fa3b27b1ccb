//! Text that the service sends in pieces, and sometimes takes back.

use serde_json::{Value, json};

use super::patch::{Change, Place, Pointer, place};
use super::wire::MarkdownBlock;

/// A growing text: held as chunks that can be replaced from any offset, and as the whole text where the service
/// sent it (`answer`, or `text` in the workflow form). The newer of the two is the text, unless it is blank.
///
/// Chunks are kept joined, so that an appended chunk costs its own length and nothing else.
#[derive(Debug, Default)]
pub(super) struct GrowingText {
    whole: String,
    joined: String,
    /// Where each chunk ends in `joined`, in bytes.
    ends: Vec<usize>,
    chunks_are_newer: bool,
    /// The final frame gave the whole text: it wins over everything streamed.
    settled: bool,
    /// The bytes before this one have not changed since [`GrowingText::take_unchanged`].
    unchanged: usize,
}

impl GrowingText {
    /// A text that arrived in one piece.
    pub(super) fn new(whole: Option<String>, chunks: Vec<String>) -> Self {
        let mut text = Self::default();
        text.set_both(whole, chunks, 0, false);
        text
    }

    /// The text as it stands.
    pub(super) fn as_str(&self) -> &str {
        if self.shows_joined() { &self.joined } else { &self.whole }
    }

    fn shows_joined(&self) -> bool {
        let (joined, whole) = (is_blank(&self.joined), is_blank(&self.whole));
        if joined == whole { self.chunks_are_newer } else { whole }
    }

    pub(super) fn is_blank(&self) -> bool {
        is_blank(self.as_str())
    }

    pub(super) fn is_settled(&self) -> bool {
        self.settled
    }

    /// How many bytes at the front are the same as when this was last taken. A lower bound.
    pub(super) fn unchanged(&self) -> usize {
        self.unchanged
    }

    pub(super) fn take_unchanged(&mut self) -> usize {
        std::mem::replace(&mut self.unchanged, usize::MAX)
    }

    /// Merges a block that arrived as it is (not as a patch).
    pub(super) fn merge(&mut self, block: MarkdownBlock, in_final_frame: bool) {
        let offset = usize::try_from(block.chunk_starting_offset.unwrap_or(0)).unwrap_or(0);
        self.set_both(block.answer, block.chunks.unwrap_or_default(), offset, in_final_frame);
    }

    /// Chunks first, then the whole text: it wins, unless it lags behind the chunks of the same frame. On the
    /// final frame it always wins.
    fn set_both(&mut self, whole: Option<String>, chunks: Vec<String>, offset: usize, in_final_frame: bool) {
        let has_chunks = !chunks.is_empty();
        let wipes = offset == 0 && chunks.iter().all(|chunk| is_blank(chunk)) && !is_blank(&self.joined);
        if has_chunks && !wipes {
            self.splice(offset, self.ends.len(), chunks);
        }
        if let Some(whole) = whole
            && (in_final_frame || !has_chunks || whole.len() >= self.joined.len())
        {
            self.set_whole(whole, in_final_frame);
        }
    }

    /// Sets the whole text; a blank one never wipes what was there.
    fn set_whole(&mut self, whole: String, in_final_frame: bool) {
        if is_blank(&whole) {
            return;
        }
        self.settled |= in_final_frame;
        self.whole = whole;
        self.chunks_are_newer = false;
        self.unchanged = 0;
    }

    /// Replaces the chunks from `start` up to `end` by `chunks`, both clamped to what is held.
    fn splice(&mut self, start: usize, end: usize, chunks: Vec<String>) {
        let showed_joined = self.shows_joined();
        let end = end.min(self.ends.len());
        let start = start.min(end);
        let from = self.start_of(start);
        let tail = self.joined.get(self.start_of(end)..).unwrap_or_default().to_owned();
        let tail_ends: Vec<usize> =
            self.ends.iter().skip(end).map(|chunk_end| chunk_end - self.start_of(end)).collect();
        self.joined.truncate(from);
        self.ends.truncate(start);
        for chunk in chunks {
            if self.joined.is_empty() {
                self.joined = chunk;
            } else {
                self.joined.push_str(&chunk);
            }
            self.ends.push(self.joined.len());
        }
        let shift = self.joined.len();
        self.joined.push_str(&tail);
        self.ends.extend(tail_ends.into_iter().map(|chunk_end| chunk_end + shift));
        self.chunks_are_newer = true;
        self.unchanged = if showed_joined && self.shows_joined() { self.unchanged.min(from) } else { 0 };
    }

    fn start_of(&self, chunk: usize) -> usize {
        chunk.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0)
    }

    fn chunks(&self) -> Vec<&str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).filter_map(|(start, end)| self.joined.get(start..*end)).collect()
    }

    fn patch_chunks(&mut self, path: Pointer<'_>, change: Change<'_>) {
        let held = self.ends.len();
        let Some((index, rest)) = path.split() else {
            if let Some(chunks) = change.value::<Vec<String>>().filter(|chunks| !chunks.is_empty()) {
                self.splice(0, held, chunks);
            }
            return;
        };
        if rest.split().is_some() {
            return;
        }
        let chunk: Vec<String> = change.value().into_iter().collect();
        match place(&index, held, false, change) {
            Place::Insert(index) => self.splice(index, index, chunk),
            Place::At(index) => self.splice(index, index + 1, chunk),
            Place::Nowhere => {}
        }
    }

    /// Patches the field `whole_name` (the whole text) or `chunks`.
    pub(super) fn patch_field(
        &mut self,
        field: &str,
        whole_name: &str,
        rest: Pointer<'_>,
        change: Change<'_>,
        in_final_frame: bool,
    ) {
        if field == "chunks" {
            self.patch_chunks(rest, change);
        } else if field == whole_name
            && let Some(whole) = change.value()
        {
            self.set_whole(whole, in_final_frame);
        }
    }

    /// The text as JSON, with the whole text under `whole_name`.
    pub(super) fn to_json_as(&self, whole_name: &str) -> Value {
        json!({ whole_name: self.whole, "chunks": self.chunks() })
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
