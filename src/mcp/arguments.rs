//! The arguments of a tool call. A mistake is told by the name of the argument, so that a model can mend it.

use rmcp::model::JsonObject;
use serde_json::Value;

/// What is wrong with the arguments, in one sentence.
pub(super) type Mistake = String;

/// The arguments that were given, of which only those in `known` may be.
#[derive(Debug)]
pub(super) struct Arguments {
    given: JsonObject,
}

impl Arguments {
    pub(super) fn of(given: Option<JsonObject>, known: &[&str]) -> Result<Self, Mistake> {
        let given = given.unwrap_or_default();
        match given.keys().find(|name| !known.contains(&name.as_str())) {
            Some(unknown) if known.is_empty() => {
                Err(format!("There is no argument {unknown:?}; this tool has none."))
            }
            Some(unknown) => {
                Err(format!("There is no argument {unknown:?}; there are: {}.", known.join(", ")))
            }
            None => Ok(Self { given }),
        }
    }

    /// A value that is there and not null.
    fn get(&self, name: &str) -> Option<&Value> {
        self.given.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<String>, Mistake> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("The argument {name:?} must be a string.")),
        }
    }

    /// A text that must be there and say something.
    pub(super) fn required(&self, name: &str) -> Result<String, Mistake> {
        match self.text(name)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            Some(_) => Err(format!("The argument {name:?} must not be empty.")),
            None => Err(format!("The argument {name:?} is missing.")),
        }
    }

    pub(super) fn number(
        &self,
        name: &str,
        range: std::ops::RangeInclusive<u64>,
    ) -> Result<Option<u64>, Mistake> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match value.as_u64().filter(|number| range.contains(number)) {
            Some(number) => Ok(Some(number)),
            None => Err(format!(
                "The argument {name:?} must be an integer from {} to {}.",
                range.start(),
                range.end()
            )),
        }
    }

    pub(super) fn one_of(&self, name: &str, choices: &[&str]) -> Result<Option<String>, Mistake> {
        match self.text(name)? {
            Some(text) if !choices.contains(&text.as_str()) => {
                Err(format!("The argument {name:?} must be one of: {}.", choices.join(", ")))
            }
            text => Ok(text),
        }
    }

    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, Mistake> {
        let mistake = || format!("The argument {name:?} must be a list of strings.");
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => {
                items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(mistake)).collect()
            }
            Some(_) => Err(mistake()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn arguments(value: &Value) -> Result<Arguments, Mistake> {
        Arguments::of(value.as_object().cloned(), &["query", "limit", "recency", "sources"])
    }

    #[test]
    fn every_mistake_names_its_argument() {
        assert!(arguments(&json!({"nonsense": 1})).unwrap_err().contains("\"nonsense\""));
        for (value, name) in [
            (json!({}), "query"),
            (json!({"query": null}), "query"),
            (json!({"query": "  "}), "query"),
            (json!({"query": 5}), "query"),
        ] {
            assert!(arguments(&value).unwrap().required(name).unwrap_err().contains("\"query\""));
        }
        for value in [json!("3"), json!(0), json!(99), json!(1.5), json!(-1)] {
            let arguments = arguments(&json!({ "limit": value })).unwrap();
            assert!(arguments.number("limit", 1..=50).unwrap_err().contains("\"limit\""), "{value}");
        }
        let arguments = arguments(&json!({"recency": "fortnight", "sources": "web", "limit": 3})).unwrap();
        assert!(arguments.one_of("recency", &["day"]).unwrap_err().contains("\"recency\""));
        assert!(arguments.texts("sources").unwrap_err().contains("\"sources\""));
        assert_eq!(arguments.number("limit", 1..=50), Ok(Some(3)));
    }
}
