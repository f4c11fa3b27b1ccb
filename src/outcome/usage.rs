//! Plan and limits of the account, as the service tells them: fetched, and in words.

use crate::auth::{self, Credential};
use crate::domain::error::Result;
use crate::provider::{Limit, Subscription};
use crate::render::text::one_line;
use crate::state::env::Environment;

/// What the service says.
#[derive(Debug)]
pub struct Usage {
    /// `pro`, `max`, `none`; `None` where it is not said.
    pub plan: Option<String>,
    /// What is left of each kind of use; `None` where the service does not say.
    pub limits: Option<Vec<Limit>>,
}

impl Usage {
    /// Asks the service, which costs no question, with the session that a search would use.
    pub async fn fetch(env: &Environment) -> Result<Self> {
        Self::fetch_with(&auth::resolve(env).await?, env).await
    }

    /// The same with this credential.
    pub async fn fetch_with(credential: &Credential, env: &Environment) -> Result<Self> {
        let plan = auth::verify(env, credential).await?;
        // The plan is known; that the limits are not is no failure.
        let limits = Subscription::for_user(env)?.limits().await.ok();
        Ok(Self { plan, limits })
    }

    /// One line each.
    pub fn lines(&self) -> Vec<String> {
        let plan = self.plan.as_deref().map_or_else(|| "unknown".to_owned(), one_line);
        let limits = self.limits.iter().flatten().map(|limit| {
            let remaining = match (limit.remaining, limit.available) {
                (Some(remaining), _) => format!("{remaining} left"),
                (None, Some(false)) => "none left".to_owned(),
                (None, _) => "available, number not provided".to_owned(),
            };
            format!("Limit of {}: {remaining}", one_line(&limit.kind))
        });
        let missing = self.limits.is_none().then(|| "Limits: not provided".to_owned());
        std::iter::once(format!("Plan: {plan}")).chain(limits).chain(missing).collect()
    }
}
