//! What is asked, independent of the provider that answers.

use chrono::NaiveDate;

use super::answer::Thread;
use super::choice::Choice;

/// The places to search that are known; the service takes others, too.
pub const SOURCES: [&str; 4] = ["web", "scholar", "social", "edgar"];

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

impl Choice for Recency {
    const ALL: &'static [Self] = &[Self::Hour, Self::Day, Self::Week, Self::Month, Self::Year];

    fn name(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }
}

/// How much work goes into an answer: it chooses model, tools and steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// One quick look.
    Fast,
    /// A few.
    Low,
    /// With reasoning.
    Medium,
    /// Research.
    High,
    /// The most there is.
    XHigh,
}

impl Choice for Effort {
    const ALL: &'static [Self] = &[Self::Fast, Self::Low, Self::Medium, Self::High, Self::XHigh];

    fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
        }
    }
}

/// How much of each page the model gets to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextSize {
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

impl Choice for ContextSize {
    const ALL: &'static [Self] = &[Self::Low, Self::Medium, Self::High];

    fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Which pages are searched, where the provider can be told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filters {
    /// Only pages of these hosts and those below them; at most 20.
    pub domains: Vec<String>,
    /// No pages of these hosts; at most 20, and not together with `domains`.
    pub excluded_domains: Vec<String>,
    /// Only pages published on this day or later; not together with a recency.
    pub after: Option<NaiveDate>,
    /// Only pages published before this day; not together with a recency.
    pub before: Option<NaiveDate>,
    /// How much of each page is read.
    pub context_size: Option<ContextSize>,
    /// Where the user is, as a country's two letters.
    pub country: Option<String>,
}

/// One question and its search options. What a provider cannot honour is refused before it is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
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
    /// Language tag of the answer, such as `en-US`, where one was named.
    pub language: Option<String>,
    /// IANA name of the user's time zone.
    pub timezone: String,
    /// Keep the thread in the account's history.
    pub save: bool,
    /// The addresses of files that were uploaded for this question.
    pub attachments: Vec<String>,
    /// The answer that this question follows up on.
    pub thread: Option<Thread>,
    /// What is asked instead where that thread cannot be continued: the question with the turns before it.
    pub with_history: Option<String>,
    /// Deep research: it goes on at the service when the connection breaks, and is resumed instead of asked again.
    pub research: bool,
    /// How much work goes into the answer; chooses the model, too.
    pub effort: Option<Effort>,
    /// How many tokens the answer may have.
    pub max_tokens: Option<u32>,
    /// Which pages are searched.
    pub filters: Filters,
    /// Only the pages are wanted, and no answer.
    pub sources_only: bool,
}

impl SearchRequest {
    /// The longest text that the service takes as a query, in characters.
    pub const MAX_QUERY: usize = 96_000;

    /// The same as the first question of a new thread.
    #[must_use]
    pub fn without_thread(&self) -> Self {
        let query = self.with_history.clone().unwrap_or_else(|| self.query.clone());
        Self { query, thread: None, with_history: None, ..self.clone() }
    }

    /// The text that is searched for: the system text and the query, with a blank line between them.
    pub fn effective_query(&self) -> String {
        match &self.system {
            Some(system) => format!("{system}\n\n{}", self.query),
            None => self.query.clone(),
        }
    }
}
