//! What ends a run from outside.

use std::pin::Pin;
use std::time::Duration;

use tokio::time::{Interval, Sleep};

use crate::terminal::io::stdout_is_closed;
use crate::terminal::signals::{Signal, Signals};

/// How often it is checked whether standard output still has a reader.
const PIPE_CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// What ends a run from outside: a deadline, a signal, or a reader that leaves.
#[derive(Debug)]
pub(super) struct Stop<'a> {
    timeout: Duration,
    deadline: Option<Pin<Box<Sleep>>>,
    signals: &'a mut Signals,
    /// Set where standard output may be a pipe.
    pipe_check: Option<Interval>,
}

#[derive(Debug)]
pub(super) enum Stopped {
    Deadline(Duration),
    Signal(Signal),
    ClosedPipe,
}

impl<'a> Stop<'a> {
    /// The time runs from here on. `may_be_piped`: standard output is not a terminal or a file of ours.
    pub(super) fn new(timeout: Option<Duration>, may_be_piped: bool, signals: &'a mut Signals) -> Self {
        Self {
            timeout: timeout.unwrap_or_default(),
            deadline: timeout.map(|timeout| Box::pin(tokio::time::sleep(timeout))),
            signals,
            pipe_check: may_be_piped.then(|| tokio::time::interval(PIPE_CHECK_INTERVAL)),
        }
    }

    /// The result of `work`, unless it is stopped first.
    pub(super) async fn unless<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Stopped> {
        let deadline = async {
            match &mut self.deadline {
                Some(deadline) => deadline.as_mut().await,
                None => std::future::pending().await,
            }
        };
        let pipe_closed = async {
            match &mut self.pipe_check {
                Some(pipe_check) => loop {
                    pipe_check.tick().await;
                    if stdout_is_closed() {
                        return;
                    }
                },
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            result = work => Ok(result),
            signal = self.signals.next() => Err(Stopped::Signal(signal)),
            () = deadline => Err(Stopped::Deadline(self.timeout)),
            () = pipe_closed => Err(Stopped::ClosedPipe),
        }
    }
}
