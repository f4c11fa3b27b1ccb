//! The server: it says which tools there are, and calls them.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::watch;
use tokio::time::Instant;

use super::registry::Registry;
use super::tool_call::{ToolCall, ToolError};
use super::tools::{self, research, search, usage};
use crate::state::env::Environment;

/// How long a call may take: clients usually give up after 60 seconds.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(55);
/// The same for a client that gives up after 30 seconds.
const SHORT_TIMEOUT: Duration = Duration::from_secs(25);
/// How the name of that client begins.
const IMPATIENT_CLIENT: &str = "omp";

const INSTRUCTIONS: &str = "Web search through the user's Perplexity subscription. Cite sources by their numbers and URLs. \
    An answer that is partial or cut names an id; pplx_research_get fetches the rest.";

#[derive(Debug, Clone)]
pub(crate) struct Server {
    env: Environment,
    /// How long a call may take; `None` leaves it to the client's name.
    timeout: Option<Duration>,
    /// Turns true at the end of the input.
    input_ended: watch::Receiver<bool>,
    registry: Registry,
}

impl Server {
    /// `timeout` is in seconds.
    pub(crate) fn new(env: Environment, timeout: Option<u64>, input_ended: watch::Receiver<bool>) -> Self {
        let timeout = timeout.map(Duration::from_secs);
        Self { registry: Registry::new(env.clone()), env, timeout, input_ended }
    }

    fn deadline(&self, request: &RequestContext<RoleServer>) -> Instant {
        let client = request.client_info().map(|client| client.name);
        Instant::now() + self.timeout.unwrap_or_else(|| default_timeout(client.as_deref()))
    }
}

/// How long a client of this name waits for a result, with a few seconds to spare.
fn default_timeout(client: Option<&str>) -> Duration {
    let is_impatient = client.is_some_and(|name| name.starts_with(IMPATIENT_CLIENT));
    if is_impatient { SHORT_TIMEOUT } else { DEFAULT_TIMEOUT }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("pplx", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let deadline = self.deadline(&request);
        let call = ToolCall { env: &self.env, registry: &self.registry, request: &request, deadline };
        let arguments = params.arguments;
        let result = match params.name.as_ref() {
            search::NAME => search::search(&call, arguments).await,
            research::START => research::start(&call, arguments).await,
            research::GET => research::get(&call, arguments).await,
            usage::NAME => usage::usage(&call, arguments).await,
            other => return Err(ErrorData::invalid_params(format!("There is no tool {other:?}."), None)),
        };
        if matches!(result, Err(ToolError::Cancelled)) && *self.input_ended.borrow() {
            // The library drops the result of a cancelled call, but would write this one.
            std::future::pending::<()>().await;
        }
        Ok(result.unwrap_or_else(CallToolResult::from).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_gives_up_after_30_seconds_is_answered_before() {
        assert_eq!(default_timeout(Some("omp-coding-agent")), Duration::from_secs(25));
        assert_eq!([default_timeout(Some("pi")), default_timeout(None)], [Duration::from_secs(55); 2]);
    }
}
