//! The official API, paid with the credits of a key. It has two dialects for answers: chat completions, which it is
//! retiring account by account, and the Agent API; and a call for sources alone.
//!
//! Nothing is retried and no redirect is followed: a question that costs money is asked once.

mod agent;
mod chat;
mod json;
mod memory;
mod options;
mod partial_answer;
mod refusal;
mod search;
mod send;
mod sources_only;
mod think;

pub use search::Search;

use serde_json::Value;
use url::Url;

use self::memory::DialectMemory;
use self::partial_answer::ReplyKind;
use self::send::Call;
use super::Reception;
use crate::auth::ApiKey;
use crate::domain::choice::Choice;
use crate::domain::error::{ApiRefusal, Error, Result, Why};
use crate::domain::request::SearchRequest;
use crate::net::http;
use crate::state::env::Environment;

/// Which of the API's dialects to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// Chat completions, or the Agent API for an account that has no chat completions.
    #[default]
    Auto,
    /// The Agent API.
    Agent,
    /// Chat completions.
    Chat,
}

impl Choice for Dialect {
    const ALL: &'static [Self] = &[Self::Auto, Self::Agent, Self::Chat];

    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Agent => "agent",
            Self::Chat => "chat",
        }
    }
}

/// The official API.
#[derive(Debug, Clone)]
pub struct Api {
    base: Url,
    dialect: Dialect,
}

impl Api {
    /// The API at the address that the environment names, else at its own.
    pub fn for_user(env: &Environment, dialect: Dialect) -> Result<Self> {
        http::api_base(env).map(|base| Self { base, dialect })
    }

    /// Checks that the key is accepted, by a call that costs nothing. A gateway that does not have the call passes.
    pub async fn check(&self, key: ApiKey) -> Result<()> {
        let call = Call { base: &self.base, key, idle: http::CALL_TIMEOUT };
        match call.get("v1/models").await {
            Err(Error::Api(ApiRefusal { why: Why::Other, .. })) => Ok(()),
            reply => reply.map(drop),
        }
    }

    /// Asks with the key from the environment or the store.
    pub async fn search(
        &self,
        env: &Environment,
        request: &SearchRequest,
        reception: &Reception,
    ) -> Result<Search> {
        let call = Call { base: &self.base, key: ApiKey::resolve(env)?, idle: reception.idle };
        if request.sources_only {
            return sources(&call, request).await;
        }
        let memory = DialectMemory::new(env, &self.base, &call.key);
        match self.dialect {
            Dialect::Chat => chat(&call, request, reception.events).await,
            Dialect::Agent => agent(&call, request, reception.events).await,
            Dialect::Auto if !chat::supports(request) || memory.prefers_agent().await => {
                agent(&call, request, reception.events).await
            }
            Dialect::Auto => match chat(&call, request, reception.events).await {
                Err(Error::Api(ApiRefusal { why: Why::Retired, .. })) => {
                    let reply = agent(&call, request, reception.events);
                    tokio::join!(reply, memory.prefer_agent()).0
                }
                other => other,
            },
        }
    }
}

async fn chat(call: &Call<'_>, request: &SearchRequest, stream: bool) -> Result<Search> {
    let body = chat::body(request, stream)?;
    let response = call.post("chat/completions", &body, stream).await?;
    Ok(Search::new(
        call,
        response,
        if stream { ReplyKind::ChatStream } else { ReplyKind::Chat },
        chat::model(request),
    ))
}

/// Asks the Agent API. Where an account does not have the field `effort` yet, its old name `preset` is used.
async fn agent(call: &Call<'_>, request: &SearchRequest, stream: bool) -> Result<Search> {
    let mut body = agent::body(request, stream)?;
    let response = match call.post("v1/agent", &body, stream).await {
        Err(Error::Api(refusal)) if refusal.is_about("effort") && rename(&mut body, "effort", "preset") => {
            call.post("v1/agent", &body, stream).await?
        }
        response => response?,
    };
    let kind = if stream { ReplyKind::AgentStream } else { ReplyKind::Agent };
    // With an effort, no model was requested.
    let model = if request.effort.is_none() { request.model.clone() } else { String::new() };
    let mut search = Search::new(call, response, kind, model);
    search.add_notes(agent::notes(request));
    Ok(search)
}

/// Renames a field of `body`; false if it is not there.
fn rename(body: &mut Value, old: &str, new: &str) -> bool {
    let Some(fields) = body.as_object_mut() else { return false };
    let value = fields.remove(old);
    value.map(|value| fields.insert(new.to_owned(), value)).is_some()
}

async fn sources(call: &Call<'_>, request: &SearchRequest) -> Result<Search> {
    let response = call.post("search", &sources_only::body(request), false).await?;
    Ok(Search::new(call, response, ReplyKind::Sources, String::new()))
}
