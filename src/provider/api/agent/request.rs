//! The body of a request.

use serde_json::{Map, Value, json};

use super::super::options::{filters, language, search_options};
use crate::domain::choice::Choice;
use crate::domain::error::{Error, Result};
use crate::domain::request::{Effort, SearchRequest};

/// The least that an answer may have, in tokens.
const LEAST_TOKENS: u32 = 16;
/// What models that want a number get unless one is asked for.
const TOKENS: u32 = 8192;

/// Who answers: a level of effort, or a model.
enum Who<'a> {
    Effort(Effort),
    Model(&'a str),
}

fn who(request: &SearchRequest) -> Result<Who<'_>> {
    match (request.effort, request.model.as_str()) {
        (Some(effort), _) => Ok(Who::Effort(effort)),
        (None, model) if model.contains('/') => Ok(Who::Model(model)),
        (None, model) => former_model(model).map(Who::Effort).ok_or_else(|| {
            Error::ApiOption(format!(
                "The Agent API has no model {model:?}: name one as provider/model, or choose an --effort."
            ))
        }),
    }
}

/// The effort that took the place of a model of chat completions.
fn former_model(model: &str) -> Option<Effort> {
    match model {
        "sonar" => Some(Effort::Fast),
        "sonar-pro" => Some(Effort::Low),
        "sonar-reasoning-pro" | "sonar-reasoning" => Some(Effort::Medium),
        "sonar-deep-research" => Some(Effort::High),
        _ => None,
    }
}

/// What the reader should know about how it was asked. That the usual model has an effort in its place surprises
/// nobody.
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

pub(in crate::provider::api) fn body(request: &SearchRequest, stream: bool) -> Result<Value> {
    if request.max_tokens.is_some_and(|tokens| tokens < LEAST_TOKENS) {
        let message = format!("The Agent API gives an answer at least {LEAST_TOKENS} tokens (--max-tokens).");
        return Err(Error::ApiOption(message));
    }
    let who = who(request)?;
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| drop(body.insert(name.to_owned(), value));
    set("input", request.query.as_str().into());
    set("stream", stream.into());
    match who {
        Who::Effort(effort) => set("effort", effort.name().into()),
        Who::Model(model) => set("model", model.into()),
    }
    if let Some(tools) = tools(request, &who) {
        set("tools", tools);
    }
    if let Some(system) = &request.system {
        set("instructions", system.as_str().into());
    }
    if let Some(tag) = &request.language {
        set("language_preference", language(tag).into());
    }
    let wanted = matches!(who, Who::Model(model) if model.starts_with("anthropic/")).then_some(TOKENS);
    if let Some(tokens) = request.max_tokens.or(wanted) {
        set("max_output_tokens", tokens.into());
    }
    Ok(body.into())
}

/// A list of tools takes the place of the effort's own, so there is one only where it is needed: for a model, which
/// would answer from memory, and for filters, which stand in the tool. From a medium effort on, pages are fetched, too.
fn tools(request: &SearchRequest, who: &Who<'_>) -> Option<Value> {
    let mut search = search_options(request);
    let filters = filters(request);
    if !filters.is_empty() {
        search.insert("filters".to_owned(), filters.into());
    }
    let fetches = match who {
        Who::Effort(_) if search.is_empty() => return None,
        Who::Effort(effort) => *effort >= Effort::Medium,
        Who::Model(_) => false,
    };
    search.insert("type".to_owned(), "web_search".into());
    let mut tools = vec![Value::from(search)];
    tools.extend(fetches.then(|| json!({ "type": "fetch_url" })));
    Some(tools.into())
}
