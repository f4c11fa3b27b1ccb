//! What a keyword demands of a value by itself, whatever stands within it.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::{Number, Value};

use super::super::json::clipped;
use super::number::{compare, equal, is_integer, is_multiple};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Assertion {
    /// The schema `false`, which nothing fits.
    Never,
    Type(BTreeSet<Type>),
    Enum(Vec<Value>),
    Const(Value),
    Minimum(Number),
    Maximum(Number),
    ExclusiveMinimum(Number),
    ExclusiveMaximum(Number),
    MultipleOf(Number),
    MinLength(usize),
    MaxLength(usize),
    MinItems(usize),
    MaxItems(usize),
    Required(BTreeSet<String>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Type {
    Null,
    Boolean,
    Object,
    Array,
    Number,
    String,
    Integer,
}

impl Assertion {
    /// What it says of strings holds for every number, and so on.
    pub(super) fn holds(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Never, _) => false,
            (Self::Type(types), _) => types.iter().any(|kind| kind.is_of(value)),
            (Self::Enum(values), _) => values.iter().any(|known| equal(known, value)),
            (Self::Const(known), _) => equal(known, value),
            (Self::Minimum(bound), Value::Number(number)) => {
                compare(number, bound).is_some_and(Ordering::is_ge)
            }
            (Self::Maximum(bound), Value::Number(number)) => {
                compare(number, bound).is_some_and(Ordering::is_le)
            }
            (Self::ExclusiveMinimum(bound), Value::Number(number)) => {
                compare(number, bound).is_some_and(Ordering::is_gt)
            }
            (Self::ExclusiveMaximum(bound), Value::Number(number)) => {
                compare(number, bound).is_some_and(Ordering::is_lt)
            }
            (Self::MultipleOf(divisor), Value::Number(number)) => is_multiple(number, divisor),
            (Self::MinLength(least), Value::String(text)) => text.chars().count() >= *least,
            (Self::MaxLength(most), Value::String(text)) => text.chars().count() <= *most,
            (Self::MinItems(least), Value::Array(items)) => items.len() >= *least,
            (Self::MaxItems(most), Value::Array(items)) => items.len() <= *most,
            (Self::Required(names), Value::Object(fields)) => {
                names.iter().all(|name| fields.contains_key(name))
            }
            _ => true,
        }
    }

    /// What a value for which it does not hold must do.
    pub(super) fn demand(&self, value: &Value) -> String {
        match self {
            Self::Never => "is not allowed".to_owned(),
            Self::Type(types) => {
                let names: Vec<&str> = types.iter().map(|kind| kind.name()).collect();
                format!("must be of the type {}", names.join(" or "))
            }
            Self::Enum(_) => "must be one of the values of 'enum'".to_owned(),
            Self::Const(_) => "must be the value of 'const'".to_owned(),
            Self::Minimum(bound) => format!("must be at least {bound}"),
            Self::Maximum(bound) => format!("must be at most {bound}"),
            Self::ExclusiveMinimum(bound) => format!("must be greater than {bound}"),
            Self::ExclusiveMaximum(bound) => format!("must be less than {bound}"),
            Self::MultipleOf(divisor) => format!("must be a multiple of {divisor}"),
            Self::MinLength(least) => format!("must have at least {least} characters"),
            Self::MaxLength(most) => format!("must have at most {most} characters"),
            Self::MinItems(least) => format!("must have at least {least} items"),
            Self::MaxItems(most) => format!("must have at most {most} items"),
            Self::Required(names) => {
                let missing = names.iter().find(|name| value.get(name.as_str()).is_none());
                let missing = missing.map(String::as_str).unwrap_or_default();
                format!("must have the property {:?}", clipped(missing, 40))
            }
        }
    }
}

impl Type {
    pub(super) const ALL: [Self; 7] =
        [Self::Null, Self::Boolean, Self::Object, Self::Array, Self::Number, Self::String, Self::Integer];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Object => "object",
            Self::Array => "array",
            Self::Number => "number",
            Self::String => "string",
            Self::Integer => "integer",
        }
    }

    fn is_of(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Null, Value::Null)
            | (Self::Boolean, Value::Bool(_))
            | (Self::Object, Value::Object(_))
            | (Self::Array, Value::Array(_))
            | (Self::Number, Value::Number(_))
            | (Self::String, Value::String(_)) => true,
            (Self::Integer, Value::Number(number)) => is_integer(number),
            _ => false,
        }
    }
}
