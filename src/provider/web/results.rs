//! Search results, gathered into numbered sources.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::Value;
use url::Url;

use super::patch::{Change, Patch, Pointer, patch_fields};
use super::wire::WebResult;
use crate::domain::answer::Source;

/// A `web_result_block` as it stands, under merges and patches.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct ResultList {
    #[serde(deserialize_with = "super::lenient::objects")]
    pub(super) web_results: Option<Vec<WebResult>>,
    /// How many results from the front a [`Gathered`] has seen, and in which of its rounds.
    #[serde(skip)]
    seen: (usize, usize),
}

impl ResultList {
    /// A list that arrived whole.
    pub(super) fn of(results: Vec<WebResult>) -> Self {
        Self { web_results: Some(results), seen: (0, 0) }
    }
}

impl Patch for ResultList {
    /// Appending leaves what was seen as it is; any other patch makes it a new list.
    fn patch(&mut self, path: Pointer<'_>, change: Change<'_>) {
        let held = self.web_results.as_ref().map_or(0, Vec::len);
        match path.split() {
            None => *self = change.value().unwrap_or_default(),
            Some((field, rest)) if field == "web_results" => {
                let appends = match (change, rest.split()) {
                    (Change::Add(_), Some((index, below))) => {
                        below.split().is_none()
                            && index.parse().map_or(index == "-", |index: usize| index >= held)
                    }
                    _ => false,
                };
                self.web_results.patch(rest, change);
                if !appends {
                    self.seen = (0, 0);
                }
            }
            Some(_) => {}
        }
    }

    fn to_json(&self) -> Value {
        serde_json::json!({ "web_results": self.web_results.to_json() })
    }
}

patch_fields!(WebResult, "name" => name, "url" => url, "snippet" => snippet, "timestamp" => timestamp);

/// All results of a reply in first-seen order, one entry per page.
///
/// `[n]` in an answer is the 1-based place in the final frame's list, duplicates and widgets included, so
/// duplicates share an entry but keep their numbers. Results that only earlier frames had follow. Without a list
/// on the final frame the places are those of the first-seen order.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pages: Vec<Page>,
    by_key: HashMap<String, usize>,
    /// The number that the next new page gets.
    next: usize,
    round: usize,
}

#[derive(Debug, Clone)]
struct Page {
    source: Source,
    /// How often the page occurred in which round. A page that a list has twice takes two numbers, but a list
    /// that is sent again takes none.
    occurrences: (usize, usize),
}

impl Gathered {
    pub(super) fn is_empty(&self) -> bool {
        self.pages.iter().all(|page| page.source.url.is_empty())
    }

    /// Takes in what `list` has that was not seen yet. True when that was anything new.
    pub(super) fn observe(&mut self, list: &mut ResultList) -> bool {
        let results = list.web_results.as_deref().unwrap_or_default();
        let (seen, round) = match list.seen {
            (0, _) => (0, self.new_round()),
            seen => seen,
        };
        let changed = self.take(results.get(seen..).unwrap_or_default(), round);
        list.seen = (results.len(), round);
        changed
    }

    /// Takes in a list that arrived whole.
    pub(super) fn observe_all(&mut self, results: &[WebResult]) -> bool {
        let round = self.new_round();
        self.take(results, round)
    }

    fn new_round(&mut self) -> usize {
        self.round += 1;
        self.round
    }

    fn take(&mut self, results: &[WebResult], round: usize) -> bool {
        let before = self.next;
        for result in results {
            self.take_one(result, round);
        }
        self.next > before
    }

    fn take_one(&mut self, result: &WebResult, round: usize) {
        let source = source_of(result);
        let number = self.next + 1;
        match self.by_key.entry(page_key(&source.url)) {
            Entry::Vacant(entry) => {
                entry.insert(self.pages.len());
                self.pages.push(Page {
                    source: Source { numbers: vec![number], ..source },
                    occurrences: (round, 1),
                });
                self.next = number;
            }
            Entry::Occupied(entry) => {
                let Some(page) = self.pages.get_mut(*entry.get()) else { return };
                let (last_round, count) = page.occurrences;
                let count = if last_round == round { count + 1 } else { 1 };
                page.occurrences = (round, count);
                if count > page.source.numbers.len() {
                    page.source.numbers.push(number);
                    self.next = number;
                }
            }
        }
    }

    /// The sources, numbered by `last`, the final frame's list, where there is one.
    pub(super) fn sources(&self, last: &[WebResult]) -> Vec<Source> {
        let mut ordered = Self::default();
        ordered.observe_all(last);
        if ordered.is_empty() {
            return listed(self.pages.iter().map(|page| page.source.clone()));
        }
        let mut next = ordered.next;
        let earlier =
            self.pages.iter().filter(|page| !ordered.by_key.contains_key(&page_key(&page.source.url)));
        let earlier = earlier.filter(|page| !page.source.url.is_empty()).map(|page| {
            next += 1;
            Source { numbers: vec![next], ..page.source.clone() }
        });
        listed(ordered.pages.iter().map(|page| page.source.clone()).chain(earlier))
    }
}

/// What can be listed: results without an address only keep their place in the numbering.
fn listed(sources: impl Iterator<Item = Source>) -> Vec<Source> {
    sources.filter(|source| !source.url.is_empty()).collect()
}

/// A result as a source without numbers.
fn source_of(result: &WebResult) -> Source {
    let url = filled(result.url.as_ref()).unwrap_or_default();
    let published = result.meta_data.as_ref().and_then(|meta| filled(meta.published_date.as_ref()));
    Source {
        numbers: Vec::new(),
        title: filled(result.name.as_ref())
            .or_else(|| filled(result.title.as_ref()))
            .unwrap_or_else(|| host_of(&url)),
        snippet: filled(result.snippet.as_ref()),
        date: filled(result.timestamp.as_ref()).or_else(|| filled(result.date.as_ref())).or(published),
        url,
    }
}

fn filled(text: Option<&String>) -> Option<String> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn host_of(url: &str) -> String {
    Url::parse(url)
        .ok()
        .and_then(|parsed| parsed.host_str().map(str::to_owned))
        .unwrap_or_else(|| url.to_owned())
}

/// What makes two addresses the same page: scheme, host in any case, port, path and query. A trailing slash, the
/// default port, the fragment and outer blanks are noise.
fn page_key(url: &str) -> String {
    let Ok(mut parsed) = Url::parse(url.trim()) else { return url.trim().to_owned() };
    parsed.set_fragment(None);
    if parsed.path().ends_with('/') {
        let path = parsed.path().trim_end_matches('/').to_owned();
        parsed.set_path(&path);
    }
    parsed.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(urls: &[&str]) -> Vec<WebResult> {
        urls.iter().map(|url| WebResult { url: Some((*url).to_owned()), ..WebResult::default() }).collect()
    }

    fn numbered(sources: &[Source]) -> Vec<(Vec<usize>, &str)> {
        sources.iter().map(|source| (source.numbers.clone(), source.url.as_str())).collect()
    }

    const A: &str = "https://a.example/";
    const B: &str = "https://b.example/";
    const C: &str = "https://c.example/";

    #[test]
    fn lists_add_up_in_first_seen_order() {
        let mut gathered = Gathered::default();
        assert!(gathered.observe_all(&results(&[A, B])));
        assert!(gathered.observe_all(&results(&[C, B])));
        assert!(!gathered.observe_all(&results(&[A])));
        assert_eq!(numbered(&gathered.sources(&[])), [(vec![1], A), (vec![2], B), (vec![3], C)]);
    }

    #[test]
    fn duplicates_keep_their_numbers_however_often_the_list_is_sent() {
        let mut gathered = Gathered::default();
        gathered.observe_all(&results(&[A]));
        gathered.observe_all(&results(&[A, A, B]));
        gathered.observe_all(&results(&[A, A, B, C]));
        assert_eq!(numbered(&gathered.sources(&[])), [(vec![1, 2], A), (vec![3], B), (vec![4], C)]);
    }

    #[test]
    fn the_final_list_sets_order_and_numbers() {
        let mut gathered = Gathered::default();
        gathered.observe_all(&results(&[A, B]));
        let last = results(&[C, A, C]);
        gathered.observe_all(&last);
        assert_eq!(numbered(&gathered.sources(&last)), [(vec![1, 3], C), (vec![2], A), (vec![4], B)]);
    }

    #[test]
    fn a_result_without_an_address_still_takes_its_number() {
        let mut gathered = Gathered::default();
        let list = [results(&[A]), vec![WebResult::default()], results(&[B])].concat();
        gathered.observe_all(&list);
        assert_eq!(numbered(&gathered.sources(&list)), [(vec![1], A), (vec![3], B)]);
    }

    #[test]
    fn what_makes_the_same_page() {
        let same = [
            "https://news.example/Story",
            "https://NEWS.example/Story/",
            "https://news.example:443/Story#top",
        ];
        let others =
            ["https://news.example/story", "http://news.example/Story", "https://news.example/Story?id=2"];
        assert!(same.iter().all(|url| page_key(url) == page_key(same[0])));
        assert!(others.iter().all(|url| page_key(url) != page_key(same[0])));
        assert_eq!(page_key(" not a url "), "not a url");
    }
}
