//! `pplx_research_start` and `pplx_research_get`: deep research takes minutes, so one call begins it and another
//! fetches it.

use std::time::Duration;

use rmcp::model::{CallToolResult, JsonObject, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use uuid::Uuid;

use super::description::describe;
use crate::config::question::QuestionOptions;
use crate::mcp::answer_content::AnswerContent;
use crate::mcp::arguments;
use crate::mcp::registry::Found;
use crate::mcp::running_search::SearchState;
use crate::mcp::tool_call::{ToolCall, ToolError, Waited};
use crate::mcp::tool_result::{DEFAULT_SOURCES, ToolResult, success};
use crate::state::Jobs;

pub(in crate::mcp) const START: &str = "pplx_research_start";
pub(in crate::mcp) const GET: &str = "pplx_research_get";

/// How long research is waited for unless the call says so, in seconds.
const DEFAULT_WAIT: u64 = 20;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StartArguments {
    /// What to find out, in full sentences
    query: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct StartContent<'a> {
    id: &'a str,
    status: &'a str,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetArguments {
    /// The id that was returned
    id: String,
    /// Seconds to wait for the end (default 20)
    #[schemars(range(min = 0, max = 300))]
    wait: Option<u64>,
    /// Byte of the answer to go on from, where it was cut
    offset: Option<usize>,
}

pub(super) fn start_tool() -> Tool {
    let mut tool = describe::<StartArguments, StartContent<'_>>(
        START,
        "Start deep research",
        "Starts research that takes minutes and counts against a small quota. Returns an id at once.",
    );
    // It costs a run of the quota.
    tool.annotations = tool.annotations.map(|hints| hints.read_only(false));
    tool
}

pub(super) fn get_tool() -> Tool {
    describe::<GetArguments, AnswerContent<'_>>(
        GET,
        "Fetch research or the rest of an answer",
        "Fetches started research, or an answer that was partial or cut, by its id.",
    )
}

/// How an attempt to begin research ended.
enum Started {
    /// The service has begun, under this id.
    Run(String),
    /// There is an answer, or a failure, and no run.
    Ended(ToolResult),
}

impl Started {
    fn from_state(state: &SearchState) -> Option<Self> {
        let run = state.run.clone().map(Self::Run);
        run.or_else(|| state.result.clone().map(Self::Ended))
    }
}

pub(in crate::mcp) async fn start(
    call: &ToolCall<'_>,
    given: Option<JsonObject>,
) -> Result<CallToolResult, ToolError> {
    let StartArguments { query } = arguments::read(given)?;
    let options = QuestionOptions { research: true, ..QuestionOptions::default() };
    let search = call.ask(query, options, DEFAULT_SOURCES)?;
    let run = match call.wait_for(&search, call.deadline, Started::from_state).await? {
        Waited::Ready(Started::Run(run)) => Some(run),
        Waited::Ready(Started::Ended(result)) => return Ok(result.to_call_result(None, 0)),
        Waited::TimedOut => None,
    };
    let id = run.clone().unwrap_or_else(|| Uuid::new_v4().to_string());
    call.registry.continue_in_background(id.clone(), run, search);
    let text = format!("Research has begun. It takes minutes; {GET} with the id {id} fetches it.");
    Ok(success(text, &StartContent { id: &id, status: "running" }))
}

pub(in crate::mcp) async fn get(
    call: &ToolCall<'_>,
    given: Option<JsonObject>,
) -> Result<CallToolResult, ToolError> {
    let GetArguments { id, wait, offset } = arguments::read(given)?;
    if !Jobs::is_name(&id) {
        let mistake = "The argument \"id\" must consist of letters, digits, - and _.";
        return Err(ToolError::Arguments(mistake.to_owned()));
    }
    let wait = Duration::from_secs(wait.unwrap_or(DEFAULT_WAIT));
    let deadline = call.deadline.min(Instant::now() + wait);
    let result = match call.registry.find(&id).await? {
        Found::Saved(result) => result,
        Found::Running(search) => {
            match call.wait_for(&search, deadline, |state| state.result.clone()).await? {
                Waited::Ready(result) => result,
                Waited::TimedOut => search.state.borrow().partial(search.limit),
            }
        }
    };
    Ok(result.to_call_result(Some(&id), offset.unwrap_or(0)))
}
