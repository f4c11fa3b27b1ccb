//! Reading `tools` and `tool_choice`.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::super::formats::Invalid;
use super::super::json::clipped;
use super::super::schema::{Schema, is_name, levels, switch};
use super::{Choice, Tool, ToolSet, kind};

/// How many functions a request may have.
const MOST: usize = 64;

const SEARCH: &str = "Web search is always on; it can neither be forced nor switched off.";

impl ToolSet {
    /// Reads `tools` and `tool_choice`, of the Responses API or of the chat API; `None` without functions.
    pub(crate) fn from_request(
        tools: Option<&Value>,
        choice: Option<&Value>,
        parallel: Option<bool>,
    ) -> Result<Option<Self>, Invalid> {
        let tools = read_tools(tools).map_err(|message| Invalid { param: "tools", message })?;
        let choice =
            read_choice(choice, &tools).map_err(|message| Invalid { param: "tool_choice", message })?;
        Ok((!tools.is_empty()).then_some(Self { tools, choice, single_call: parallel == Some(false) }))
    }
}

fn read_tools(value: Option<&Value>) -> Result<Vec<Tool>, String> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    let mut tools: Vec<Tool> = Vec::new();
    for tool in value.as_array().ok_or("'tools' must be a list.")? {
        let Some(tool) = read_tool(tool)? else { continue };
        if tools.iter().any(|known| known.name == tool.name) {
            return Err(format!("There are two functions {:?}.", tool.name));
        }
        if tools.len() == MOST {
            return Err(format!("There are more than {MOST} functions."));
        }
        tools.push(tool);
    }
    Ok(tools)
}

/// `None` for web search, which is always on.
fn read_tool(tool: &Value) -> Result<Option<Tool>, String> {
    match kind(tool) {
        "function" => Tool::from_function(tool.get("function").unwrap_or(tool)).map(Some),
        search if is_search(search) => Ok(None),
        "" => Err("A tool must be an object with a 'type'.".to_owned()),
        other => Err(format!(
            "There are no tools of the type {:?}, only functions and web_search.",
            clipped(other, 80)
        )),
    }
}

fn is_search(kind: &str) -> bool {
    matches!(kind, "web_search" | "web_search_preview" | "web_search_preview_2025_03_11")
}

impl Tool {
    fn from_function(function: &Value) -> Result<Self, String> {
        let name = function.get("name").and_then(Value::as_str).filter(|name| is_name(name));
        let name = name.ok_or("A function needs a 'name' of 1 to 64 letters, digits, _ and -.")?;
        Self::named(name, function).map_err(|fault| format!("The function {name:?} cannot be used: {fault}"))
    }

    fn named(name: &str, function: &Value) -> Result<Self, String> {
        let description = match function.get("description") {
            None | Some(Value::Null) => "",
            Some(text) => text.as_str().ok_or("'description' must be text.")?,
        };
        let parameters = read_parameters(function)?;
        let strict = switch(function, "strict")?;
        if strict && !levels(&parameters).into_iter().all(is_closed) {
            return Err("where 'strict' is true, every object in 'parameters' needs 'additionalProperties' \
                        false and all its properties in 'required'."
                .to_owned());
        }
        let arguments =
            Schema::parse(&parameters, strict).map_err(|fault| format!("in 'parameters', {fault}."))?;
        let listing = json!({"name": name, "description": description, "parameters": parameters});
        Ok(Self { name: name.to_owned(), listing, arguments })
    }
}

/// The schema of the arguments; without one, that of no arguments.
fn read_parameters(function: &Value) -> Result<Value, String> {
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

/// Whether a schema, if it is one of objects, names all that they hold.
fn is_closed(schema: &Map<String, Value>) -> bool {
    let is_object = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        kind => kind.is_some_and(|kind| kind == "object"),
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    if !is_object && properties.is_none() {
        return true;
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let required: HashSet<&str> = required.filter_map(Value::as_str).collect();
    schema.get("additionalProperties") == Some(&Value::Bool(false))
        && properties.into_iter().flat_map(Map::keys).all(|name| required.contains(name.as_str()))
}

fn read_choice(value: Option<&Value>, tools: &[Tool]) -> Result<Choice, String> {
    let choice = match value {
        None | Some(Value::Null) => Choice::Auto,
        Some(Value::String(word)) if word == "auto" => Choice::Auto,
        Some(Value::String(word)) if word == "none" => Choice::Never,
        Some(Value::String(word)) if word == "required" => Choice::Required,
        Some(value) => Choice::Named(chosen_name(value)?),
    };
    match &choice {
        Choice::Required | Choice::Named(_) if tools.is_empty() => {
            Err(format!("There are no functions. {SEARCH}"))
        }
        Choice::Named(name) if !tools.iter().any(|tool| tool.name == *name) => {
            Err(format!("There is no function {:?}.", clipped(name, 80)))
        }
        _ => Ok(choice),
    }
}

fn chosen_name(choice: &Value) -> Result<String, String> {
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
