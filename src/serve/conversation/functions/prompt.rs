//! What the model reads of the tools and of earlier calls.

use serde_json::{Value, json};

use super::{Choice, ToolSet, compact};

const HISTORY: &str = "Earlier calls and their results, if there are any, stand in the conversation as lines \
                       of JSON of the types function_call and function_call_output.";

impl ToolSet {
    /// What stands before the question. It names only what the choice allows.
    pub(crate) fn instructions(&self) -> String {
        if self.choice == Choice::Never {
            return self.without_calls();
        }
        let listings: Vec<_> = self.callable().map(|tool| &tool.listing).collect();
        let (functions, forms, demand) = (json!(listings), self.forms(), self.demand());
        format!(
            "The program that sends you this has functions that you can call. It runs them once it has your \
             reply, and then sends you what they return. The arguments of each must fit the JSON Schema in \
             its parameters. Searching the web is none of them: you do that by yourself, as always.\n\n\
             The functions:\n{functions}\n\n\
             That program reads your reply, so write one JSON object and nothing else: no text before or \
             after it, no Markdown code fence, no citation marks such as [1] behind it. Writing the object is \
             how a function is called, so do not say that you cannot call any.\n{forms}\n{demand}\n\n\
             {HISTORY} Do not reply in their form."
        )
    }

    /// Where nothing may be called there is no envelope: it would only be one more thing to get wrong.
    fn without_calls(&self) -> String {
        let names: Vec<_> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
        let names = names.join(", ");
        format!(
            "{HISTORY} They are of the functions {names}. No function may be called now: answer the user \
             from those results, from the web and from what you know."
        )
    }

    /// The envelopes that the choice allows.
    fn forms(&self) -> String {
        let call = "To call functions, use exactly these keys:\n\
                    {\"type\":\"function_calls\",\"calls\":[{\"name\":\"NAME\",\"arguments\":{}}]}\n";
        let message = "To answer the user, use exactly these keys:\n\
                       {\"type\":\"message\",\"content\":\"TEXT\"}\n\
                       The text may be Markdown and cite its sources; write its line breaks as \\n. If the answer \
                       must have a certain format, the text has it, within the object.\n";
        let message = if self.choice == Choice::Auto { message } else { "" };
        format!("{call}{message}")
    }

    /// What the choice asks for.
    fn demand(&self) -> String {
        let call = match &self.choice {
            Choice::Named(name) => format!("Now you must call {name}; anything else is refused."),
            Choice::Required => "Now you must call a function; anything else is refused.".to_owned(),
            Choice::Auto | Choice::Never => "Call a function where it gives or does what the user asks for. \
                                             Where none does, or its result is there already, answer the user."
                .to_owned(),
        };
        let number =
            if self.single_call { "A reply holds one call at most." } else { "It may hold several calls." };
        format!("{call} {number}")
    }
}

/// An earlier call in the conversation: JSON in one line.
pub(crate) fn call_text(name: &str, arguments: &str, call_id: &str) -> String {
    let (name, arguments, call_id) = (json!(name), embedded(arguments), json!(call_id));
    format!(r#"{{"type":"function_call","call_id":{call_id},"name":{name},"arguments":{arguments}}}"#)
}

/// The result of an earlier call in the conversation: JSON in one line.
pub(crate) fn output_text(call_id: &str, output: &str) -> String {
    let (call_id, output) = (json!(call_id), embedded(output));
    format!(r#"{{"type":"function_call_output","call_id":{call_id},"output":{output}}}"#)
}

/// A text as a part of JSON: an object or a list as it is, which reads better than a string of it.
fn embedded(text: &str) -> String {
    match serde_json::from_str(text) {
        Ok(Value::Object(_) | Value::Array(_)) => compact(text),
        _ => json!(text).to_string(),
    }
}
