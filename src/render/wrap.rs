//! Breaking long lines, because some readers cut them: omp's shell tool drops what follows byte 768.

use memchr::{memchr, memchr_iter, memrchr_iter};

/// The longest line, in bytes, where a blank allows to break it.
pub(super) const MAX_LINE: usize = 700;

/// The lines of a Markdown text, the long ones broken at blanks. Fenced code and tables are not broken, and no new line
/// begins with a word that would start a block there.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let tables = table_lines(text);
    let mut fence: Option<Fence> = None;
    split_lines(text).enumerate().flat_map(move |(index, line)| {
        let in_fence = fence.is_some();
        fence = match fence {
            Some(open) => (!open.closes(line)).then_some(open),
            None => Fence::opened_by(line),
        };
        let verbatim = in_fence || fence.is_some() || tables.binary_search(&index).is_ok();
        pieces(line, if verbatim { usize::MAX } else { MAX_LINE }, MAX_LINE)
    })
}

/// `line` in pieces: the first of at most `max_first` bytes, the others of at most `max_later`, where a blank allows
/// it.
pub(super) fn pieces(line: &str, max_first: usize, max_later: usize) -> impl Iterator<Item = &str> {
    let mut rest = Some((line, max_first));
    std::iter::from_fn(move || {
        let (line, max) = rest.take()?;
        let broken = if line.len() > max { break_at(line, max) } else { None };
        let Some((piece, after)) = broken else { return Some(line) };
        rest = Some((after, max_later));
        Some(piece)
    })
}

/// The text between line feeds; on long lines much faster than the `split` of the standard library.
fn split_lines(text: &str) -> impl Iterator<Item = &str> {
    let ends = memchr_iter(b'\n', text.as_bytes()).chain(std::iter::once(text.len()));
    let mut start = 0;
    ends.filter_map(move |end| text.get(std::mem::replace(&mut start, end + 1)..end))
}

/// `line` broken at the last possible blank within `max` bytes, else at the first possible one after them; `None` where
/// there is none.
fn break_at(line: &str, max: usize) -> Option<(&str, &str)> {
    let indent = line.len() - line.trim_start().len();
    let may_break = |at: &usize| {
        *at > indent && line.get(at + 1..).is_some_and(|after| !starts_block(after.trim_start()))
    };
    let (start, rest) = line.as_bytes().split_at_checked(max + 1)?;
    let at = memrchr_iter(b' ', start)
        .find(may_break)
        .or_else(|| memchr_iter(b' ', rest).map(|at| at + max + 1).find(may_break))?;
    let (piece, after) = line.split_at_checked(at)?;
    let after = after.trim_start();
    (!after.is_empty()).then_some((piece.trim_end(), after))
}

/// Whether Markdown would read `text`, at the start of a line, as the start of a block: a heading, a list, a quote,
/// a fence, a rule, a table, or the underline of a heading.
fn starts_block(text: &str) -> bool {
    let word = text.split([' ', '\n']).next().unwrap_or_default();
    let digits = word.trim_start_matches(|character: char| character.is_ascii_digit());
    let numbered = digits.len() < word.len() && matches!(digits, "." | ")");
    let bullet = matches!(word, "-" | "*" | "+");
    let heading = !word.is_empty() && word.len() <= 6 && word.bytes().all(|byte| byte == b'#');
    let rule = !word.is_empty() && word.bytes().all(|byte| matches!(byte, b'-' | b'=' | b'*' | b'_'));
    let fence = word.starts_with("```") || word.starts_with("~~~");
    numbered || bullet || heading || rule || fence || word.is_empty() || word.starts_with(['>', '|'])
}

/// An open code fence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fence {
    character: char,
    length: usize,
}

impl Fence {
    /// The fence that `line` opens, if it does.
    pub(super) fn opened_by(line: &str) -> Option<Self> {
        let line = without_markers(line);
        let character = line.chars().next().filter(|character| matches!(character, '`' | '~'))?;
        let length = line.len() - line.trim_start_matches(character).len();
        let info = line.trim_start_matches(character);
        (length >= 3 && !(character == '`' && info.contains('`'))).then_some(Self { character, length })
    }

    /// Whether `line` closes this fence.
    pub(super) fn closes(self, line: &str) -> bool {
        let line = without_markers(line).trim_end();
        line.len() >= self.length && line.chars().all(|character| character == self.character)
    }
}

/// `line` without indentation and without the markers of quotes and list items before it.
fn without_markers(line: &str) -> &str {
    let mut line = line.trim_start();
    while let Some(inner) =
        line.strip_prefix('>').or_else(|| line.strip_prefix("- ")).or_else(|| line.strip_prefix("* "))
    {
        line = inner.trim_start();
    }
    line
}

/// The indices of the lines of tables, ascending: those that begin with a bar, and those with a bar from the line
/// before a delimiter row on.
fn table_lines(text: &str) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    if memchr(b'|', text.as_bytes()).is_none() {
        return found;
    }
    let mut in_table = false;
    for (index, line) in split_lines(text).enumerate() {
        let has_bar = memchr(b'|', line.as_bytes()).is_some();
        let is_delimiter = has_bar && line.trim().chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
        if is_delimiter && let Some(head) = index.checked_sub(1).filter(|head| found.last() != Some(head)) {
            found.push(head);
        }
        in_table = has_bar && (in_table || is_delimiter);
        if in_table || line.trim_start().starts_with('|') {
            found.push(index);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrap(text: &str) -> String {
        lines(text).collect::<Vec<_>>().join("\n")
    }

    fn words(count: usize) -> String {
        vec!["word"; count].join(" ")
    }

    #[test]
    fn long_lines_break_at_blanks_and_lose_nothing() {
        let text = format!("{}\n\nshort", words(400));
        let wrapped = wrap(&text);
        assert!(wrapped.lines().all(|line| line.len() <= MAX_LINE));
        assert_eq!(
            wrapped.split_whitespace().collect::<Vec<_>>(),
            text.split_whitespace().collect::<Vec<_>>()
        );
        assert_eq!(wrap("short"), "short");
    }

    #[test]
    fn fences_and_tables_stay_as_they_are() {
        let long = words(200);
        for text in [
            format!("```\n{long}\n```"),
            format!("~~~~ txt\n{long}\n~~~\n{long}\n~~~~"),
            format!("> ```\n> {long}\n> ```"),
            format!("| a | b |\n|---|---|\n| {long} | x |"),
            format!("a | b\n--|--\n{long} | x"),
        ] {
            assert_eq!(wrap(&text), text);
        }
        assert_ne!(wrap(&format!("```\nx\n```\n{long}")), format!("```\nx\n```\n{long}"), "after a fence");
    }

    #[test]
    fn no_address_is_broken() {
        let url = format!("https://x.example/{}", "a".repeat(900));
        let text = format!("see {url} for more");
        assert!(wrap(&text).contains(&url));
        assert_eq!(wrap(&url), url);
    }

    #[test]
    fn no_line_begins_like_a_block() {
        for marker in ["-", "*", "+", "#", "##", "1.", "12)", ">", "|", "```", "---", "==="] {
            let text = vec![format!("word {marker} word"); 100].join(" ");
            let wrapped = wrap(&text);
            assert!(wrapped.contains('\n'));
            assert!(wrapped.lines().skip(1).all(|line| !starts_block(line)), "{marker}");
        }
    }

    #[test]
    fn the_bound_is_in_bytes() {
        let text = vec!["ééééééé"; 100].join(" ");
        let wrapped = wrap(&text);
        assert!(text.len() > MAX_LINE && wrapped.lines().all(|line| line.len() <= MAX_LINE));
        assert_eq!(wrapped.replace('\n', " "), text);
    }
}
