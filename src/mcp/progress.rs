//! What a waiting client hears.

use std::time::Duration;

use rmcp::model::ProgressNotificationParam;
use tokio::time::Instant;

use super::server::Context;

/// How often at least a waiting client hears something.
const PROGRESS: Duration = Duration::from_secs(4);
/// What a client hears that asked to hear of progress.
pub(super) struct Progress<'a> {
    context: &'a Context,
    told: u32,
    last: Option<(Instant, String)>,
}

impl<'a> Progress<'a> {
    pub(super) fn new(context: &'a Context) -> Self {
        Self { context, told: 0, last: None }
    }

    /// When it must hear something again.
    pub(super) fn next(&self) -> Instant {
        self.last.as_ref().map_or_else(Instant::now, |(at, _)| *at) + PROGRESS
    }

    /// Tells what changed, or that nothing has for too long.
    pub(super) async fn tell(&mut self, message: &str) {
        let due = Instant::now() >= self.next();
        if self.last.as_ref().is_some_and(|(_, last)| last == message) && !due {
            return;
        }
        self.last = Some((Instant::now(), message.to_owned()));
        self.told += 1;
        let Some(token) = self.context.meta.get_progress_token() else { return };
        let mut progress = ProgressNotificationParam::new(token, f64::from(self.told));
        progress.message = Some(message.to_owned()).filter(|message| !message.is_empty());
        // A client that is gone is noticed elsewhere.
        let _ = self.context.peer.notify_progress(progress).await;
    }
}
