//! `pplx_search`: asks, and waits for the answer.

use rmcp::model::{CallToolResult, JsonObject, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use super::description::describe;
use crate::cli::settings::Asked;
use crate::domain::request::Recency;
use crate::mcp::answer_content::AnswerContent;
use crate::mcp::arguments;
use crate::mcp::tool_call::{ToolCall, ToolError, Waited};
use crate::mcp::tool_result::DEFAULT_SOURCES;

pub(in crate::mcp) const NAME: &str = "pplx_search";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchArguments {
    /// The question, as one would ask a person
    query: String,
    /// Only pages at most this old
    recency: Option<Age>,
    /// Where to search: web (default), scholar, social
    sources: Option<Vec<String>>,
    /// How many sources to list (default 10)
    #[schemars(range(min = 1, max = 50))]
    limit: Option<usize>,
    /// Another model than the usual one, by its id
    model: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Age {
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl From<Age> for Recency {
    fn from(age: Age) -> Self {
        match age {
            Age::Hour => Self::Hour,
            Age::Day => Self::Day,
            Age::Week => Self::Week,
            Age::Month => Self::Month,
            Age::Year => Self::Year,
        }
    }
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
    let question = Asked {
        query: arguments.query,
        recency: arguments.recency.map(|age| Recency::from(age).name().to_owned()),
        sources: arguments.sources.unwrap_or_default(),
        model: arguments.model,
        research: false,
    };
    let search = call.ask(question, limit)?;
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
