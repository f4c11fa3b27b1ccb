//! What is left of each kind of use, as the service last said. It costs no question to ask.

use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;
use tokio::time::Instant;

use crate::provider::{Limit, Subscription};
use crate::serve::api_error::Refusal;

/// How long what was said counts.
const FRESH: Duration = Duration::from_secs(300);
/// How long a client waits for a quota that is used up, in seconds. When it is renewed is not known.
const WAIT: &str = "3600";

/// The kinds of use that questions count towards.
const SEARCH: &str = "pro_search";
const RESEARCH: &str = "research";

/// What was last said.
#[derive(Debug, Default)]
pub(crate) struct Quota {
    said: RwLock<Option<Said>>,
    /// When the service was last asked, whether or not it answered.
    asked: RwLock<Option<Instant>>,
}

#[derive(Debug, Clone)]
struct Said {
    at: Instant,
    limits: Vec<Limit>,
}

/// A limit as `/health` tells it.
#[derive(Debug, Serialize)]
pub(crate) struct Left {
    available: Option<bool>,
    remaining: Option<i64>,
}

impl Quota {
    /// Asks the service.
    pub(crate) async fn renew(&self, subscription: &Subscription) -> crate::Result<()> {
        let limits = subscription.limits().await?;
        self.set(Some(Said { at: Instant::now(), limits }));
        Ok(())
    }

    /// What was known is not known any more: another account answers, or the service contradicted it.
    pub(crate) fn forget(&self) {
        self.set(None);
        *self.asked.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn set(&self, said: Option<Said>) {
        *self.said.write().unwrap_or_else(PoisonError::into_inner) = said;
    }

    fn said(&self) -> Option<Said> {
        self.said.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether it is time to ask again. Who is told so is expected to.
    pub(crate) fn is_due(&self) -> bool {
        let mut asked = self.asked.write().unwrap_or_else(PoisonError::into_inner);
        let is_due = asked.is_none_or(|at| at.elapsed() > FRESH);
        if is_due {
            *asked = Some(Instant::now());
        }
        is_due
    }

    /// Refuses a question for which nothing is left, as far as that is known and recent.
    pub(crate) fn check(&self, research: bool) -> Result<(), Refusal> {
        let kind = if research { RESEARCH } else { SEARCH };
        let said = self.said().filter(|said| said.at.elapsed() <= FRESH);
        let limit = said.and_then(|said| said.limits.into_iter().find(|limit| limit.kind == kind));
        if !limit.is_some_and(|limit| limit.available == Some(false) || limit.remaining == Some(0)) {
            return Ok(());
        }
        let message =
            format!("Nothing is left of the account's quota ({kind}); the model auto may still answer.");
        Err(Refusal::quota(message, Some(WAIT.to_owned())))
    }

    /// Everything that is known, by kind.
    pub(crate) fn left(&self) -> Option<std::collections::BTreeMap<String, Left>> {
        let limits = self.said()?.limits.into_iter();
        let left =
            |limit: Limit| (limit.kind, Left { available: limit.available, remaining: limit.remaining });
        Some(limits.map(left).collect())
    }

    /// The same as headers of an answer: OpenAI's name for searches, and our own for each kind.
    pub(crate) fn headers(&self, headers: &mut HeaderMap) {
        for limit in self.said().into_iter().flat_map(|said| said.limits) {
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
        Quota { said: RwLock::new(Some(Said { at: Instant::now(), limits })), ..Quota::default() }
    }

    #[test]
    fn only_what_is_known_to_be_used_up_is_refused() {
        for (available, remaining, refused) in [
            (Some(false), None, true),
            (Some(true), Some(0), true),
            (Some(true), Some(1), false),
            (None, None, false),
            (Some(true), None, false),
        ] {
            assert_eq!(
                quota(available, remaining).check(false).is_err(),
                refused,
                "{available:?} {remaining:?}"
            );
            assert!(quota(available, remaining).check(true).is_ok());
        }
        assert!(Quota::default().check(false).is_ok());
    }

    #[test]
    fn numbers_become_headers() {
        let mut headers = HeaderMap::new();
        quota(None, Some(42)).headers(&mut headers);
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
