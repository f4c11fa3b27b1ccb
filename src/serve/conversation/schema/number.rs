//! JSON numbers by their value: 1, 1.0 and 1e0 are one number.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// The integer that a number is; `None` also above 1e30, where nobody counts.
#[expect(clippy::cast_possible_truncation, reason = "it is whole, and far within the range")]
pub(super) fn whole(number: &Number) -> Option<i128> {
    let from_float = || {
        let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 1e30)?;
        Some(float as i128)
    };
    number.as_i128().or_else(from_float)
}

pub(super) fn is_integer(number: &Number) -> bool {
    number.as_i128().is_some() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

pub(super) fn compare(left: &Number, right: &Number) -> Option<Ordering> {
    match (whole(left), whole(right)) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

/// Decimals such as 0.1 are near what is meant, so their quotient may be off an integer by as much as they are.
pub(super) fn is_multiple(number: &Number, divisor: &Number) -> bool {
    if let (Some(number), Some(divisor)) = (whole(number), whole(divisor)) {
        return number.checked_rem(divisor) == Some(0);
    }
    let quotient = number.as_f64().zip(divisor.as_f64()).map(|(number, divisor)| number / divisor);
    quotient
        .is_some_and(|quotient| (quotient - quotient.round()).abs() <= quotient.abs() * 2.0 * f64::EPSILON)
}

pub(super) fn equal(left: &Value, right: &Value) -> bool {
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
