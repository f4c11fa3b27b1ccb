//! What is asked, independent of the provider that answers.

use crate::answer::Thread;

/// How recent the pages searched may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recency {
    /// The last hour.
    Hour,
    /// The last day.
    Day,
    /// The last week.
    Week,
    /// The last month.
    Month,
    /// The last year.
    Year,
}

/// One question and its search options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRequest {
    /// The question; not blank.
    pub query: String,
    /// Instructions for the model. Providers without a system slot place them before the query.
    pub system: Option<String>,
    /// Only pages at most this old; any age when absent.
    pub recency: Option<Recency>,
    /// The provider's id of the model that should answer.
    pub model: String,
    /// Where to search: `web`, `scholar`, `social` and the like.
    pub sources: Vec<String>,
    /// Language tag of the answer, such as `en-US`.
    pub language: String,
    /// IANA name of the user's time zone.
    pub timezone: String,
    /// Keep the thread in the account's history.
    pub save: bool,
    /// The addresses of files that were uploaded for this question.
    pub attachments: Vec<String>,
    /// The answer that this question follows up on.
    pub thread: Option<Thread>,
    /// Deep research: it goes on at the service when the connection breaks, and is resumed instead of asked again.
    pub research: bool,
}

impl SearchRequest {
    /// The longest text that the service takes as a query, in characters.
    pub const MAX_QUERY: usize = 96_000;

    /// The text that is searched for: the system text and the query, with a blank line between them.
    pub fn effective_query(&self) -> String {
        match &self.system {
            Some(system) => format!("{system}\n\n{}", self.query),
            None => self.query.clone(),
        }
    }
}
