//! JSON Schemas that clients send: the subset that OpenAI documents for `strict`, with the meaning of the 2020-12 draft.

mod assertion;
mod check;
mod number;
mod read;
mod references;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use assertion::Assertion;
pub(super) use references::levels;

/// A schema that was read, and checks values.
///
/// It is a flat list of parts that name one another by their place in it, since references may form circles. The
/// first part is the whole schema.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Schema {
    parts: Vec<Vec<Rule>>,
}

/// The place of a part in its schema's list.
type Part = usize;

/// How many parts may be within one another while a value is checked, so that the stack is deep enough. A value is at
/// most 128 levels deep, and each level passes a few.
const DEEPEST: usize = 640;

/// What one keyword of a part demands of a value. What is about objects says nothing about other values, and so on.
#[derive(Debug, Clone, PartialEq)]
enum Rule {
    Assertion(Assertion),
    Properties(BTreeMap<String, Part>),
    /// `additionalProperties`, with the names that it is not about.
    AdditionalProperties(BTreeSet<String>, Part),
    Items(Part),
    AnyOf(Vec<Part>),
    Reference(Part),
}

/// A name as a JSON pointer has it.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
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
