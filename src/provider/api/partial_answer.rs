//! The answer as far as a reply has brought it, in any dialect.

use serde_json::Value;

use crate::domain::answer::{Source, Step};
use crate::domain::error::Cut;

/// The shape of the reply to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplyKind {
    /// Chat completions, one object.
    Chat,
    /// Chat completions, an event stream.
    ChatStream,
    /// The Agent API, one object.
    Agent,
    /// The Agent API, an event stream.
    AgentStream,
    /// `POST /search`: sources without an answer.
    Sources,
}

/// The answer so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PartialAnswer {
    /// The text as it came, with the thoughts of a reasoning model.
    pub(super) text: String,
    pub(super) sources: Vec<Source>,
    pub(super) model: Option<String>,
    /// The id of the reply.
    pub(super) id: Option<String>,
    pub(super) usage: Option<Value>,
    /// Why the answer ends early.
    pub(super) cut: Option<Cut>,
    /// What the API is doing.
    pub(super) step: Option<Step>,
    /// Whether the reply is complete.
    pub(super) is_complete: bool,
}
