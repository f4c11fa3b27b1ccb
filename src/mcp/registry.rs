//! Questions that have outlived their calls: those on their way, and those on disk.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::running::{Running, Task};
use super::tool_result::{Outcome, SOURCES};
use crate::cli::settings;
use crate::outcome::failure::Failure;
use crate::state::env::Environment;
use crate::state::{Database, Job, Jobs};

/// How often what has come of an answer is written to disk.
const KEPT: Duration = Duration::from_secs(1);

/// All of them.
#[derive(Debug, Clone)]
pub(super) struct Registry {
    env: Environment,
    /// `None` where there is no folder for it: then nothing outlives the process.
    database: Option<Database>,
    running: Arc<Mutex<HashMap<String, Arc<Running>>>>,
}

/// What an id stands for.
pub(super) enum Found {
    Running(Arc<Running>),
    Kept(Outcome),
}

impl Registry {
    pub(super) fn new(env: Environment) -> Self {
        Self { database: Database::for_user(&env).ok(), env, running: Arc::default() }
    }

    /// Begins to answer a question, or takes a run up; at most `limit` sources are listed.
    pub(super) fn start(&self, task: Task, limit: usize) -> Running {
        Running::start(self.env.clone(), self.database.clone(), task, settings::reception(), limit)
    }

    /// Lets a question go on after its call; what comes of it is kept on disk.
    pub(super) fn outlive(&self, id: String, run: Option<String>, running: Arc<Running>) {
        self.table().insert(id.clone(), Arc::clone(&running));
        self.follow(id, run, true, running);
    }

    fn follow(&self, id: String, run: Option<String>, known: bool, running: Arc<Running>) {
        let registry = self.clone();
        tokio::spawn(async move { registry.watch(&id, run, known, &running).await });
    }

    /// Keeps what comes until the end. Of a run that is not `known` to be one, nothing is kept until it has brought
    /// something.
    async fn watch(&self, id: &str, run: Option<String>, known: bool, running: &Arc<Running>) {
        let mut state = running.state.clone();
        let mut kept = None;
        loop {
            let (outcome, ended, run) = {
                let state = state.borrow_and_update();
                let outcome = state.outcome.clone().unwrap_or_else(|| state.partial(running.limit));
                (outcome, state.outcome.is_some(), run.clone().or_else(|| state.run.clone()))
            };
            let worth = known || (outcome.has_text() && !outcome.is_failure());
            if worth && (ended || kept.as_ref() != Some(&outcome)) {
                // A run goes on at the service whatever happened to the connection, and can be fetched again.
                let over = ended && (run.is_none() || !outcome.is_failure());
                self.keep(id, &running.query, run.as_deref(), &outcome, over).await;
                kept = Some(outcome);
            }
            let told = tokio::time::timeout(KEPT, state.wait_for(|state| state.outcome.is_some())).await;
            // A task that ends without a word has nothing more to keep.
            if ended || matches!(told, Ok(Err(_))) {
                return self.forget(id, running);
            }
        }
    }

    /// Another question of this name may have taken its place.
    fn forget(&self, id: &str, running: &Arc<Running>) {
        let mut table = self.table();
        if table.get(id).is_some_and(|known| Arc::ptr_eq(known, running)) {
            table.remove(id);
        }
    }

    /// False where it cannot be kept, which must not cost the answer.
    pub(super) async fn keep(
        &self,
        id: &str,
        query: &str,
        run: Option<&str>,
        outcome: &Outcome,
        done: bool,
    ) -> bool {
        let result = serde_json::to_value(outcome).ok();
        let (id, query, run) = (id.to_owned(), query.to_owned(), run.map(str::to_owned));
        let Some(jobs) = self.database.clone().map(Jobs::new) else { return false };
        jobs.write(Job { id, query, run, result, done }).await.is_ok()
    }

    /// What the id stands for: a question on its way, an answer on disk, or a run at the service, which may have been
    /// started by another process.
    pub(super) async fn find(&self, id: &str) -> Result<Found, Failure> {
        if let Some(running) = self.table().get(id) {
            return Ok(Found::Running(Arc::clone(running)));
        }
        let job = match self.database.clone().map(Jobs::new) {
            Some(jobs) => jobs.read(id).await?,
            None => None,
        };
        let (run, known) = match job {
            None => (id.to_owned(), false),
            Some(Job { done: false, run: Some(run), .. }) => (run, true),
            Some(Job { done, result, .. }) => {
                let kept = result.and_then(|result| serde_json::from_value::<Outcome>(result).ok());
                let kept = kept.map(|outcome| if done { outcome } else { outcome.interrupted() });
                return kept.map(Found::Kept).ok_or_else(|| unknown(id));
            }
        };
        // Another call may have taken the same run up while the job was read.
        let mut table = self.table();
        if let Some(running) = table.get(id) {
            return Ok(Found::Running(Arc::clone(running)));
        }
        let task = Task::Resume(run.clone());
        let running = Arc::new(self.start(task, SOURCES));
        table.insert(id.to_owned(), Arc::clone(&running));
        self.follow(id.to_owned(), Some(run), known, Arc::clone(&running));
        Ok(Found::Running(running))
    }

    fn table(&self) -> MutexGuard<'_, HashMap<String, Arc<Running>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unknown(id: &str) -> Failure {
    Failure::usage(format!("There is nothing with the id {id:?}."), "start it with pplx_research_start")
}
