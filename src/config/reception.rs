//! How long a reply is waited for.

use std::time::Duration;

use crate::provider::Reception;

/// How long nothing may arrive, in seconds. Any byte counts.
pub const IDLE_TIMEOUT: u64 = 60;
/// What "never" is, as a duration that can be added to now.
pub const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// A limit in seconds; 0 means none.
pub fn limit(seconds: u64) -> Option<Duration> {
    (seconds > 0).then(|| Duration::from_secs(seconds).min(NEVER))
}

/// How the reply to a program is received: as it comes, for it may have to be passed on.
pub fn for_programs() -> Reception {
    Reception { idle: Duration::from_secs(IDLE_TIMEOUT), record: None, events: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_no_limit_and_nothing_overflows() {
        assert_eq!(limit(0), None);
        assert_eq!(limit(u64::MAX), Some(NEVER));
    }
}
