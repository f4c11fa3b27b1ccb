//! What a question to the official API is really asked with, and what cannot be asked of one provider or the other.

use super::file::File;
use super::{FollowUp, Question, Shown, named_model, recency};
use crate::cli::args::{ApiArgs, AskArgs, ContextSizeArg, DialectArg, EffortArg, ProviderArg, SearchArgs};
use crate::domain::attachment::Meter;
use crate::domain::request::{ContextSize, Effort, Filters, SearchRequest};
use crate::outcome::failure::Failure;
use crate::provider::{Api, Dialect, Provider};
use crate::render::Format;
use crate::state::env::Environment;

/// The model of a question that names neither a model nor an effort.
const MODEL: &str = "sonar";
/// How many domains the API takes.
const MOST_DOMAINS: usize = 20;
/// The longest name of a host, in bytes.
const LONGEST_DOMAIN: usize = 253;

/// Whether the API is to be asked: only when that is said. A recording is one of the subscription, whatever the file
/// says.
pub(crate) fn is_asked(args: &SearchArgs, file: &File) -> bool {
    let configured = file.provider.filter(|_| args.replay.is_none());
    args.api.provider.or(configured) == Some(ProviderArg::Api)
}

/// Refuses what only the API has, where the subscription is asked.
pub(crate) fn refuse_unless_asked(args: &ApiArgs) -> Result<(), Failure> {
    let options = [
        (args.api_dialect.is_some(), "--api-dialect"),
        (args.effort.is_some(), "--effort"),
        (!args.domains.is_empty(), "--domain"),
        (!args.excluded_domains.is_empty(), "--exclude-domain"),
        (args.after.is_some(), "--after"),
        (args.before.is_some(), "--before"),
        (args.context_size.is_some(), "--context-size"),
        (args.country.is_some(), "--country"),
        (args.max_tokens.is_some(), "--max-tokens"),
        (args.sources_only, "--sources-only"),
    ];
    match options.iter().find(|(given, _)| *given) {
        Some((_, option)) => Err(Failure::usage(
            format!("The subscription has nothing like {option}; the official API has."),
            "add --provider api, which needs a key and costs money, or leave it out",
        )),
        None => Ok(()),
    }
}

/// Refuses what only the subscription has, where the API is asked.
pub(crate) fn refuse_foreign(args: &SearchArgs, shown: &Shown) -> Result<(), Failure> {
    let options = [
        (!args.ask.sources.is_empty(), "--source", "searches the web alone"),
        (args.ask.timezone.is_some(), "--timezone", "does not take a time zone"),
        (args.ask.save, "--save", "keeps no threads"),
        (args.ask.continue_last, "--continue", "keeps no threads"),
        (args.ask.thread.is_some(), "--thread", "keeps no threads"),
        (!args.attach.is_empty(), "--attach", "takes no files"),
        (args.research, "--research", "has --effort high in its place"),
        (args.record.is_some(), "--record", "is not recorded: recordings are replies of the subscription"),
        (args.replay.is_some(), "--replay", "has no recordings: they are replies of the subscription"),
    ];
    if let Some((_, option, reason)) = options.iter().find(|(given, ..)| *given) {
        let message = format!("{option} cannot be had from the official API, which {reason}.");
        return Err(Failure::usage(message, "leave it out, or ask the subscription with --provider web"));
    }
    if args.api.sources_only && shown.format == Format::Answer {
        return Err(Failure::usage(
            "With --sources-only there is no answer to print.",
            "choose another --format",
        ));
    }
    if shown.style.limit == Some(0) {
        return Err(Failure::usage("--limit must be at least 1 with --provider api.", "leave it out"));
    }
    Ok(())
}

/// A question to the API, without its text.
pub(crate) fn question(
    args: &AskArgs,
    api: &ApiArgs,
    file: &File,
    env: &Environment,
) -> Result<Question, Failure> {
    // What was typed leaves no room for the other's default.
    let names_model = args.model.is_some() || env.text("PPLX_MODEL").is_some();
    let effort = api.effort.or(file.effort.filter(|_| !names_model));
    let named = named_model(args.model.clone(), env, file.model.clone());
    let model = named.filter(|model| args.model.is_some() || (effort.is_none() && is_of_api(model)));
    let dated = api.after.is_some() || api.before.is_some();
    let request = SearchRequest {
        system: args.system.clone().or(file.system.clone()),
        recency: args.recency.or(file.recency.filter(|_| !dated)).map(recency),
        model: model.clone().unwrap_or_else(|| MODEL.to_owned()),
        language: args.language.clone().or(file.language.clone()),
        effort: effort.map(self::effort),
        max_tokens: api.max_tokens.or(file.max_tokens.map(std::num::NonZero::get)),
        sources_only: api.sources_only,
        filters: filters(api, file)?,
        ..SearchRequest::default()
    };
    let provider = Provider::Api(Api::of(env, dialect(api.api_dialect.or(file.api_dialect)))?);
    Ok(Question {
        request,
        provider,
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

fn filters(api: &ApiArgs, file: &File) -> Result<Filters, Failure> {
    let typed = !api.domains.is_empty() || !api.excluded_domains.is_empty();
    let listed = |typed_list: &[String], list: &Option<Vec<String>>| {
        if typed { typed_list.to_vec() } else { list.clone().unwrap_or_default() }
    };
    let filters = Filters {
        domains: domains(&listed(&api.domains, &file.domain))?,
        excluded_domains: domains(&listed(&api.excluded_domains, &file.exclude_domain))?,
        after: api.after,
        before: api.before,
        context_size: api.context_size.or(file.context_size).map(context_size),
        country: api.country.as_ref().or(file.country.as_ref()).map(|name| country(name)).transpose()?,
    };
    if !filters.domains.is_empty() && !filters.excluded_domains.is_empty() {
        return Err(Failure::usage(
            "The API takes either domains to search or domains to leave out.",
            "give --domain or --exclude-domain, not both",
        ));
    }
    if let (Some(after), Some(before)) = (filters.after, filters.before)
        && after >= before
    {
        return Err(Failure::usage(
            format!("No page can be published from {after} on and before {before}."),
            "exchange --after and --before",
        ));
    }
    Ok(filters)
}

fn domains(list: &[String]) -> Result<Vec<String>, Failure> {
    if list.len() > MOST_DOMAINS {
        let message = format!("The API takes {MOST_DOMAINS} domains, and these are {}.", list.len());
        return Err(Failure::usage(message, "name fewer"));
    }
    list.iter().map(|name| domain(name)).collect()
}

/// A host's name, without a scheme or a path. A leading dash would turn its meaning around.
fn domain(name: &str) -> Result<String, Failure> {
    let name = name.trim();
    let is_host = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let fits = !name.is_empty() && name.len() <= LONGEST_DOMAIN && !name.starts_with(['-', '.']);
    if fits && name.chars().all(is_host) {
        return Ok(name.to_lowercase());
    }
    Err(Failure::usage(format!("{name:?} is no domain."), "name a host alone, such as example.org"))
}

fn country(name: &str) -> Result<String, Failure> {
    if name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Ok(name.to_ascii_uppercase());
    }
    Err(Failure::usage(format!("{name:?} is no country."), "give its two letters, such as DE"))
}

fn dialect(typed: Option<DialectArg>) -> Dialect {
    match typed {
        None | Some(DialectArg::Auto) => Dialect::Auto,
        Some(DialectArg::Agent) => Dialect::Agent,
        Some(DialectArg::Chat) => Dialect::Chat,
    }
}

fn effort(typed: EffortArg) -> Effort {
    match typed {
        EffortArg::Fast => Effort::Fast,
        EffortArg::Low => Effort::Low,
        EffortArg::Medium => Effort::Medium,
        EffortArg::High => Effort::High,
        EffortArg::Xhigh => Effort::XHigh,
    }
}

fn context_size(typed: ContextSizeArg) -> ContextSize {
    match typed {
        ContextSizeArg::Low => ContextSize::Low,
        ContextSizeArg::Medium => ContextSize::Medium,
        ContextSizeArg::High => ContextSize::High,
    }
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
