//! What is kept of an answer, once it is printed.

use crate::auth;
use crate::config::question::FollowUp;
use crate::domain::answer::{Answer, Thread};
use crate::domain::error::Error;
use crate::outcome::failure::Failure;
use crate::state::{Answered, Answers, Database};

/// What a follow-up on the answer to `query` needs; `None` where none is possible.
pub fn answered(answer: &Answer, query: &str) -> Option<Answered> {
    Some(Answered::new(answer.thread.clone()?, query, auth::now()))
}

/// Keeps it, if there is a place for it. Everything that the user should know of the database, failures too: they never
/// cost the answer.
pub async fn remember(answered: Option<Answered>, database: Option<&Database>) -> Vec<String> {
    let Some(database) = database else { return Vec::new() };
    let remembered = match answered {
        Some(answered) => Answers::new(database.clone()).remember(answered).await,
        None => Ok(()),
    };
    let failure = remembered.err().map(|error| error.to_string());
    database.take_warnings().into_iter().chain(failure).collect()
}

/// The thread that a follow-up goes on in.
pub async fn thread_of(follow_up: &FollowUp, database: Option<&Database>) -> Result<Option<Thread>, Failure> {
    let answers = || database.cloned().map(Answers::new).ok_or(Error::NoConfigDir);
    let (found, missing) = match follow_up {
        FollowUp::Nothing => return Ok(None),
        FollowUp::Last => (answers()?.last().await?, "There is no answer to follow up on.".to_owned()),
        FollowUp::Id(id) => {
            (answers()?.find(id).await?, format!("No answer with the id {id:?} was given here."))
        }
    };
    found.map(Some).ok_or_else(|| Failure::usage(missing, "ask without --continue and --thread"))
}
