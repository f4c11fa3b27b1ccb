//! Which sources an answer cites, and which of them to list.

use std::collections::BTreeSet;

use super::wrap::Fence;
use crate::domain::answer::{Answer, Payer, Source};

/// The sources to list under a limit.
#[derive(Debug)]
pub(super) struct Listing<'a> {
    /// At most as many as the limit allows, in the order of their numbers.
    pub(super) visible: Vec<&'a Source>,
    /// How many sources are left out.
    pub(super) hidden: usize,
    /// The numbers that the answer cites and that are left out.
    pub(super) cited_but_hidden: Vec<usize>,
}

impl<'a> Listing<'a> {
    /// Chooses up to `limit` sources: the cited ones first, so that a reader who follows `[9]` finds it, then the
    /// others.
    pub(super) fn new(answer: &'a Answer, limit: Option<usize>) -> Self {
        let limit = limit.unwrap_or(usize::MAX);
        if limit >= answer.sources.len() {
            return Self {
                visible: answer.sources.iter().collect(),
                hidden: 0,
                cited_but_hidden: Vec::new(),
            };
        }
        let cited = cited_numbers(&answer.text);
        // Programs written for the API expect its first sources.
        let prefers_cited = answer.payer == Payer::Subscription;
        let is_cited = |source: &Source| source.numbers.iter().any(|number| cited.contains(number));
        let mut by_priority: Vec<(usize, &Source)> = answer.sources.iter().enumerate().collect();
        by_priority.sort_by_key(|(place, source)| (prefers_cited && !is_cited(source), *place));
        let hidden = by_priority.split_off(limit.min(by_priority.len()));
        by_priority.sort_by_key(|(place, _)| *place);
        let hidden_numbers = hidden.iter().flat_map(|(_, source)| source.numbers.iter().copied());
        let cited_but_hidden: BTreeSet<usize> =
            hidden_numbers.filter(|number| cited.contains(number)).collect();
        Self {
            visible: by_priority.into_iter().map(|(_, source)| source).collect(),
            hidden: hidden.len(),
            cited_but_hidden: cited_but_hidden.into_iter().collect(),
        }
    }

    /// A note about sources that are left out, if any are.
    pub(super) fn note(&self) -> Option<String> {
        let hidden = (self.hidden > 0).then(|| format!("{} more not shown", self.hidden))?;
        let cited = brackets(&self.cited_but_hidden);
        Some(if cited.is_empty() { hidden } else { format!("{hidden}, among them {}", cited.join(" ")) })
    }
}

/// Numbers as citations: `[n]`.
pub(super) fn brackets(numbers: &[usize]) -> Vec<String> {
    numbers.iter().map(|number| format!("[{number}]")).collect()
}

/// The numbers `n` of all `[n]` in a Markdown text, outside of code.
fn cited_numbers(text: &str) -> BTreeSet<usize> {
    let mut numbers = BTreeSet::new();
    let mut fence: Option<Fence> = None;
    for line in text.lines() {
        let in_fence = fence.is_some();
        fence = match fence {
            Some(open) => (!open.closes(line)).then_some(open),
            None => Fence::opened_by(line),
        };
        if !in_fence && fence.is_none() {
            // Every second piece between backticks is inline code.
            let prose = line.split('`').step_by(2);
            numbers.extend(prose.flat_map(numbers_in));
        }
    }
    numbers
}

fn numbers_in(prose: &str) -> impl Iterator<Item = usize> {
    prose
        .split('[')
        .skip(1)
        .filter_map(|after| after.split_once(']'))
        .filter_map(|(number, _)| number.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str, sources: usize) -> Answer {
        let source = |number| Source { numbers: vec![number], ..Source::default() };
        Answer { text: text.to_owned(), sources: (1..=sources).map(source).collect(), ..Answer::default() }
    }

    fn visible(answer: &Answer, limit: usize) -> Vec<usize> {
        Listing::new(answer, Some(limit)).visible.iter().map(|source| source.numbers[0]).collect()
    }

    #[test]
    fn code_cites_nothing() {
        let text = "See [2][9] and `rows[0]`.\n\n```py\nprint(rows[1])\n```\n\nAnd [3].";
        assert_eq!(cited_numbers(text), BTreeSet::from([2, 3, 9]));
    }

    #[test]
    fn a_limit_keeps_what_is_cited() {
        let answer = answer("Rule A holds [2]. Rule B does not [9].", 10);
        assert_eq!(visible(&answer, 3), [1, 2, 9]);
        assert_eq!(visible(&answer, 99).len(), 10);
        assert_eq!(visible(&answer, 0), [0; 0]);
        assert_eq!(Listing::new(&answer, Some(3)).note().unwrap(), "7 more not shown");
        assert_eq!(Listing::new(&answer, Some(1)).note().unwrap(), "9 more not shown, among them [9]");
        assert_eq!(Listing::new(&answer, None).note(), None);
    }
}
