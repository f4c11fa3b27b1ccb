//! The threads of conversations that were answered here, so that the next question of one goes on in its thread
//! instead of sending everything again. A conversation is recognised by its exact words. Nothing is written to the disk.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::domain::answer::Thread;
use crate::serve::conversation::turns::{Conversation, FileReference, Role, Turn};

/// How many threads are kept; the oldest goes first.
const MAX_THREADS: usize = 1000;
/// How long one is kept.
const MAX_AGE: Duration = Duration::from_secs(24 * 3600);

/// A conversation, as two hashes with secret keys: no other conversation has the same.
type Key = (u64, u64);

#[derive(Debug, Default)]
pub(crate) struct Threads {
    hashers: (RandomState, RandomState),
    table: Mutex<ThreadTable>,
}

#[derive(Debug, Default)]
struct ThreadTable {
    threads: HashMap<Key, (Thread, Instant)>,
    order: VecDeque<Key>,
}

impl Threads {
    /// Takes out the thread in which the last question of `conversation` can be asked. Another question after the same
    /// words belongs to another conversation, or replaces this one.
    pub(crate) fn take(&self, conversation: &Conversation) -> Option<Thread> {
        let (before, _) = conversation.split_question();
        if before.last()?.role != Role::Assistant {
            return None;
        }
        let key = self.key(&conversation.system, before, conversation.split_files().0);
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let (thread, since) = table.threads.remove(&key)?;
        table.order.retain(|other| *other != key);
        (since.elapsed() < MAX_AGE).then_some(thread)
    }

    /// Remembers where `conversation` was answered with `text`.
    pub(crate) fn remember(&self, conversation: &Conversation, text: &str, thread: Thread) {
        let mut turns = conversation.turns.clone();
        turns.push(Turn { role: Role::Assistant, text: text.to_owned() });
        let key = self.key(&conversation.system, &turns, &conversation.files);
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if table.threads.insert(key, (thread, Instant::now())).is_none() {
            table.order.push_back(key);
        }
        while table.order.len() > MAX_THREADS {
            if let Some(oldest) = table.order.pop_front() {
                table.threads.remove(&oldest);
            }
        }
    }

    fn key(&self, system: &[String], turns: &[Turn], files: &[FileReference]) -> Key {
        let turns: Vec<(Role, &str)> = turns.iter().map(|turn| (turn.role, turn.text.trim())).collect();
        let conversation = (system, turns, files);
        (self.hashers.0.hash_one(&conversation), self.hashers.1.hash_one(&conversation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation(system: &str, turns: &[(Role, &str)]) -> Conversation {
        let turns = turns.iter().map(|(role, text)| Turn { role: *role, text: (*text).to_owned() }).collect();
        Conversation::continued(vec![system.to_owned()], turns, Vec::new())
    }

    fn thread(id: &str) -> Thread {
        Thread { id: id.to_owned(), ..Thread::default() }
    }

    #[test]
    fn only_the_same_conversation_goes_on() {
        let threads = Threads::default();
        threads.remember(&conversation("s", &[(Role::User, "a")]), "b", thread("1"));
        let next = |system, answer| {
            conversation(system, &[(Role::User, "a"), (Role::Assistant, answer), (Role::User, "c")])
        };
        let first = threads.take(&next("s", "b\n"));
        assert_eq!(first.map(|thread| thread.id).as_deref(), Some("1"));
        assert_eq!(threads.take(&next("s", "b")), None, "a thread goes on once");
        threads.remember(&conversation("s", &[(Role::User, "a")]), "b", thread("1"));
        assert_eq!(threads.take(&next("other", "b")), None);
        assert_eq!(threads.take(&next("s", "other")), None);
        assert_eq!(threads.take(&conversation("s", &[(Role::User, "a")])), None);
        let split = conversation("s", &[(Role::User, "a"), (Role::User, "b"), (Role::User, "c")]);
        assert_eq!(threads.take(&split), None);
    }

    #[test]
    fn the_oldest_is_forgotten() {
        let threads = Threads::default();
        for number in 0..=MAX_THREADS {
            threads.remember(&conversation("", &[(Role::User, &number.to_string())]), "x", thread("t"));
        }
        let next = |number: usize| {
            let question = number.to_string();
            conversation("", &[(Role::User, &question), (Role::Assistant, "x"), (Role::User, "y")])
        };
        assert!(threads.take(&next(0)).is_none() && threads.take(&next(1)).is_some());
    }
}
