//! Reading what the model replied.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::json::{self, Broken, clipped};
use super::{Call, Choice, ModelReply, ToolSet, compact, kind};

const CALL_KEYS: &str = "A call has a \"name\" and \"arguments\" only.";

impl ToolSet {
    /// Reads a whole reply. It keeps every rule, or it is broken.
    pub(crate) fn read(&self, reply: &str) -> Result<ModelReply, Broken> {
        if self.choice == Choice::Never {
            return message_only(reply);
        }
        let (text, envelope) = json::value(reply)?;
        if kind(&envelope) == "function_calls" {
            return self.calls(text, &envelope).map(ModelReply::Calls);
        }
        let content =
            message(&envelope).ok_or_else(|| broken("The reply is neither a message nor function calls."))?;
        if self.choice != Choice::Auto {
            return Err(broken("The reply is a message where a function had to be called."));
        }
        Ok(ModelReply::Message(content.to_owned()))
    }

    /// The calls of an envelope. `text` is that envelope, and has the arguments as they were written.
    fn calls(&self, text: &str, envelope: &Value) -> Result<Vec<Call>, Broken> {
        let calls = pair(envelope, "type", "calls").and_then(|(_, calls)| calls.as_array());
        let calls =
            calls.ok_or_else(|| broken("Function calls have a \"type\" and a list of \"calls\" only."))?;
        if calls.is_empty() {
            return Err(broken("The reply is function calls, but there are none."));
        }
        if self.single_call && calls.len() > 1 {
            return Err(broken("The reply holds several function calls where one is allowed."));
        }
        let written: WrittenCalls<'_> = serde_json::from_str(text).map_err(|_| broken(CALL_KEYS))?;
        let pairs = calls.iter().zip(written.calls);
        pairs.map(|(call, written)| self.call(call, written.arguments.get())).collect()
    }

    fn call(&self, call: &Value, written_arguments: &str) -> Result<Call, Broken> {
        let call = pair(call, "name", "arguments").and_then(|(name, value)| Some((name.as_str()?, value)));
        let (name, arguments) = call.ok_or_else(|| broken(CALL_KEYS))?;
        let Some(tool) = self.callable().find(|tool| tool.name == name) else {
            return Err(Broken(format!("The reply calls {:?}, which it may not.", clipped(name, 70))));
        };
        let misfit = |fault| Broken(format!("The arguments of {name} do not fit its parameters: {fault}."));
        tool.arguments.check(arguments).map_err(misfit)?;
        Ok(Call { name: tool.name.clone(), arguments: compact(written_arguments) })
    }
}

/// Calls whose arguments stay as they are written: in a [`Value`] their order and long numbers would be lost.
#[derive(Deserialize)]
struct WrittenCalls<'a> {
    #[serde(borrow)]
    calls: Vec<WrittenCall<'a>>,
}

#[derive(Deserialize)]
struct WrittenCall<'a> {
    #[serde(borrow)]
    arguments: &'a RawValue,
}

/// A reply where no function may be called: all of it, or the content of an envelope that was written by habit.
fn message_only(reply: &str) -> Result<ModelReply, Broken> {
    let envelope = json::value(reply).map_or(Value::Null, |(_, value)| value);
    if kind(&envelope) == "function_calls" {
        return Err(broken("The reply calls a function where none may be called."));
    }
    Ok(ModelReply::Message(message(&envelope).unwrap_or(reply).to_owned()))
}

fn message(envelope: &Value) -> Option<&str> {
    let (_, content) = pair(envelope, "type", "content").filter(|_| kind(envelope) == "message")?;
    content.as_str()
}

/// The values of an object that has these two keys and no other.
fn pair<'a>(value: &'a Value, first: &str, second: &str) -> Option<(&'a Value, &'a Value)> {
    let object = value.as_object().filter(|object| object.len() == 2)?;
    Some((object.get(first)?, object.get(second)?))
}

fn broken(message: &str) -> Broken {
    Broken(message.to_owned())
}
