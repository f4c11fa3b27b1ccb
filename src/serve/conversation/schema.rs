//! JSON Schemas that clients send: the subset that OpenAI documents for `strict`, with the meaning of the 2020-12 draft.

mod assertion;
mod check;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::json::clipped;

/// A schema whose keywords have the form that they must have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Schema(Value);

impl Schema {
    /// Reads a schema, which may only refer to its own parts. A keyword that is not supported is an error in a strict
    /// schema; in any other it is not enforced.
    pub(super) fn parse(schema: &Value, strict: bool) -> Result<Self, String> {
        refuse_foreign(schema)?;
        // A list and not recursion: a chain of references may be longer than the stack is deep.
        let mut open = vec![(String::new(), schema)];
        let mut seen: HashSet<*const Value> = HashSet::new();
        while let Some((place, part)) = open.pop() {
            if !seen.insert(part) || part.is_boolean() {
                continue;
            }
            let not_a_schema =
                || format!("{} must be a schema", if place.is_empty() { "it" } else { &place });
            for (keyword, value) in part.as_object().ok_or_else(not_a_schema)? {
                let place = below(&place, keyword);
                check_form(keyword, value, &place, strict)?;
                match (keyword.as_str(), value) {
                    ("items" | "additionalProperties", part) => open.push((place, part)),
                    ("properties" | "$defs" | "definitions", Value::Object(parts)) => {
                        open.extend(parts.iter().map(|(name, part)| (below(&place, name), part)));
                    }
                    ("anyOf", Value::Array(parts)) => {
                        let parts = parts.iter().enumerate();
                        open.extend(parts.map(|(index, part)| (below(&place, &index.to_string()), part)));
                    }
                    ("$ref", Value::String(reference)) => {
                        let shown = clipped(reference, 80);
                        let part = referred(schema, reference)
                            .ok_or_else(|| format!("{place} refers to {shown:?}, where nothing is"))?;
                        open.push((shown.trim_start_matches('#').to_owned(), part));
                    }
                    _ => {}
                }
            }
        }
        Ok(Self(schema.clone()))
    }
}

/// Whether a keyword is supported, and its value one that it may have.
fn check_form(keyword: &str, value: &Value, place: &str, strict: bool) -> Result<(), String> {
    let (list, number) = (value.as_array(), value.as_f64());
    let (is_right, form) = match keyword {
        "type" => (is_type(value), "the name of a type, or a list of such names"),
        "enum" => (list.is_some(), "a list"),
        "required" => (list.is_some_and(|names| names.iter().all(Value::is_string)), "a list of names"),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => (number.is_some(), "a number"),
        "multipleOf" => (number.is_some_and(|number| number > 0.0), "a number above 0"),
        "minLength" | "maxLength" | "minItems" | "maxItems" => {
            (number.is_some_and(|count| count >= 0.0 && count.fract() == 0.0), "a whole number of 0 or more")
        }
        "properties" | "$defs" | "definitions" => (value.is_object(), "an object of schemas"),
        "anyOf" => (list.is_some_and(|list| !list.is_empty()), "a list of schemas that is not empty"),
        "$ref" => (value.is_string(), "text"),
        "const" | "items" | "additionalProperties" => (true, "any value"),
        // These demand nothing; `format` does not in the 2020-12 draft either.
        "title" | "description" | "default" | "examples" | "deprecated" | "readOnly" | "writeOnly"
        | "format" | "$schema" | "$id" | "$comment" => return Ok(()),
        _ if strict => return Err(format!("{place} is not supported where 'strict' is true")),
        _ => return Ok(()),
    };
    if is_right { Ok(()) } else { Err(format!("{place} must be {form}")) }
}

fn is_type(value: &Value) -> bool {
    const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "string", "integer"];
    let names = one_or_list(value);
    !names.is_empty() && names.iter().all(|name| TYPES.iter().any(|known| name == known))
}

/// The items of a list; any other value stands for a list of itself.
fn one_or_list(value: &Value) -> &[Value] {
    value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice)
}

/// A place beneath another, as a JSON pointer with little of long names.
fn below(place: &str, name: &str) -> String {
    let name = name.replace('~', "~0").replace('/', "~1");
    format!("{}/{}", clipped(place, 80), clipped(&name, 40))
}

/// What a local reference, a URI fragment with a JSON pointer, refers to.
fn referred<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?;
    root.pointer(&pointer)
}

/// Nothing is ever fetched for a schema.
fn refuse_foreign(schema: &Value) -> Result<(), String> {
    for (keyword, value) in levels(schema).into_iter().flatten() {
        match (keyword.as_str(), value) {
            ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(to))
                if to != "#" && !to.starts_with("#/") =>
            {
                return Err(format!(
                    "it may refer to its own parts (#/…) only, not to {:?}",
                    clipped(to, 80)
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The schema and all schemas within it. What is data and not a schema, such as a default, is left out.
pub(super) fn levels(schema: &Value) -> Vec<&Map<String, Value>> {
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
