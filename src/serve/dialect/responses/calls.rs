//! Calls of functions and their results: each result belongs to one call, and each call has a result.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::serve::api_error::ApiError;

/// Checks the results in `input` against the calls of the answer before it, and those that stand in `input` itself.
pub(super) fn check(output: &[Value], input: &[Value]) -> Result<(), ApiError> {
    let mut open: BTreeSet<&str> = ids(output, "function_call").collect();
    let expected = open.len();
    open.extend(ids(input, "function_call"));
    for id in ids(input, "function_call_output") {
        if !open.remove(id) {
            return Err(ApiError::invalid("input", format!("No call waits for the result of '{id}'.")));
        }
    }
    match open.first() {
        Some(id) if expected > 0 || ids(input, "function_call_output").next().is_some() => {
            Err(ApiError::invalid("input", format!("The result of the call '{id}' is missing.")))
        }
        _ => Ok(()),
    }
}

fn ids<'a>(items: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a str> {
    let is_kind = move |item: &&Value| item.get("type").is_some_and(|known| known == kind);
    items.iter().filter(is_kind).map(|item| item.get("call_id").and_then(Value::as_str).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_result_belongs_to_a_call_and_each_call_has_one() {
        let call = |id: &str| json!({ "type": "function_call", "call_id": id });
        let result = |id: &str| json!({ "type": "function_call_output", "call_id": id });
        assert!(check(&[call("a"), call("b")], &[result("b"), result("a")]).is_ok());
        assert!(check(&[], &[call("a"), result("a")]).is_ok());
        assert!(check(&[], &[]).is_ok());
        for (output, input) in [
            (vec![call("a")], vec![result("b")]),
            (vec![call("a")], vec![result("a"), result("a")]),
            (vec![call("a"), call("b")], vec![result("a")]),
            (vec![call("a")], vec![]),
            (vec![], vec![result("a")]),
        ] {
            assert!(check(&output, &input).is_err(), "{output:?} {input:?}");
        }
    }
}
