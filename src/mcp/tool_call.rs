//! One call of a tool: what it may use, how long it may take, and how it fails.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::CallToolResult;
use rmcp::service::RequestContext;
use tokio::time::{Instant, sleep_until};

use super::arguments::Mistake;
use super::progress::ProgressReporter;
use super::registry::Registry;
use super::running_search::{RunningSearch, SearchState, Task};
use super::tool_result::{ToolResult, error};
use crate::config::program;
use crate::config::question::QuestionOptions;
use crate::domain::error::Error;
use crate::outcome::failure::Failure;
use crate::state::env::Environment;

pub(super) struct ToolCall<'a> {
    pub(super) env: &'a Environment,
    pub(super) registry: &'a Registry,
    pub(super) request: &'a RequestContext<RoleServer>,
    pub(super) deadline: Instant,
}

/// How waiting ended.
pub(super) enum Waited<T> {
    Ready(T),
    TimedOut,
}

/// Why a call has no good result.
pub(super) enum ToolError {
    Arguments(Mistake),
    Failed(Failure),
    /// The question got no place in the queue in time.
    NotAsked,
    /// The service did not answer in time.
    TimedOut,
    /// The task that asked ended without a result.
    Died,
    /// The client takes no result any more.
    Cancelled,
}

impl ToolCall<'_> {
    /// Begins to answer a question, with at most `limit` sources.
    pub(super) fn ask(
        &self,
        query: String,
        options: QuestionOptions,
        limit: usize,
    ) -> Result<Arc<RunningSearch>, ToolError> {
        let question = program::question(query, options, self.env)?;
        Ok(Arc::new(self.registry.start(Task::Ask(Box::new(question)), limit)))
    }

    /// Waits until `find` finds something in the state of a search, and reports progress to the client meanwhile.
    pub(super) async fn wait_for<T>(
        &self,
        search: &RunningSearch,
        deadline: Instant,
        find: impl Fn(&SearchState) -> Option<T>,
    ) -> Result<Waited<T>, ToolError> {
        let mut state = search.state.clone();
        let mut progress = ProgressReporter::new(self.request);
        loop {
            let message = {
                let state = state.borrow_and_update();
                if let Some(found) = find(&state) {
                    return Ok(Waited::Ready(found));
                }
                state.message.clone()
            };
            progress.report(&message).await;
            tokio::select! {
                () = self.request.ct.cancelled() => return Err(ToolError::Cancelled),
                () = sleep_until(deadline) => break,
                () = sleep_until(progress.next_due()) => {}
                changed = state.changed() => changed.map_err(|_| ToolError::Died)?,
            }
        }
        if state.borrow().has_place { Ok(Waited::TimedOut) } else { Err(ToolError::NotAsked) }
    }

    /// Waits for something that has no progress to report.
    pub(super) async fn within_deadline<T>(&self, work: impl Future<Output = T>) -> Result<T, ToolError> {
        tokio::select! {
            done = work => Ok(done),
            () = self.request.ct.cancelled() => Err(ToolError::Cancelled),
            () = sleep_until(self.deadline) => Err(ToolError::TimedOut),
        }
    }
}

impl From<Mistake> for ToolError {
    fn from(mistake: Mistake) -> Self {
        Self::Arguments(mistake)
    }
}

impl From<Error> for ToolError {
    fn from(error: Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Failure> for ToolError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<ToolError> for CallToolResult {
    /// A result that a model can read, rather than an error of the protocol.
    fn from(failed: ToolError) -> Self {
        match failed {
            ToolError::Arguments(mistake) => error(&mistake),
            ToolError::Failed(failure) => ToolResult::from_failure(&failure, None).to_call_result(None, 0),
            ToolError::NotAsked => error(
                "The question was not asked: no place in the queue could be had in time, because another process \
                 keeps it locked.\nhint: try again",
            ),
            ToolError::TimedOut => error("The service did not answer in time.\nhint: try again"),
            ToolError::Died => error("The search ended without an answer.\nhint: ask again"),
            ToolError::Cancelled => error("Cancelled."),
        }
    }
}
