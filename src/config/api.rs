//! A question to the official API, and what it cannot be asked with.

use super::file::SettingsFile;
use super::question::{FollowUp, Question, QuestionOptions, named_model};
use crate::domain::attachment::Meter;
use crate::domain::error::{Error, Result};
use crate::domain::request::{ContextSize, Effort, Filters, SearchRequest};
use crate::provider::{Api, Dialect, Provider};
use crate::state::env::Environment;

use chrono::NaiveDate;

/// The model of a question that names neither a model nor an effort.
const DEFAULT_MODEL: &str = "sonar";
/// How many domains the API takes.
const MAX_DOMAINS: usize = 20;
/// The longest name of a host, in bytes.
const MAX_DOMAIN_LENGTH: usize = 253;

/// What only the API can be asked for. What is not said is as the settings have it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ApiOptions {
    /// How much work goes into the answer.
    pub effort: Option<Effort>,
    /// Only pages of these hosts.
    pub domains: Vec<String>,
    /// No pages of these hosts.
    pub excluded_domains: Vec<String>,
    /// Only pages published on this day or later.
    pub after: Option<NaiveDate>,
    /// Only pages published before this day.
    pub before: Option<NaiveDate>,
    /// How much of each page is read.
    pub context_size: Option<ContextSize>,
    /// Where the user is, as a country's two letters.
    pub country: Option<String>,
    /// How many tokens the answer may have.
    pub max_tokens: Option<u32>,
    /// The pages alone, without an answer.
    pub sources_only: bool,
    /// The interface to speak.
    pub dialect: Option<Dialect>,
}

/// A question to the API, without its text. Of `options` only what the API has is used.
pub fn for_api(
    options: QuestionOptions,
    api: &ApiOptions,
    file: &SettingsFile,
    env: &Environment,
) -> Result<Question> {
    let is_named = options.model.is_some();
    // A model that is named leaves no room for the default of the effort.
    let names_model = is_named || env.text("PPLX_MODEL").is_some();
    let effort = api.effort.or(file.effort.filter(|_| !names_model));
    let named = named_model(options.model, file, env);
    let model = named.filter(|model| is_named || (effort.is_none() && is_of_api(model)));
    let dated = api.after.is_some() || api.before.is_some();
    let request = SearchRequest {
        system: options.system.or_else(|| file.system.clone()),
        recency: options.recency.or(file.recency.filter(|_| !dated)),
        model: model.unwrap_or_else(|| DEFAULT_MODEL.to_owned()),
        language: options.language.or_else(|| file.language.clone()),
        effort,
        max_tokens: api.max_tokens.or(file.max_tokens.map(std::num::NonZero::get)),
        sources_only: api.sources_only,
        filters: filters(api, file)?,
        ..SearchRequest::default()
    };
    let dialect = api.dialect.or(file.api_dialect).unwrap_or_default();
    Ok(Question {
        request,
        provider: Provider::Api(Api::for_user(env, dialect)?),
        files: Vec::new(),
        meter: Meter::default(),
        named_model: None,
        follow_up: FollowUp::Nothing,
    })
}

/// Whether a default can be meant for the API. Other models are those of the subscription.
fn is_of_api(model: &str) -> bool {
    model.starts_with("sonar") || model.contains('/')
}

fn filters(api: &ApiOptions, file: &SettingsFile) -> Result<Filters> {
    let typed = !api.domains.is_empty() || !api.excluded_domains.is_empty();
    let listed = |typed_list: &[String], list: &Option<Vec<String>>| {
        if typed { typed_list.to_vec() } else { list.clone().unwrap_or_default() }
    };
    let filters = Filters {
        domains: domains(&listed(&api.domains, &file.domain))?,
        excluded_domains: domains(&listed(&api.excluded_domains, &file.exclude_domain))?,
        after: api.after,
        before: api.before,
        context_size: api.context_size.or(file.context_size),
        country: api.country.as_ref().or(file.country.as_ref()).map(|name| country(name)).transpose()?,
    };
    if !filters.domains.is_empty() && !filters.excluded_domains.is_empty() {
        return Err(Error::usage(
            "The API takes either domains to search or domains to leave out.",
            "give --domain or --exclude-domain, not both",
        ));
    }
    if let (Some(after), Some(before)) = (filters.after, filters.before)
        && after >= before
    {
        return Err(Error::usage(
            format!("No page can be published from {after} on and before {before}."),
            "exchange --after and --before",
        ));
    }
    Ok(filters)
}

fn domains(list: &[String]) -> Result<Vec<String>> {
    if list.len() > MAX_DOMAINS {
        let message = format!("The API takes {MAX_DOMAINS} domains, and these are {}.", list.len());
        return Err(Error::usage(message, "name fewer"));
    }
    list.iter().map(|name| domain(name)).collect()
}

/// A host's name, without a scheme or a path. A leading dash would turn its meaning around.
fn domain(name: &str) -> Result<String> {
    let name = name.trim();
    let is_host = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let fits = !name.is_empty() && name.len() <= MAX_DOMAIN_LENGTH && !name.starts_with(['-', '.']);
    if fits && name.chars().all(is_host) {
        return Ok(name.to_lowercase());
    }
    Err(Error::usage(format!("{name:?} is no domain."), "name a host alone, such as example.org"))
}

fn country(name: &str) -> Result<String> {
    if name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Ok(name.to_ascii_uppercase());
    }
    Err(Error::usage(format!("{name:?} is no country."), "give its two letters, such as DE"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_is_a_host_alone() {
        for name in ["example.org", "a-b.example", "Exämple.org", "192.0.2.1"] {
            assert!(domain(name).is_ok(), "{name}");
        }
        assert_eq!(domain("Example.ORG").unwrap(), "example.org");
        for name in ["", "https://example.org", "example.org/a", "-example.org", "a b", ".org"] {
            assert!(domain(name).is_err(), "{name}");
        }
        assert!(domain(&"a".repeat(254)).is_err());
    }

    #[test]
    fn a_country_has_two_letters() {
        assert_eq!(country("de").unwrap(), "DE");
        assert!(country("DEU").is_err() && country("1x").is_err() && country("é").is_err());
    }
}
