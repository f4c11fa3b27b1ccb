//! A question, from what was asked for and from the settings.

use super::file::SettingsFile;
use crate::domain::attachment::{Attachment, Meter};
use crate::domain::error::{Error, Result};
use crate::domain::request::{Recency, SearchRequest};
use crate::provider::{Provider, Subscription};
use crate::state::env::Environment;

/// The model that is asked unless another is named.
pub const DEFAULT_MODEL: &str = "pplx_pro_upgraded";
/// The model of deep research.
pub const RESEARCH_MODEL: &str = "pplx_alpha";

/// What is asked for besides the question's text. What is not said is as the settings have it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct QuestionOptions {
    /// Only pages at most this old.
    pub recency: Option<Recency>,
    /// The provider's id of the model.
    pub model: Option<String>,
    /// Where to search; as the settings say when empty.
    pub sources: Vec<String>,
    /// Text placed before the question.
    pub system: Option<String>,
    /// Language of the answer, as a tag.
    pub language: Option<String>,
    /// The user's time zone, as an IANA name.
    pub timezone: Option<String>,
    /// Keep the thread in the account's history.
    pub save: bool,
    /// The answer that it follows up on.
    pub follow_up: FollowUp,
    /// Deep research.
    pub research: bool,
}

/// An answer that was given before.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub enum FollowUp {
    /// None: the question begins a thread.
    #[default]
    Nothing,
    /// The last one.
    Last,
    /// The one with this id, or the last one of the thread with it.
    Id(String),
}

/// A question, and what belongs to it.
#[derive(Debug, Clone)]
pub struct Question {
    /// What is sent.
    pub request: SearchRequest,
    /// Who is asked.
    pub provider: Provider,
    /// To upload before the question is asked.
    pub files: Vec<Attachment>,
    /// Counts what has been uploaded of them.
    pub meter: Meter,
    /// The model, where one was named.
    pub named_model: Option<String>,
    /// The answer that it follows up on, still to be looked up.
    pub follow_up: FollowUp,
}

impl Question {
    /// The same with this text. [`Error::Usage`] where the service would cut it.
    pub fn with_query(mut self, query: String) -> Result<Self> {
        self.request.query = query;
        let length = self.request.effective_query().chars().count();
        if length > SearchRequest::MAX_QUERY {
            return Err(too_long(&format!("{length} characters long")));
        }
        Ok(self)
    }

    /// Whether the official API is asked.
    pub fn is_for_api(&self) -> bool {
        matches!(self.provider, Provider::Api(_))
    }
}

/// A text that is longer than the service takes; `length` says how long.
pub fn too_long(length: &str) -> Error {
    let message =
        format!("The question is {length}; the service takes {} characters.", SearchRequest::MAX_QUERY);
    Error::usage(message, "shorten it, or ask about parts of it")
}

/// A question to the subscription, without its text.
pub fn for_subscription(
    options: QuestionOptions,
    file: &SettingsFile,
    env: &Environment,
) -> Result<Question> {
    let named_model = named_model(options.model, file, env);
    let default = if options.research { RESEARCH_MODEL } else { DEFAULT_MODEL };
    let sources = if options.sources.is_empty() { file.source.clone() } else { Some(options.sources) };
    let sources = sources.filter(|sources| !sources.is_empty());
    let request = SearchRequest {
        system: options.system.or_else(|| file.system.clone()),
        recency: options.recency.or(file.recency),
        model: named_model.clone().unwrap_or_else(|| default.to_owned()),
        sources: sources.unwrap_or_else(|| vec!["web".to_owned()]),
        language: options.language.or_else(|| file.language.clone()),
        timezone: options.timezone.or_else(|| file.timezone.clone()).unwrap_or_else(|| machine_timezone(env)),
        save: options.save || file.save == Some(true),
        research: options.research,
        ..SearchRequest::default()
    };
    Ok(Question {
        request,
        provider: Provider::Subscription(Subscription::for_user(env)?),
        files: Vec::new(),
        meter: Meter::default(),
        named_model,
        follow_up: options.follow_up,
    })
}

/// The model that is named: where the question is asked, by `PPLX_MODEL`, or in the file.
pub fn named_model(model: Option<String>, file: &SettingsFile, env: &Environment) -> Option<String> {
    let named = model.or_else(|| env.text("PPLX_MODEL")).or_else(|| file.model.clone());
    named.map(|model| model.trim().to_owned()).filter(|model| !model.is_empty())
}

/// `TZ` where it names a zone, as a browser would read it, else the system's.
fn machine_timezone(env: &Environment) -> String {
    let named = env.text("TZ").map(|zone| zone.trim_start_matches(':').to_owned());
    let is_path = |zone: &str| zone.contains('/') && !zone.starts_with('/');
    // A rule of POSIX may hold a slash too, but always with commas.
    let named = named.filter(|zone| zone == "UTC" || (is_path(zone) && !zone.contains(',')));
    named.or_else(|| iana_time_zone::get_timezone().ok()).unwrap_or_else(|| "UTC".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tz_names_a_zone_or_the_system_does() {
        let zone = |value| machine_timezone(&Environment::from_variables(&[("TZ", value)]));
        assert_eq!(zone("Asia/Tokyo"), "Asia/Tokyo");
        assert_eq!(zone(":Europe/Paris"), "Europe/Paris");
        assert_eq!(zone("UTC"), "UTC");
        for rule in ["CET-1CEST", "CET-1CEST,M3.5.0,M10.5.0/3", "/etc/localtime", ""] {
            assert_ne!(zone(rule), rule, "a rule and a file are no names");
        }
    }
}
