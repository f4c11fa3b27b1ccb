//! The form that an answer must have, for a service that only writes text: what the model is told of it, and
//! what of its reply is accepted.

use serde_json::Value;

use super::json::{self, Broken};
use super::schema::{Schema, is_name, switch};

/// A bad request: which parameter is wrong, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Invalid {
    pub(crate) param: &'static str,
    pub(crate) message: String,
}

impl From<Invalid> for crate::serve::api_error::ApiError {
    fn from(Invalid { param, message }: Invalid) -> Self {
        Self::invalid(param, message)
    }
}

/// What the text of an answer must be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Format {
    /// Anything.
    Text,
    /// A JSON object.
    Object,
    /// JSON as this schema describes it; checked only where it is strict.
    Schema { name: String, schema: Value, strict: Option<Schema> },
}

impl Format {
    /// Reads the chat API's `response_format`, and the Responses API's `text.format`, which is flatter.
    pub(crate) fn parse(value: Option<&Value>, param: &'static str) -> Result<Self, Invalid> {
        let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(Self::Text) };
        let format = match value.get("type").and_then(Value::as_str) {
            Some("text") => Ok(Self::Text),
            Some("json_object") => Ok(Self::Object),
            Some("json_schema") => Self::with_schema(value.get("json_schema").unwrap_or(value)),
            Some(other) => {
                Err(format!("There is no format {other:?}; there are: text, json_object, json_schema."))
            }
            None => Err("The format must be an object with a 'type'.".to_owned()),
        };
        format.map_err(|message| Invalid { param, message })
    }

    fn with_schema(value: &Value) -> Result<Self, String> {
        let name = value.get("name").and_then(Value::as_str).filter(|name| is_name(name));
        let name = name.ok_or("The schema needs a 'name' of 1 to 64 letters, digits, _ and -.")?.to_owned();
        let schema = value.get("schema").filter(|schema| schema.is_object());
        let schema = schema.ok_or("The 'schema' must be an object.")?.clone();
        let strict = switch(value, "strict")?;
        let parsed = Schema::parse(&schema, strict)
            .map_err(|fault| format!("The schema {name:?} cannot be used: {fault}."))?;
        Ok(Self::Schema { name, schema, strict: strict.then_some(parsed) })
    }

    /// Whether the answer must be JSON.
    pub(crate) fn is_json(&self) -> bool {
        !matches!(self, Self::Text)
    }

    /// What the model is told; nothing where any text will do.
    pub(crate) fn instructions(&self) -> Option<String> {
        let form = match self {
            Self::Text => return None,
            Self::Object => "Answer with one JSON object.".to_owned(),
            Self::Schema { name, schema, .. } => {
                format!("Answer with one JSON value that fits this JSON Schema, named {name}:\n{schema}\n")
            }
        };
        Some(format!(
            "{form}\nA program reads the answer, so write nothing else: no text before or after the JSON, no \
             Markdown code fence, and no citation marks such as [1]."
        ))
    }

    /// The answer that a reply holds: all of it for text, else the JSON as the model wrote it.
    pub(crate) fn read(&self, reply: &str) -> Result<String, Broken> {
        if !self.is_json() {
            return Ok(reply.to_owned());
        }
        let (text, value) = json::mended(reply)?;
        self.check(&value)?;
        Ok(text)
    }

    fn check(&self, value: &Value) -> Result<(), Broken> {
        match self {
            Self::Object if !value.is_object() => Err(Broken("The reply is not a JSON object.".to_owned())),
            Self::Schema { name, strict: Some(schema), .. } => {
                let broken = |fault| Broken(format!("The reply does not fit the schema {name:?}: {fault}."));
                schema.check(value).map_err(broken)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn format(value: &Value) -> Result<Format, Invalid> {
        Format::parse(Some(value), "response_format")
    }

    fn pear(strict: bool) -> Format {
        let schema =
            json!({"type": "object", "properties": {"pears": {"type": "integer"}}, "required": ["pears"]});
        format(&json!({"type": "json_schema", "name": "pear", "schema": schema, "strict": strict})).unwrap()
    }

    fn accepted(reply: &str) -> Option<String> {
        Format::Object.read(reply).ok()
    }

    #[test]
    fn both_interfaces_say_the_same() {
        for text in [None, Some(&Value::Null), Some(&json!({"type": "text"}))] {
            assert_eq!(Format::parse(text, "text.format"), Ok(Format::Text));
        }
        assert_eq!(format(&json!({"type": "json_object"})), Ok(Format::Object));
        let flat = json!({"name": "a-b_1", "schema": {"type": "array"}, "strict": true, "description": "d"});
        let mut responses = flat.clone();
        responses["type"] = json!("json_schema");
        let schema = json!({"type": "array"});
        let strict = Some(Schema::parse(&schema, true).unwrap());
        let expected = Format::Schema { name: "a-b_1".into(), schema, strict };
        assert_eq!(format(&json!({"type": "json_schema", "json_schema": flat})), Ok(expected.clone()));
        assert_eq!(format(&responses), Ok(expected));
        let lax = format(&json!({"type": "json_schema", "name": "a", "schema": {}, "strict": null}));
        assert_eq!(lax, Ok(Format::Schema { name: "a".into(), schema: json!({}), strict: None }));
    }

    #[test]
    fn a_bad_format_is_told() {
        let schema = |schema: Value| json!({"type": "json_schema", "name": "a", "schema": schema});
        let strict =
            |schema: Value| json!({"type": "json_schema", "name": "a", "schema": schema, "strict": true});
        for (value, told) in [
            (json!("text"), "'type'"),
            (json!({}), "'type'"),
            (json!({"type": "xml"}), "\"xml\""),
            (json!({"type": "json_schema", "schema": {}}), "'name'"),
            (json!({"type": "json_schema", "name": "", "schema": {}}), "'name'"),
            (json!({"type": "json_schema", "name": "é", "schema": {}}), "'name'"),
            (json!({"type": "json_schema", "name": "a".repeat(65), "schema": {}}), "'name'"),
            (json!({"type": "json_schema", "name": "a"}), "'schema'"),
            (json!({"type": "json_schema", "name": "a", "schema": {}, "strict": 1}), "'strict'"),
            (json!({"type": "json_schema", "json_schema": null, "name": "a", "schema": {}}), "'name'"),
            (schema(json!(true)), "'schema'"),
            (schema(json!({"type": "objekt"})), "/type"),
            (schema(json!({"properties": {"a": {"maxLength": -1}}})), "/properties/a/maxLength"),
            (strict(json!({"properties": {"a": {"pattern": "a"}}})), "/properties/a/pattern"),
            (strict(json!({"allOf": [{}]})), "/allOf"),
            (schema(json!({"$ref": "#/$defs/none"})), "$defs/none"),
            (schema(json!({"items": {"$ref": "https://example.com/a"}})), "https://example.com/a"),
            (schema(json!({"allOf": [{"$ref": "other.json"}]})), "other.json"),
            (schema(json!({"$defs": {"a": {"$dynamicRef": "file:///etc/passwd"}}})), "/etc/passwd"),
            (schema(json!({"$ref": "https://json-schema.org/draft/2020-12/schema"})), "json-schema.org"),
            (
                schema(json!({"properties": {"const": {"$ref": "http://json-schema.org/draft-07/schema#"}}})),
                "json-schema.org",
            ),
        ] {
            let invalid = format(&value).unwrap_err();
            assert_eq!(invalid.param, "response_format");
            assert!(invalid.message.contains(told), "{value}: {}", invalid.message);
        }
    }

    #[test]
    fn a_schema_may_refer_to_itself_and_hold_data_that_looks_like_a_reference() {
        for schema in [
            json!({"$ref": "#"}),
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/a"}]}}}),
            json!({"properties": {"$ref": {"type": "string"}}}),
            json!({"const": {"$ref": "http://example.com"}, "default": {"$ref": "x"}}),
            json!({"$schema": "https://example.com/draft", "$id": "https://example.com/id", "type": "object"}),
        ] {
            let format =
                format(&json!({"type": "json_schema", "name": "a", "schema": schema, "strict": true}));
            assert!(format.unwrap().is_json());
        }
    }

    #[test]
    fn a_model_is_told_what_counts() {
        assert_eq!(Format::Text.instructions(), None);
        assert!(!Format::Text.is_json());
        assert!(Format::Object.instructions().unwrap().contains("JSON object"));
        assert!(pear(false).instructions().unwrap().contains("{\"pears\":{\"type\":\"integer\"}}"));
    }

    #[test]
    fn text_stays_as_it_is() {
        assert_eq!(Format::Text.read(" ```\n[1] ").unwrap(), " ```\n[1] ");
    }

    #[test]
    fn json_is_taken_as_it_is_written() {
        let json = "{\"b\": 1.50,\n \"a\": [1], \"é\": \"```[1]\\\"\", \"n\": 12345678901234567890123}";
        for reply in [
            json.to_owned(),
            format!("\n{json} \n"),
            format!("{json}[1]"),
            format!("{json}\n[1][23] [4]\n"),
            format!("```json\n{json}\n```"),
            format!("```\r\n{json}\r\n``` [1]"),
            format!("```JSON\n{json} [1]\n```\n[2]"),
        ] {
            assert_eq!(accepted(&reply).as_deref(), Some(json), "{reply}");
        }
        assert_eq!(pear(false).read("[1]").unwrap(), "[1]");
        assert_eq!(pear(false).read("7 [1]").unwrap(), "7");
    }

    #[test]
    fn anything_beside_the_json_is_refused() {
        for reply in [
            "",
            "   ",
            "Here it is: {}",
            "{} Enjoy!",
            "{}{}",
            "{} [x]",
            "{} [12345]",
            "{} []",
            "{} [1",
            "[1] {}",
            "{",
            "{\"a\":1,}",
            "{\"a\":NaN}",
            "{\"a\":1,\"b\":{\"c\":1,\"\\u0063\":2}}",
            "```json\n{}",
            "```json\n{}\n```\nEnjoy!",
            "Here:\n```json\n{}\n```",
            "```not json\n{}\n```",
            "```\n{}\n```\n```\n{}\n```",
            "```json {}```",
            "```\n```",
        ] {
            assert_eq!(accepted(reply), None, "{reply}");
        }
        assert_eq!(accepted(&"[".repeat(100_000)), None);
        assert_eq!(accepted(&format!("{{\"a\":{}1{}}}", "[".repeat(500), "]".repeat(500))), None);
    }

    #[test]
    fn an_object_is_an_object() {
        for reply in ["[]", "null", "1", "\"{}\""] {
            assert!(Format::Object.read(reply).unwrap_err().0.contains("not a JSON object"), "{reply}");
        }
    }

    #[test]
    fn citation_marks_go_where_they_can_only_be_that() {
        for (reply, json) in [
            ("{\"a\":\"x\"[1][2],\"b\":2 [3]}", "{\"a\":\"x\"  ,\"b\":2  }"),
            ("{\"a\":[\"x [1]\" [1],[2]],\"b\":{}[1]} [1]", "{\"a\":[\"x [1]\"  ,[2]],\"b\":{} }"),
            ("{\"a\":\"\\\\\" [1]}", "{\"a\":\"\\\\\"  }"),
            ("{\"[\":[1] [2]}", "{\"[\":[1]  }"),
            ("```\n{\"a\":true[1]}\n```", "{\"a\":true }"),
        ] {
            assert_eq!(accepted(reply).as_deref(), Some(json), "{reply}");
        }
        // An item of a list whose comma is missing, a number in two halves, a mark in place of a value.
        for reply in ["{\"a\":[[1] [2]]}", "{\"a\":1[1]2}", "{\"a\":,[1]}", "{[1]\"a\":1}", "```\n[1]{}\n```"]
        {
            assert_eq!(accepted(reply), None, "{reply}");
        }
    }

    #[test]
    fn a_strict_schema_is_checked() {
        assert_eq!(pear(true).read("{\"pears\": 2}").unwrap(), "{\"pears\": 2}");
        for reply in ["{\"pears\": \"two\"}", "{}", "[]"] {
            let Broken(message) = pear(true).read(reply).unwrap_err();
            assert!(message.contains("\"pear\"") && !message.contains("two"), "{message}");
            assert_eq!(pear(false).read(reply).unwrap(), reply);
        }
        assert!(pear(false).read("two").is_err());
    }

    #[test]
    fn little_of_a_reply_is_quoted() {
        let long = "0123456789".repeat(30);
        let closed = json!({"additionalProperties": false, "properties": {"a": {"const": 1}}});
        let closed = json!({"type": "json_schema", "name": "a", "schema": closed, "strict": true});
        let closed = format(&closed).unwrap();
        for reply in [
            long.clone(),
            format!("{{}} {long}"),
            format!("{{\"{long}\":1,\"{long}\":2}}"),
            format!("{{\"{long}\":1}}"),
            format!("{{\"a\":\"{long}\"}}"),
        ] {
            let Broken(message) = closed.read(&reply).unwrap_err();
            assert!(message.matches("0123456789").count() <= 8, "{message}");
        }
    }

    #[test]
    fn a_garbled_reply_never_panics() {
        let reply = "```json\n{\"pears\": 2, \"é\": [\"\\\"[1]\" [1], null]} [1][2]\n``` [3]";
        let garbage = ['"', '\\', '[', ']', '{', '}', '`', ',', ':', '1', 'e', '\n', '\0', '€', '\u{1f600}'];
        let formats = [Format::Object, pear(true), pear(false)];
        let mut accepted = 0;
        let mut check = |reply: &str| {
            for format in &formats {
                let Ok(text) = format.read(reply) else { continue };
                assert!(serde_json::from_str::<Value>(&text).is_ok(), "{reply}: {text}");
                accepted += 1;
            }
            assert_eq!(Format::Text.read(reply).unwrap(), reply);
        };
        assert!(pear(true).read(reply).is_ok());
        for (at, character) in reply.char_indices() {
            let (before, after) = reply.split_at(at);
            let after = after.strip_prefix(character).unwrap();
            check(before);
            check(after);
            for garbage in garbage {
                check(&format!("{before}{garbage}{after}"));
                check(&format!("{before}{garbage}{character}{after}"));
            }
        }
        assert!(accepted > 50, "{accepted} replies were good in spite of it");
    }
}
