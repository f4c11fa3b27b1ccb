//! A message's content: text, or parts. The chat interface and the Responses interface name their parts differently,
//! and clients mix the names.

use serde_json::Value;

use crate::serve::api_error::Refusal;
use crate::serve::conversation::turns::{Attached, joined};

/// A content that was read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) text: String,
    pub(crate) files: Vec<Attached>,
}

/// Reads a content; `place` is where it stands, for errors.
pub(crate) fn read(content: &Value, place: &str) -> Result<Content, Refusal> {
    match content {
        Value::Null => Ok(Content::default()),
        Value::String(text) => Ok(Content { text: text.clone(), files: Vec::new() }),
        Value::Array(parts) => read_parts(parts, place),
        _ => Err(Refusal::bad(place, format!("'{place}' must be text or a list of parts."))),
    }
}

fn read_parts(parts: &[Value], place: &str) -> Result<Content, Refusal> {
    let mut texts = Vec::new();
    let mut files = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        match read_part(part, &format!("{place}[{index}]"))? {
            Part::Text(text) => texts.push(text),
            Part::File(file) => files.push(file),
        }
    }
    Ok(Content { text: joined(texts.into_iter()), files })
}

enum Part<'a> {
    Text(&'a str),
    File(Attached),
}

fn read_part<'a>(part: &'a Value, place: &str) -> Result<Part<'a>, Refusal> {
    if let Value::String(text) = part {
        return Ok(Part::Text(text));
    }
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    let needs = |what: &str| Refusal::bad(place, format!("'{place}' of the type {kind} must hold {what}."));
    match kind {
        "text" | "input_text" | "output_text" => {
            text_at(part, "/text").map(Part::Text).ok_or_else(|| needs("a text"))
        }
        "refusal" => Ok(Part::Text(text_at(part, "/refusal").unwrap_or_default())),
        "image_url" | "input_image" => {
            image(part).map(Part::File).ok_or_else(|| needs("an image's URL or a file_id"))
        }
        "file" | "input_file" => {
            file(part).map(Part::File).ok_or_else(|| needs("a file_id, file_data or file_url"))
        }
        "" => Err(Refusal::bad(place, format!("'{place}' has no type."))),
        other => {
            let known = "text, image_url and file (input_text, input_image and input_file)";
            Err(Refusal::bad(place, format!("Parts of the type '{other}' are not supported; {known} are.")))
        }
    }
}

fn text_at<'a>(part: &'a Value, pointer: &str) -> Option<&'a str> {
    part.pointer(pointer).and_then(Value::as_str)
}

fn image(part: &Value) -> Option<Attached> {
    let stored = text_at(part, "/file_id").map(|id| Attached::Stored { id: id.to_owned() });
    let url = text_at(part, "/image_url/url").or_else(|| text_at(part, "/image_url"));
    stored.or_else(|| url.map(|url| Attached::Image { url: url.to_owned() }))
}

/// The chat interface nests it under `file`.
fn file(part: &Value) -> Option<Attached> {
    let file = part.get("file").unwrap_or(part);
    let text = |name: &str| file.get(name).and_then(Value::as_str).map(str::to_owned);
    let stored = text("file_id").map(|id| Attached::Stored { id });
    let data = || text("file_data").map(|data| Attached::Data { data, name: text("filename") });
    let address = || text("file_url").map(|url| Attached::Address { url });
    stored.or_else(data).or_else(address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_interfaces_names_are_read() {
        let parts = json!([
            {"type": "text", "text": "a "}, {"type": "input_text", "text": "b"},
            {"type": "image_url", "image_url": {"url": "u1"}}, {"type": "input_image", "image_url": "u2"},
            {"type": "input_image", "file_id": "f1"}, {"type": "file", "file": {"file_data": "d", "filename": "n"}},
            {"type": "input_file", "file_url": "u3"},
        ]);
        let content = read(&parts, "content").unwrap();
        assert_eq!(content.text, "a b");
        let expected = [
            Attached::Image { url: "u1".to_owned() },
            Attached::Image { url: "u2".to_owned() },
            Attached::Stored { id: "f1".to_owned() },
            Attached::Data { data: "d".to_owned(), name: Some("n".to_owned()) },
            Attached::Address { url: "u3".to_owned() },
        ];
        assert_eq!(content.files, expected);
    }

    #[test]
    fn an_unknown_part_is_named() {
        let refusal = read(&json!([{"type": "input_audio"}]), "messages[0].content").unwrap_err();
        assert!(refusal.message.contains("input_audio"), "{}", refusal.message);
        assert!(read(&json!(5), "content").is_err() && read(&json!([{}]), "content").is_err());
    }
}
