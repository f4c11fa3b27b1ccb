//! JSON Schemas that clients send: which are taken, and what fits them.

use std::collections::HashMap;
use std::fmt;

use jsonschema::{Validator, draft202012};
use serde_json::{Map, Value};

use super::json::clipped;

/// What names a function or a schema.
pub(crate) fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(allowed)
}

/// A boolean that is off where it is not given.
pub(crate) fn switch(value: &Value, name: &str) -> Result<bool, String> {
    match value.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(on)) => Ok(*on),
        Some(_) => Err(format!("'{name}' must be true or false.")),
    }
}

/// What checks values against a schema of the 2020-12 draft, whatever draft that says it is of.
#[derive(Debug, Clone)]
pub(crate) struct Checker(Validator);

impl Checker {
    /// The schema may only refer to its own parts: nothing is ever fetched for it.
    pub(crate) fn of(schema: &Value) -> Result<Self, String> {
        let refs = ["$ref", "$dynamicRef", "$recursiveRef"];
        let targets =
            |level: &Map<String, Value>| refs.map(|name| level.get(name)?.as_str().map(str::to_owned));
        let foreign = |target: &String| target != "#" && !target.starts_with("#/");
        if let Some(target) = levels(schema).into_iter().flat_map(targets).flatten().find(foreign) {
            return Err(format!(
                "it may refer to its own parts (#/…) only, not to {:?}",
                clipped(&target, 80)
            ));
        }
        if expanded(schema, schema, &mut HashMap::new()) > LARGEST {
            return Err("it is too large once what it refers to stands in place".to_owned());
        }
        let built = draft202012::options().offline().build(schema);
        built.map(Self).map_err(|error| fault(error.instance_path(), error.masked()))
    }

    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        self.0.validate(value).map_err(|error| fault(error.instance_path(), error.masked()))
    }
}

/// How many parts a schema may have, with those that it refers to counted where it does: few lines can stand for more
/// than any time is enough for.
const LARGEST: u64 = 5000;

/// How many parts that are. A part that refers to itself counts once.
fn expanded<'a>(part: &'a Value, schema: &'a Value, known: &mut HashMap<&'a str, u64>) -> u64 {
    let inner = match part {
        Value::Object(fields) => {
            fields.values().map(|value| expanded(value, schema, known)).fold(1, u64::saturating_add)
        }
        Value::Array(items) => {
            items.iter().map(|value| expanded(value, schema, known)).fold(1, u64::saturating_add)
        }
        _ => return 1,
    };
    let target = part.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
    let Some(target) = target else { return inner };
    if let Some(size) = known.get(target) {
        return inner.saturating_add(*size);
    }
    known.insert(target, 1);
    let size = schema.pointer(target).map_or(1, |target| expanded(target, schema, known));
    known.insert(target, size);
    inner.saturating_add(size)
}

/// Where something is wrong, and what, without the value that is wrong.
fn fault(place: &impl fmt::Display, message: impl fmt::Display) -> String {
    let place = place.to_string();
    let place = if place.is_empty() { place } else { place + ": " };
    clipped(&format!("{place}{message}"), 80)
}

/// The schema and all schemas within it. What is data and not a schema, such as a default, is left out.
pub(crate) fn levels(schema: &Value) -> Vec<&Map<String, Value>> {
    let mut levels = Vec::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        let Value::Object(keywords) = schema else { continue };
        levels.push(keywords);
        for (keyword, value) in keywords {
            match (keyword.as_str(), value) {
                ("const" | "enum" | "default" | "examples", _) => {}
                (
                    "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                    Value::Object(schemas),
                ) => open.extend(schemas.values()),
                (_, Value::Array(items)) => open.extend(items),
                (_, value) => open.push(value),
            }
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_schema_that_unfolds_without_end_is_refused() {
        let level = |n: usize| json!({"anyOf": [{"$ref": format!("#/$defs/d{}", n + 1)}, {"$ref": format!("#/$defs/d{}", n + 1)}]});
        let schema = |depth: usize| {
            let mut defs: Map<String, Value> = (0..depth).map(|n| (format!("d{n}"), level(n))).collect();
            defs.insert(format!("d{depth}"), json!({"type": "string"}));
            json!({"$ref": "#/$defs/d0", "$defs": defs})
        };
        assert!(Checker::of(&schema(4)).is_ok() && Checker::of(&schema(24)).is_err());
        let tree = json!({"type": "object", "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
        assert!(Checker::of(&tree).is_ok());
        assert!(Checker::of(&json!({"$ref": "#anchor"})).is_err());
    }
}
