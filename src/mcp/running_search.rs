//! A question being answered: a task of its own asks it, and the calls that wait for the answer watch its state.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::tool_result::ToolResult;
use crate::config::question::Question;
use crate::domain::answer::{Answer, SearchEvent, Source};
use crate::domain::error::{Cut, Error};
use crate::outcome::failure::Failure;
use crate::outcome::remember;
use crate::provider::{Reception, Search, Subscription};
use crate::render::step;
use crate::state::Database;
use crate::state::env::Environment;
use crate::state::queue::{Queue, Ticket};

/// What to do.
#[derive(Debug)]
pub(super) enum Task {
    Ask(Box<Question>),
    /// Fetch the deep research that the service has begun under this id.
    Resume(String),
}

/// How far it has come.
#[derive(Debug, Default)]
pub(super) struct SearchState {
    /// What is being done, in words.
    pub(super) message: String,
    text: String,
    sources: Vec<Source>,
    /// The id of the deep research, once the service has begun it.
    pub(super) run: Option<String>,
    /// Whether the question has a place in the queue, or needs none.
    pub(super) has_place: bool,
    /// There at the end.
    pub(super) result: Option<ToolResult>,
}

impl SearchState {
    /// What has arrived of the answer.
    pub(super) fn partial(&self, limit: usize) -> ToolResult {
        let answer = Answer {
            text: self.text.clone(),
            sources: self.sources.clone(),
            complete: false,
            ..Answer::default()
        };
        ToolResult::from_answer(&answer, limit)
    }

    fn apply(&mut self, event: SearchEvent) {
        match event {
            SearchEvent::Step(step) => self.message = step::phrase(&step),
            SearchEvent::Run(run) => self.run = Some(run),
            SearchEvent::Sources(sources) => self.sources = sources,
            SearchEvent::Text(change) => {
                change.apply(&mut self.text);
                "Writing".clone_into(&mut self.message);
            }
            SearchEvent::Warning(_) | SearchEvent::Done(_) => {}
        }
    }
}

/// Stops when it is dropped.
#[derive(Debug)]
pub(super) struct RunningSearch {
    /// Empty for research that is only fetched.
    pub(super) query: String,
    /// How many sources its result lists.
    pub(super) limit: usize,
    pub(super) state: watch::Receiver<SearchState>,
    task: JoinHandle<()>,
}

impl Drop for RunningSearch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl RunningSearch {
    pub(super) fn start(
        env: Environment,
        database: Option<Database>,
        task: Task,
        reception: Reception,
        limit: usize,
    ) -> Self {
        let (query, has_place) = match &task {
            Task::Ask(question) => (question.request.query.clone(), false),
            Task::Resume(_) => (String::new(), true),
        };
        let message = "Asking".to_owned();
        let (sender, state) = watch::channel(SearchState { message, has_place, ..SearchState::default() });
        let task = tokio::spawn(async move {
            let result = match answer(&env, &task, &reception, &sender).await {
                Ok(answer) => {
                    remember(&task, &answer, database);
                    ToolResult::from_answer(&answer, limit)
                }
                Err(SearchFailure { error, received }) => {
                    ToolResult::from_failure(&Failure::from(error), received.as_ref())
                }
            };
            sender.send_modify(|state| state.result = Some(result));
        });
        Self { query, limit, state, task }
    }
}

/// Why there is no complete answer, and what had arrived of it.
struct SearchFailure {
    error: Error,
    received: Option<Answer>,
}

impl From<Error> for SearchFailure {
    fn from(error: Error) -> Self {
        Self { error, received: None }
    }
}

async fn answer(
    env: &Environment,
    task: &Task,
    reception: &Reception,
    state: &watch::Sender<SearchState>,
) -> Result<Answer, SearchFailure> {
    let (search, ticket) = match task {
        Task::Ask(question) => {
            let ticket = wait_for_turn(env, state).await?;
            state.send_modify(|state| {
                state.has_place = true;
                "Asking".clone_into(&mut state.message);
            });
            (question.provider.search(env, &question.request, reception).await?, ticket)
        }
        Task::Resume(run) => {
            (Search::Subscription(Subscription::for_user(env)?.resume(run, reception).await?), None)
        }
    };
    let answer = receive(search, ticket, state).await?;
    if answer.text.is_empty() && answer.sources.is_empty() {
        return Err(Error::NoResults.into());
    }
    Ok(answer)
}

/// Waits until it is this question's turn: one is asked at a time, whichever process asks. Where there is no folder for
/// the queue, nobody waits. A queue that another process keeps locked is an error: a question may be on its way.
async fn wait_for_turn(
    env: &Environment,
    state: &watch::Sender<SearchState>,
) -> crate::Result<Option<Arc<Ticket>>> {
    let Ok(queue) = Queue::for_user(env) else { return Ok(None) };
    let ticket = match queue.enter().await {
        Ok(ticket) => ticket,
        Err(busy @ Error::Busy { .. }) => return Err(busy),
        Err(_) => return Ok(None),
    };
    state.send_modify(|state| state.has_place = true);
    let report_place = |before: usize| {
        let questions = if before == 1 { "1 question" } else { &format!("{before} questions") };
        state.send_modify(|state| state.message = format!("Waiting for {questions} before this one"));
    };
    queue.turn(&ticket, report_place).await.map(|()| Some(ticket))
}

/// Reads the answer to its end. `ticket` is the place in the queue.
async fn receive(
    mut search: Search,
    mut ticket: Option<Arc<Ticket>>,
    state: &watch::Sender<SearchState>,
) -> Result<Answer, SearchFailure> {
    let error = loop {
        match search.next().await {
            Ok(Some(SearchEvent::Done(answer))) => return Ok(*answer),
            Ok(Some(event)) => {
                if matches!(event, SearchEvent::Run(_)) {
                    // The service goes on with research by itself; the next question need not wait for it.
                    drop(ticket.take());
                }
                state.send_modify(|state| state.apply(event));
            }
            Ok(None) => break Error::Incomplete(Cut::EndOfBody),
            Err(error) => break error,
        }
    };
    Err(SearchFailure { error, received: search.received() })
}

/// Keeps what a follow-up on the answer needs. The answer neither waits for it nor fails with it.
fn remember(task: &Task, answer: &Answer, database: Option<Database>) {
    let Task::Ask(question) = task else { return };
    let answered = remember::answered(answer, &question.request.query);
    tokio::spawn(async move { remember::remember(answered, database.as_ref()).await });
}
