//! Text that is sent only once it stands: clients of OpenAI's interfaces cannot take anything back.
//!
//! What the service appends is passed on as it comes. Marks that are meant for its own page (`<grok:…>`, `<response>`,
//! `<?xml …?>`) are left out, outside of code; one that is not complete yet is waited for. Once the service takes back
//! what was sent, nothing more is, until the text goes on from there again or the answer is done.

use super::code::Code;
use crate::domain::answer::TextChange;

/// How long a mark may be, in bytes. What goes on for longer is text.
const LONGEST_MARK: usize = 4096;
/// The starts of marks that stand for themselves, up to their `>`.
const LONE: [&str; 4] = ["<response", "</response", "<?xml", "</grok:"];
/// The start of a mark that ends with `</grok:…>`, and takes what is in between with it.
const PAIRED: &str = "<grok:";

/// A growing text, and how much of it was sent.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    /// As the service has it.
    text: String,
    cleaner: Cleaner,
    /// Without marks: what was sent.
    sent: String,
    /// The service took back what was sent.
    withdrawn: bool,
}

impl Settled {
    /// Takes a change; what can be sent of it now.
    pub(crate) fn change(&mut self, change: &TextChange) -> Option<String> {
        let appends = change.at == self.text.len() && !self.withdrawn;
        if appends {
            self.text.push_str(&change.text);
            let new = self.cleaner.clean(&self.text, false);
            return self.send(new);
        }
        change.apply(&mut self.text);
        self.cleaner = Cleaner::default();
        let cleaned = self.cleaner.clean(&self.text, false);
        let Some(rest) = cleaned.strip_prefix(self.sent.as_str()).map(str::to_owned) else {
            self.withdrawn = true;
            return None;
        };
        self.withdrawn = false;
        self.send(rest)
    }

    /// The answer is done, and this is its text. What is left to send, or, where it contradicts what was sent, `None`.
    pub(crate) fn finish(&self, text: &str) -> Option<String> {
        cleaned(text).strip_prefix(self.sent.as_str()).map(str::to_owned)
    }

    fn send(&mut self, text: String) -> Option<String> {
        self.sent.push_str(&text);
        (!text.is_empty()).then_some(text)
    }

    /// What was sent before the end.
    pub(crate) fn sent(&self) -> &str {
        &self.sent
    }

    pub(crate) fn into_sent(self) -> String {
        self.sent
    }
}

/// A whole text without marks.
pub(crate) fn cleaned(text: &str) -> String {
    Cleaner::default().clean(text, true)
}

/// Goes through a text once, in as many steps as it comes.
#[derive(Debug, Default)]
struct Cleaner {
    /// Everything before this byte was dealt with.
    at: usize,
    code: Code,
}

/// What stands at a `<` outside of code.
enum Mark {
    /// A mark of so many bytes.
    Whole(usize),
    /// What may become one.
    Unfinished,
    None,
}

impl Cleaner {
    /// The part of `text` that is new and can no longer become a mark; `whole` when nothing follows.
    fn clean(&mut self, text: &str, whole: bool) -> String {
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
                Some('`') => self.ticks(rest, whole),
                Some('<') if !self.code.is_open() => match mark(rest) {
                    Mark::Whole(length) => {
                        self.at += length;
                        continue;
                    }
                    Mark::Unfinished if !whole => return out,
                    Mark::Unfinished | Mark::None => Some(1),
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

    /// How long the run of backticks at the front is, once that is known.
    fn ticks(&mut self, rest: &str, whole: bool) -> Option<usize> {
        let run = rest.bytes().take_while(|byte| *byte == b'`').count();
        if run == rest.len() && !whole {
            return None;
        }
        self.code.ticks(run);
        Some(run)
    }
}

fn mark(rest: &str) -> Mark {
    let found = if rest.starts_with(PAIRED) {
        paired(rest)
    } else if let Some(start) = LONE.iter().find(|start| rest.starts_with(**start)) {
        lone(rest, start)
    } else if LONE.iter().chain([&PAIRED]).any(|start| start.starts_with(rest)) {
        Mark::Unfinished
    } else {
        Mark::None
    };
    match found {
        Mark::Whole(length) if length > LONGEST_MARK => Mark::None,
        Mark::Unfinished if rest.len() >= LONGEST_MARK => Mark::None,
        found => found,
    }
}

/// `<response …>` and the like, on one line. A longer word is another one.
fn lone(rest: &str, start: &str) -> Mark {
    let inside = rest.get(start.len()..).unwrap_or_default();
    let goes_on = start.ends_with(':') || inside.starts_with(['>', '/', ' ']);
    if inside.is_empty() {
        return Mark::Unfinished;
    }
    match inside.find(['>', '\n']) {
        _ if !goes_on => Mark::None,
        None => Mark::Unfinished,
        Some(end) if inside.get(end..).is_some_and(|rest| rest.starts_with('>')) => {
            Mark::Whole(start.len() + end + 1)
        }
        Some(_) => Mark::None,
    }
}

/// `<grok:x/>`, or all of `<grok:x>…</grok:x>`.
fn paired(rest: &str) -> Mark {
    let Some(open) = rest.find('>').map(|end| end + 1) else { return Mark::Unfinished };
    if rest.get(..open).is_some_and(|tag| tag.ends_with("/>")) {
        return Mark::Whole(open);
    }
    let inside = rest.get(open..).unwrap_or_default();
    let close = inside.find("</grok:").and_then(|start| {
        inside.get(start..).and_then(|tail| tail.find('>')).map(|end| open + start + end + 1)
    });
    close.map_or(Mark::Unfinished, Mark::Whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends a text in pieces; what arrived.
    fn streamed(pieces: &[&str]) -> (Settled, String) {
        let mut settled = Settled::default();
        let mut at = 0;
        let mut out = String::new();
        for piece in pieces {
            out += &settled.change(&TextChange { at, text: (*piece).to_owned() }).unwrap_or_default();
            at += piece.len();
        }
        (settled, out)
    }

    const MARKED: &str = "A <grok:render id=\"1\">junk</grok:render>B [1][2] a < b and c > d `<grok:x>` <?xml v?>e\n\
        ```\n<response>a[0]\n```\n</response><grok:y/>é<";

    #[test]
    fn marks_are_left_out_wherever_the_pieces_are_cut() {
        let expected = "A B [1][2] a < b and c > d `<grok:x>` e\n```\n<response>a[0]\n```\né<";
        assert_eq!(cleaned(MARKED), expected);
        for size in 1..12 {
            let pieces: Vec<String> =
                MARKED.chars().collect::<Vec<_>>().chunks(size).map(|piece| piece.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let (settled, mut out) = streamed(&pieces);
            out += &settled.finish(MARKED).unwrap();
            assert_eq!(out, expected, "{size}");
        }
    }

    #[test]
    fn what_only_looks_like_a_mark_is_text() {
        for text in ["The <responseCode> x <response\ny>", "x <response time\nand y > 3"] {
            assert_eq!(cleaned(text), text);
        }
        let long = format!("see <response {}> and <grok:a>{}", "x".repeat(5000), "y".repeat(5000));
        assert!(cleaned(&long) == long);
        let (settled, out) = streamed(&[&long]);
        assert!(out + &settled.finish(&long).unwrap() == long);
    }

    #[test]
    fn a_lone_backtick_protects_no_mark_beyond_its_paragraph() {
        assert_eq!(cleaned("a ` b <grok:x/>\n\nc <grok:x/>d"), "a ` b <grok:x/>\n\nc d");
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
        assert_eq!(settled.change(&TextChange { at: 4, text: "three".to_owned() }), None);
        assert_eq!(settled.change(&TextChange { at: 9, text: " four".to_owned() }), None);
        assert_eq!(settled.finish("one three four"), None);
        assert_eq!(settled.sent(), "one two");
    }

    #[test]
    fn a_text_that_comes_back_goes_on() {
        let (mut settled, _) = streamed(&["one two"]);
        assert_eq!(settled.change(&TextChange { at: 3, text: String::new() }), None);
        assert_eq!(
            settled.change(&TextChange { at: 3, text: " two three".to_owned() }).as_deref(),
            Some(" three")
        );
        assert_eq!(settled.finish("one two three.").as_deref(), Some("."));
    }

    #[test]
    fn a_mark_without_an_end_is_text() {
        let long = format!("<grok:{}", "x".repeat(LONGEST_MARK));
        let (_, out) = streamed(&[&long, "y"]);
        assert_eq!(out, format!("{long}y"));
        assert_eq!(cleaned("<grok:x>y"), "<grok:x>y");
    }
}
