//! Files in the parts of a message, decoded into attachments. Every error is a sentence for the client.

use std::path::Path;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

use crate::domain::attachment::{Attachment, extension_for, type_by_extension};
use crate::domain::error::Error;
use crate::state::files::MAX_FILE;

/// The longest name, in bytes, before the ending that it may need.
const MAX_NAME: usize = 200;
/// What a file without a name is called, before its ending.
const DEFAULT_NAME: &str = "file";

/// Padding may be there or not.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// How files begin whose type is known by their bytes.
const SIGNATURES: [(&[u8], &str); 5] = [
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
];

/// The file in a `data:` URL, in base64 or percent-encoded.
pub(crate) fn from_data_url(url: &str, name: Option<&str>) -> Result<Attachment, String> {
    let failure =
        |reason: &str| failure_message(name.and_then(file_name).as_deref().unwrap_or(DEFAULT_NAME), reason);
    let (header, data) = split_data_url(url).ok_or_else(|| failure("it is not a data URL"))?;
    let mut parameters = header.split(';').map(str::trim);
    let content_type = parameters.next();
    let bytes = if parameters.any(|parameter| parameter.eq_ignore_ascii_case("base64")) {
        decode_base64(percent_decode_str(data)).map_err(|reason| failure(&reason))?
    } else {
        percent_decode_str(data).take(MAX_FILE + 1).collect()
    };
    from_bytes(name, content_type, bytes)
}

/// The file in text that is base64 and nothing else.
pub(crate) fn from_base64(data: &str, name: &str) -> Result<Attachment, String> {
    let bytes = decode_base64(data.bytes());
    let bytes = bytes
        .map_err(|reason| failure_message(file_name(name).as_deref().unwrap_or(DEFAULT_NAME), &reason))?;
    from_bytes(Some(name), None, bytes)
}

/// A file of these bytes. `content_type` is what the client or a server declares.
///
/// Images are known by their bytes alone; all other types by the ending of the name, or, where that says nothing, by
/// what is declared.
pub(crate) fn from_bytes(
    name: Option<&str>,
    content_type: Option<&str>,
    bytes: Vec<u8>,
) -> Result<Attachment, String> {
    let declared = content_type.map(media_type);
    let detected = type_by_bytes(&bytes);
    let name = name_with_ending(name, detected, declared.as_deref());
    if bytes.len() > MAX_FILE {
        return Err(failure_message(&name, &too_large()));
    }
    let declarations = [declared.as_deref(), type_by_extension(Path::new(&name))];
    if declarations.into_iter().any(is_image) && !is_image(detected) && !bytes.is_empty() {
        return Err(failure_message(&name, "it does not hold a PNG, JPEG, GIF or WebP image"));
    }
    Attachment::from_bytes(Path::new(&name), bytes).map_err(|error| error.to_string())
}

/// What is before and after the comma of a `data:` URL.
fn split_data_url(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.trim_start().split_once(':')?;
    rest.split_once(',').filter(|_| scheme.eq_ignore_ascii_case("data"))
}

/// Decodes base64 in either of its alphabets, with line breaks or without. Text that would be too large is not decoded.
fn decode_base64(text: impl Iterator<Item = u8>) -> Result<Vec<u8>, String> {
    let standard = |byte| match byte {
        b'-' => b'+',
        b'_' => b'/',
        other => other,
    };
    let text = text.filter(|byte| !byte.is_ascii_whitespace()).map(standard);
    let text: Vec<u8> = text.take(MAX_FILE.div_ceil(3) * 4 + 1).collect();
    if text.len() > MAX_FILE.div_ceil(3) * 4 {
        return Err(too_large());
    }
    BASE64.decode(text).map_err(|_| "it is not valid base64".to_owned())
}

/// A MIME type without its parameters, in small letters.
fn media_type(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn type_by_bytes(bytes: &[u8]) -> Option<&'static str> {
    if let [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] = bytes {
        return Some("image/webp");
    }
    SIGNATURES
        .iter()
        .find(|(signature, _)| bytes.starts_with(signature))
        .map(|(_, content_type)| *content_type)
}

fn is_image(content_type: Option<&str>) -> bool {
    content_type.is_some_and(|content_type| content_type.starts_with("image/"))
}

/// The name with an ending that says what the file is, because the service goes by that.
fn name_with_ending(name: Option<&str>, detected: Option<&'static str>, declared: Option<&str>) -> String {
    let ending = detected.or(declared).and_then(extension_for);
    let Some(name) = name.and_then(file_name) else {
        return format!("{DEFAULT_NAME}.{}", ending.unwrap_or("txt"));
    };
    let by_name = type_by_extension(Path::new(&name));
    let is_known = if detected.is_some() { by_name == detected } else { by_name.is_some() };
    match ending {
        Some(ending) if !is_known => format!("{name}.{ending}"),
        _ => name,
    }
}

/// A name without its folders and without control characters, and of a long one the end; `None` if nothing is left.
fn file_name(name: &str) -> Option<String> {
    let part = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let part: String = part.chars().filter(|character| !character.is_control()).collect();
    let part = tail(part.trim());
    (!matches!(part, "" | "." | "..")).then(|| part.to_owned())
}

/// As many of the last characters as fit into [`MAX_NAME`].
fn tail(name: &str) -> &str {
    let mut starts = name.char_indices().map(|(start, _)| start);
    let start = starts.find(|start| name.len() - start <= MAX_NAME).unwrap_or_default();
    name.get(start..).unwrap_or_default()
}

fn too_large() -> String {
    format!("it is larger than {} MB", MAX_FILE >> 20)
}

fn failure_message(name: &str, reason: &str) -> String {
    Error::Attachment { name: name.to_owned(), reason: reason.to_owned() }.to_string()
}

#[cfg(test)]
mod tests;
