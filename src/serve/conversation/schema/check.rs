//! Whether a value fits a [`Schema`].

use std::borrow::Cow;
use std::ptr;

use serde_json::{Map, Value};

use super::super::json::clipped;
use super::assertion::broken;
use super::{Schema, below, referred};

/// How many steps a check may take: with alternatives and references, a small schema can ask for any number of them.
const MOST_STEPS: usize = 500_000;

/// How many schemas may be within one another while a value is checked, so that the stack is deep enough. A value is
/// at most 128 levels deep, and each level passes a few.
const DEEPEST: usize = 400;

enum Fault {
    /// The value does not fit: where, as a JSON pointer, and what it must do.
    Misfit { place: String, demand: String },
    /// Whether the value fits was not found out.
    TooMuch,
}

impl Schema {
    /// The error says where the value does not fit and which rule that breaks, without the value.
    pub(in super::super) fn check(&self, value: &Value) -> Result<(), String> {
        let mut check = Check { root: &self.0, steps: 0, open: Vec::new() };
        check.schema(&self.0, value).map_err(|fault| match fault {
            Fault::TooMuch => "it takes too long to check".to_owned(),
            Fault::Misfit { place, demand } if place.is_empty() => format!("it {demand}"),
            Fault::Misfit { place, demand } => format!("{} {demand}", clipped(&place, 80)),
        })
    }
}

impl Fault {
    fn misfit(demand: impl Into<String>) -> Self {
        Self::Misfit { place: String::new(), demand: demand.into() }
    }

    /// The same fault, seen from what holds the value under a name or a number.
    fn within(mut self, name: &str) -> Self {
        if let Self::Misfit { place, .. } = &mut self {
            place.insert_str(0, &below("", name));
        }
        self
    }
}

struct Check<'a> {
    root: &'a Value,
    steps: usize,
    /// The schemas that are being checked, each within the one before it, and against what.
    open: Vec<(&'a Value, &'a Value)>,
}

impl<'a> Check<'a> {
    fn schema(&mut self, schema: &'a Value, value: &'a Value) -> Result<(), Fault> {
        self.spend(schema)?;
        self.spend(value)?;
        if self.open.len() == DEEPEST {
            return Err(Fault::TooMuch);
        }
        let mut same_value = self.open.iter().rev().take_while(|(_, open)| ptr::eq(*open, value));
        if same_value.any(|(open, _)| ptr::eq(*open, schema)) {
            return Err(Fault::misfit("stands where the schema refers to itself without end"));
        }
        self.open.push((schema, value));
        let checked = match schema {
            Value::Bool(false) => Err(Fault::misfit("is not allowed")),
            Value::Object(keywords) => self.keywords(keywords, value),
            _ => Ok(()),
        };
        self.open.pop();
        checked
    }

    /// Counts the steps that it takes to look at a value, without what stands within it: more for long ones.
    fn spend(&mut self, value: &Value) -> Result<(), Fault> {
        let size = match value {
            Value::String(text) => text.len(),
            Value::Array(items) => items.len(),
            Value::Object(fields) => fields.len(),
            _ => 0,
        };
        self.steps += 1 + size / 16;
        if self.steps > MOST_STEPS { Err(Fault::TooMuch) } else { Ok(()) }
    }

    fn keywords(&mut self, keywords: &'a Map<String, Value>, value: &'a Value) -> Result<(), Fault> {
        for (keyword, rule) in keywords {
            if matches!(keyword.as_str(), "type" | "enum" | "required" | "$ref") {
                self.spend(rule)?;
            }
            match (keyword.as_str(), rule) {
                ("anyOf", Value::Array(schemas)) => self.any_of(schemas, value)?,
                ("$ref", Value::String(reference)) => {
                    if let Some(schema) = referred(self.root, reference) {
                        self.schema(schema, value)?;
                    }
                }
                _ => broken(keyword, rule, value).map_or(Ok(()), |demand| Err(Fault::misfit(demand)))?,
            }
        }
        for (name, schema, value) in inner(keywords, value) {
            self.schema(schema, value).map_err(|fault| fault.within(&name))?;
        }
        Ok(())
    }

    fn any_of(&mut self, schemas: &'a [Value], value: &'a Value) -> Result<(), Fault> {
        for schema in schemas {
            match self.schema(schema, value) {
                Err(Fault::Misfit { .. }) => {}
                checked => return checked,
            }
        }
        Err(Fault::misfit("must fit one of the schemas of 'anyOf'"))
    }
}

/// What stands within a value and must fit a schema: its name or number, that schema, and itself.
fn inner<'a>(
    keywords: &'a Map<String, Value>,
    value: &'a Value,
) -> Vec<(Cow<'a, str>, &'a Value, &'a Value)> {
    // Where the second keyword, which is not enforced, takes part in what the first is about, neither is.
    let unless = |keyword, other| keywords.get(keyword).filter(|_| !keywords.contains_key(other));
    match value {
        Value::Object(fields) => {
            let properties = keywords.get("properties");
            let others = unless("additionalProperties", "patternProperties");
            let schema = |name| properties.and_then(|properties| properties.get(name)).or(others);
            fields.iter().filter_map(|(name, field)| Some((name.into(), schema(name)?, field))).collect()
        }
        Value::Array(items) => {
            let schema = unless("items", "prefixItems");
            let items = items.iter().enumerate();
            items.filter_map(|(index, item)| Some((index.to_string().into(), schema?, item))).collect()
        }
        _ => Vec::new(),
    }
}
