//! A run of deep research. It continues at the service when the connection breaks, so the search can reconnect to it.

use std::time::Duration;

use url::Url;

use crate::auth::Credential;
use crate::provider::Reception;

/// What is needed to reconnect to a run.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) base: Url,
    pub(super) credential: Credential,
    pub(super) idle: Duration,
    /// Whether the id of the run was reported.
    pub(super) is_reported: bool,
    /// The attempts to reconnect since the last event.
    pub(super) attempts: u32,
    /// The attempts to reconnect in all.
    pub(super) all_attempts: u32,
}

/// The most attempts to reconnect without an event between them.
pub(super) const MAX_ATTEMPTS: u32 = 6;
/// The most attempts in all, for a service that always breaks the connection.
pub(super) const MAX_ALL_ATTEMPTS: u32 = 60;
/// The wait before the first attempt; doubled for each further one.
pub(super) const FIRST_WAIT: Duration = Duration::from_millis(500);

impl Run {
    pub(super) fn new(base: &Url, credential: &Credential, reception: &Reception) -> Self {
        let (base, credential) = (base.clone(), credential.clone());
        Self { base, credential, idle: reception.idle, is_reported: false, attempts: 0, all_attempts: 0 }
    }
}
