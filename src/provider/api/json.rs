//! Reading the parts of a reply that all dialects have in common.

use serde_json::Value;

use crate::domain::answer::Source;
use crate::domain::error::{Error, Result};

/// A reply that does not have the expected shape.
pub(super) fn malformed(reason: &str) -> Error {
    Error::ApiReply(reason.to_owned())
}

/// Parses a body that must be an object. Bytes that are not UTF-8 and escapes of half a surrogate pair become U+FFFD,
/// as in other clients.
pub(super) fn parse_object(body: &[u8]) -> Result<Value> {
    let text = String::from_utf8_lossy(body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body));
    let parsed = serde_json::from_str(&text).or_else(|error| match with_whole_pairs(&text) {
        Some(repaired) => serde_json::from_str(&repaired),
        None => Err(error),
    });
    let value: Value = parsed.map_err(|error| Error::ApiReply(error.to_string()))?;
    if value.is_object() { Ok(value) } else { Err(malformed("it is no object")) }
}

/// `json` with every escape of half a surrogate pair replaced by U+FFFD; `None` where there is none.
fn with_whole_pairs(json: &str) -> Option<String> {
    let utf16_unit = |escape: &str| {
        let digits = escape.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut repaired, mut rest, mut changed) = (String::with_capacity(json.len()), json, false);
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        repaired.push_str(before);
        let length = match utf16_unit(escape) {
            Some(0xD800..=0xDBFF)
                if matches!(escape.get(6..).and_then(utf16_unit), Some(0xDC00..=0xDFFF)) =>
            {
                12
            }
            Some(0xD800..=0xDFFF) => {
                changed = true;
                repaired.push('\u{FFFD}');
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            Some(_) => 6,
            // A backslash and the character that it escapes.
            None => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        let (kept, after) = escape.split_at(length);
        repaired.push_str(kept);
        rest = after;
    }
    changed.then(|| repaired + rest)
}

/// The text of a string that is not empty.
pub(super) fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The source that `item` describes; `None` when it has no `url`.
pub(super) fn source(item: &Value, numbers: Vec<usize>) -> Option<Source> {
    let url = item.get("url").and_then(Value::as_str)?.to_owned();
    Some(Source {
        numbers,
        url,
        title: text(item.get("title")).unwrap_or_default(),
        snippet: text(item.get("snippet")),
        date: text(item.get("date")),
    })
}

/// The sources of the list `name`. Anything else than a list, or an entry without a `url`, is an error.
pub(super) fn sources(list: &Value, name: &str) -> Result<Vec<Source>> {
    let items = list.as_array().ok_or_else(|| malformed(&format!("{name} is no list")))?;
    let numbered = items.iter().enumerate();
    numbered
        .map(|(index, item)| {
            source(item, vec![index + 1])
                .ok_or_else(|| malformed(&format!("{name} has an entry without a url")))
        })
        .collect()
}

/// Tokens and cost, where the reply has them.
pub(super) fn usage(reply: &Value) -> Option<Value> {
    reply.get("usage").filter(|usage| usage.is_object()).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(body: &[u8]) -> Option<String> {
        parse_object(body).ok()?.get("t")?.as_str().map(str::to_owned)
    }

    #[test]
    fn damaged_text_is_repaired_and_nothing_else_is_touched() {
        for (body, expected) in [
            (&br#"{"t":"a \ud83d b"}"#[..], "a \u{FFFD} b"),
            (br#"{"t":"\ude00\ud83d\ude00"}"#, "\u{FFFD}\u{1F600}"),
            (br#"{"t":"\\ud83d \u00e9 \ud83d"}"#, "\\ud83d \u{e9} \u{FFFD}"),
            (b"\xEF\xBB\xBF{\"t\":\"a\xFFb\"}", "a\u{FFFD}b"),
            (br#"{"t":"\\ud83d"}"#, "\\ud83d"),
        ] {
            assert_eq!(text_of(body).as_deref(), Some(expected));
        }
        for body in [&b"{"[..], b"[]", b"{\"t\":\"\\", b"{\"t\":\"\\u12"] {
            assert!(parse_object(body).is_err());
        }
    }
}
