//! Work that no request waits for: answers in the background, and notes of how an answer ended. The server ends after it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio_util::task::TaskTracker;

/// All of it that is under way.
#[derive(Debug, Default)]
pub(crate) struct Background {
    tasks: TaskTracker,
    /// The tasks that answer responses, by the ids of these.
    answers: Mutex<HashMap<String, AbortHandle>>,
}

impl Background {
    /// Starts the work that answers the response `id`.
    pub(crate) fn answer(&self, id: &str, work: impl Future<Output = ()> + Send + 'static) {
        let mut answers = self.answers();
        answers.retain(|_, task| !task.is_finished());
        answers.insert(id.to_owned(), self.tasks.spawn(work).abort_handle());
    }

    /// Stops the work that answers the response `id`; false where there is none.
    pub(crate) fn stop(&self, id: &str) -> bool {
        let task = self.answers().remove(id).filter(|task| !task.is_finished());
        task.inspect(AbortHandle::abort).is_some()
    }

    /// Starts work that belongs to no response. At the end of the process, when nothing can start any more, it is
    /// dropped.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        if let Ok(runtime) = Handle::try_current() {
            self.tasks.spawn_on(work, &runtime);
        }
    }

    /// Waits until everything has ended.
    pub(crate) async fn wait(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn answers(&self) -> MutexGuard<'_, HashMap<String, AbortHandle>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::sync::oneshot;
    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn the_end_waits_for_all_work() {
        let background = Arc::new(Background::default());
        let (finish, finished) = oneshot::channel::<()>();
        background.answer("resp_1", async move { drop(finished.await) });
        let waiting = Arc::clone(&background);
        let mut end = tokio::spawn(async move { waiting.wait().await });
        assert!(timeout(Duration::from_millis(20), &mut end).await.is_err());
        finish.send(()).unwrap();
        timeout(Duration::from_secs(5), end).await.unwrap().unwrap();
        assert!(!background.stop("resp_1"), "it has ended");
    }

    #[tokio::test]
    async fn an_answer_that_is_stopped_is_not_waited_for() {
        let background = Background::default();
        background.answer("resp_1", std::future::pending());
        assert!(!background.stop("resp_2"));
        assert!(background.stop("resp_1") && !background.stop("resp_1"));
        timeout(Duration::from_secs(5), background.wait()).await.unwrap();
    }
}
