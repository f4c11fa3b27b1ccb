//! What a keyword demands of a value by itself, whatever stands within it.
//!
//! Numbers are compared by their value: 1, 1.0 and 1e0 are one number.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::super::json::clipped;
use super::one_or_list;

/// What a value that breaks a rule must do; `None` for one that keeps it. A rule about strings says nothing about
/// numbers, and so on.
pub(super) fn broken(keyword: &str, rule: &Value, value: &Value) -> Option<String> {
    let listed = one_or_list(rule);
    let mut names = listed.iter().filter_map(Value::as_str);
    Some(match (keyword, value) {
        ("type", _) if !names.clone().any(|name| has_type(value, name)) => {
            format!("must be of the type {}", names.collect::<Vec<_>>().join(" or "))
        }
        ("enum", _) if !listed.iter().any(|known| equal(known, value)) => {
            "must be one of the values of 'enum'".to_owned()
        }
        ("const", _) if !equal(rule, value) => "must be the value of 'const'".to_owned(),
        ("required", Value::Object(fields)) => {
            let missing = names.find(|name| !fields.contains_key(*name))?;
            format!("must have the property {:?}", clipped(missing, 40))
        }
        _ => return broken_bound(keyword, rule.as_number()?, value),
    })
}

/// The same for the keywords that bound a number or a length.
fn broken_bound(keyword: &str, bound: &Number, value: &Value) -> Option<String> {
    let (number, unit) = match value {
        Value::Number(number) => (number.clone(), ""),
        Value::String(text) => (text.chars().count().into(), " characters"),
        Value::Array(items) => (items.len().into(), " items"),
        _ => return None,
    };
    let order = compare(&number, bound)?;
    let (holds, demand) = match (keyword, value) {
        ("minimum", Value::Number(_)) => (order.is_ge(), "be at least"),
        ("maximum", Value::Number(_)) => (order.is_le(), "be at most"),
        ("exclusiveMinimum", Value::Number(_)) => (order.is_gt(), "be greater than"),
        ("exclusiveMaximum", Value::Number(_)) => (order.is_lt(), "be less than"),
        ("multipleOf", Value::Number(_)) => (is_multiple(&number, bound), "be a multiple of"),
        ("minLength", Value::String(_)) | ("minItems", Value::Array(_)) => (order.is_ge(), "have at least"),
        ("maxLength", Value::String(_)) | ("maxItems", Value::Array(_)) => (order.is_le(), "have at most"),
        _ => return None,
    };
    (!holds).then(|| format!("must {demand} {bound}{unit}"))
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        _ => value.as_f64().is_some_and(|number| number.fract() == 0.0),
    }
}

/// The integer that a number is; `None` also above 1e30, where nobody counts.
#[expect(clippy::cast_possible_truncation, reason = "it is whole, and far within the range")]
fn whole(number: &Number) -> Option<i128> {
    let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 1e30);
    number.as_i128().or(float.map(|float| float as i128))
}

fn compare(left: &Number, right: &Number) -> Option<Ordering> {
    match (whole(left), whole(right)) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

/// Decimals such as 0.1 are near what is meant, so their quotient may be off an integer by as much as they are.
fn is_multiple(number: &Number, divisor: &Number) -> bool {
    if let (Some(number), Some(divisor)) = (whole(number), whole(divisor)) {
        return number.checked_rem(divisor) == Some(0);
    }
    let quotient = number.as_f64().zip(divisor.as_f64()).map(|(number, divisor)| number / divisor);
    quotient
        .is_some_and(|quotient| (quotient - quotient.round()).abs() <= quotient.abs() * 2.0 * f64::EPSILON)
}

fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare(left, right) == Some(Ordering::Equal),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, left)| right.get(name).is_some_and(|right| equal(left, right)))
        }
        _ => left == right,
    }
}
