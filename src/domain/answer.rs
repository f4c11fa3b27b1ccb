//! What comes back: events while a search runs, and the answer at its end.

use std::fmt;

use serde_json::Value;
use url::Url;

/// A page that the answer was built from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// The numbers `n` for which `[n]` in the answer means this page, ascending, 1-based.
    pub numbers: Vec<usize>,
    /// The title; empty when there is none.
    pub title: String,
    /// The address as the service first spelled it.
    pub url: String,
    /// A passage of the page.
    pub snippet: Option<String>,
    /// The date of the page as the service gave it, in any of its notations.
    pub date: Option<String>,
}

impl Source {
    /// What it is called: its title, else its host, else its address.
    pub fn label(&self) -> String {
        if !self.title.trim().is_empty() {
            return self.title.clone();
        }
        let host = Url::parse(&self.url).ok().and_then(|url| url.host_str().map(str::to_owned));
        host.unwrap_or_else(|| self.url.clone())
    }
}

/// Where an answer stands in a conversation: what a follow-up refers to.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Thread {
    /// The id of the answer's entry.
    pub id: String,
    /// The id of the conversation.
    pub context: Option<String>,
    /// What the service asks for before it goes on with the thread. A secret.
    pub token: Option<String>,
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread").field("id", &self.id).field("context", &self.context).finish_non_exhaustive()
    }
}

/// Whose account an answer was charged to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Payer {
    /// The user's subscription.
    #[default]
    Subscription,
    /// The credits of an API key.
    Key,
}

impl fmt::Display for Payer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Subscription => "perplexity (oauth)",
            Self::Key => "perplexity (api key)",
        })
    }
}

/// A finished answer, or what had arrived of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// The answer, in Markdown, with `[n]` citations. May be empty when only sources came.
    pub text: String,
    /// The pages, in the order of their numbers.
    pub sources: Vec<Source>,
    /// The model that answered, as far as the service said.
    pub model: Option<String>,
    /// The model that was asked for; unknown for a recording.
    pub requested_model: Option<String>,
    /// Who pays for it.
    pub payer: Payer,
    /// What a follow-up refers to.
    pub thread: Option<Thread>,
    /// The id under which the request was sent.
    pub request_id: Option<String>,
    /// False when the reply ended before the answer did.
    pub complete: bool,
    /// What the reader should know: another model answered, the answer is partial.
    pub notes: Vec<String>,
    /// The model's reasoning, where the provider returns it.
    pub reasoning: Option<String>,
    /// Tokens and cost, as the provider gave them.
    pub usage: Option<Value>,
    /// The request was for the pages alone.
    pub sources_only: bool,
}

/// A thread that the account has saved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SavedThread {
    /// The name by which the service finds it.
    pub slug: String,
    /// Its title, or its first question.
    pub title: String,
    /// When it was last asked, as the service gave it.
    pub last_asked: Option<String>,
}

/// A question and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exchange {
    /// The question.
    pub query: String,
    /// The answer.
    pub answer: Answer,
}

/// A change of the answer's text: keep the first `at` bytes of it, then append `text`.
///
/// A snapshot protocol may take back text that it sent; a plain delta could not say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextChange {
    /// How many bytes (UTF-8) of the text so far stay.
    pub at: usize,
    /// What follows them.
    pub text: String,
}

impl TextChange {
    /// What makes `old` into `new`; `None` where they are the same.
    pub fn between(old: &str, new: &str) -> Option<Self> {
        let same = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
        let at = (0..=same).rev().find(|at| old.is_char_boundary(*at) && new.is_char_boundary(*at))?;
        let text = new.get(at..)?.to_owned();
        (at < old.len() || !text.is_empty()).then_some(Self { at, text })
    }

    /// Makes the change.
    pub fn apply(&self, text: &mut String) {
        text.truncate(self.at);
        text.push_str(&self.text);
    }
}

/// What the service says that it is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Searching for these words.
    Searching(Vec<String>),
    /// Reading so many pages.
    Reading(usize),
    /// Reasoning before it writes.
    Thinking,
    /// Writing the answer.
    Writing,
}

/// One event of a running search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchEvent {
    /// The service started on something.
    Step(Step),
    /// A run of deep research has begun: the id by which it can be fetched.
    Run(String),
    /// The pages known so far; their numbers may still change.
    Sources(Vec<Source>),
    /// The text of the answer changed.
    Text(TextChange),
    /// Something in the stream was skipped: worth a line when the user asked for details.
    Warning(String),
    /// The search is over.
    Done(Box<Answer>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_keeps_what_is_the_same() {
        for (old, new, at, text) in
            [("", "a", 0, "a"), ("a", "ab", 1, "b"), ("aé", "aè", 1, "è"), ("abc", "ab", 2, "")]
        {
            let change = TextChange::between(old, new).unwrap();
            assert_eq!((change.at, change.text.as_str()), (at, text));
            let mut changed = old.to_owned();
            change.apply(&mut changed);
            assert_eq!(changed, new);
        }
        assert_eq!(TextChange::between("ab", "ab"), None);
    }
}
