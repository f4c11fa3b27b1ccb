//! Function calls through a service that has none: the model is told the functions and writes its calls as
//! JSON, which is checked as a whole before anything of it is believed.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::formats::Invalid;
use super::json::{self, Broken, characters, clipped};
use super::schema::{Schema, is_name, levels, switch};

/// How many functions a request may have.
const MOST: usize = 64;

/// The functions of a request, and how the model may use them.
#[derive(Debug, Clone)]
pub(super) struct Functions {
    list: Vec<Function>,
    choice: Choice,
    /// No more than one call in a reply.
    single: bool,
}

#[derive(Debug, Clone)]
struct Function {
    name: String,
    /// What the model is told of it.
    told: Value,
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
pub(super) enum Reply {
    /// Text for the user.
    Message(String),
    /// At least one call.
    Calls(Vec<Call>),
}

/// A call that names a function it may name, with arguments that fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) name: String,
    /// JSON as the model wrote it, without the space between its parts.
    pub(super) arguments: String,
}

impl Functions {
    /// Reads `tools` and `tool_choice`, of the Responses API or of the chat API; `None` without functions.
    pub(super) fn of(
        tools: Option<&Value>,
        choice: Option<&Value>,
        parallel: Option<bool>,
    ) -> Result<Option<Self>, Invalid> {
        let list = functions(tools).map_err(|message| Invalid { param: "tools", message })?;
        let choice =
            Choice::of(choice, &list).map_err(|message| Invalid { param: "tool_choice", message })?;
        Ok((!list.is_empty()).then_some(Self { list, choice, single: parallel == Some(false) }))
    }

    /// What stands before the question. It tells only what the choice leaves.
    ///
    /// Where no function may be called there is no envelope: it would only be one more thing to get wrong.
    pub(super) fn instructions(&self) -> String {
        let history = "Earlier calls and their results, if there are any, stand in the conversation as lines \
                       of JSON of the types function_call and function_call_output.";
        if self.choice == Choice::Never {
            let names: Vec<_> = self.list.iter().map(|function| function.name.as_str()).collect();
            let names = names.join(", ");
            return format!(
                "{history} They are of the functions {names}. No function may be called now: answer the user \
                 from those results, from the web and from what you know."
            );
        }
        let told: Vec<_> = self.callable().map(|function| &function.told).collect();
        let (functions, forms, demand) = (json!(told), self.forms(), self.demand());
        format!(
            "The program that sends you this has functions that you can call. It runs them once it has your \
             reply, and then sends you what they return. The arguments of each must fit the JSON Schema in \
             its parameters. Searching the web is none of them: you do that by yourself, as always.\n\n\
             The functions:\n{functions}\n\n\
             That program reads your reply, so write one JSON object and nothing else: no text before or \
             after it, no Markdown code fence, no citation marks such as [1] behind it. Writing the object is \
             how a function is called, so do not say that you cannot call any.\n{forms}\n{demand}\n\n\
             {history} Do not reply in their form."
        )
    }

    /// The envelopes that the choice leaves.
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
            if self.single { "A reply holds one call at most." } else { "It may hold several calls." };
        format!("{call} {number}")
    }

    /// The functions that the choice leaves.
    fn callable(&self) -> impl Iterator<Item = &Function> {
        self.list.iter().filter(|function| match &self.choice {
            Choice::Named(name) => function.name == *name,
            Choice::Never => false,
            Choice::Auto | Choice::Required => true,
        })
    }

    /// Reads a whole reply. It keeps every rule, or it is broken.
    pub(super) fn read(&self, reply: &str) -> Result<Reply, Broken> {
        if self.choice == Choice::Never {
            return plain(reply);
        }
        let (text, envelope) = json::value(reply)?;
        if kind(&envelope) == "function_calls" {
            return self.calls(text, &envelope).map(Reply::Calls);
        }
        let content = message(&envelope);
        let content = content.ok_or_else(|| broken("The reply is neither a message nor function calls."))?;
        if self.choice != Choice::Auto {
            return Err(broken("The reply is a message where a function had to be called."));
        }
        Ok(Reply::Message(content.to_owned()))
    }

    /// The calls of an envelope. `text` is that envelope, and has the arguments as they were written.
    fn calls(&self, text: &str, envelope: &Value) -> Result<Vec<Call>, Broken> {
        let calls = pair(envelope, "type", "calls").and_then(|(_, calls)| calls.as_array());
        let calls =
            calls.ok_or_else(|| broken("Function calls have a \"type\" and a list of \"calls\" only."))?;
        if calls.is_empty() {
            return Err(broken("The reply is function calls, but there are none."));
        }
        if self.single && calls.len() > 1 {
            return Err(broken("The reply holds several function calls where one is allowed."));
        }
        let names = calls.iter().map(|call| self.called(call)).collect::<Result<Vec<_>, _>>()?;
        let written: Written<'_> =
            serde_json::from_str(text).map_err(|_| broken("The calls are not JSON."))?;
        let arguments = written.calls.iter().map(|call| compact(call.arguments.get()));
        Ok(names.into_iter().zip(arguments).map(|(name, arguments)| Call { name, arguments }).collect())
    }

    /// The name of the function that is called, as it should be.
    fn called(&self, call: &Value) -> Result<String, Broken> {
        let call = pair(call, "name", "arguments").and_then(|(name, value)| Some((name.as_str()?, value)));
        let (name, arguments) =
            call.ok_or_else(|| broken("A call has a \"name\" and \"arguments\" only."))?;
        let Some(function) = self.callable().find(|function| function.name == name) else {
            return Err(Broken(format!("The reply calls {:?}, which it may not.", clipped(name, 70))));
        };
        let misfit = |fault| Broken(format!("The arguments of {name} do not fit its parameters: {fault}."));
        function.arguments.check(arguments).map_err(misfit)?;
        Ok(function.name.clone())
    }
}

/// Calls whose arguments stay as they are written: in a [`Value`] their order and long numbers would be lost.
#[derive(Deserialize)]
struct Written<'a> {
    #[serde(borrow)]
    calls: Vec<WrittenCall<'a>>,
}

#[derive(Deserialize)]
struct WrittenCall<'a> {
    #[serde(borrow)]
    arguments: &'a RawValue,
}

fn broken(message: &str) -> Broken {
    Broken(message.to_owned())
}

/// A reply where no function may be called: all of it, or the content of an envelope that was written by habit.
fn plain(reply: &str) -> Result<Reply, Broken> {
    let envelope = json::value(reply).map_or(Value::Null, |(_, value)| value);
    if kind(&envelope) == "function_calls" {
        return Err(broken("The reply calls a function where none may be called."));
    }
    Ok(Reply::Message(message(&envelope).unwrap_or(reply).to_owned()))
}

/// The type that an envelope says it has.
fn kind(envelope: &Value) -> &str {
    envelope.get("type").and_then(Value::as_str).unwrap_or_default()
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

impl Choice {
    fn of(value: Option<&Value>, list: &[Function]) -> Result<Self, String> {
        let choice = match value {
            None | Some(Value::Null) => Self::Auto,
            Some(Value::String(word)) if word == "auto" => Self::Auto,
            Some(Value::String(word)) if word == "none" => Self::Never,
            Some(Value::String(word)) if word == "required" => Self::Required,
            Some(value) => Self::Named(named(value)?),
        };
        match &choice {
            Self::Required | Self::Named(_) if list.is_empty() => {
                Err(format!("There are no functions. {SEARCH}"))
            }
            Self::Named(name) if !list.iter().any(|function| function.name == *name) => {
                Err(format!("There is no function {:?}.", clipped(name, 80)))
            }
            _ => Ok(choice),
        }
    }
}

const SEARCH: &str = "Web search is always on; it can neither be forced nor switched off.";

/// The name of the function that a choice names.
fn named(choice: &Value) -> Result<String, String> {
    let kind = kind(choice);
    if is_search(kind) {
        return Err(SEARCH.to_owned());
    }
    let name = choice.get("function").unwrap_or(choice).get("name").and_then(Value::as_str);
    let name = name.filter(|_| kind == "function");
    name.map(str::to_owned).ok_or_else(|| {
        "'tool_choice' must be auto, none, required, or an object of the type function with a 'name'."
            .to_owned()
    })
}

fn is_search(kind: &str) -> bool {
    matches!(kind, "web_search" | "web_search_preview" | "web_search_preview_2025_03_11")
}

fn functions(tools: Option<&Value>) -> Result<Vec<Function>, String> {
    let Some(tools) = tools.filter(|tools| !tools.is_null()) else { return Ok(Vec::new()) };
    let mut list: Vec<Function> = Vec::new();
    for tool in tools.as_array().ok_or("'tools' must be a list.")? {
        let Some(function) = function(tool)? else { continue };
        if list.iter().any(|known| known.name == function.name) {
            return Err(format!("There are two functions {:?}.", function.name));
        }
        if list.len() == MOST {
            return Err(format!("There are more than {MOST} functions."));
        }
        list.push(function);
    }
    Ok(list)
}

/// The function that a tool is; `None` for web search, which is always on.
fn function(tool: &Value) -> Result<Option<Function>, String> {
    match kind(tool) {
        "function" => Function::of(tool.get("function").unwrap_or(tool)).map(Some),
        search if is_search(search) => Ok(None),
        "" => Err("A tool must be an object with a 'type'.".to_owned()),
        other => Err(format!(
            "There are no tools of the type {:?}, only functions and web_search.",
            clipped(other, 80)
        )),
    }
}

impl Function {
    fn of(value: &Value) -> Result<Self, String> {
        let name = value.get("name").and_then(Value::as_str).filter(|name| is_name(name));
        let name = name.ok_or("A function needs a 'name' of 1 to 64 letters, digits, _ and -.")?;
        Self::named(name, value).map_err(|fault| format!("The function {name:?} cannot be used: {fault}"))
    }

    fn named(name: &str, value: &Value) -> Result<Self, String> {
        let description = match value.get("description") {
            None | Some(Value::Null) => "",
            Some(text) => text.as_str().ok_or("'description' must be text.")?,
        };
        let parameters = parameters(value)?;
        let strict = switch(value, "strict")?;
        if strict && !levels(&parameters).into_iter().all(is_closed) {
            return Err("where 'strict' is true, every object in 'parameters' needs 'additionalProperties' \
                        false and all its properties in 'required'."
                .to_owned());
        }
        let arguments =
            Schema::parse(&parameters, strict).map_err(|fault| format!("in 'parameters', {fault}."))?;
        let told = json!({"name": name, "description": description, "parameters": parameters});
        Ok(Self { name: name.to_owned(), told, arguments })
    }
}

/// The schema of the arguments; without one, that of no arguments.
fn parameters(function: &Value) -> Result<Value, String> {
    let Some(schema) = function.get("parameters").filter(|schema| !schema.is_null()) else {
        return Ok(json!({"type": "object", "properties": {}, "additionalProperties": false}));
    };
    if kind(schema) != "object" {
        return Err("'parameters' must be a JSON Schema of the type object.".to_owned());
    }
    // It would change what the references beneath it are relative to.
    if levels(schema).into_iter().any(|level| level.contains_key("$id")) {
        return Err("'parameters' may hold no '$id'.".to_owned());
    }
    Ok(schema.clone())
}

/// Whether a schema, if it is one of objects, says all that they hold.
fn is_closed(schema: &Map<String, Value>) -> bool {
    let is_object = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        kind => kind.is_some_and(|kind| kind == "object"),
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    if !is_object && properties.is_none() {
        return true;
    }
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &String| required.is_some_and(|list| list.iter().any(|known| known == name.as_str()));
    schema.get("additionalProperties") == Some(&Value::Bool(false))
        && properties.into_iter().flat_map(Map::keys).all(is_required)
}

/// How an earlier call is told: JSON in one line.
pub(super) fn call_text(name: &str, arguments: &str, call_id: &str) -> String {
    let (name, arguments, call_id) = (json!(name), embedded(arguments), json!(call_id));
    format!(r#"{{"type":"function_call","call_id":{call_id},"name":{name},"arguments":{arguments}}}"#)
}

/// How the result of an earlier call is told: JSON in one line.
pub(super) fn output_text(call_id: &str, output: &str) -> String {
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

/// JSON without the space between its parts.
fn compact(json: &str) -> String {
    let kept = |(_, character, quoted): &(usize, char, bool)| *quoted || !character.is_whitespace();
    characters(json).filter(kept).map(|(_, character, _)| character).collect()
}

#[cfg(test)]
mod tests;
