//! What stands in the tables, and how a row is added within a transaction, whoever has opened it.

use rusqlite::{Connection, params};
use serde_json::Value;

use crate::domain::answer::Thread;
use crate::domain::models::Models;

/// How many answers are remembered.
pub(super) const ANSWERS_LIMIT: u32 = 200;
/// How much of a question is remembered, in characters: enough to recognise it.
const QUERY_LIMIT: usize = 200;

/// How many jobs are kept.
pub(super) const JOBS_LIMIT: u32 = 100;

/// How long a list is good, in milliseconds: models come and go within weeks.
const FRESH: i64 = 24 * 3600 * 1000;

/// An answer that can be followed up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// What a follow-up refers to.
    pub thread: Thread,
    /// The beginning of the question.
    pub query: String,
    /// When it was answered, in Unix milliseconds.
    pub at: i64,
}

impl Answered {
    /// The answer of `thread` to `query`.
    pub fn new(thread: Thread, query: &str, at: i64) -> Self {
        Self { thread, query: query.chars().take(QUERY_LIMIT).collect(), at }
    }
}

/// Within a transaction: an entry that is known already becomes the newest.
pub(super) fn insert_answer(connection: &Connection, answered: &Answered) -> rusqlite::Result<()> {
    let Answered { thread, query, at } = answered;
    connection.execute("DELETE FROM answers WHERE entry = ?", [&thread.id])?;
    connection.execute(
        "INSERT INTO answers (entry, context, token, query, answered) VALUES (?, ?, ?, ?, ?)",
        params![thread.id, thread.context, thread.token, query, at],
    )?;
    connection.execute(
        "DELETE FROM answers WHERE number <= (SELECT number FROM answers ORDER BY number DESC LIMIT 1 OFFSET ?)",
        [ANSWERS_LIMIT],
    )?;
    Ok(())
}

/// A question of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Its name.
    pub id: String,
    /// What was asked.
    pub query: String,
    /// The run of deep research at the service, by which it can be taken up again.
    pub run: Option<String>,
    /// What is known of the answer, in a form that the one who wrote it knows.
    pub result: Option<Value>,
    /// Nothing more will come.
    pub done: bool,
}

/// Within a transaction. `changed` says which are the oldest, in Unix microseconds.
pub(super) fn insert_job(connection: &Connection, job: &Job, changed: i64) -> rusqlite::Result<()> {
    let result = job.result.as_ref().map(Value::to_string);
    connection.execute(
        "INSERT OR REPLACE INTO jobs (id, query, run, result, done, changed) VALUES (?, ?, ?, ?, ?, ?)",
        params![job.id, job.query, job.run, result, job.done, changed],
    )?;
    connection.execute(
        "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs ORDER BY changed DESC LIMIT -1 OFFSET ?)",
        [JOBS_LIMIT],
    )?;
    Ok(())
}

/// A list, and when it was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModels {
    /// In Unix milliseconds.
    pub fetched: i64,
    /// The models.
    pub models: Models,
}

impl ListedModels {
    /// Whether the list is less than a day old.
    pub fn is_fresh(&self, now: i64) -> bool {
        (0..FRESH).contains(&(now - self.fetched))
    }
}

/// Within a transaction.
pub(super) fn replace_models(connection: &Connection, list: &ListedModels) -> rusqlite::Result<()> {
    let models = serde_json::to_string(&list.models).unwrap_or_default();
    connection.execute("DELETE FROM model_list", [])?;
    connection
        .execute("INSERT INTO model_list (models, fetched) VALUES (?, ?)", (models, list.fetched))
        .map(drop)
}

/// Within a transaction.
pub(super) fn insert_agent_account(
    connection: &Connection,
    account: i64,
    learnt: i64,
) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO agent_accounts (account, learnt) VALUES (?, ?)";
    connection.execute(sql, (account, learnt)).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_beginning_of_a_long_question_is_kept() {
        let long = Answered::new(Thread::default(), &"é".repeat(QUERY_LIMIT + 1), 1);
        assert_eq!(long.query.chars().count(), QUERY_LIMIT);
    }

    #[test]
    fn a_list_is_fresh_for_a_day() {
        let list = ListedModels { fetched: 1_000, models: Models::default() };
        assert_eq!(
            [1_000, FRESH, FRESH + 1_000, 0].map(|now| list.is_fresh(now)),
            [true, true, false, false]
        );
    }
}
