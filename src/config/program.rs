//! A question that a program asks: an agent, or a client of the server.

use super::api::{self, ApiOptions};
use super::file::SettingsFile;
use super::question::{self, Question, QuestionOptions};
use crate::domain::error::{Error, Result};
use crate::state::env::Environment;

/// The question, to the provider that `settings.toml` chooses.
pub fn question(query: String, options: QuestionOptions, env: &Environment) -> Result<Question> {
    let file = SettingsFile::read(env)?;
    if !file.chooses_api() {
        return question::for_subscription(options, &file, env)?.with_query(query);
    }
    if options.research || !options.sources.is_empty() {
        let message =
            "The official API, which settings.toml chooses, has neither deep research nor other sources.";
        return Err(Error::usage(message, "ask without them"));
    }
    api::for_api(options, &ApiOptions::default(), &file, env)?.with_query(query)
}
