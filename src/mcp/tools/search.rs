//! `pplx_search`: asks, and waits for the answer.

use rmcp::model::{CallToolResult, JsonObject, Tool};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error as _};
use uuid::Uuid;

use super::description::describe;
use crate::config::question::QuestionOptions;
use crate::domain::choice::Choice;
use crate::domain::request::Recency;
use crate::mcp::answer_content::AnswerContent;
use crate::mcp::arguments;
use crate::mcp::tool_call::{ToolCall, ToolError, Waited};
use crate::mcp::tool_result::DEFAULT_SOURCES;

pub(in crate::mcp) const NAME: &str = "pplx_search";

#[derive(Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchArguments {
    /// The question, as one would ask a person
    query: String,
    /// Only pages at most this old
    #[serde(default, deserialize_with = "recency")]
    #[schemars(schema_with = "recency_schema")]
    recency: Option<Recency>,
    /// Where to search: web (default), scholar, social
    sources: Option<Vec<String>>,
    /// How many sources to list (default 10)
    #[schemars(range(min = 1, max = 50))]
    limit: Option<usize>,
    /// Another model than the usual one, by its id
    model: Option<String>,
}

fn recency<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Recency>, D::Error> {
    let name = String::deserialize(from)?;
    Recency::from_name(&name).map(Some).ok_or_else(|| D::Error::custom("there is no such age"))
}

fn recency_schema(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = Recency::ALL.iter().map(|age| age.name()).collect();
    json_schema!({ "type": "string", "enum": names })
}

pub(super) fn tool() -> Tool {
    describe::<SearchArguments, AnswerContent<'_>>(
        NAME,
        "Search the web with Perplexity",
        "Searches the web and answers with numbered sources. Takes 5 to 50 seconds.",
    )
}

/// An answer that is too long for one result, or not complete in time, gets an id by which the rest is fetched.
pub(in crate::mcp) async fn search(
    call: &ToolCall<'_>,
    given: Option<JsonObject>,
) -> Result<CallToolResult, ToolError> {
    let arguments: SearchArguments = arguments::read(given)?;
    let limit = arguments.limit.unwrap_or(DEFAULT_SOURCES);
    let options = QuestionOptions {
        recency: arguments.recency,
        sources: arguments.sources.unwrap_or_default(),
        model: arguments.model,
        ..QuestionOptions::default()
    };
    let search = call.ask(arguments.query, options, limit)?;
    match call.wait_for(&search, call.deadline, |state| state.result.clone()).await? {
        Waited::Ready(result) if result.is_long() => {
            let id = Uuid::new_v4().to_string();
            let saved = call.registry.save(&id, &search.query, None, &result, true).await;
            Ok(result.to_call_result(saved.then_some(&id), 0))
        }
        Waited::Ready(result) => Ok(result.to_call_result(None, 0)),
        Waited::TimedOut => {
            let id = Uuid::new_v4().to_string();
            let partial = search.state.borrow().partial(limit);
            call.registry.continue_in_background(id.clone(), None, search);
            Ok(partial.to_call_result(Some(&id), 0))
        }
    }
}
