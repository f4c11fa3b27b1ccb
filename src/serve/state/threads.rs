//! The threads of conversations that were answered here, so that the next question of one goes on in its thread
//! instead of telling everything again. They are known by what was said, word for word, and never written down.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::domain::answer::Thread;
use crate::serve::conversation::turns::{Attached, Conversation, Role, Turn};

/// How many conversations are known; the oldest goes first.
const MOST: usize = 1000;
/// How long one is known.
const KEPT: Duration = Duration::from_secs(24 * 3600);

/// What was said, in two hashes whose keys nobody knows: no other conversation has the same.
type Key = (u64, u64);

#[derive(Debug, Default)]
pub(crate) struct Threads {
    hashers: (RandomState, RandomState),
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    threads: HashMap<Key, (Thread, Instant)>,
    order: VecDeque<Key>,
}

impl Threads {
    /// The thread in which the last question of `conversation` can be asked. It is given once: another question after
    /// the same words is of another conversation, or takes the place of the first.
    pub(crate) fn take(&self, conversation: &Conversation) -> Option<Thread> {
        let (before, _) = conversation.split();
        if before.last()?.role != Role::Assistant {
            return None;
        }
        let key = self.key(&conversation.system, before, conversation.split_files().0);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (thread, since) = known.threads.remove(&key)?;
        known.order.retain(|other| *other != key);
        (since.elapsed() < KEPT).then_some(thread)
    }

    /// Remembers where `conversation` was answered with `text`.
    pub(crate) fn remember(&self, conversation: &Conversation, text: &str, thread: Thread) {
        let mut said = conversation.turns.clone();
        said.push(Turn { role: Role::Assistant, text: text.to_owned() });
        let key = self.key(&conversation.system, &said, &conversation.files);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.threads.insert(key, (thread, Instant::now())).is_none() {
            known.order.push_back(key);
        }
        while known.order.len() > MOST {
            if let Some(oldest) = known.order.pop_front() {
                known.threads.remove(&oldest);
            }
        }
    }

    fn key(&self, system: &[String], turns: &[Turn], files: &[Attached]) -> Key {
        let turns: Vec<(Role, &str)> = turns.iter().map(|turn| (turn.role, turn.text.trim())).collect();
        let said = (system, turns, files);
        (self.hashers.0.hash_one(&said), self.hashers.1.hash_one(&said))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation(system: &str, turns: &[(Role, &str)]) -> Conversation {
        let turns = turns.iter().map(|(role, text)| Turn { role: *role, text: (*text).to_owned() }).collect();
        Conversation::after(vec![system.to_owned()], turns, Vec::new())
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
        for number in 0..=MOST {
            threads.remember(&conversation("", &[(Role::User, &number.to_string())]), "x", thread("t"));
        }
        let next = |number: usize| {
            let question = number.to_string();
            conversation("", &[(Role::User, &question), (Role::Assistant, "x"), (Role::User, "y")])
        };
        assert!(threads.take(&next(0)).is_none() && threads.take(&next(1)).is_some());
    }
}
