//! Reading what has arrived already, so that it can be sent together.

use std::task::Poll;

use tokio::sync::Semaphore;

use crate::provider::subscription::Search;

/// After how many reads the runtime also asks the system what has arrived for others.
const READS_BETWEEN_POLLS: usize = 16;
/// How many reads are sent together at most.
const MAX_READS: usize = 256;

/// Reads into `search` what has arrived, without waiting for more. Only one answer at a time does so: what the others
/// have not read yet waits in the system's memory, not in ours.
pub(super) async fn absorb_arrived(search: &mut Search, read_ahead: &Semaphore) {
    let _permit = read_ahead.acquire().await;
    let mut reads = 0;
    yield_to_tasks().await;
    while reads < MAX_READS && search.read_available() {
        reads += 1;
        if reads % READS_BETWEEN_POLLS == 0 { tokio::task::yield_now().await } else { yield_to_tasks().await }
    }
}

/// Lets the other tasks run: the one that reads the connection may bring more. The runtime's own yield would ask the
/// system as well, which costs more than all of this.
async fn yield_to_tasks() {
    let mut passed = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut passed, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
