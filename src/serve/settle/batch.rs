//! Reading what has arrived already, so that it can be sent together.

use std::task::Poll;

use tokio::sync::Semaphore;

use crate::provider::subscription::Search;

/// After how many reads the system is asked whether something has come for others.
const ASK_SYSTEM: usize = 16;
/// How many reads are sent together at most.
const TOGETHER: usize = 256;

/// Reads into `search` what has arrived, and waits for nothing more. Of all answers, one at a time may: what many have
/// not read yet waits in the system's memory, not in ours.
pub(super) async fn absorb_arrived(search: &mut Search, turns: &Semaphore) {
    let _turn = turns.acquire().await;
    let mut reads = 0;
    pass().await;
    while reads < TOGETHER && search.absorb() {
        reads += 1;
        if reads % ASK_SYSTEM == 0 { tokio::task::yield_now().await } else { pass().await }
    }
}

/// Lets the other tasks have a turn: the one that reads the connection may have more. A yield of the runtime's own
/// would ask the system, too, which costs more than all of this.
async fn pass() {
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
