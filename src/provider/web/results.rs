//! Search results, merged into numbered sources.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::Value;
use url::Url;

use super::patch::{Change, Patch, Pointer, patch_fields};
use super::wire::WebResult;
use crate::domain::answer::Source;

/// A `web_result_block` after the merges and patches so far.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct ResultList {
    #[serde(deserialize_with = "super::lenient::objects")]
    pub(super) web_results: Option<Vec<WebResult>>,
    /// What of this list a [`NumberedSources`] has merged already; `None` for a new list.
    #[serde(skip)]
    merged: Option<Merged>,
}

/// How many results at the start of a list were merged, and the id of that list.
#[derive(Debug, Clone, Copy)]
struct Merged {
    results: usize,
    list: usize,
}

impl ResultList {
    /// A list that was sent in full.
    pub(super) fn new(results: Vec<WebResult>) -> Self {
        Self { web_results: Some(results), merged: None }
    }
}

impl Patch for ResultList {
    /// A patch that appends continues the list; any other makes it a new one.
    fn patch(&mut self, path: Pointer<'_>, change: Change<'_>) {
        let length = self.web_results.as_ref().map_or(0, Vec::len);
        match path.split() {
            None => *self = change.value().unwrap_or_default(),
            Some((field, rest)) if field == "web_results" => {
                let appends = match (change, rest.split()) {
                    (Change::Add(_), Some((index, below))) => {
                        below.split().is_none()
                            && index.parse().map_or(index == "-", |index: usize| index >= length)
                    }
                    _ => false,
                };
                self.web_results.patch(rest, change);
                if !appends {
                    self.merged = None;
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
/// `[n]` in an answer is the 1-based position in the list of the final frame, where duplicates and widgets count, too.
/// So duplicates share an entry but keep their numbers. Results that only earlier frames had follow. Without a list on
/// the final frame, the numbers are those of the first-seen order.
#[derive(Debug, Default)]
pub(super) struct NumberedSources {
    pages: Vec<Page>,
    by_key: HashMap<String, usize>,
    /// The highest number so far.
    last_number: usize,
    /// How many lists were merged so far: the id of the last one.
    lists: usize,
}

#[derive(Debug, Clone)]
struct Page {
    source: Source,
    /// The last list with this page, by its id, and how often it has the page. A page that is twice in a list takes two
    /// numbers, but a list that is sent again takes none.
    last_list: usize,
    occurrences: usize,
}

impl NumberedSources {
    pub(super) fn is_empty(&self) -> bool {
        self.pages.iter().all(|page| page.source.url.is_empty())
    }

    /// Merges the results of `list` that were not merged yet. True when any of them is a new page.
    pub(super) fn merge(&mut self, list: &mut ResultList) -> bool {
        let results = list.web_results.as_deref().unwrap_or_default();
        let merged = list.merged.unwrap_or_else(|| Merged { results: 0, list: self.next_list() });
        let changed = self.merge_results(results.get(merged.results..).unwrap_or_default(), merged.list);
        list.merged = Some(Merged { results: results.len(), ..merged });
        changed
    }

    /// Merges a list that was sent in full. True when any of its results is a new page.
    pub(super) fn merge_list(&mut self, results: &[WebResult]) -> bool {
        let list = self.next_list();
        self.merge_results(results, list)
    }

    fn next_list(&mut self) -> usize {
        self.lists += 1;
        self.lists
    }

    fn merge_results(&mut self, results: &[WebResult], list: usize) -> bool {
        let before = self.last_number;
        for result in results {
            self.merge_result(result, list);
        }
        self.last_number > before
    }

    fn merge_result(&mut self, result: &WebResult, list: usize) {
        let source = source_from(result);
        let number = self.last_number + 1;
        match self.by_key.entry(page_key(&source.url)) {
            Entry::Vacant(entry) => {
                entry.insert(self.pages.len());
                let source = Source { numbers: vec![number], ..source };
                self.pages.push(Page { source, last_list: list, occurrences: 1 });
                self.last_number = number;
            }
            Entry::Occupied(entry) => {
                let Some(page) = self.pages.get_mut(*entry.get()) else { return };
                page.occurrences = if page.last_list == list { page.occurrences + 1 } else { 1 };
                page.last_list = list;
                if page.occurrences > page.source.numbers.len() {
                    page.source.numbers.push(number);
                    self.last_number = number;
                }
            }
        }
    }

    /// The sources, numbered by the list of the final frame where there is one.
    pub(super) fn sources(&self, final_list: &[WebResult]) -> Vec<Source> {
        let mut ordered = Self::default();
        ordered.merge_list(final_list);
        if ordered.is_empty() {
            return with_address(self.pages.iter().map(|page| page.source.clone()));
        }
        let mut number = ordered.last_number;
        let earlier =
            self.pages.iter().filter(|page| !ordered.by_key.contains_key(&page_key(&page.source.url)));
        let earlier = earlier.filter(|page| !page.source.url.is_empty()).map(|page| {
            number += 1;
            Source { numbers: vec![number], ..page.source.clone() }
        });
        with_address(ordered.pages.iter().map(|page| page.source.clone()).chain(earlier))
    }
}

/// The sources with an address. Those without one only take a number.
fn with_address(sources: impl Iterator<Item = Source>) -> Vec<Source> {
    sources.filter(|source| !source.url.is_empty()).collect()
}

/// A result as a source without numbers.
fn source_from(result: &WebResult) -> Source {
    let url = non_blank(result.url.as_ref()).unwrap_or_default();
    let published = result.meta_data.as_ref().and_then(|meta| non_blank(meta.published_date.as_ref()));
    Source {
        numbers: Vec::new(),
        title: non_blank(result.name.as_ref())
            .or_else(|| non_blank(result.title.as_ref()))
            .unwrap_or_else(|| host_of(&url)),
        snippet: non_blank(result.snippet.as_ref()),
        date: non_blank(result.timestamp.as_ref()).or_else(|| non_blank(result.date.as_ref())).or(published),
        url,
    }
}

fn non_blank(text: Option<&String>) -> Option<String> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn host_of(url: &str) -> String {
    Url::parse(url)
        .ok()
        .and_then(|parsed| parsed.host_str().map(str::to_owned))
        .unwrap_or_else(|| url.to_owned())
}

/// A key that is the same for all addresses of a page: scheme, host in any case, port, path and query. A trailing
/// slash, the default port, the fragment and outer blanks do not count.
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
        let mut numbered_sources = NumberedSources::default();
        assert!(numbered_sources.merge_list(&results(&[A, B])));
        assert!(numbered_sources.merge_list(&results(&[C, B])));
        assert!(!numbered_sources.merge_list(&results(&[A])));
        assert_eq!(numbered(&numbered_sources.sources(&[])), [(vec![1], A), (vec![2], B), (vec![3], C)]);
    }

    #[test]
    fn duplicates_keep_their_numbers_however_often_the_list_is_sent() {
        let mut numbered_sources = NumberedSources::default();
        numbered_sources.merge_list(&results(&[A]));
        numbered_sources.merge_list(&results(&[A, A, B]));
        numbered_sources.merge_list(&results(&[A, A, B, C]));
        assert_eq!(numbered(&numbered_sources.sources(&[])), [(vec![1, 2], A), (vec![3], B), (vec![4], C)]);
    }

    #[test]
    fn the_final_list_sets_order_and_numbers() {
        let mut numbered_sources = NumberedSources::default();
        numbered_sources.merge_list(&results(&[A, B]));
        let last = results(&[C, A, C]);
        numbered_sources.merge_list(&last);
        assert_eq!(numbered(&numbered_sources.sources(&last)), [(vec![1, 3], C), (vec![2], A), (vec![4], B)]);
    }

    #[test]
    fn a_result_without_an_address_still_takes_its_number() {
        let mut numbered_sources = NumberedSources::default();
        let list = [results(&[A]), vec![WebResult::default()], results(&[B])].concat();
        numbered_sources.merge_list(&list);
        assert_eq!(numbered(&numbered_sources.sources(&list)), [(vec![1], A), (vec![3], B)]);
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
