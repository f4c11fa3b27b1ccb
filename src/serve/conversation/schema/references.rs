//! What a schema refers to: only its own parts, and not so many times that no time is enough.

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::super::json::clipped;
use super::{DEEPEST, Part, Rule, Schema};

/// How many parts may apply to one value: with `anyOf` and references, few lines can stand for any number of them.
const MOST_AT_ONCE: usize = 5000;

/// Nothing is ever fetched for a schema.
pub(super) fn refuse_foreign(schema: &Value) -> Result<(), String> {
    let targets = |level: &'_ Map<String, Value>| {
        ["$ref", "$dynamicRef", "$recursiveRef"].map(|name| level.get(name)?.as_str().map(str::to_owned))
    };
    let is_foreign = |target: &String| target != "#" && !target.starts_with("#/");
    match levels(schema).into_iter().flat_map(targets).flatten().find(is_foreign) {
        Some(target) => {
            Err(format!("it may refer to its own parts (#/…) only, not to {:?}", clipped(&target, 80)))
        }
        None => Ok(()),
    }
}

/// What a local reference, a URI fragment with a JSON pointer, refers to.
pub(super) fn referred<'a>(schema: &'a Value, target: &str) -> Option<&'a Value> {
    let pointer = percent_decode_str(target.strip_prefix('#')?).decode_utf8().ok()?;
    schema.pointer(&pointer)
}

impl Schema {
    pub(super) fn refuse_unbounded(&self) -> Result<(), String> {
        let mut sizes = vec![None; self.parts.len()];
        (0..self.parts.len()).try_for_each(|part| self.size(part, 0, &mut sizes).map(|_| ()))
    }

    /// How many parts apply to a value that a part applies to. A part that refers to itself counts once.
    fn size(&self, part: Part, depth: usize, sizes: &mut [Option<usize>]) -> Result<usize, String> {
        let (Some(rules), Some(known)) = (self.parts.get(part), sizes.get_mut(part)) else { return Ok(0) };
        if let Some(size) = *known {
            return Ok(size);
        }
        if depth > DEEPEST {
            return Err(format!("more than {DEEPEST} of its references follow one another"));
        }
        *known = Some(1);
        let mut size = 1;
        for rule in rules {
            let inner = match rule {
                Rule::AnyOf(parts) => parts.as_slice(),
                Rule::Reference(part) => std::slice::from_ref(part),
                _ => &[],
            };
            for part in inner {
                size += self.size(*part, depth + 1, sizes)?;
            }
        }
        if size > MOST_AT_ONCE {
            return Err("it is too large once what it refers to stands in place".to_owned());
        }
        if let Some(known) = sizes.get_mut(part) {
            *known = Some(size);
        }
        Ok(size)
    }
}

/// The schema and all schemas within it. What is data and not a schema, such as a default, is left out.
pub(in super::super) fn levels(schema: &Value) -> Vec<&Map<String, Value>> {
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
