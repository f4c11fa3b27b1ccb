//! Tokens and cost of an answer, in words.

use serde_json::Value;

/// The tokens and the cost, under the field names of either dialect of the API; `None` where it reports neither.
pub(super) fn phrase(usage: &Value) -> Option<String> {
    let count = |names: [&str; 2]| names.iter().find_map(|name| usage.get(name)?.as_u64());
    let read = count(["input_tokens", "prompt_tokens"]).map(|count| format!("{count} tokens in"));
    let written = count(["output_tokens", "completion_tokens"]).map(|count| format!("{count} tokens out"));
    let cost = usage.pointer("/cost/total_cost").and_then(Value::as_f64).map(|cost| {
        let currency = usage.pointer("/cost/currency").and_then(Value::as_str).unwrap_or("USD");
        format!("{cost} {currency}")
    });
    let parts: Vec<String> = [read, written, cost].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_interfaces_are_understood_and_nothing_is_made_up() {
        let chat = json!({"prompt_tokens": 5, "completion_tokens": 120, "cost": {"total_cost": 0.0061}});
        assert_eq!(phrase(&chat).unwrap(), "5 tokens in, 120 tokens out, 0.0061 USD");
        let agent =
            json!({"input_tokens": 9, "output_tokens": 3, "cost": {"currency": "EUR", "total_cost": 1}});
        assert_eq!(phrase(&agent).unwrap(), "9 tokens in, 3 tokens out, 1 EUR");
        assert_eq!(phrase(&json!({"cost": null, "prompt_tokens": "5"})), None);
    }
}
