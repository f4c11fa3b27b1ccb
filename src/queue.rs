//! A queue that several processes share: one of them asks the service at a time, in the order in which they came.
//!
//! Each waiter has a file with a number for its name, and holds a lock on it; a file that nobody holds was left by a
//! process that is gone.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::env::Environment;
use crate::error::{Error, Result};
use crate::private;

/// How often a waiter looks whether it is its turn.
const LOOK: Duration = Duration::from_millis(50);

/// The folder of the tickets.
#[derive(Debug, Clone)]
pub struct Queue {
    folder: PathBuf,
}

/// A place in the queue, until dropped.
#[derive(Debug)]
pub struct Ticket {
    number: u64,
    path: PathBuf,
    /// The lock on it.
    _held: File,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        // One that stays is noticed by the next who looks, because nobody holds it.
        let _ = fs::remove_file(&self.path);
    }
}

impl Queue {
    /// The queue in the user's state folder.
    pub fn of(env: &Environment) -> Result<Self> {
        Ok(Self { folder: env.state_dir()?.join("queue") })
    }

    /// Waits for its turn, which lasts until the ticket is dropped. `tell` is told how many are before it, whenever
    /// that changes.
    pub async fn wait(&self, mut tell: impl FnMut(usize)) -> Result<Ticket> {
        let ticket = self.enter().map_err(|source| self.error(source))?;
        let mut told = 0;
        loop {
            let before = self.before(&ticket).map_err(|source| self.error(source))?;
            if before == 0 {
                return Ok(ticket);
            }
            if before != told {
                tell(before);
                told = before;
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    fn enter(&self) -> io::Result<Ticket> {
        private::create_private_dir(&self.folder)?;
        // Held, so that nobody sees a ticket before its owner holds it.
        let _lock = private::lock(&self.folder)?;
        let number = self.tickets()?.last().map_or(1, |(last, _)| last + 1);
        let path = self.folder.join(format!("{number}.ticket"));
        let file = private::open_private(&path)?;
        file.lock()?;
        Ok(Ticket { number, path, _held: file })
    }

    /// How many are before this one. Removes what was left behind.
    fn before(&self, ticket: &Ticket) -> io::Result<usize> {
        let _lock = private::lock(&self.folder)?;
        let mut before = 0;
        for (_, path) in self.tickets()?.iter().filter(|(number, _)| *number < ticket.number) {
            if is_held(path)? {
                before += 1;
            } else {
                let _ = fs::remove_file(path);
            }
        }
        Ok(before)
    }

    /// All tickets by their numbers.
    fn tickets(&self) -> io::Result<Vec<(u64, PathBuf)>> {
        let mut tickets = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let number =
                path.file_name().and_then(|name| name.to_str()?.strip_suffix(".ticket")?.parse().ok());
            tickets.extend(number.map(|number| (number, path)));
        }
        tickets.sort_unstable();
        Ok(tickets)
    }

    fn error(&self, source: io::Error) -> Error {
        Error::File { action: "use the queue in", path: self.folder.clone(), source }
    }
}

fn is_held(path: &Path) -> io::Result<bool> {
    match File::open(path) {
        Ok(file) => match file.try_lock() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn turns_come_in_order_and_a_dead_waiter_holds_up_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let queue = Queue { folder: folder.path().join("queue") };
        let first = queue.wait(|_| panic!("nobody is before it")).await.unwrap();
        let dead = queue.enter().unwrap();
        let mut told = Vec::new();
        {
            let mut second = std::pin::pin!(queue.wait(|before| told.push(before)));
            let waited = tokio::time::timeout(Duration::from_secs(1), &mut second).await;
            assert!(waited.is_err());
            // As if its process had ended: the file stays, the lock does not.
            fs::hard_link(&dead.path, folder.path().join("kept")).unwrap();
            let path = dead.path.clone();
            drop(dead);
            fs::rename(folder.path().join("kept"), &path).unwrap();
            drop(first);
            let ticket = second.await.unwrap();
            assert!(!path.exists() && ticket.path.exists());
        }
        assert_eq!(told, [2]);
        assert_eq!(fs::read_dir(&queue.folder).unwrap().count(), 0);
    }
}
