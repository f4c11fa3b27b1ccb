//! `pplx_usage`: the account's plan and limits.

use rmcp::model::{CallToolResult, JsonObject, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::description::describe;
use crate::cli::status;
use crate::mcp::arguments;
use crate::mcp::tool_call::{ToolCall, ToolError};
use crate::mcp::tool_result::success;

pub(in crate::mcp) const NAME: &str = "pplx_usage";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UsageArguments {}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is needed: `status::usage` writes the document")]
struct UsageContent {
    plan: Option<String>,
    limits: Vec<LimitContent>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is needed: `status::usage` writes the document")]
struct LimitContent {
    kind: String,
    available: Option<bool>,
    remaining: Option<i64>,
}

pub(super) fn tool() -> Tool {
    describe::<UsageArguments, UsageContent>(
        NAME,
        "Show plan and limits",
        "Shows the account's plan and what is left of its limits.",
    )
}

pub(in crate::mcp) async fn usage(
    call: &ToolCall<'_>,
    given: Option<JsonObject>,
) -> Result<CallToolResult, ToolError> {
    let UsageArguments {} = arguments::read(given)?;
    let (text, content) = call.within_deadline(status::usage(call.env)).await??;
    Ok(success(text, &content))
}
