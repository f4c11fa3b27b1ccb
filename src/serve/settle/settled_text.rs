//! Text that is sent only once it is final: clients of OpenAI's interfaces cannot take anything back.
//!
//! What the service appends is passed on as it comes. Tags that are meant for its own page (`<grok:…>`, `<response>`,
//! `<?xml …?>`) are left out, except in code; one that is not complete yet is waited for. When the service takes back text
//! that was sent, nothing more is sent until the text agrees with it again or the answer is complete.

use super::code::CodeScanner;
use crate::domain::answer::TextChange;

/// How long a tag may be, in bytes. Anything longer is text.
const MAX_TAG: usize = 4096;
/// The starts of tags that end with their `>`.
const SINGLE_TAGS: [&str; 4] = ["<response", "</response", "<?xml", "</grok:"];
/// The start of a tag that goes up to `</grok:…>`, with the text in between.
const PAIRED_TAG: &str = "<grok:";

/// A growing text, and how much of it was sent.
#[derive(Debug, Default)]
pub(crate) struct SettledText {
    /// As the service sent it.
    text: String,
    cleaner: Cleaner,
    /// What was sent of it, without tags.
    sent: String,
    /// The service took back what was sent.
    is_withdrawn: bool,
}

impl SettledText {
    /// Applies a change, and returns the text that can be sent now.
    pub(crate) fn apply(&mut self, change: &TextChange) -> Option<String> {
        let appends = change.at == self.text.len() && !self.is_withdrawn;
        if appends {
            self.text.push_str(&change.text);
            let new = self.cleaner.clean(&self.text, false);
            return self.send(new);
        }
        change.apply(&mut self.text);
        self.cleaner = Cleaner::default();
        let text = self.cleaner.clean(&self.text, false);
        let Some(rest) = text.strip_prefix(self.sent.as_str()).map(str::to_owned) else {
            self.is_withdrawn = true;
            return None;
        };
        self.is_withdrawn = false;
        self.send(rest)
    }

    /// What is still to be sent of the complete `text`; `None` where it contradicts what was sent.
    pub(crate) fn remainder(&self, text: &str) -> Option<String> {
        without_tags(text).strip_prefix(self.sent.as_str()).map(str::to_owned)
    }

    fn send(&mut self, text: String) -> Option<String> {
        self.sent.push_str(&text);
        (!text.is_empty()).then_some(text)
    }

    /// What was sent so far.
    pub(crate) fn sent(&self) -> &str {
        &self.sent
    }

    pub(crate) fn into_sent(self) -> String {
        self.sent
    }
}

/// A complete text without tags.
pub(crate) fn without_tags(text: &str) -> String {
    Cleaner::default().clean(text, true)
}

/// Removes the tags from a text, which may grow between the calls.
#[derive(Debug, Default)]
struct Cleaner {
    /// Everything before this byte is done.
    at: usize,
    code: CodeScanner,
}

/// What stands at a `<` outside of code.
enum Tag {
    /// A tag of so many bytes.
    Complete(usize),
    /// The start of one, perhaps.
    Unfinished,
    None,
}

impl Cleaner {
    /// The new part of `text` that can no longer become a tag; with `is_end` all of it.
    fn clean(&mut self, text: &str, is_end: bool) -> String {
        let mut out = String::new();
        while let Some(rest) = text.get(self.at..).filter(|rest| !rest.is_empty()) {
            let plain = rest.find(['`', '<', '\n']).unwrap_or(rest.len());
            let plain_text = rest.get(..plain).unwrap_or_default();
            plain_text.chars().next_back().into_iter().for_each(|last| self.code.character(last));
            out.push_str(plain_text);
            self.at += plain;
            let rest = rest.get(plain..).unwrap_or_default();
            let taken = match rest.chars().next() {
                None => return out,
                Some('`') => self.backticks(rest, is_end),
                Some('<') if !self.code.is_open() => match tag_at_start(rest) {
                    Tag::Complete(length) => {
                        self.at += length;
                        continue;
                    }
                    Tag::Unfinished if !is_end => return out,
                    Tag::Unfinished | Tag::None => Some(1),
                },
                Some(other) => {
                    self.code.character(other);
                    Some(1)
                }
            };
            let Some(taken) = taken else { return out };
            out.push_str(rest.get(..taken).unwrap_or_default());
            self.at += taken;
        }
        out
    }

    /// The length of the run of backticks at the front; `None` where it may go on.
    fn backticks(&mut self, rest: &str, is_end: bool) -> Option<usize> {
        let run = rest.bytes().take_while(|byte| *byte == b'`').count();
        if run == rest.len() && !is_end {
            return None;
        }
        self.code.backticks(run);
        Some(run)
    }
}

fn tag_at_start(rest: &str) -> Tag {
    let found = if rest.starts_with(PAIRED_TAG) {
        paired_tag(rest)
    } else if let Some(start) = SINGLE_TAGS.iter().find(|start| rest.starts_with(**start)) {
        single_tag(rest, start)
    } else if SINGLE_TAGS.iter().chain([&PAIRED_TAG]).any(|start| start.starts_with(rest)) {
        Tag::Unfinished
    } else {
        Tag::None
    };
    match found {
        Tag::Complete(length) if length > MAX_TAG => Tag::None,
        Tag::Unfinished if rest.len() >= MAX_TAG => Tag::None,
        found => found,
    }
}

/// `<response …>` and the like, on one line. A longer word (`<responseCode>`) is text.
fn single_tag(rest: &str, start: &str) -> Tag {
    let inside = rest.get(start.len()..).unwrap_or_default();
    let goes_on = start.ends_with(':') || inside.starts_with(['>', '/', ' ']);
    if inside.is_empty() {
        return Tag::Unfinished;
    }
    match inside.find(['>', '\n']) {
        _ if !goes_on => Tag::None,
        None => Tag::Unfinished,
        Some(end) if inside.get(end..).is_some_and(|rest| rest.starts_with('>')) => {
            Tag::Complete(start.len() + end + 1)
        }
        Some(_) => Tag::None,
    }
}

/// `<grok:x/>`, or all of `<grok:x>…</grok:x>`.
fn paired_tag(rest: &str) -> Tag {
    let Some(open) = rest.find('>').map(|end| end + 1) else { return Tag::Unfinished };
    if rest.get(..open).is_some_and(|tag| tag.ends_with("/>")) {
        return Tag::Complete(open);
    }
    let inside = rest.get(open..).unwrap_or_default();
    let close = inside.find("</grok:").and_then(|start| {
        inside.get(start..).and_then(|tail| tail.find('>')).map(|end| open + start + end + 1)
    });
    close.map_or(Tag::Unfinished, Tag::Complete)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is sent of a text that comes in pieces.
    fn streamed(pieces: &[&str]) -> (SettledText, String) {
        let mut settled = SettledText::default();
        let mut at = 0;
        let mut out = String::new();
        for piece in pieces {
            out += &settled.apply(&TextChange { at, text: (*piece).to_owned() }).unwrap_or_default();
            at += piece.len();
        }
        (settled, out)
    }

    const TAGGED: &str = "A <grok:render id=\"1\">junk</grok:render>B [1][2] a < b and c > d `<grok:x>` <?xml v?>e\n\
        ```\n<response>a[0]\n```\n</response><grok:y/>é<";

    #[test]
    fn tags_are_left_out_wherever_the_pieces_are_cut() {
        let expected = "A B [1][2] a < b and c > d `<grok:x>` e\n```\n<response>a[0]\n```\né<";
        assert_eq!(without_tags(TAGGED), expected);
        for size in 1..12 {
            let pieces: Vec<String> =
                TAGGED.chars().collect::<Vec<_>>().chunks(size).map(|piece| piece.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let (settled, mut out) = streamed(&pieces);
            out += &settled.remainder(TAGGED).unwrap();
            assert_eq!(out, expected, "{size}");
        }
    }

    #[test]
    fn what_only_looks_like_a_tag_is_text() {
        for text in ["The <responseCode> x <response\ny>", "x <response time\nand y > 3"] {
            assert_eq!(without_tags(text), text);
        }
        let long = format!("see <response {}> and <grok:a>{}", "x".repeat(5000), "y".repeat(5000));
        assert!(without_tags(&long) == long);
        let (settled, out) = streamed(&[&long]);
        assert!(out + &settled.remainder(&long).unwrap() == long);
    }

    #[test]
    fn a_lone_backtick_protects_no_tag_beyond_its_paragraph() {
        assert_eq!(without_tags("a ` b <grok:x/>\n\nc <grok:x/>d"), "a ` b <grok:x/>\n\nc d");
    }

    #[test]
    fn plain_text_is_not_held_back() {
        let (_, out) = streamed(&["one ", "two <", "3 "]);
        assert_eq!(out, "one two <3 ");
    }

    #[test]
    fn what_was_sent_is_never_taken_back() {
        let (mut settled, out) = streamed(&["one two"]);
        assert_eq!(out, "one two");
        assert_eq!(settled.apply(&TextChange { at: 4, text: "three".to_owned() }), None);
        assert_eq!(settled.apply(&TextChange { at: 9, text: " four".to_owned() }), None);
        assert_eq!(settled.remainder("one three four"), None);
        assert_eq!(settled.sent(), "one two");
    }

    #[test]
    fn a_text_that_comes_back_goes_on() {
        let (mut settled, _) = streamed(&["one two"]);
        assert_eq!(settled.apply(&TextChange { at: 3, text: String::new() }), None);
        assert_eq!(
            settled.apply(&TextChange { at: 3, text: " two three".to_owned() }).as_deref(),
            Some(" three")
        );
        assert_eq!(settled.remainder("one two three.").as_deref(), Some("."));
    }

    #[test]
    fn a_tag_without_an_end_is_text() {
        let long = format!("<grok:{}", "x".repeat(MAX_TAG));
        let (_, out) = streamed(&[&long, "y"]);
        assert_eq!(out, format!("{long}y"));
        assert_eq!(without_tags("<grok:x>y"), "<grok:x>y");
    }
}
