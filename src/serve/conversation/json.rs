//! Replies that must be JSON: which value a reply is, whatever a model has put around it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// A reply that is not what the model was told to write. Little of it is quoted, since it may be long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Broken(pub(crate) String);

/// The beginning of a text, of at most so many characters.
pub(crate) fn clipped(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// The one JSON value that a reply is: its text, and itself.
///
/// It may stand in a Markdown code fence and be followed by citation marks, since models add these even when
/// they are told not to. Any other text makes it doubtful what the model meant.
pub(crate) fn value(reply: &str) -> Result<(&str, Value), Broken> {
    only_value(unfenced(reply)?)
}

/// The same, without the citation marks between its parts, where it is JSON only then.
pub(crate) fn mended(reply: &str) -> Result<(String, Value), Broken> {
    let body = unfenced(reply)?;
    let (text, value) = match only_value(body) {
        Ok((text, value)) => (text.to_owned(), value),
        Err(broken) => {
            let mended = without_marks(body);
            let (text, value) = only_value(&mended).map_err(|_| broken)?;
            (text.to_owned(), value)
        }
    };
    Ok((text, value))
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
pub(crate) fn characters(json: &str) -> impl Iterator<Item = (usize, char, bool)> {
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
