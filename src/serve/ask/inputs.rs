//! What a part of a message carries as a file, made into an attachment. Every failure is a whole sentence, which can be
//! handed to the client.

use std::path::Path;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

use crate::domain::attachment::{Attachment, extension_for, type_by_extension};
use crate::domain::error::Error;
use crate::serve::state::files::MAX_FILE;

/// The longest name, in bytes, before the ending that it may need.
const MAX_NAME: usize = 200;
/// What a file without a name is called, before its ending.
const NAMELESS: &str = "file";

/// Padding may be there or not.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// How files begin whose type is told by their bytes.
const BEGINNINGS: [(&[u8], &str); 5] = [
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
];

/// The file in a `data:` URL, in base64 or percent-encoded.
pub(crate) fn data_url(url: &str, name: Option<&str>) -> Result<Attachment, String> {
    let refuse = |reason: &str| refusal(name.and_then(last_part).as_deref().unwrap_or(NAMELESS), reason);
    let (kind, data) = split(url).ok_or_else(|| refuse("it is not a data URL"))?;
    let mut parameters = kind.split(';').map(str::trim);
    let content_type = parameters.next();
    let bytes = if parameters.any(|parameter| parameter.eq_ignore_ascii_case("base64")) {
        decoded(percent_decode_str(data)).map_err(|reason| refuse(&reason))?
    } else {
        percent_decode_str(data).take(MAX_FILE + 1).collect()
    };
    of_bytes(name, content_type, bytes)
}

/// The file in text that is base64 and nothing else.
pub(crate) fn bare_base64(data: &str, name: &str) -> Result<Attachment, String> {
    let bytes = decoded(data.bytes());
    let bytes = bytes.map_err(|reason| refusal(last_part(name).as_deref().unwrap_or(NAMELESS), &reason))?;
    of_bytes(Some(name), None, bytes)
}

/// A file whose bytes are at hand. `content_type` is what somebody says that it is.
///
/// Images are known by their bytes alone; all other types by the ending of the name, or, where that says nothing, by
/// what is said.
pub(crate) fn of_bytes(
    name: Option<&str>,
    content_type: Option<&str>,
    bytes: Vec<u8>,
) -> Result<Attachment, String> {
    let claimed = content_type.map(essence);
    let seen = type_by_bytes(&bytes);
    let name = full_name(name, seen, claimed.as_deref());
    if bytes.len() > MAX_FILE {
        return Err(refusal(&name, &too_large()));
    }
    let claims = [claimed.as_deref(), type_by_extension(Path::new(&name))];
    if claims.into_iter().any(is_image) && !is_image(seen) && !bytes.is_empty() {
        return Err(refusal(&name, "it does not hold a PNG, JPEG, GIF or WebP image"));
    }
    Attachment::from_bytes(Path::new(&name), bytes).map_err(|error| error.to_string())
}

/// What is before and after the comma of a `data:` URL.
fn split(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.trim_start().split_once(':')?;
    rest.split_once(',').filter(|_| scheme.eq_ignore_ascii_case("data"))
}

/// The bytes that base64 stands for, in either of its alphabets, with lines or without. Nothing is decoded that would be
/// too large.
fn decoded(text: impl Iterator<Item = u8>) -> Result<Vec<u8>, String> {
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
fn essence(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn type_by_bytes(bytes: &[u8]) -> Option<&'static str> {
    if let [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] = bytes {
        return Some("image/webp");
    }
    BEGINNINGS
        .iter()
        .find(|(beginning, _)| bytes.starts_with(beginning))
        .map(|(_, content_type)| *content_type)
}

fn is_image(content_type: Option<&str>) -> bool {
    content_type.is_some_and(|content_type| content_type.starts_with("image/"))
}

/// The name with an ending that says what the file is, because the service goes by that.
fn full_name(name: Option<&str>, seen: Option<&'static str>, claimed: Option<&str>) -> String {
    let ending = seen.or(claimed).and_then(extension_for);
    let Some(name) = name.and_then(last_part) else {
        return format!("{NAMELESS}.{}", ending.unwrap_or("txt"));
    };
    let by_name = type_by_extension(Path::new(&name));
    let is_told = if seen.is_some() { by_name == seen } else { by_name.is_some() };
    match ending {
        Some(ending) if !is_told => format!("{name}.{ending}"),
        _ => name,
    }
}

/// A name without its folders and without control characters, and of a long one the end; `None` if nothing is left.
fn last_part(name: &str) -> Option<String> {
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

fn refusal(name: &str, reason: &str) -> String {
    Error::Attachment { name: name.to_owned(), reason: reason.to_owned() }.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE};

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";
    const JPEG: &[u8] = b"\xff\xd8\xff\xe0rest";
    const GIF: &[u8] = b"GIF89arest";
    const WEBP: &[u8] = b"RIFF\x10\0\0\0WEBPVP8 ";
    const PDF: &[u8] = b"%PDF-1.7\n\xff\0";
    const ZIP: &[u8] = b"PK\x03\x04\xff\0";
    const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

    /// What came of it: name and type, or the reason.
    fn of(
        name: Option<&str>,
        content_type: Option<&str>,
        bytes: &[u8],
    ) -> Result<(String, &'static str), String> {
        let attachment = of_bytes(name, content_type, bytes.to_vec())?;
        assert_eq!(attachment.bytes, bytes);
        Ok((attachment.name, attachment.content_type))
    }

    #[test]
    fn images_are_known_by_their_bytes() {
        for (bytes, content_type, name) in [
            (PNG, "image/png", "file.png"),
            (JPEG, "image/jpeg", "file.jpg"),
            (GIF, "image/gif", "file.gif"),
            (b"GIF87a", "image/gif", "file.gif"),
            (WEBP, "image/webp", "file.webp"),
        ] {
            for claim in
                [None, Some("image/*"), Some("image/jpg"), Some("application/octet-stream"), Some(DOCX)]
            {
                assert_eq!(of(None, claim, bytes).unwrap(), (name.to_owned(), content_type), "{claim:?}");
            }
        }
        for (name, full) in
            [("a.PNG", "a.PNG"), ("a.jpeg", "a.jpeg.png"), ("a", "a.png"), ("a.txt", "a.txt.png")]
        {
            assert_eq!(of(Some(name), None, PNG).unwrap(), (full.to_owned(), "image/png"));
        }
        assert_eq!(of(Some("a.jpeg"), None, JPEG).unwrap().0, "a.jpeg");
    }

    #[test]
    fn a_claim_that_it_is_an_image_must_be_true() {
        for (name, claim) in [
            (None, Some("image/png")),
            (None, Some("IMAGE/PNG; x=y")),
            (Some("a.txt"), Some("image/svg+xml")),
            (Some("a.png"), None),
            (Some("a.webp"), Some("text/plain")),
        ] {
            for bytes in [&b"text"[..], PDF, b"\x89PNG", b"RIFF\x10\0\0\0WAVEfmt "] {
                if bytes == PDF && claim.is_none_or(|claim| claim == "text/plain") {
                    continue;
                }
                let error = of(name, claim, bytes).unwrap_err();
                assert!(error.contains("does not hold a PNG, JPEG, GIF or WebP image"), "{error}");
            }
        }
    }

    #[test]
    fn other_types_go_by_the_name_then_by_what_is_said() {
        for (name, claim, bytes, expected) in [
            (Some("a.md"), Some("text/csv"), &b"x"[..], ("a.md", "text/markdown")),
            (Some("a.docx"), Some("application/octet-stream"), ZIP, ("a.docx", DOCX)),
            (Some("a.rs"), Some("text/plain; charset=utf-8"), b"x", ("a.rs", "text/plain")),
            (Some("a"), Some(DOCX), ZIP, ("a.docx", DOCX)),
            (None, Some("Text/HTML; charset=utf-8"), b"x", ("file.html", "text/html")),
            (Some("v1.2"), Some("text/html"), b"x", ("v1.2.html", "text/html")),
            (None, Some("x/y"), b"x", ("file.txt", "text/plain")),
            (None, None, b"x", ("file.txt", "text/plain")),
            (Some("scan"), None, PDF, ("scan.pdf", "application/pdf")),
            (Some("a.pdf"), None, PDF, ("a.pdf", "application/pdf")),
        ] {
            assert_eq!(of(name, claim, bytes), Ok((expected.0.to_owned(), expected.1)), "{name:?} {claim:?}");
        }
        assert!(of(Some("a.zip"), None, ZIP).unwrap_err().contains("the service reads images, PDF"));
        assert!(of(Some("a.png"), Some("image/png"), b"").unwrap_err().contains("it is empty"));
    }

    #[test]
    fn names_lose_their_folders() {
        for (name, expected) in [
            ("../../etc/a.md", "a.md"),
            ("C:\\x\\a.md", "a.md"),
            (" a\r\nb\0.md ", "ab.md"),
            ("..", "file.txt"),
            ("a/", "file.txt"),
            ("", "file.txt"),
        ] {
            assert_eq!(of(Some(name), None, b"x").unwrap().0, expected, "{name:?}");
        }
        let long = of(Some(&format!("{}.md", "ü".repeat(300))), None, b"x").unwrap();
        assert_eq!(
            (long.0.len() <= MAX_NAME, long.0.len() > MAX_NAME - 3, long.1),
            (true, true, "text/markdown")
        );
    }

    #[test]
    fn data_urls_come_in_many_forms() {
        let png = STANDARD.encode(PNG);
        for url in [
            format!("data:image/png;base64,{png}"),
            format!(" DATA:IMAGE/PNG;BASE64,{png}"),
            format!("data:image/png;name=a.png;charset=utf-8;base64,{png}"),
            format!("data:image/png; base64,{}", png.replace('=', "%3D").replace('+', "%2B")),
            format!("data:;base64,{}", STANDARD_NO_PAD.encode(PNG)),
            format!("data:image/png;base64,{}", URL_SAFE.encode(PNG)),
            format!("data:image/png;base64,{}\r\n {}\n", png.split_at(5).0, png.split_at(5).1),
            "data:image/png,%89PNG%0D%0A%1A%0Arest".to_owned(),
        ] {
            let attachment = data_url(&url, Some("a.png")).unwrap();
            assert_eq!((attachment.bytes, attachment.name.as_str()), (PNG.to_vec(), "a.png"), "{url}");
        }
        let text = data_url("data:,a,b%2Cc+d%20;base64", None).unwrap();
        assert_eq!((text.name.as_str(), text.bytes.as_slice()), ("file.txt", &b"a,b,c+d ;base64"[..]));
        let text = data_url("data:text/markdown;charset=utf-8,%C3%BC", None).unwrap();
        assert_eq!((text.content_type, text.bytes.as_slice()), ("text/markdown", "ü".as_bytes()));
    }

    #[test]
    fn what_is_no_data_url_is_refused() {
        for (url, reason) in [
            ("", "not a data URL"),
            ("data:image/png;base64", "not a data URL"),
            ("https://x.example/a,b", "not a data URL"),
            ("data:text/plain;base64,a", "not valid base64"),
            ("data:text/plain;base64,****", "not valid base64"),
            ("data:text/plain;base64,", "it is empty"),
            ("data:,", "it is empty"),
            ("data:image/png;base64,AAAA", "does not hold"),
        ] {
            let error = data_url(url, Some("x/a.b\n")).unwrap_err();
            assert!(error.starts_with("Could not attach a.b") && error.contains(reason), "{url}: {error}");
        }
    }

    #[test]
    fn bare_base64_is_tolerant_too() {
        for text in [STANDARD.encode(PDF), STANDARD_NO_PAD.encode(PDF), format!("{}\n", URL_SAFE.encode(PDF))]
        {
            let attachment = bare_base64(&text, "x/a.pdf").unwrap();
            assert_eq!((attachment.bytes.as_slice(), attachment.name.as_str()), (PDF, "a.pdf"));
        }
        let jpeg = b"\xff\xd8\xff\xfb\xef\xbe";
        for text in ["/9j/++++", "_9j_----", "/9j_+-+-"] {
            assert_eq!(bare_base64(text, "a.jpg").unwrap().bytes, jpeg, "{text}");
        }
        assert_eq!(bare_base64("%%", "a").unwrap_err(), "Could not attach a: it is not valid base64.");
        assert!(bare_base64("", "a").unwrap_err().contains("it is empty"));
    }

    #[test]
    fn nothing_larger_than_the_bound_is_decoded() {
        let fits = "A".repeat(MAX_FILE / 3 * 4);
        assert!(!bare_base64(&fits, "a").unwrap_err().contains("larger"));
        // Too long text is never looked at, so that what is no base64 in it is not noticed.
        let too_long = format!("*{}", "A".repeat(MAX_FILE.div_ceil(3) * 4));
        for error in [bare_base64(&too_long, "a"), data_url(&format!("data:;base64,{too_long}"), Some("a"))] {
            assert_eq!(error.unwrap_err(), "Could not attach a: it is larger than 20 MB.");
        }
        let text = "a".repeat(MAX_FILE);
        assert_eq!(data_url(&format!("data:,{text}"), None).unwrap().bytes.len(), MAX_FILE);
        assert!(data_url(&format!("data:,{text}a"), None).unwrap_err().contains("larger than 20 MB"));
        assert!(of_bytes(None, None, vec![b'a'; MAX_FILE + 1]).unwrap_err().contains("larger than 20 MB"));
    }
}
