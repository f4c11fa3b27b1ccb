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
fn decode(
    name: Option<&str>,
    content_type: Option<&str>,
    bytes: &[u8],
) -> Result<(String, &'static str), String> {
    let attachment = from_bytes(name, content_type, bytes.to_vec())?;
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
        for declared in
            [None, Some("image/*"), Some("image/jpg"), Some("application/octet-stream"), Some(DOCX)]
        {
            assert_eq!(
                decode(None, declared, bytes).unwrap(),
                (name.to_owned(), content_type),
                "{declared:?}"
            );
        }
    }
    for (name, full) in [("a.PNG", "a.PNG"), ("a.jpeg", "a.jpeg.png"), ("a", "a.png"), ("a.txt", "a.txt.png")]
    {
        assert_eq!(decode(Some(name), None, PNG).unwrap(), (full.to_owned(), "image/png"));
    }
    assert_eq!(decode(Some("a.jpeg"), None, JPEG).unwrap().0, "a.jpeg");
}

#[test]
fn a_claim_that_it_is_an_image_must_be_true() {
    for (name, declared) in [
        (None, Some("image/png")),
        (None, Some("IMAGE/PNG; x=y")),
        (Some("a.txt"), Some("image/svg+xml")),
        (Some("a.png"), None),
        (Some("a.webp"), Some("text/plain")),
    ] {
        for bytes in [&b"text"[..], PDF, b"\x89PNG", b"RIFF\x10\0\0\0WAVEfmt "] {
            if bytes == PDF && declared.is_none_or(|declared| declared == "text/plain") {
                continue;
            }
            let error = decode(name, declared, bytes).unwrap_err();
            assert!(error.contains("does not hold a PNG, JPEG, GIF or WebP image"), "{error}");
        }
    }
}

#[test]
fn other_types_go_by_the_name_then_by_what_is_said() {
    for (name, declared, bytes, expected) in [
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
        assert_eq!(
            decode(name, declared, bytes),
            Ok((expected.0.to_owned(), expected.1)),
            "{name:?} {declared:?}"
        );
    }
    assert!(decode(Some("a.zip"), None, ZIP).unwrap_err().contains("the service reads images, PDF"));
    assert!(decode(Some("a.png"), Some("image/png"), b"").unwrap_err().contains("it is empty"));
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
        assert_eq!(decode(Some(name), None, b"x").unwrap().0, expected, "{name:?}");
    }
    let long = decode(Some(&format!("{}.md", "ü".repeat(300))), None, b"x").unwrap();
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
        let attachment = from_data_url(&url, Some("a.png")).unwrap();
        assert_eq!((attachment.bytes, attachment.name.as_str()), (PNG.to_vec(), "a.png"), "{url}");
    }
    let text = from_data_url("data:,a,b%2Cc+d%20;base64", None).unwrap();
    assert_eq!((text.name.as_str(), text.bytes.as_slice()), ("file.txt", &b"a,b,c+d ;base64"[..]));
    let text = from_data_url("data:text/markdown;charset=utf-8,%C3%BC", None).unwrap();
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
        let error = from_data_url(url, Some("x/a.b\n")).unwrap_err();
        assert!(error.starts_with("Could not attach a.b") && error.contains(reason), "{url}: {error}");
    }
}

#[test]
fn bare_base64_is_tolerant_too() {
    for text in [STANDARD.encode(PDF), STANDARD_NO_PAD.encode(PDF), format!("{}\n", URL_SAFE.encode(PDF))] {
        let attachment = from_base64(&text, "x/a.pdf").unwrap();
        assert_eq!((attachment.bytes.as_slice(), attachment.name.as_str()), (PDF, "a.pdf"));
    }
    let jpeg = b"\xff\xd8\xff\xfb\xef\xbe";
    for text in ["/9j/++++", "_9j_----", "/9j_+-+-"] {
        assert_eq!(from_base64(text, "a.jpg").unwrap().bytes, jpeg, "{text}");
    }
    assert_eq!(from_base64("%%", "a").unwrap_err(), "Could not attach a: it is not valid base64.");
    assert!(from_base64("", "a").unwrap_err().contains("it is empty"));
}

#[test]
fn nothing_larger_than_the_bound_is_decoded() {
    let fits = "A".repeat(MAX_FILE / 3 * 4);
    assert!(!from_base64(&fits, "a").unwrap_err().contains("larger"));
    // Too long text is never looked at, so that what is no base64 in it is not noticed.
    let too_long = format!("*{}", "A".repeat(MAX_FILE.div_ceil(3) * 4));
    for error in [from_base64(&too_long, "a"), from_data_url(&format!("data:;base64,{too_long}"), Some("a"))]
    {
        assert_eq!(error.unwrap_err(), "Could not attach a: it is larger than 20 MB.");
    }
    let text = "a".repeat(MAX_FILE);
    assert_eq!(from_data_url(&format!("data:,{text}"), None).unwrap().bytes.len(), MAX_FILE);
    assert!(from_data_url(&format!("data:,{text}a"), None).unwrap_err().contains("larger than 20 MB"));
    assert!(from_bytes(None, None, vec![b'a'; MAX_FILE + 1]).unwrap_err().contains("larger than 20 MB"));
}
