//! From JSON to a [`Schema`].

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Number, Value};

use super::super::json::clipped;
use super::assertion::{Assertion, Type};
use super::references::{referred, refuse_foreign};
use super::{Part, Rule, Schema, escaped, number};

/// How many parts a schema may have. None that serves a purpose comes near it.
const MOST_PARTS: usize = 5000;

/// Keywords that demand nothing. `format` is one of them in the 2020-12 draft, too.
const ANNOTATIONS: [&str; 11] = [
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "format",
    "$schema",
    "$id",
    "$comment",
];

impl Schema {
    /// Reads a schema, which may only refer to its own parts. A keyword that is not supported is an error in a strict
    /// schema; in any other it is not enforced.
    pub(in super::super) fn parse(schema: &Value, strict: bool) -> Result<Self, String> {
        refuse_foreign(schema)?;
        let mut reader = Reader { root: schema, strict, known: HashMap::new(), found: Vec::new() };
        reader.part(schema, String::new())?;
        let mut parts = Vec::new();
        while let Some((part, place)) = reader.found.get(parts.len()).cloned() {
            parts.push(reader.rules(part, &place)?);
        }
        let schema = Self { parts };
        schema.refuse_unbounded()?;
        Ok(schema)
    }
}

/// Finds the parts of a schema and reads them one after the other, not one within the other: a chain of references may
/// be longer than the stack is deep.
struct Reader<'a> {
    root: &'a Value,
    strict: bool,
    /// The parts that were found, by their address: one that is referred to is read once.
    known: HashMap<*const Value, Part>,
    /// The same parts in their order, each with its place as an error shows it.
    found: Vec<(&'a Value, String)>,
}

impl<'a> Reader<'a> {
    fn part(&mut self, value: &'a Value, place: String) -> Result<Part, String> {
        let next = self.found.len();
        let part = *self.known.entry(value).or_insert(next);
        if part == next {
            self.found.push((value, place));
        }
        if part == MOST_PARTS {
            return Err(format!("it has more than {MOST_PARTS} parts"));
        }
        Ok(part)
    }

    fn rules(&mut self, part: &'a Value, place: &str) -> Result<Vec<Rule>, String> {
        match part {
            Value::Bool(true) => Ok(Vec::new()),
            Value::Bool(false) => Ok(vec![Rule::Assertion(Assertion::Never)]),
            Value::Object(keywords) => keywords
                .keys()
                .filter_map(|keyword| self.rule(keywords, keyword, place).transpose())
                .collect(),
            _ => Err(format!("{} must be a schema", if place.is_empty() { "it" } else { place })),
        }
    }

    /// The rule of one keyword; `None` where it has no effect.
    fn rule(
        &mut self,
        keywords: &'a Map<String, Value>,
        keyword: &str,
        place: &str,
    ) -> Result<Option<Rule>, String> {
        let place = &below(place, keyword);
        let value = keywords.get(keyword).unwrap_or(&Value::Null);
        if let Some(assertion) = assertion(keyword, value, place)? {
            return Ok(Some(Rule::Assertion(assertion)));
        }
        Ok(Some(match keyword {
            "properties" => Rule::Properties(self.named_parts(value, place)?),
            // Which properties and items they are about would be for a keyword to say that is not enforced.
            "additionalProperties" if keywords.contains_key("patternProperties") => return Ok(None),
            "items" if keywords.contains_key("prefixItems") => return Ok(None),
            "additionalProperties" => {
                Rule::AdditionalProperties(property_names(keywords), self.part(value, place.clone())?)
            }
            "items" => Rule::Items(self.part(value, place.clone())?),
            "anyOf" => Rule::AnyOf(self.alternatives(value, place)?),
            "$ref" => Rule::Reference(self.reference(value, place)?),
            "$defs" | "definitions" => return self.named_parts(value, place).map(|_| None),
            _ if ANNOTATIONS.contains(&keyword) || !self.strict => return Ok(None),
            _ => return Err(format!("{place} is not supported where 'strict' is true")),
        }))
    }

    fn named_parts(&mut self, value: &'a Value, place: &str) -> Result<BTreeMap<String, Part>, String> {
        let parts = value.as_object().ok_or_else(|| format!("{place} must be an object of schemas"))?;
        parts.iter().map(|(name, part)| Ok((name.clone(), self.part(part, below(place, name))?))).collect()
    }

    fn alternatives(&mut self, value: &'a Value, place: &str) -> Result<Vec<Part>, String> {
        let parts = value.as_array().filter(|parts| !parts.is_empty());
        let parts = parts.ok_or_else(|| format!("{place} must be a list of schemas that is not empty"))?;
        let places = (0..).map(|index: usize| below(place, &index.to_string()));
        parts.iter().zip(places).map(|(part, place)| self.part(part, place)).collect()
    }

    fn reference(&mut self, value: &'a Value, place: &str) -> Result<Part, String> {
        let target = value.as_str().ok_or_else(|| format!("{place} must be text"))?;
        let part = referred(self.root, target);
        let part =
            part.ok_or_else(|| format!("{place} refers to {:?}, where nothing is", clipped(target, 80)))?;
        self.part(part, clipped(target.trim_start_matches('#'), 80))
    }
}

/// A place beneath another, with little of long names.
fn below(place: &str, name: &str) -> String {
    format!("{}/{}", clipped(place, 80), clipped(&escaped(name), 40))
}

fn property_names(keywords: &Map<String, Value>) -> BTreeSet<String> {
    let properties = keywords.get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(Map::keys).cloned().collect()
}

fn assertion(keyword: &str, value: &Value, place: &str) -> Result<Option<Assertion>, String> {
    Ok(Some(match keyword {
        "type" => Assertion::Type(types(value, place)?),
        "enum" => Assertion::Enum(list(value, place)?.clone()),
        "const" => Assertion::Const(value.clone()),
        "minimum" => Assertion::Minimum(bound(value, place)?),
        "maximum" => Assertion::Maximum(bound(value, place)?),
        "exclusiveMinimum" => Assertion::ExclusiveMinimum(bound(value, place)?),
        "exclusiveMaximum" => Assertion::ExclusiveMaximum(bound(value, place)?),
        "multipleOf" => Assertion::MultipleOf(divisor(value, place)?),
        "minLength" => Assertion::MinLength(count(value, place)?),
        "maxLength" => Assertion::MaxLength(count(value, place)?),
        "minItems" => Assertion::MinItems(count(value, place)?),
        "maxItems" => Assertion::MaxItems(count(value, place)?),
        "required" => Assertion::Required(names(value, place)?),
        _ => return Ok(None),
    }))
}

fn list<'a>(value: &'a Value, place: &str) -> Result<&'a Vec<Value>, String> {
    value.as_array().ok_or_else(|| format!("{place} must be a list"))
}

fn types(value: &Value, place: &str) -> Result<BTreeSet<Type>, String> {
    let read = |value: &Value| Type::ALL.into_iter().find(|kind| value.as_str() == Some(kind.name()));
    let types = match value {
        Value::Array(types) => types.iter().map(read).collect(),
        kind => read(kind).map(|kind| BTreeSet::from([kind])),
    };
    types.filter(|types: &BTreeSet<Type>| !types.is_empty()).ok_or_else(|| {
        let known = Type::ALL.map(Type::name).join(", ");
        format!("{place} must be one of {known}, or a list of some of them")
    })
}

fn names(value: &Value, place: &str) -> Result<BTreeSet<String>, String> {
    let names =
        value.as_array().and_then(|list| list.iter().map(|name| name.as_str().map(str::to_owned)).collect());
    names.ok_or_else(|| format!("{place} must be a list of names"))
}

fn bound(value: &Value, place: &str) -> Result<Number, String> {
    value.as_number().cloned().ok_or_else(|| format!("{place} must be a number"))
}

fn divisor(value: &Value, place: &str) -> Result<Number, String> {
    let divisor = value.as_number().filter(|number| number.as_f64().is_some_and(|number| number > 0.0));
    divisor.cloned().ok_or_else(|| format!("{place} must be a number above 0"))
}

fn count(value: &Value, place: &str) -> Result<usize, String> {
    let count = value.as_number().and_then(number::whole).filter(|count| *count >= 0);
    let count = count.ok_or_else(|| format!("{place} must be a whole number of 0 or more"))?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}
