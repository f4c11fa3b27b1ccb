//! A queue that several processes share: one of them asks the service at a time, in the order in which they came.
//!
//! Each waiter has a file with a number for its name, and holds a lock on it; a file that nobody holds was left by a
//! process that is gone.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::env::Environment;
use super::off_thread::off_thread;
use super::private;
use crate::domain::error::{Error, Result};

/// How often a waiter checks whether its turn has come.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

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
    /// Its lock is the place.
    _held: File,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        // A file that stays is removed by the next waiter, who finds it unlocked.
        let _ = fs::remove_file(&self.path);
    }
}

impl Queue {
    /// The queue in the user's state folder.
    pub fn for_user(env: &Environment) -> Result<Self> {
        Ok(Self { folder: env.state_dir()?.join("queue") })
    }

    /// Takes a place at the end, until the ticket is dropped. [`Error::Busy`] where another process keeps the folder
    /// locked.
    pub async fn enter(&self) -> Result<Arc<Ticket>> {
        self.off_thread(Self::new_ticket).await.map(Arc::new)
    }

    /// Waits for the turn of a ticket. `report` gets the number of questions before it, whenever that changes.
    pub async fn turn(&self, ticket: &Arc<Ticket>, mut report: impl FnMut(usize)) -> Result<()> {
        let mut reported = 0;
        loop {
            let waiting = Arc::clone(ticket);
            let before = self.off_thread(move |queue| queue.before(&waiting)).await?;
            if before == 0 {
                return Ok(());
            }
            if before != reported {
                report(before);
                reported = before;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    async fn off_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> io::Result<T> + Send + 'static,
    ) -> Result<T> {
        let queue = self.clone();
        off_thread(&self.folder, move || work(&queue).map_err(|source| queue.error(source))).await
    }

    fn new_ticket(&self) -> io::Result<Ticket> {
        private::create_private_dir(&self.folder)?;
        // The folder stays locked until the ticket is, so that nobody takes it for one that was left behind.
        let _lock = private::lock(&self.folder)?;
        let number = self.tickets()?.last().map_or(1, |(last, _)| last + 1);
        let path = self.folder.join(format!("{number}.ticket"));
        let file = private::open_private(&path)?;
        file.try_lock()?;
        Ok(Ticket { number, path, _held: file })
    }

    /// How many tickets come before this one. Removes those whose process is gone.
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
        Error::file("use the queue in", &self.folder, source)
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

    #[tokio::test]
    async fn turns_come_in_order_and_a_dead_waiter_holds_up_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let queue = Queue { folder: folder.path().join("queue") };
        let first = queue.enter().await.unwrap();
        queue.turn(&first, |_| panic!("nobody is before it")).await.unwrap();
        let dead = queue.new_ticket().unwrap();
        let mut reported = Vec::new();
        {
            let ticket = queue.enter().await.unwrap();
            let mut second = std::pin::pin!(queue.turn(&ticket, |before| reported.push(before)));
            let waited = tokio::time::timeout(POLL_INTERVAL * 3, &mut second).await;
            assert!(waited.is_err());
            // As if its process had ended: the file stays, the lock does not.
            fs::hard_link(&dead.path, folder.path().join("kept")).unwrap();
            let path = dead.path.clone();
            drop(dead);
            fs::rename(folder.path().join("kept"), &path).unwrap();
            drop(first);
            second.await.unwrap();
            assert!(!path.exists() && ticket.path.exists());
        }
        assert_eq!(reported.first(), Some(&2));
        assert_eq!(fs::read_dir(&queue.folder).unwrap().count(), 0);
    }
}
