//! The answers that can be fetched by an id: those still being given, and those saved in the database.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::running_search::{RunningSearch, Task};
use super::tool_result::{DEFAULT_SOURCES, ToolResult};
use crate::config::reception;
use crate::outcome::failure::Failure;
use crate::state::env::Environment;
use crate::state::{Database, Job, Jobs};

/// How often what has arrived of an answer is saved.
const SAVE_INTERVAL: Duration = Duration::from_secs(1);

#[derive(Debug, Clone)]
pub(super) struct Registry {
    env: Environment,
    /// `None` where there is no folder for it: then nothing outlives the process.
    database: Option<Database>,
    running: Arc<Mutex<HashMap<String, Arc<RunningSearch>>>>,
}

/// What an id stands for.
pub(super) enum Found {
    Running(Arc<RunningSearch>),
    Saved(ToolResult),
}

impl Registry {
    pub(super) fn new(env: Environment) -> Self {
        Self { database: Database::for_user(&env).ok(), env, running: Arc::default() }
    }

    /// Begins a search whose result lists at most `limit` sources.
    pub(super) fn start(&self, task: Task, limit: usize) -> RunningSearch {
        RunningSearch::start(self.env.clone(), self.database.clone(), task, reception::for_programs(), limit)
    }

    /// Lets a search go on after its call has ended, and saves what arrives. `run` is the id of deep research.
    pub(super) fn continue_in_background(&self, id: String, run: Option<String>, search: Arc<RunningSearch>) {
        self.running().insert(id.clone(), Arc::clone(&search));
        self.save_in_background(id, run, true, search);
    }

    fn save_in_background(
        &self,
        id: String,
        run: Option<String>,
        is_known: bool,
        search: Arc<RunningSearch>,
    ) {
        let registry = self.clone();
        tokio::spawn(async move { registry.save_until_finished(&id, run, is_known, &search).await });
    }

    /// An id that is not known may be nonsense: then nothing is saved before something has arrived.
    async fn save_until_finished(
        &self,
        id: &str,
        run: Option<String>,
        is_known: bool,
        search: &Arc<RunningSearch>,
    ) {
        let mut state = search.state.clone();
        let mut saved = None;
        loop {
            let (result, is_finished, run) = {
                let state = state.borrow_and_update();
                let result = state.result.clone().unwrap_or_else(|| state.partial(search.limit));
                (result, state.result.is_some(), run.clone().or_else(|| state.run.clone()))
            };
            let is_worth_saving = is_known || (result.has_text() && !result.is_failure());
            if is_worth_saving && (is_finished || saved.as_ref() != Some(&result)) {
                // Research goes on at the service although the connection has failed, and can be fetched again.
                let done = is_finished && (run.is_none() || !result.is_failure());
                self.save(id, &search.query, run.as_deref(), &result, done).await;
                saved = Some(result);
            }
            let finished = state.wait_for(|state| state.result.is_some());
            let has_died = matches!(tokio::time::timeout(SAVE_INTERVAL, finished).await, Ok(Err(_)));
            if is_finished || has_died {
                return self.forget(id, search);
            }
        }
    }

    /// Another search may have taken the id over.
    fn forget(&self, id: &str, search: &Arc<RunningSearch>) {
        let mut running = self.running();
        if running.get(id).is_some_and(|known| Arc::ptr_eq(known, search)) {
            running.remove(id);
        }
    }

    /// Whether it could be saved; an answer is given all the same where it could not.
    pub(super) async fn save(
        &self,
        id: &str,
        query: &str,
        run: Option<&str>,
        result: &ToolResult,
        done: bool,
    ) -> bool {
        let result = serde_json::to_value(result).ok();
        let (id, query, run) = (id.to_owned(), query.to_owned(), run.map(str::to_owned));
        let Some(jobs) = self.database.clone().map(Jobs::new) else { return false };
        jobs.write(Job { id, query, run, result, done }).await.is_ok()
    }

    /// What the id stands for. One that is not known may be research that another program has begun.
    pub(super) async fn find(&self, id: &str) -> Result<Found, Failure> {
        if let Some(search) = self.running().get(id) {
            return Ok(Found::Running(Arc::clone(search)));
        }
        let job = match self.database.clone().map(Jobs::new) {
            Some(jobs) => jobs.read(id).await?,
            None => None,
        };
        match job {
            None => Ok(Found::Running(self.resume(id, id.to_owned(), false))),
            Some(Job { done: false, run: Some(run), .. }) => Ok(Found::Running(self.resume(id, run, true))),
            Some(Job { done, result, .. }) => {
                let result = result.and_then(|result| serde_json::from_value::<ToolResult>(result).ok());
                let result = result.map(|result| if done { result } else { result.interrupted() });
                result.map(Found::Saved).ok_or_else(|| unknown(id))
            }
        }
    }

    /// Fetches deep research, unless another call began to while the database was read.
    fn resume(&self, id: &str, run: String, is_known: bool) -> Arc<RunningSearch> {
        let mut running = self.running();
        if let Some(search) = running.get(id) {
            return Arc::clone(search);
        }
        let search = Arc::new(self.start(Task::Resume(run.clone()), DEFAULT_SOURCES));
        running.insert(id.to_owned(), Arc::clone(&search));
        self.save_in_background(id.to_owned(), Some(run), is_known, Arc::clone(&search));
        search
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, Arc<RunningSearch>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unknown(id: &str) -> Failure {
    Failure::usage(format!("There is nothing with the id {id:?}."), "start it with pplx_research_start")
}
