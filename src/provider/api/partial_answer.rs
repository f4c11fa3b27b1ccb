//! What a reply has brought so far, in any dialect.

use serde_json::Value;

use crate::domain::answer::{Source, Step};
use crate::domain::error::Cut;

/// What kind of reply is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Chat,
    ChatStream,
    Agent,
    AgentStream,
    Pages,
}

/// The answer as far as it has come.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Gathered {
    /// As it came, thoughts included.
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
    /// Nothing follows.
    pub(super) over: bool,
}
