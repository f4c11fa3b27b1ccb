//! What a reasoning model thinks aloud: `<think>…</think>` at the head of its text.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// The thoughts in `text`, and the answer that follows them. Text that may still become a mark is neither.
pub(super) fn split(text: &str) -> (Option<&str>, &str) {
    let head = text.trim_start();
    if !head.is_empty() && head.len() < OPEN.len() && OPEN.starts_with(head) {
        return (None, "");
    }
    let Some(inside) = head.strip_prefix(OPEN) else { return (None, text) };
    match inside.split_once(CLOSE) {
        Some((thoughts, answer)) => (Some(thoughts.trim()), answer.trim_start()),
        None => (Some(inside.trim()), ""),
    }
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
    }

    #[test]
    fn cut_anywhere_no_thought_is_shown() {
        let text = "<think>secret</think>Yes.";
        for end in 0..text.len() {
            assert!("Yes.".starts_with(split(text.split_at(end).0).1), "{end}");
        }
    }
}
