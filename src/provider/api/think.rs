//! The thoughts of a reasoning model: `<think>…</think>` at the start of its text.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// The thoughts at the start of `text`, if it has any, and the answer after them.
pub(super) fn split(text: &str) -> (Option<&str>, &str) {
    let Some(inside) = text.trim_start().strip_prefix(OPEN) else { return (None, text) };
    match inside.split_once(CLOSE) {
        Some((thoughts, answer)) => (Some(thoughts.trim()), answer.trim_start()),
        None => (Some(inside.trim()), ""),
    }
}

/// The answer in a text that still grows. A text that may become `<think>` has none yet.
pub(super) fn answer_so_far(text: &str) -> &str {
    let head = text.trim_start();
    if head.len() < OPEN.len() && OPEN.starts_with(head) { "" } else { split(text).1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_at_the_head_are_no_part_of_the_answer() {
        assert_eq!(split("<think>\nhm\n</think>\n\nYes."), (Some("hm"), "Yes."));
        assert_eq!(split(" \n<think>hm</think>"), (Some("hm"), ""));
        assert_eq!(split("<think>cut off"), (Some("cut off"), ""));
        assert_eq!(split("Yes."), (None, "Yes."));
        assert_eq!(split("In `<think>x</think>` it thinks."), (None, "In `<think>x</think>` it thinks."));
        assert_eq!(split("  two blanks"), (None, "  two blanks"));
        assert_eq!(split("<"), (None, "<"));
    }

    #[test]
    fn cut_anywhere_no_thought_is_shown() {
        let (thought, answer) = ("<think>secret</think>", "Yes.");
        let text = [thought, answer].concat();
        for end in 0..=text.len() {
            let expected = answer.split_at(end.saturating_sub(thought.len())).0;
            assert_eq!(answer_so_far(text.split_at(end).0), expected, "{end}");
        }
    }
}
