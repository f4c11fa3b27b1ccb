//! The body of a request.

use serde_json::{Map, Value, json};

use super::super::options::{filters, language, search_options};
use crate::domain::choice::Choice;
use crate::domain::error::{Error, Result};
use crate::domain::request::{Effort, SearchRequest};

/// The smallest `max_output_tokens` that the API accepts.
const MIN_TOKENS: u32 = 16;
/// The default of `max_output_tokens` for models that require it.
const REQUIRED_TOKENS: u32 = 8192;

/// What answers: a level of effort, or a model.
enum Target<'a> {
    Effort(Effort),
    Model(&'a str),
}

fn target(request: &SearchRequest) -> Result<Target<'_>> {
    match (request.effort, request.model.as_str()) {
        (Some(effort), _) => Ok(Target::Effort(effort)),
        (None, model) if model.contains('/') => Ok(Target::Model(model)),
        (None, model) => former_model(model).map(Target::Effort).ok_or_else(|| {
            Error::ApiOption(format!(
                "The Agent API has no model {model:?}: name one as provider/model, or choose an --effort."
            ))
        }),
    }
}

/// The effort that replaces a model of chat completions.
fn former_model(model: &str) -> Option<Effort> {
    match model {
        "sonar" => Some(Effort::Fast),
        "sonar-pro" => Some(Effort::Low),
        "sonar-reasoning-pro" | "sonar-reasoning" => Some(Effort::Medium),
        "sonar-deep-research" => Some(Effort::High),
        _ => None,
    }
}

/// Notes for the answer on how the request differs from what was asked for. The replacement of the default model is not
/// worth one.
pub(in crate::provider::api) fn notes(request: &SearchRequest) -> Vec<String> {
    let former = former_model(&request.model).filter(|_| request.effort.is_none());
    let replaced = former.filter(|effort| *effort != Effort::Fast).map(|effort| {
        format!("the Agent API has no model {}; the effort {} answered instead", request.model, effort.name())
    });
    let system = request.system.is_some().then(|| {
        "the instructions took the place of the API's own; marks of citations may be missing".to_owned()
    });
    replaced.into_iter().chain(system).collect()
}

/// The body of a request. Too few tokens, or a model that the API does not have, are an error.
pub(in crate::provider::api) fn body(request: &SearchRequest, stream: bool) -> Result<Value> {
    if request.max_tokens.is_some_and(|tokens| tokens < MIN_TOKENS) {
        let message = format!("The Agent API gives an answer at least {MIN_TOKENS} tokens (--max-tokens).");
        return Err(Error::ApiOption(message));
    }
    let target = target(request)?;
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| drop(body.insert(name.to_owned(), value));
    set("input", request.query.as_str().into());
    set("stream", stream.into());
    match target {
        Target::Effort(effort) => set("effort", effort.name().into()),
        Target::Model(model) => set("model", model.into()),
    }
    if let Some(tools) = tools(request, &target) {
        set("tools", tools);
    }
    if let Some(system) = &request.system {
        set("instructions", system.as_str().into());
    }
    if let Some(tag) = &request.language {
        set("language_preference", language(tag).into());
    }
    let required =
        matches!(target, Target::Model(model) if model.starts_with("anthropic/")).then_some(REQUIRED_TOKENS);
    if let Some(tokens) = request.max_tokens.or(required) {
        set("max_output_tokens", tokens.into());
    }
    Ok(body.into())
}

/// The tools to name. A list replaces the tools of an effort, so it is sent only where it is needed: for a model, which
/// would not search otherwise, and for filters, which are fields of the tool. From a medium effort on, pages are
/// fetched.
fn tools(request: &SearchRequest, target: &Target<'_>) -> Option<Value> {
    let mut search = search_options(request);
    let filters = filters(request);
    if !filters.is_empty() {
        search.insert("filters".to_owned(), filters.into());
    }
    let fetches = match target {
        Target::Effort(_) if search.is_empty() => return None,
        Target::Effort(effort) => *effort >= Effort::Medium,
        Target::Model(_) => false,
    };
    search.insert("type".to_owned(), "web_search".into());
    let mut tools = vec![Value::from(search)];
    tools.extend(fetches.then(|| json!({ "type": "fetch_url" })));
    Some(tools.into())
}
