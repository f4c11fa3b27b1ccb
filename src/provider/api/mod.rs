//! The official API, paid with the credits of a key. It has two dialects for answers: chat completions, which it is
//! retiring account by account, and the Agent API; and a call for pages alone.
//!
//! Nothing here is retried, and nothing is followed: a question that costs money is asked once.

mod agent;
mod chat;
mod json;
mod memory;
mod options;
mod pages;
mod partial_answer;
mod refusal;
mod search;
mod send;
mod think;

pub use search::Search;

use serde_json::Value;
use url::Url;

use self::memory::Memory;
use self::partial_answer::Kind;
use self::send::Call;
use super::Reception;
use crate::auth::ApiKey;
use crate::domain::choice::Choice;
use crate::domain::error::{ApiRefusal, Error, Result, Why};
use crate::domain::request::SearchRequest;
use crate::net::http;
use crate::state::env::Environment;

/// Which of the API's interfaces is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// Chat completions first, and the Agent API where the account has no other.
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

/// The official API, at this address.
#[derive(Debug, Clone)]
pub struct Api {
    base: Url,
    dialect: Dialect,
}

impl Api {
    /// The API itself, or what the environment names in its place.
    pub fn of(env: &Environment, dialect: Dialect) -> Result<Self> {
        http::api_base(env).map(|base| Self { base, dialect })
    }

    /// Whether the key is accepted, by a call that costs nothing. A gateway need not know the call.
    pub async fn check(&self, key: ApiKey) -> Result<()> {
        let call = Call { base: &self.base, key, idle: http::CALL_TIMEOUT };
        match call.get("v1/models").await {
            Err(Error::Api(ApiRefusal { why: Why::Other, .. })) => Ok(()),
            answered => answered.map(drop),
        }
    }

    /// Asks with the key that `env` leads to.
    pub async fn search(
        &self,
        env: &Environment,
        request: &SearchRequest,
        reception: &Reception,
    ) -> Result<Search> {
        let call = Call { base: &self.base, key: ApiKey::resolve(env)?, idle: reception.idle };
        if request.sources_only {
            return pages(&call, request).await;
        }
        let memory = Memory::new(env, &self.base, &call.key);
        match self.dialect {
            Dialect::Chat => chat(&call, request, reception.events).await,
            Dialect::Agent => agent(&call, request, reception.events).await,
            Dialect::Auto if !chat::can_ask(request) || memory.prefers_agent().await => {
                agent(&call, request, reception.events).await
            }
            Dialect::Auto => match chat(&call, request, reception.events).await {
                Err(Error::Api(ApiRefusal { why: Why::Retired, .. })) => {
                    let answered = agent(&call, request, reception.events);
                    tokio::join!(answered, memory.prefer_agent()).0
                }
                other => other,
            },
        }
    }
}

async fn chat(call: &Call<'_>, request: &SearchRequest, stream: bool) -> Result<Search> {
    let body = chat::body(request, stream)?;
    let response = call.post("chat/completions", &body, stream).await?;
    Ok(Search::new(call, response, if stream { Kind::ChatStream } else { Kind::Chat }, chat::model(request)))
}

/// An account that does not know `effort` yet knows it under its old name.
async fn agent(call: &Call<'_>, request: &SearchRequest, stream: bool) -> Result<Search> {
    let mut body = agent::body(request, stream)?;
    let response = match call.post("v1/agent", &body, stream).await {
        Err(Error::Api(refusal)) if refusal.names("effort") && rename(&mut body, "effort", "preset") => {
            call.post("v1/agent", &body, stream).await?
        }
        response => response?,
    };
    let kind = if stream { Kind::AgentStream } else { Kind::Agent };
    // An effort names no model.
    let model = if request.effort.is_none() { request.model.clone() } else { String::new() };
    let mut search = Search::new(call, response, kind, model);
    search.note(agent::notes(request));
    Ok(search)
}

/// True if there was something to rename.
fn rename(body: &mut Value, old: &str, new: &str) -> bool {
    let Some(fields) = body.as_object_mut() else { return false };
    let value = fields.remove(old);
    value.map(|value| fields.insert(new.to_owned(), value)).is_some()
}

async fn pages(call: &Call<'_>, request: &SearchRequest) -> Result<Search> {
    let response = call.post("search", &pages::body(request), false).await?;
    Ok(Search::new(call, response, Kind::Pages, String::new()))
}
