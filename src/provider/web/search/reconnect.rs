//! Reconnecting to a run of deep research when the connection breaks.

use super::Search;
use crate::domain::answer::SearchEvent;
use crate::domain::error::{Cut, Error, Result};
use crate::net::sse::Decoder;
use crate::provider::web::ask;
use crate::provider::web::body::Body;
use crate::provider::web::run::{FIRST_WAIT, MAX_ALL_ATTEMPTS, MAX_ATTEMPTS};

impl Search {
    /// Reconnects to a run; any other search ends with the error of `cut`. The run continues at the service and is paid
    /// for, so the question is never asked again.
    pub(super) async fn reconnect(&mut self, cut: Cut) -> Result<()> {
        let (Some(id), None) = (self.snapshot.run().map(str::to_owned), self.service_error()) else {
            return Err(self.cut_error(cut));
        };
        while let Some(run) =
            self.run.as_mut().filter(|run| run.attempts < MAX_ATTEMPTS && run.all_attempts < MAX_ALL_ATTEMPTS)
        {
            tokio::time::sleep(FIRST_WAIT * 2_u32.pow(run.attempts)).await;
            run.attempts += 1;
            run.all_attempts += 1;
            match ask::reconnect(&run.base, &run.credential, &id, run.idle).await {
                Ok(reply) => {
                    self.body = Body::from_reply(reply.response, run.idle, None);
                    self.rotate(reply.rotated, reply.stored);
                    self.decoder = Decoder::default();
                    self.snapshot = self.snapshot.for_reconnect();
                    self.deadline = None;
                    self.finished = false;
                    let warning = format!("{cut}; the run was taken up again");
                    self.events.push_back(SearchEvent::Warning(warning));
                    return Ok(());
                }
                Err(
                    Error::Connect { .. }
                    | Error::TimedOut { .. }
                    | Error::Unavailable { .. }
                    | Error::Proxy { .. },
                ) => {}
                // The answer so far matters more than why the attempt failed.
                Err(_) => break,
            }
        }
        Err(self.cut_error(cut))
    }
}
