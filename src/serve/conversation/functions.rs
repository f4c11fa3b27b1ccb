//! Function calls through a service that has none: the model is given the tools in its prompt and writes its calls as
//! JSON, which is checked as a whole before anything of it is believed.

mod prompt;
mod reply;
mod request;
#[cfg(test)]
mod tests;

use serde_json::Value;

use super::json;
use super::schema::Schema;

pub(crate) use prompt::{call_text, output_text};

/// The tools of a request, and how the model may use them.
#[derive(Debug, Clone)]
pub(crate) struct ToolSet {
    tools: Vec<Tool>,
    choice: Choice,
    /// No more than one call in a reply.
    single_call: bool,
}

#[derive(Debug, Clone)]
struct Tool {
    name: String,
    /// The tool as the model reads it.
    listing: Value,
    arguments: Schema,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Choice {
    Auto,
    Required,
    Never,
    Named(String),
}

/// What the model replied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ModelReply {
    /// Text for the user.
    Message(String),
    /// At least one call.
    Calls(Vec<Call>),
}

/// A call that names a tool it may name, with arguments that fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// JSON as the model wrote it, without the space between its parts.
    pub(crate) arguments: String,
}

impl ToolSet {
    /// The tools that the choice allows.
    fn callable(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter().filter(|tool| match &self.choice {
            Choice::Named(name) => tool.name == *name,
            Choice::Never => false,
            Choice::Auto | Choice::Required => true,
        })
    }
}

/// The `type` of an object; empty without one.
fn kind(object: &Value) -> &str {
    object.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// JSON without the space between its parts.
fn compact(json: &str) -> String {
    let is_kept = |(_, character, quoted): &(usize, char, bool)| *quoted || !character.is_whitespace();
    json::characters(json).filter(is_kept).map(|(_, character, _)| character).collect()
}
