//! `pplx_usage`: the account's plan and limits.

use rmcp::model::{CallToolResult, JsonObject, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::description::describe;
use crate::mcp::arguments;
use crate::mcp::tool_call::{ToolCall, ToolError};
use crate::mcp::tool_result::success;
use crate::outcome::usage::Usage;
use crate::provider::Limit;

pub(in crate::mcp) const NAME: &str = "pplx_usage";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UsageArguments {}

#[derive(Debug, Serialize, JsonSchema)]
struct UsageContent<'a> {
    plan: Option<&'a str>,
    limits: Vec<LimitContent<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LimitContent<'a> {
    kind: &'a str,
    available: Option<bool>,
    remaining: Option<i64>,
}

impl<'a> From<&'a Usage> for UsageContent<'a> {
    fn from(usage: &'a Usage) -> Self {
        let content = |limit: &'a Limit| LimitContent {
            kind: &limit.kind,
            available: limit.available,
            remaining: limit.remaining,
        };
        Self { plan: usage.plan.as_deref(), limits: usage.limits.iter().flatten().map(content).collect() }
    }
}

pub(super) fn tool() -> Tool {
    describe::<UsageArguments, UsageContent<'_>>(
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
    let usage = call.within_deadline(Usage::fetch(call.env)).await??;
    Ok(success(usage.lines().join("\n"), &UsageContent::from(&usage)))
}
