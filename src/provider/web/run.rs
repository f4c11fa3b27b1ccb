//! A run of deep research: it goes on at the service when the connection breaks, and is taken up again.

use std::time::Duration;

use url::Url;

use crate::auth::Credential;
use crate::provider::Reception;

/// What it takes to take a run up again.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) base: Url,
    pub(super) credential: Credential,
    pub(super) idle: Duration,
    /// Whether the run's id was told.
    pub(super) told: bool,
    /// How often in a row it was taken up without anything new.
    pub(super) attempts: u32,
    /// How often it was taken up in all.
    pub(super) taken_up: u32,
}

/// How often in a row a run is taken up again before it is given up.
pub(super) const ATTEMPTS: u32 = 6;
/// How often it is taken up in all: a bound for a service that always breaks off.
pub(super) const MOST: u32 = 60;
/// How long to wait before it is taken up for the first time; doubled each time.
pub(super) const FIRST_WAIT: Duration = Duration::from_millis(500);

impl Run {
    pub(super) fn new(base: &Url, credential: &Credential, reception: &Reception) -> Self {
        let (base, credential) = (base.clone(), credential.clone());
        Self { base, credential, idle: reception.idle, told: false, attempts: 0, taken_up: 0 }
    }
}
