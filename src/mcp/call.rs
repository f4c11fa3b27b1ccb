//! A question on its way: asked in a task of its own, and watched by the calls that wait for it.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::outcome::Outcome;
use crate::auth;
use crate::config::question::Question;
use crate::domain::answer::{Answer, SearchEvent, Source};
use crate::domain::error::{Cut, Error};
use crate::outcome::failure::Failure;
use crate::provider::{Reception, Search, Subscription};
use crate::render::step;
use crate::state::env::Environment;
use crate::state::queue::{Queue, Ticket};
use crate::state::{Answered, Answers, Database};

/// What is asked, or taken up again.
#[derive(Debug)]
pub(super) enum Task {
    Ask(Box<Question>),
    /// A run of deep research.
    Resume(String),
}

/// How far it has come.
#[derive(Debug, Default)]
pub(super) struct State {
    /// What is being done, in words.
    pub(super) message: String,
    text: String,
    sources: Vec<Source>,
    /// The id of a run of deep research, once it has begun.
    pub(super) run: Option<String>,
    /// The question has a place in the queue, or needs none.
    pub(super) has_place: bool,
    /// The end.
    pub(super) outcome: Option<Outcome>,
}

impl State {
    /// What has come of the answer.
    pub(super) fn partial(&self, limit: usize) -> Outcome {
        let answer = Answer {
            text: self.text.clone(),
            sources: self.sources.clone(),
            complete: false,
            ..Answer::default()
        };
        Outcome::of(&answer, limit)
    }
}

/// A task that runs until it is dropped.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) query: String,
    /// How many sources its answer lists.
    pub(super) limit: usize,
    pub(super) state: watch::Receiver<State>,
    task: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Running {
    pub(super) fn start(
        env: Environment,
        database: Option<Database>,
        task: Task,
        reception: Reception,
        limit: usize,
    ) -> Self {
        let query = match &task {
            Task::Ask(question) => question.request.query.clone(),
            Task::Resume(_) => String::new(),
        };
        let (sender, state) = watch::channel(State { message: "Asking".to_owned(), ..State::default() });
        let task = tokio::spawn(async move {
            let outcome = match answer(&env, database.as_ref(), task, &reception, &sender).await {
                Ok(answer) => Outcome::of(&answer, limit),
                Err((failure, received)) => failed(&failure, received.as_deref()),
            };
            sender.send_modify(|state| state.outcome = Some(outcome));
        });
        Self { query, limit, state, task }
    }
}

type Failed = (Failure, Option<Box<Answer>>);

async fn answer(
    env: &Environment,
    database: Option<&Database>,
    task: Task,
    reception: &Reception,
    state: &watch::Sender<State>,
) -> Result<Box<Answer>, Failed> {
    let without = |error: Error| (Failure::from(error), None);
    let (mut search, mut turn, query) = match &task {
        Task::Resume(run) => {
            let subscription = Subscription::for_user(env).map_err(without)?;
            let search = subscription.resume(run, reception).await.map_err(without)?;
            (Search::Subscription(search), None, None)
        }
        Task::Ask(question) => {
            let turn = wait_for_turn(env, state).await.map_err(without)?;
            state.send_modify(|state| {
                state.has_place = true;
                "Asking".clone_into(&mut state.message);
            });
            let request = &question.request;
            let search = question.provider.search(env, request, reception).await.map_err(without)?;
            (search, turn, Some(&request.query))
        }
    };
    loop {
        match search.next().await {
            Ok(Some(SearchEvent::Done(answer))) => {
                return done(answer, query.map(String::as_str), database);
            }
            Ok(Some(event)) => {
                if matches!(event, SearchEvent::Run(_)) {
                    // Research goes on at the service by itself; others need not wait for it.
                    turn = None;
                }
                state.send_modify(|state| note(state, event));
            }
            Ok(None) => {
                return Err((Error::Incomplete(Cut::EndOfBody).into(), search.received().map(Box::new)));
            }
            Err(error) => {
                drop(turn);
                return Err((error.into(), search.received().map(Box::new)));
            }
        }
    }
}

/// One question at a time, whichever process asks. Where there is no folder for the queue, nobody waits; where another
/// process keeps it locked, there is no telling who is asking, so nothing is asked.
async fn wait_for_turn(
    env: &Environment,
    state: &watch::Sender<State>,
) -> crate::Result<Option<Arc<Ticket>>> {
    let Ok(queue) = Queue::of(env) else { return Ok(None) };
    let told = |before: usize| {
        let questions = if before == 1 { "1 question" } else { &format!("{before} questions") };
        state.send_modify(|state| state.message = format!("Waiting for {questions} before this one"));
    };
    let ticket = match queue.enter().await {
        Ok(ticket) => ticket,
        Err(busy @ Error::Busy { .. }) => return Err(busy),
        Err(_) => return Ok(None),
    };
    state.send_modify(|state| state.has_place = true);
    queue.turn(&ticket, told).await.map(|()| Some(ticket))
}

fn note(state: &mut State, event: SearchEvent) {
    match event {
        SearchEvent::Step(step) => state.message = step::phrase(&step),
        SearchEvent::Run(run) => state.run = Some(run),
        SearchEvent::Sources(sources) => state.sources = sources,
        SearchEvent::Text(change) => {
            change.apply(&mut state.text);
            "Writing".clone_into(&mut state.message);
        }
        SearchEvent::Warning(_) | SearchEvent::Done(_) => {}
    }
}

fn done(
    answer: Box<Answer>,
    query: Option<&str>,
    database: Option<&Database>,
) -> Result<Box<Answer>, Failed> {
    if answer.text.is_empty() && answer.sources.is_empty() {
        return Err((Error::NoResults.into(), None));
    }
    if let (Some(query), Some(thread), Some(database)) = (query, answer.thread.clone(), database) {
        let (answered, answers) = (Answered::new(thread, query, auth::now()), Answers::new(database.clone()));
        // The answer does not wait for it, and matters more than whether it can be followed up on.
        tokio::spawn(async move { answers.remember(answered).await });
    }
    Ok(answer)
}

fn failed(failure: &Failure, received: Option<&Answer>) -> Outcome {
    let received = received.filter(|answer| !answer.text.trim().is_empty());
    // Nothing here is written to a pipe that could be closed.
    failure
        .problem()
        .map_or_else(|| State::default().partial(0), |problem| Outcome::failed(&problem, received))
}
