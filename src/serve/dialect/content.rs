//! A message's content: text, or parts. The two interfaces have different names for the parts, and clients mix them.

use serde_json::Value;

use crate::serve::api_error::ApiError;
use crate::serve::conversation::turns::{FileReference, join_parts};

/// The content of a message.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) text: String,
    pub(crate) files: Vec<FileReference>,
}

/// Reads a content; `place` is its path in the request, for errors.
pub(crate) fn read(content: &Value, place: &str) -> Result<Content, ApiError> {
    match content {
        Value::Null => Ok(Content::default()),
        Value::String(text) => Ok(Content { text: text.clone(), files: Vec::new() }),
        Value::Array(parts) => read_parts(parts, place),
        _ => Err(ApiError::invalid(place, format!("'{place}' must be text or a list of parts."))),
    }
}

fn read_parts(parts: &[Value], place: &str) -> Result<Content, ApiError> {
    let mut texts = Vec::new();
    let mut files = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        match read_part(part, &format!("{place}[{index}]"))? {
            Part::Text(text) => texts.push(text),
            Part::File(file) => files.push(file),
        }
    }
    Ok(Content { text: join_parts(texts.into_iter()), files })
}

enum Part<'a> {
    Text(&'a str),
    File(FileReference),
}

fn read_part<'a>(part: &'a Value, place: &str) -> Result<Part<'a>, ApiError> {
    if let Value::String(text) = part {
        return Ok(Part::Text(text));
    }
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    let needs =
        |what: &str| ApiError::invalid(place, format!("'{place}' of the type {kind} must hold {what}."));
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
        "" => Err(ApiError::invalid(place, format!("'{place}' has no type."))),
        other => {
            let known = "text, image_url and file (input_text, input_image and input_file)";
            Err(ApiError::invalid(
                place,
                format!("Parts of the type '{other}' are not supported; {known} are."),
            ))
        }
    }
}

fn text_at<'a>(part: &'a Value, pointer: &str) -> Option<&'a str> {
    part.pointer(pointer).and_then(Value::as_str)
}

fn image(part: &Value) -> Option<FileReference> {
    let stored = text_at(part, "/file_id").map(|id| FileReference::Stored { id: id.to_owned() });
    let url = text_at(part, "/image_url/url").or_else(|| text_at(part, "/image_url"));
    stored.or_else(|| url.map(|url| FileReference::Image { url: url.to_owned() }))
}

/// The chat interface nests it under `file`.
fn file(part: &Value) -> Option<FileReference> {
    let file = part.get("file").unwrap_or(part);
    let text = |name: &str| file.get(name).and_then(Value::as_str).map(str::to_owned);
    let stored = text("file_id").map(|id| FileReference::Stored { id });
    let data = || text("file_data").map(|data| FileReference::Data { data, name: text("filename") });
    let address = || text("file_url").map(|url| FileReference::Address { url });
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
            FileReference::Image { url: "u1".to_owned() },
            FileReference::Image { url: "u2".to_owned() },
            FileReference::Stored { id: "f1".to_owned() },
            FileReference::Data { data: "d".to_owned(), name: Some("n".to_owned()) },
            FileReference::Address { url: "u3".to_owned() },
        ];
        assert_eq!(content.files, expected);
    }

    #[test]
    fn an_unknown_part_is_named() {
        let error = read(&json!([{"type": "input_audio"}]), "messages[0].content").unwrap_err();
        assert!(error.message.contains("input_audio"), "{}", error.message);
        assert!(read(&json!(5), "content").is_err() && read(&json!([{}]), "content").is_err());
    }
}
