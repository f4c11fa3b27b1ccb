//! Tells a waiting client what is being done. Clients give up on a server that is silent for long.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use tokio::time::Instant;

/// The longest time between two notifications.
const INTERVAL: Duration = Duration::from_secs(4);

/// Sends notifications of progress, if the client asked for them.
pub(super) struct ProgressReporter<'a> {
    request: &'a RequestContext<RoleServer>,
    /// How many were sent: progress has to increase with each.
    count: u32,
    last: Option<(Instant, String)>,
}

impl<'a> ProgressReporter<'a> {
    pub(super) fn new(request: &'a RequestContext<RoleServer>) -> Self {
        Self { request, count: 0, last: None }
    }

    /// When a notification has to follow even if nothing has changed.
    pub(super) fn next_due(&self) -> Instant {
        self.last.as_ref().map_or_else(Instant::now, |(at, _)| *at + INTERVAL)
    }

    /// Sends the message if it is new or due.
    pub(super) async fn report(&mut self, message: &str) {
        let is_known = self.last.as_ref().is_some_and(|(_, last)| last == message);
        if is_known && Instant::now() < self.next_due() {
            return;
        }
        self.last = Some((Instant::now(), message.to_owned()));
        self.count += 1;
        let Some(token) = self.request.meta.get_progress_token() else { return };
        let mut progress = ProgressNotificationParam::new(token, f64::from(self.count));
        progress.message = Some(message.to_owned()).filter(|message| !message.is_empty());
        // A client that has gone is noticed elsewhere.
        let _ = self.request.peer.notify_progress(progress).await;
    }
}
