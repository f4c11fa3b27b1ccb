//! What is left of each kind of use, as the service last reported. Asking for it costs no question.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;
use tokio::time::Instant;

use crate::provider::{Limit, Subscription};
use crate::serve::api_error::ApiError;

/// How long a report counts, and how long no new one is asked for.
const MAX_AGE: Duration = Duration::from_secs(300);
/// What a client is told to wait for a quota that is used up, in seconds. When it is renewed is not known.
const RETRY_AFTER: &str = "3600";

/// The kinds of use that questions count towards.
const SEARCH: &str = "pro_search";
const RESEARCH: &str = "research";

/// The last report.
#[derive(Debug, Default)]
pub(crate) struct Quota {
    report: RwLock<Option<Report>>,
    /// When the service was last asked, whether or not it answered.
    last_request: RwLock<Option<Instant>>,
}

#[derive(Debug, Clone)]
struct Report {
    at: Instant,
    limits: Vec<Limit>,
}

/// A limit as `/health` shows it.
#[derive(Debug, Serialize)]
pub(crate) struct LimitStatus {
    available: Option<bool>,
    remaining: Option<i64>,
}

impl Quota {
    /// Asks the service for a new report.
    pub(crate) async fn renew(&self, subscription: &Subscription) -> crate::Result<()> {
        let limits = subscription.limits().await?;
        self.set(Some(Report { at: Instant::now(), limits }));
        Ok(())
    }

    /// Drops the report: another account answers, or the service contradicted it.
    pub(crate) fn forget(&self) {
        self.set(None);
        *self.last_request.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn set(&self, report: Option<Report>) {
        *self.report.write().unwrap_or_else(PoisonError::into_inner) = report;
    }

    fn report(&self) -> Option<Report> {
        self.report.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether it is time to ask again. `true` counts as asking: the next caller gets `false`.
    pub(crate) fn is_due(&self) -> bool {
        let mut last_request = self.last_request.write().unwrap_or_else(PoisonError::into_inner);
        let is_due = last_request.is_none_or(|at| at.elapsed() > MAX_AGE);
        if is_due {
            *last_request = Some(Instant::now());
        }
        is_due
    }

    /// An error (429) where a recent report says that nothing is left.
    pub(crate) fn check(&self, research: bool) -> Result<(), ApiError> {
        let kind = if research { RESEARCH } else { SEARCH };
        let report = self.report().filter(|report| report.at.elapsed() <= MAX_AGE);
        let limit = report.and_then(|report| report.limits.into_iter().find(|limit| limit.kind == kind));
        if !limit.is_some_and(|limit| limit.available == Some(false) || limit.remaining == Some(0)) {
            return Ok(());
        }
        let message =
            format!("Nothing is left of the account's quota ({kind}); the model auto may still answer.");
        Err(ApiError::quota_exceeded(message, Some(RETRY_AFTER.to_owned())))
    }

    /// The limits of the last report, by kind.
    pub(crate) fn limits(&self) -> Option<BTreeMap<String, LimitStatus>> {
        let limits = self.report()?.limits.into_iter();
        let status = |limit: Limit| {
            (limit.kind, LimitStatus { available: limit.available, remaining: limit.remaining })
        };
        Some(limits.map(status).collect())
    }

    /// Adds them to the headers of an answer: under OpenAI's name for searches, and under our own for each kind.
    pub(crate) fn add_headers(&self, headers: &mut HeaderMap) {
        for limit in self.report().into_iter().flat_map(|report| report.limits) {
            let Some(value) = limit.remaining.map(HeaderValue::from) else { continue };
            if limit.kind == SEARCH {
                headers.insert(HeaderName::from_static("x-ratelimit-remaining-requests"), value.clone());
            }
            let name = format!("x-pplx-remaining-{}", limit.kind.replace('_', "-").to_ascii_lowercase());
            if let Ok(name) = HeaderName::try_from(name) {
                headers.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quota(available: Option<bool>, remaining: Option<i64>) -> Quota {
        let limits = vec![Limit { kind: SEARCH.to_owned(), available, remaining }];
        Quota { report: RwLock::new(Some(Report { at: Instant::now(), limits })), ..Quota::default() }
    }

    #[test]
    fn only_what_is_known_to_be_used_up_is_refused() {
        for (available, remaining, is_refused) in [
            (Some(false), None, true),
            (Some(true), Some(0), true),
            (Some(true), Some(1), false),
            (None, None, false),
            (Some(true), None, false),
        ] {
            assert_eq!(
                quota(available, remaining).check(false).is_err(),
                is_refused,
                "{available:?} {remaining:?}"
            );
            assert!(quota(available, remaining).check(true).is_ok());
        }
        assert!(Quota::default().check(false).is_ok());
    }

    #[test]
    fn numbers_become_headers() {
        let mut headers = HeaderMap::new();
        quota(None, Some(42)).add_headers(&mut headers);
        assert_eq!(headers["x-ratelimit-remaining-requests"], "42");
        assert_eq!(headers["x-pplx-remaining-pro-search"], "42");
    }

    #[test]
    fn the_service_is_asked_once_in_a_while() {
        let quota = Quota::default();
        assert!(quota.is_due() && !quota.is_due());
        quota.forget();
        assert!(quota.is_due());
    }
}
