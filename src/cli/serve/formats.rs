//! The form that an answer must have, for a service that only writes text: what the model is told of it, and
//! what of its reply is accepted. Also how every reply is read that must be JSON, whatever it is for.

use std::collections::HashMap;
use std::fmt;

use jsonschema::{Validator, draft202012};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// A bad request: which parameter is wrong, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Invalid {
    pub(super) param: &'static str,
    pub(super) message: String,
}

/// A reply that is not what the model was told to write. Little of it is quoted, since it may be long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Broken(pub(super) String);

/// What the text of an answer must be.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Format {
    /// Anything.
    Text,
    /// A JSON object.
    Object,
    /// JSON as this schema describes it; checked only when it is strict.
    Schema { name: String, schema: Value, strict: bool },
}

impl Format {
    /// Reads the chat API's `response_format`, and the Responses API's `text.format`, which is flatter.
    pub(super) fn of(value: Option<&Value>, param: &'static str) -> Result<Self, Invalid> {
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
        Checker::of(&schema).map_err(|fault| format!("The schema {name:?} cannot be used: {fault}."))?;
        Ok(Self::Schema { name, schema, strict })
    }

    /// Whether the answer must be JSON.
    pub(super) fn is_json(&self) -> bool {
        !matches!(self, Self::Text)
    }

    /// What the model is told; nothing where any text will do.
    pub(super) fn instructions(&self) -> Option<String> {
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
    pub(super) fn read(&self, reply: &str) -> Result<String, Broken> {
        if !self.is_json() {
            return Ok(reply.to_owned());
        }
        let body = unfenced(reply)?;
        let mended;
        let (text, value) = match only_value(body) {
            Ok(found) => found,
            Err(broken) => {
                mended = without_marks(body);
                only_value(&mended).map_err(|_| broken)?
            }
        };
        self.check(&value)?;
        Ok(text.to_owned())
    }

    fn check(&self, value: &Value) -> Result<(), Broken> {
        match self {
            Self::Object if !value.is_object() => Err(Broken("The reply is not a JSON object.".to_owned())),
            Self::Schema { name, schema, strict: true } => {
                let broken = |fault| Broken(format!("The reply does not fit the schema {name:?}: {fault}."));
                Checker::of(schema).and_then(|checker| checker.check(value)).map_err(broken)
            }
            _ => Ok(()),
        }
    }
}

/// What names a function or a schema.
pub(super) fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(allowed)
}

/// A boolean that is off where it is not given.
pub(super) fn switch(value: &Value, name: &str) -> Result<bool, String> {
    match value.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(on)) => Ok(*on),
        Some(_) => Err(format!("'{name}' must be true or false.")),
    }
}

/// What checks values against a schema of the 2020-12 draft, whatever draft that says it is of.
#[derive(Debug, Clone)]
pub(super) struct Checker(Validator);

impl Checker {
    /// The schema may only refer to its own parts: nothing is ever fetched for it.
    pub(super) fn of(schema: &Value) -> Result<Self, String> {
        let refs = ["$ref", "$dynamicRef", "$recursiveRef"];
        let targets =
            |level: &Map<String, Value>| refs.map(|name| level.get(name)?.as_str().map(str::to_owned));
        let foreign = |target: &String| target != "#" && !target.starts_with("#/");
        if let Some(target) = levels(schema).into_iter().flat_map(targets).flatten().find(foreign) {
            return Err(format!(
                "it may refer to its own parts (#/…) only, not to {:?}",
                clipped(&target, 80)
            ));
        }
        if expanded(schema, schema, &mut HashMap::new()) > LARGEST {
            return Err("it is too large once what it refers to stands in place".to_owned());
        }
        let built = draft202012::options().offline().build(schema);
        built.map(Self).map_err(|error| fault(error.instance_path(), error.masked()))
    }

    pub(super) fn check(&self, value: &Value) -> Result<(), String> {
        self.0.validate(value).map_err(|error| fault(error.instance_path(), error.masked()))
    }
}

/// How many parts a schema may have, with those that it refers to counted where it does: few lines can stand for more
/// than any time is enough for.
const LARGEST: u64 = 5000;

/// How many parts that are. A part that refers to itself counts once.
fn expanded<'a>(part: &'a Value, schema: &'a Value, known: &mut HashMap<&'a str, u64>) -> u64 {
    let inner = match part {
        Value::Object(fields) => {
            fields.values().map(|value| expanded(value, schema, known)).fold(1, u64::saturating_add)
        }
        Value::Array(items) => {
            items.iter().map(|value| expanded(value, schema, known)).fold(1, u64::saturating_add)
        }
        _ => return 1,
    };
    let target = part.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
    let Some(target) = target else { return inner };
    if let Some(size) = known.get(target) {
        return inner.saturating_add(*size);
    }
    known.insert(target, 1);
    let size = schema.pointer(target).map_or(1, |target| expanded(target, schema, known));
    known.insert(target, size);
    inner.saturating_add(size)
}

/// Where something is wrong, and what, without the value that is wrong.
fn fault(place: &impl fmt::Display, message: impl fmt::Display) -> String {
    let place = place.to_string();
    let place = if place.is_empty() { place } else { place + ": " };
    clipped(&format!("{place}{message}"), 80)
}

/// The schema and all schemas within it. What is data and not a schema, such as a default, is left out.
pub(super) fn levels(schema: &Value) -> Vec<&Map<String, Value>> {
    let mut levels = Vec::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        let Value::Object(keywords) = schema else { continue };
        levels.push(keywords);
        for (keyword, value) in keywords {
            match (keyword.as_str(), value) {
                ("const" | "enum" | "default" | "examples", _) => {}
                (
                    "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                    Value::Object(schemas),
                ) => open.extend(schemas.values()),
                (_, Value::Array(items)) => open.extend(items),
                (_, value) => open.push(value),
            }
        }
    }
    levels
}

/// The beginning of a text, of at most so many characters.
pub(super) fn clipped(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// The one JSON value that a reply is: its text, and itself.
///
/// It may stand in a Markdown code fence and be followed by citation marks, since models add these even when
/// they are told not to. Any other text makes it doubtful what the model meant.
pub(super) fn json(reply: &str) -> Result<(&str, Value), Broken> {
    only_value(unfenced(reply)?)
}

/// What stands in the code fence that makes up the reply; all of it where none opens it.
fn unfenced(reply: &str) -> Result<&str, Broken> {
    let reply = reply.trim();
    let Some(rest) = reply.strip_prefix("```") else { return Ok(reply) };
    let fenced = || {
        let (language, rest) = rest.split_once('\n')?;
        let (body, rest) = rest.rsplit_once("```")?;
        let alone = language.trim().bytes().all(|byte| byte.is_ascii_alphanumeric()) && only_marks(rest);
        alone.then_some(body)
    };
    fenced().ok_or_else(|| Broken("The reply is not one whole code fence.".to_owned()))
}

fn only_value(text: &str) -> Result<(&str, Value), Broken> {
    let text = text.trim();
    let start = || clipped(text, 40);
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Strict>();
    let value = match values.next() {
        None => return Err(Broken("The reply is empty.".to_owned())),
        Some(Err(error)) => {
            return Err(Broken(format!("The reply is not JSON ({error}); it begins with {:?}.", start())));
        }
        Some(Ok(Strict(value))) => value,
    };
    match text.split_at_checked(values.byte_offset()) {
        Some((json, rest)) if only_marks(rest) => Ok((json, value)),
        _ => Err(Broken(format!("The reply holds more than one JSON value; it begins with {:?}.", start()))),
    }
}

fn only_marks(text: &str) -> bool {
    let mut rest = text.trim_start();
    while let Some(after) = after_mark(rest) {
        rest = after.trim_start();
    }
    rest.is_empty()
}

/// What follows the citation mark at the beginning of a text.
fn after_mark(text: &str) -> Option<&str> {
    let number = text.strip_prefix('[')?;
    let after = number.trim_start_matches(|character: char| character.is_ascii_digit());
    let digits = number.len() - after.len();
    after.strip_prefix(']').filter(|_| (1..=4).contains(&digits))
}

/// JSON with a space for each citation mark that follows a value. After a list that is itself in a list it
/// might be an item that misses its comma, so there it stays.
fn without_marks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut open, mut last, mut skipped) = (Vec::new(), ' ', 0);
    for (at, character, quoted) in characters(text) {
        if at < skipped {
            continue;
        }
        let nested = last == ']' && open.last() == Some(&'[');
        let after_value = matches!(last, '"' | '}' | ']') || last.is_ascii_alphanumeric();
        if !quoted
            && after_value
            && !nested
            && let Some(after) = text.get(at..).and_then(after_mark)
        {
            skipped = text.len() - after.len();
            kept.push(' ');
            continue;
        }
        kept.push(character);
        match character {
            _ if quoted => {}
            '[' | '{' => open.push(character),
            ']' | '}' => drop(open.pop()),
            _ => {}
        }
        if !character.is_whitespace() {
            last = character;
        }
    }
    kept
}

/// The characters of JSON, each with its place and whether it belongs to a string.
pub(super) fn characters(json: &str) -> impl Iterator<Item = (usize, char, bool)> {
    let (mut inside, mut escaped) = (false, false);
    json.char_indices().map(move |(at, character)| {
        let quoted = inside || character == '"';
        if character == '"' && !escaped {
            inside = !inside;
        }
        escaped = inside && character == '\\' && !escaped;
        (at, character, quoted)
    })
}

/// A JSON value in which no object has a key twice: readers disagree which of the two counts.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(Error::custom(format_args!("the key {:?} is there twice", clipped(&key, 30))));
            }
            let Strict(value) = entries.next_value()?;
            object.insert(key, value);
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn format(value: &Value) -> Result<Format, Invalid> {
        Format::of(Some(value), "response_format")
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
            assert_eq!(Format::of(text, "text.format"), Ok(Format::Text));
        }
        assert_eq!(format(&json!({"type": "json_object"})), Ok(Format::Object));
        let flat = json!({"name": "a-b_1", "schema": {"type": "array"}, "strict": true, "description": "d"});
        let mut responses = flat.clone();
        responses["type"] = json!("json_schema");
        let expected =
            Format::Schema { name: "a-b_1".into(), schema: json!({"type": "array"}), strict: true };
        assert_eq!(format(&json!({"type": "json_schema", "json_schema": flat})), Ok(expected.clone()));
        assert_eq!(format(&responses), Ok(expected));
        let lax = format(&json!({"type": "json_schema", "name": "a", "schema": {}, "strict": null}));
        assert_eq!(lax, Ok(Format::Schema { name: "a".into(), schema: json!({}), strict: false }));
    }

    #[test]
    fn a_bad_format_is_told() {
        let schema = |schema: Value| json!({"type": "json_schema", "name": "a", "schema": schema});
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
            (schema(json!({"properties": {"a": {"pattern": "("}}})), "/properties/a/pattern"),
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
        let formats = [Format::Text, Format::Object, pear(true), pear(false)];
        let check = |reply: &str| {
            for format in &formats {
                let Ok(text) = format.read(reply) else { continue };
                assert!(!format.is_json() || serde_json::from_str::<Value>(&text).is_ok(), "{reply}: {text}");
            }
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
    }

    #[test]
    fn a_schema_that_unfolds_without_end_is_refused() {
        let level = |n: usize| json!({"anyOf": [{"$ref": format!("#/$defs/d{}", n + 1)}, {"$ref": format!("#/$defs/d{}", n + 1)}]});
        let schema = |depth: usize| {
            let mut defs: Map<String, Value> = (0..depth).map(|n| (format!("d{n}"), level(n))).collect();
            defs.insert(format!("d{depth}"), json!({"type": "string"}));
            json!({"$ref": "#/$defs/d0", "$defs": defs})
        };
        assert!(Checker::of(&schema(4)).is_ok() && Checker::of(&schema(24)).is_err());
        let tree = json!({"type": "object", "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
        assert!(Checker::of(&tree).is_ok());
        assert!(Checker::of(&json!({"$ref": "#anchor"})).is_err());
    }
}
