//! Where an answer cites its sources: the `[n]` in its text, with their offsets.

use super::code::CodeScanner;
use super::completion::Completion;
use crate::domain::answer::Source;

/// The sources by their numbers: the first is that of `[1]`. A page with several numbers comes several times.
pub(crate) fn sources_by_number(sources: &[Source]) -> Vec<Option<&Source>> {
    let last = sources.iter().flat_map(|source| &source.numbers).max().copied().unwrap_or(0);
    let at = |number| sources.iter().find(|source| source.numbers.contains(&number));
    (1..=last.min(MAX_SOURCES)).map(at).collect()
}

/// No answer has more sources than this.
const MAX_SOURCES: usize = 10_000;

/// All citations of an answer's text.
pub(crate) fn citations_of(completion: &Completion) -> Vec<Citation<'_>> {
    let sources = sources_by_number(&completion.sources);
    if completion.has_citations { find_citations(&completion.text, &sources) } else { Vec::new() }
}

/// A `[n]` in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Citation<'a> {
    /// Where it starts and ends, in characters (Unicode scalar values), as clients count.
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) source: &'a Source,
}

/// All citations of known sources in `text`, outside of code.
fn find_citations<'a>(text: &str, sources: &[Option<&'a Source>]) -> Vec<Citation<'a>> {
    let mut found = Vec::new();
    let mut code = CodeScanner::default();
    let mut characters = text.chars().enumerate().peekable();
    let mut open: Option<(usize, Option<usize>)> = None;
    while let Some((index, character)) = characters.next() {
        if character == '`' {
            let mut run = 1;
            while characters.next_if(|(_, next)| *next == '`').is_some() {
                run += 1;
            }
            code.backticks(run);
            open = None;
            continue;
        }
        code.character(character);
        open = match (character, open) {
            ('[', _) if !code.is_open() => Some((index, None)),
            // That is the text of a link.
            (']', _) if characters.peek().is_some_and(|(_, next)| *next == '(') => None,
            (']', Some((start, Some(number)))) => {
                let source = number.checked_sub(1).and_then(|number| sources.get(number).copied()).flatten();
                found.extend(source.map(|source| Citation { start, end: index + 1, source }));
                None
            }
            (digit, Some((start, number))) if digit.is_ascii_digit() => {
                let digit = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
                let number = number.unwrap_or(0_usize).checked_mul(10).zip(digit);
                number.and_then(|(tens, digit)| tens.checked_add(digit)).map(|number| (start, Some(number)))
            }
            _ => None,
        };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_characters_and_code_cites_nothing() {
        let source =
            |number, url: &str| Source { numbers: vec![number], url: url.to_owned(), ..Source::default() };
        let sources = [source(1, "a"), source(2, "b")];
        let text = "Tōkyō 🗼 [1][2] `x[1]` [1](x) [3] [0] [12345678901234567890123] ```\na[2]\n``` end [2].";
        let found = find_citations(text, &sources_by_number(&sources));
        let marks: Vec<(String, &str)> = found
            .iter()
            .map(|citation| {
                let mark = text.chars().skip(citation.start).take(citation.end - citation.start).collect();
                (mark, citation.source.url.as_str())
            })
            .collect();
        let expected = [("[1]", "a"), ("[2]", "b"), ("[2]", "b")].map(|(mark, url)| (mark.to_owned(), url));
        assert_eq!(marks, expected);
    }

    #[test]
    fn a_number_leads_to_its_page() {
        let page = |numbers: &[usize]| Source { numbers: numbers.to_vec(), ..Source::default() };
        let (a, b) = (page(&[1, 3]), page(&[4]));
        assert_eq!(sources_by_number(&[a.clone(), b.clone()]), [Some(&a), None, Some(&a), Some(&b)]);
    }
}
