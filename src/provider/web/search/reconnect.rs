//! Taking a run of deep research up again when the connection to it breaks.

use super::Search;
use crate::domain::answer::SearchEvent;
use crate::domain::error::{Cut, Error, Result};
use crate::net::sse::Decoder;
use crate::provider::web::ask;
use crate::provider::web::body::Body;
use crate::provider::web::run::{ATTEMPTS, FIRST_WAIT, MOST};

impl Search {
    /// Takes a run up again where the connection to it broke; anything else is cut. What the run costs is paid already,
    /// and it goes on at the service, so it is never asked again.
    pub(super) async fn take_up(&mut self, cut: Cut) -> Result<()> {
        let (Some(id), None) = (self.snapshot.run().map(str::to_owned), self.service_error()) else {
            return Err(self.cut(cut));
        };
        while let Some(run) = self.run.as_mut().filter(|run| run.attempts < ATTEMPTS && run.taken_up < MOST) {
            tokio::time::sleep(FIRST_WAIT * 2_u32.pow(run.attempts)).await;
            run.attempts += 1;
            run.taken_up += 1;
            match ask::reconnect(&run.base, &run.credential, &id, run.idle).await {
                Ok(reply) => {
                    self.body = Body::of_reply(reply.response, run.idle, None);
                    self.rotate(reply.rotated, reply.kept);
                    self.decoder = Decoder::default();
                    self.snapshot = self.snapshot.taken_up();
                    self.grace = None;
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
                // What has arrived is worth more than why there is no more of it.
                Err(_) => break,
            }
        }
        Err(self.cut(cut))
    }
}
