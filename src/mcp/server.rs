//! What the tools do.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use super::arguments::{self, Mistake};
use super::progress::Progress;
use super::registry::{Found, Registry};
use super::running::{Running, State, Task};
use super::tool_result::{Outcome, SOURCES, error, success};
use super::tools::{
    self, NoArguments, ResearchGetArguments, ResearchStartArguments, ResearchStarted, SearchArguments,
};
use crate::cli::settings::{self, Asked};
use crate::cli::status;
use crate::domain::request::Recency;
use crate::outcome::failure::Failure;
use crate::state::Jobs;
use crate::state::env::Environment;

/// How long a call may take where the client does not say otherwise.
const BUDGET: Duration = Duration::from_secs(55);
/// The same for a client that gives up after 30 seconds.
const SHORT_BUDGET: Duration = Duration::from_secs(25);
/// The name of that client.
const SHORT_OF_PATIENCE: &str = "omp";
/// How long a run is waited for unless that is said.
const USUAL_WAIT: u64 = 20;

/// What a call ends with whose question was never asked.
const NO_PLACE: &str = "The question was not asked: no place in the queue could be had in time, because another process \
    keeps it locked.\nhint: try again";

const INSTRUCTIONS: &str = "Web search through the user's Perplexity subscription. Cite sources by their numbers and URLs. \
    An answer that is partial or cut names an id; pplx_research_get fetches the rest.";

/// The server, and the questions that have outlived their calls.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    env: Environment,
    /// How long a call may take, where that was said.
    budget: Option<Duration>,
    /// Turns true at the end of the input.
    ended: watch::Receiver<bool>,
    registry: Registry,
}

/// How waiting for a question ended.
enum Waited {
    Over(Outcome),
    Late,
    /// Nobody wants the answer any more.
    Cancelled,
}

/// The context of a call.
pub(super) type Context = RequestContext<RoleServer>;

impl Server {
    pub(crate) fn new(env: Environment, timeout: Option<u64>, ended: watch::Receiver<bool>) -> Self {
        let budget = timeout.map(Duration::from_secs);
        Self { registry: Registry::new(env.clone()), env, budget, ended }
    }

    fn deadline(&self, context: &Context) -> Instant {
        let client = context.client_info().map(|client| client.name);
        Instant::now() + self.budget.unwrap_or_else(|| budget_of(client.as_deref()))
    }

    async fn search(&self, given: Option<JsonObject>, context: &Context) -> Result<CallToolResult, Mistake> {
        let deadline = self.deadline(context);
        let arguments: SearchArguments = arguments::read(given)?;
        let asked = Asked {
            query: arguments.query,
            recency: arguments.recency.map(|age| Recency::from(age).name().to_owned()),
            sources: arguments.sources.unwrap_or_default(),
            model: arguments.model,
            research: false,
        };
        let limit = arguments.limit.unwrap_or(SOURCES);
        let running = match self.ask(asked, limit) {
            Ok(running) => Arc::new(running),
            Err(failure) => return Ok(failed(&failure)),
        };
        match self.wait(&running, deadline, context).await {
            Waited::Over(outcome) if outcome.is_long() => {
                let id = Uuid::new_v4().to_string();
                let kept = self.registry.keep(&id, &running.query, None, &outcome, true).await;
                Ok(outcome.result(kept.then_some(&id), 0))
            }
            Waited::Over(outcome) => Ok(outcome.result(None, 0)),
            Waited::Late if !running.state.borrow().has_place => Ok(error(NO_PLACE)),
            Waited::Late => {
                let id = Uuid::new_v4().to_string();
                let partial = running.state.borrow().partial(limit);
                self.registry.outlive(id.clone(), None, running);
                Ok(partial.result(Some(&id), 0))
            }
            Waited::Cancelled => Ok(self.cancelled().await),
        }
    }

    async fn research_start(
        &self,
        given: Option<JsonObject>,
        context: &Context,
    ) -> Result<CallToolResult, Mistake> {
        let deadline = self.deadline(context);
        let arguments: ResearchStartArguments = arguments::read(given)?;
        let asked = Asked { query: arguments.query, research: true, ..Asked::default() };
        let running = match self.ask(asked, SOURCES) {
            Ok(running) => Arc::new(running),
            Err(failure) => return Ok(failed(&failure)),
        };
        let begun = |state: &State| state.run.is_some();
        let id = match self.wait_until(&running, deadline, context, begun).await {
            Waited::Cancelled => return Ok(self.cancelled().await),
            Waited::Over(outcome) if running.state.borrow().run.is_none() => {
                return Ok(outcome.result(None, 0));
            }
            Waited::Late if !running.state.borrow().has_place => return Ok(error(NO_PLACE)),
            Waited::Over(_) | Waited::Late => {
                let run = running.state.borrow().run.clone();
                let id = run.clone().unwrap_or_else(|| Uuid::new_v4().to_string());
                self.registry.outlive(id.clone(), run, running);
                id
            }
        };
        let text =
            format!("Research has begun. It takes minutes; pplx_research_get with the id {id} fetches it.");
        Ok(success(text, &ResearchStarted { id: &id, status: "running" }))
    }

    async fn research_get(
        &self,
        given: Option<JsonObject>,
        context: &Context,
    ) -> Result<CallToolResult, Mistake> {
        let ResearchGetArguments { id, wait, offset } = arguments::read(given)?;
        let offset = offset.unwrap_or(0);
        if !Jobs::is_name(&id) {
            return Err("The argument \"id\" is no id: it has letters, digits, - and _.".to_owned());
        }
        let wait = Duration::from_secs(wait.unwrap_or(USUAL_WAIT));
        let deadline = self.deadline(context).min(Instant::now() + wait);
        let running = match self.registry.find(&id).await {
            Ok(Found::Running(running)) => running,
            Ok(Found::Kept(outcome)) => return Ok(outcome.result(Some(&id), offset)),
            Err(failure) => return Ok(failed(&failure)),
        };
        match self.wait(&running, deadline, context).await {
            Waited::Over(outcome) => Ok(outcome.result(Some(&id), offset)),
            Waited::Late => Ok(running.state.borrow().partial(running.limit).result(Some(&id), offset)),
            Waited::Cancelled => Ok(self.cancelled().await),
        }
    }

    async fn usage(&self, given: Option<JsonObject>, context: &Context) -> Result<CallToolResult, Mistake> {
        let NoArguments {} = arguments::read(given)?;
        tokio::select! {
            usage = status::usage(&self.env) => match usage {
                Ok((text, structured)) => Ok(success(text, &structured)),
                Err(failure) => Ok(failed(&failure)),
            },
            () = context.ct.cancelled() => Ok(self.cancelled().await),
            () = sleep_until(self.deadline(context)) => Ok(error("The service did not answer in time.\nhint: try again")),
        }
    }

    /// The result of a call that nobody waits for. The library drops it; at the end of the input it would write it, so
    /// there is none then.
    async fn cancelled(&self) -> CallToolResult {
        if *self.ended.borrow() {
            std::future::pending::<()>().await;
        }
        error("Cancelled.")
    }

    fn ask(&self, asked: Asked, limit: usize) -> Result<Running, Failure> {
        let question = settings::resolve_asked(asked, &self.env)?;
        Ok(self.registry.start(Task::Ask(Box::new(question)), limit))
    }

    async fn wait(&self, running: &Running, deadline: Instant, context: &Context) -> Waited {
        self.wait_until(running, deadline, context, |_| false).await
    }

    /// Waits for the end, or for what `enough` looks for, and tells the client meanwhile how it goes.
    async fn wait_until(
        &self,
        running: &Running,
        deadline: Instant,
        context: &Context,
        enough: impl Fn(&State) -> bool,
    ) -> Waited {
        let mut state = running.state.clone();
        let mut progress = Progress::new(context);
        loop {
            let message = {
                let state = state.borrow_and_update();
                if let Some(outcome) = &state.outcome {
                    return Waited::Over(outcome.clone());
                }
                if enough(&state) {
                    return Waited::Late;
                }
                state.message.clone()
            };
            progress.tell(&message).await;
            tokio::select! {
                () = context.ct.cancelled() => return Waited::Cancelled,
                () = sleep_until(deadline) => return Waited::Late,
                () = sleep_until(progress.next()) => {}
                told = state.changed() => {
                    // The task sends its outcome before it ends; one that does not has nothing to wait for.
                    if told.is_err() && state.borrow().outcome.is_none() {
                        return Waited::Late;
                    }
                }
            }
        }
    }
}

/// How long a client of this name waits for an answer, with something to spare.
fn budget_of(client: Option<&str>) -> Duration {
    if client.is_some_and(|name| name.starts_with(SHORT_OF_PATIENCE)) { SHORT_BUDGET } else { BUDGET }
}

fn failed(failure: &Failure) -> CallToolResult {
    failure
        .problem()
        .map_or_else(|| error("Failed."), |problem| Outcome::failed(&problem, None).result(None, 0))
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
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let given = request.arguments;
        let result = match request.name.as_ref() {
            tools::SEARCH => self.search(given, &context).await,
            tools::RESEARCH_START => self.research_start(given, &context).await,
            tools::RESEARCH_GET => self.research_get(given, &context).await,
            tools::USAGE => self.usage(given, &context).await,
            other => return Err(ErrorData::invalid_params(format!("There is no tool {other:?}."), None)),
        };
        Ok(result.unwrap_or_else(|mistake| error(&mistake)).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_gives_up_after_30_seconds_is_answered_before() {
        assert_eq!(budget_of(Some("omp-coding-agent")), Duration::from_secs(25));
        assert_eq!([budget_of(Some("pi")), budget_of(None)], [Duration::from_secs(55); 2]);
    }
}
