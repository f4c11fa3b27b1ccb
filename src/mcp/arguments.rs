//! Reads the arguments of a tool call. A mistake is one sentence that names the argument, so that a model can correct it.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::schema;

/// What is wrong with the arguments, in one sentence.
pub(super) type Mistake = String;

/// The arguments as the tool's type has them. The type's schema, which the client was given, says what is wrong with
/// them: serde would not always name the argument.
pub(super) fn read<T: DeserializeOwned + JsonSchema>(given: Option<JsonObject>) -> Result<T, Mistake> {
    let mut given = given.unwrap_or_default();
    // Some clients send null for what they leave out.
    given.retain(|_, value| !value.is_null());
    match find_mistake(&given, &Value::Object(schema::for_input::<T>())) {
        Some(mistake) => Err(mistake),
        None => serde_json::from_value(Value::Object(given))
            .map_err(|error| format!("The arguments cannot be read: {error}.")),
    }
}

fn find_mistake(given: &JsonObject, schema: &Value) -> Option<Mistake> {
    let known = schema["properties"].as_object()?;
    if let Some(name) = given.keys().find(|name| !known.contains_key(*name)) {
        return Some(unknown(name, known));
    }
    for name in schema["required"].as_array()?.iter().filter_map(Value::as_str) {
        match given.get(name) {
            None => return Some(format!("The argument {name:?} is missing.")),
            Some(Value::String(text)) if text.trim().is_empty() => {
                return Some(format!("The argument {name:?} must not be empty."));
            }
            Some(_) => {}
        }
    }
    let (name, schema) =
        known.iter().find(|(name, schema)| given.get(*name).is_some_and(|value| !fits(value, schema)))?;
    Some(format!("The argument {name:?} must be {}.", expected(schema)))
}

fn unknown(name: &str, known: &JsonObject) -> Mistake {
    if known.is_empty() {
        return format!("There is no argument {name:?}; this tool has none.");
    }
    let known: Vec<&str> = known.keys().map(String::as_str).collect();
    format!("There is no argument {name:?}; there are: {}.", known.join(", "))
}

/// Whether a value is what the schema of an argument asks for: an integer, a list, or a string.
fn fits(value: &Value, schema: &Value) -> bool {
    match schema["type"].as_str() {
        Some("integer") => value.as_u64().is_some_and(|number| {
            schema["minimum"].as_u64().is_none_or(|minimum| number >= minimum)
                && schema["maximum"].as_u64().is_none_or(|maximum| number <= maximum)
        }),
        Some("array") => {
            value.as_array().is_some_and(|items| items.iter().all(|item| fits(item, &schema["items"])))
        }
        _ => value.is_string() && schema["enum"].as_array().is_none_or(|choices| choices.contains(value)),
    }
}

/// The same in words.
fn expected(schema: &Value) -> String {
    match (schema["type"].as_str(), schema["enum"].as_array()) {
        (Some("integer"), _) => match (&schema["minimum"], &schema["maximum"]) {
            (minimum, Value::Null) => format!("an integer of at least {minimum}"),
            (minimum, maximum) => format!("an integer from {minimum} to {maximum}"),
        },
        (Some("array"), _) => "a list of strings".to_owned(),
        (_, Some(choices)) => {
            let choices: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
            format!("one of: {}", choices.join(", "))
        }
        (_, None) => "a string".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Arguments {
        query: String,
        #[schemars(range(min = 1, max = 50))]
        limit: Option<u32>,
        offset: Option<usize>,
        age: Option<Age>,
        sources: Option<Vec<String>>,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Age {
        Day,
        Week,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct NoArguments {}

    fn given(value: &Value) -> Option<JsonObject> {
        value.as_object().cloned()
    }

    #[test]
    fn every_mistake_is_a_sentence_that_names_its_argument() {
        let limit = "The argument \"limit\" must be an integer from 1 to 50.";
        let offset = "The argument \"offset\" must be an integer of at least 0.";
        let age = "The argument \"age\" must be one of: day, week.";
        let sources = "The argument \"sources\" must be a list of strings.";
        for (arguments, mistake) in [
            (json!({}), "The argument \"query\" is missing."),
            (json!({"query": null}), "The argument \"query\" is missing."),
            (json!({"query": "  "}), "The argument \"query\" must not be empty."),
            (json!({"query": 5}), "The argument \"query\" must be a string."),
            (json!({"query": "q", "limit": "3"}), limit),
            (json!({"query": "q", "limit": 0}), limit),
            (json!({"query": "q", "limit": 51}), limit),
            (json!({"query": "q", "limit": 1.5}), limit),
            (json!({"query": "q", "limit": -1}), limit),
            (json!({"query": "q", "offset": -1}), offset),
            (json!({"query": "q", "age": "fortnight"}), age),
            (json!({"query": "q", "age": ["day"]}), age),
            (json!({"query": "q", "sources": "web"}), sources),
            (json!({"query": "q", "sources": ["web", 1]}), sources),
            (
                json!({"query": 5, "nonsense": 1}),
                "There is no argument \"nonsense\"; there are: age, limit, offset, query, sources.",
            ),
        ] {
            assert_eq!(read::<Arguments>(given(&arguments)).unwrap_err(), mistake, "{arguments}");
        }
        assert_eq!(
            read::<NoArguments>(given(&json!({"query": "q"}))).unwrap_err(),
            "There is no argument \"query\"; this tool has none."
        );
    }

    #[test]
    fn null_is_the_same_as_absent_and_every_bound_is_inside() {
        let absent = Arguments { query: "q".to_owned(), limit: None, offset: None, age: None, sources: None };
        let nulls = json!({"query": "q", "limit": null, "offset": null, "age": null, "sources": null});
        assert_eq!(read(given(&nulls)), Ok(absent));
        let bounds = json!({"query": "q", "limit": 50, "offset": 0, "age": "week", "sources": []});
        let expected = Arguments {
            query: "q".to_owned(),
            limit: Some(50),
            offset: Some(0),
            age: Some(Age::Week),
            sources: Some(Vec::new()),
        };
        assert_eq!(read(given(&bounds)), Ok(expected));
        assert!(read::<NoArguments>(None).is_ok() && read::<NoArguments>(given(&json!({"x": null}))).is_ok());
    }
}
