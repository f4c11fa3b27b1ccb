//! Work that may wait for a lock or a disk: never on the async thread, and never without a limit.

use std::io;
use std::path::Path;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::domain::error::{Error, Result};

/// How long a file of ours may keep a run waiting.
pub(crate) const LIMIT: Duration = Duration::from_secs(2);

/// The result of `work` on the file or folder at `path`, which an error names. Work that takes longer than two seconds
/// goes on without anybody waiting for it, and what it holds is released at its end.
pub async fn off_thread<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    within(LIMIT, path, work).await
}

/// The same with another limit.
pub(crate) async fn within<T: Send + 'static>(
    limit: Duration,
    path: &Path,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    match timeout(limit, spawn_blocking(work)).await {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => Err(Error::file("use", path, io::Error::other(panic))),
        Err(_) => Err(Error::Busy { path: path.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_that_hangs_is_given_up() {
        let path = Path::new("/state");
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let hanging = within(Duration::from_millis(20), path, move || Ok(receiver.recv().is_ok())).await;
        assert!(matches!(hanging, Err(Error::Busy { path: named }) if named == path));
        drop(sender);
        assert_eq!(off_thread(path, || Ok(1)).await.unwrap(), 1);
    }
}
