//! Making text from the network safe to print.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// `text` without control characters (but LF and tab), escape sequences and bidirectional overrides. CRLF and CR
/// become LF.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    if !text.as_bytes().chunks(256).any(may_be_unprintable) || !text.chars().any(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\x1B' => skip_escape(&mut rest),
            '\r' => {
                rest.next_if_eq(&'\n');
                clean.push('\n');
            }
            character if is_unprintable(character) => {}
            character => clean.push(character),
        }
    }
    Cow::Owned(clean)
}

/// Whether any byte may belong to an unprintable character: a quick check, which most text passes. It has no branches,
/// so that the compiler can vectorize it.
fn may_be_unprintable(bytes: &[u8]) -> bool {
    let suspicious = |byte: u8| {
        let control = (byte < 0x20) && (byte != b'\n') && (byte != b'\t');
        control || (byte == 0x7F) || (byte == 0xC2) || (byte == 0xE2)
    };
    bytes.iter().fold(false, |found, byte| found | suspicious(*byte))
}

/// Whether a character could move the cursor, change the state of the terminal or reorder the text.
pub fn is_unprintable(character: char) -> bool {
    let overrides = matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    overrides || (character.is_control() && !matches!(character, '\n' | '\t'))
}

/// Skips the rest of an escape sequence: a control or string sequence up to its end, else one character. Of a string
/// sequence without an end, only the start is skipped.
fn skip_escape(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match rest.next_if(|next| matches!(next, '[' | ']' | 'P' | '_' | '^' | 'X')) {
        Some('[') => {
            while rest.next_if(|next| matches!(next, '\x20'..='\x3F')).is_some() {}
            rest.next_if(|next| matches!(next, '\x40'..='\x7E'));
        }
        Some(_) => skip_string(rest),
        None => {
            rest.next_if(|next| matches!(next, '\x20'..='\x7E'));
        }
    }
}

fn skip_string(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let mut ahead = rest.clone();
    while let Some(next) = ahead.next() {
        match next {
            '\x07' | '\u{9C}' => *rest = ahead,
            '\x1B' => {
                ahead.next_if_eq(&'\\');
                *rest = ahead;
            }
            '\n' => {}
            _ => continue,
        }
        return;
    }
}

/// `text` in one line: sanitised, white space folded to single blanks.
pub fn one_line(text: &str) -> String {
    sanitize(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most `characters` characters and `bytes` bytes of `text`, with an ellipsis where something was cut.
pub fn cut(text: &str, characters: usize, bytes: usize) -> Cow<'_, str> {
    if text.len() <= bytes && text.chars().count() <= characters {
        return Cow::Borrowed(text);
    }
    let ellipsis = '…';
    let room = bytes.saturating_sub(ellipsis.len_utf8());
    let fits = text.char_indices().take(characters.saturating_sub(1));
    let end =
        fits.map(|(start, character)| start + character.len_utf8()).take_while(|end| *end <= room).last();
    let kept = text.get(..end.unwrap_or(0)).unwrap_or_default().trim_end();
    Cow::Owned(format!("{kept}{ellipsis}"))
}

/// How many cells `text` takes on a terminal.
pub fn cell_width(text: &str) -> usize {
    text.width()
}

/// The start of `text` that takes at most `width` cells.
pub fn cells_cut(text: &str, width: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, character)| {
        used += character.width().unwrap_or(0);
        used > width
    });
    end.and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_gets_through() {
        for (text, clean) in [
            ("plain\ttext\n", "plain\ttext\n"),
            ("a\x1B[31mred\x1B[0m", "ared"),
            ("a\x1B]8;;https://x\x07link\x1B]8;;\x1B\\b", "alinkb"),
            ("a\x1B]0;no end", "a0;no end"),
            ("a\x1BPsecret\x1B\\b", "ab"),
            ("a\u{9B}31mb\u{85}\x07\x08\x7F", "a31mb"),
            ("a\r\nb\rc", "a\nb\nc"),
            ("a\u{202E}b\u{2066}c\u{2069}", "abc"),
            ("a\x1B", "a"),
        ] {
            assert_eq!(sanitize(text), clean, "{text:?}");
            assert!(!sanitize(text).chars().any(is_unprintable));
        }
    }

    #[test]
    fn one_line_folds_white_space() {
        assert_eq!(one_line("  a\r\n b\t\u{A0}c "), "a b c");
    }

    #[test]
    fn cells_are_counted() {
        assert_eq!([cells_cut("abc", 2), cells_cut("測定", 3), cells_cut("ab", 9)], ["ab", "測", "ab"]);
    }

    #[test]
    fn a_cut_is_marked_and_keeps_both_bounds() {
        assert_eq!(cut("abc", 3, 9), "abc");
        assert_eq!(cut("abcd", 3, 9), "ab…");
        assert_eq!(cut("ééééé", 9, 8), "éé…");
        assert_eq!(cut("ab cd", 4, 9), "ab…");
    }
}
