//! `/v1/files`, and files that a question brings along.

use serde_json::{Value, json};

use super::{answering, asked, cited};
use crate::support::serve::Response;
use crate::support::{ASK, Home, Reply, Server, Serving};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

/// A data URL of an image.
fn png() -> String {
    use base64::Engine;
    format!("data:image/png;base64,{}", base64::engine::general_purpose::STANDARD.encode(PNG))
}

/// A form, with the fields in this order.
fn upload(serving: &Serving, fields: &[(&str, Option<&str>, &[u8])]) -> Response {
    let mut body = Vec::new();
    for (name, file, content) in fields {
        let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
        body.extend(
            format!("--b0\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").into_bytes(),
        );
        body.extend(*content);
        body.extend(b"\r\n");
    }
    body.extend(b"--b0--\r\n");
    serving
        .request("POST", "/v1/files")
        .header("Content-Type", "multipart/form-data; boundary=b0")
        .body(body)
        .send()
}

#[test]
fn a_file_is_stored_listed_read_and_deleted() {
    let (_upstream, home, serving) = answering(vec![]);
    let file =
        upload(&serving, &[("purpose", None, b"user_data"), ("file", Some("täble.csv"), b"a,b\n")]).json();
    let id = file["id"].as_str().unwrap();
    assert!(id.starts_with("file-"));
    assert_eq!(
        (&file["object"], &file["bytes"], &file["filename"], &file["purpose"]),
        (&json!("file"), &json!(4), &json!("täble.csv"), &json!("user_data"))
    );
    let second = upload(&serving, &[("file", Some("b.txt"), b"x"), ("purpose", None, b"assistants")]).json();
    let list = serving.get("/v1/files").json();
    assert_eq!(list["data"].as_array().unwrap().len(), 2);
    assert_eq!(serving.get(&format!("/v1/files/{id}")).json(), file);
    let content = serving.get(&format!("/v1/files/{id}/content"));
    assert_eq!((content.text(), content.header("x-content-type-options")), ("a,b\n", Some("nosniff")));
    assert!(content.header("content-disposition").unwrap().starts_with("attachment"));
    let again = Serving::of(&home, &[]);
    assert_eq!(again.get(&format!("/v1/files/{id}")).json(), file);
    assert_eq!(serving.request("DELETE", &format!("/v1/files/{id}")).send().json()["deleted"], true);
    assert_eq!(serving.get(&format!("/v1/files/{id}")).refused(404), "file_not_found");
    assert_eq!(serving.get("/v1/files").json()["data"], json!([second]));
}

#[test]
fn what_cannot_be_stored_is_refused() {
    let (_upstream, _home, serving) = answering(vec![]);
    for (fields, reason) in [
        (vec![("file", Some("e.txt"), b"".as_slice())], "The file is empty."),
        (vec![("purpose", None, b"user_data")], "must hold a 'file'"),
        (
            vec![("file", Some("e.txt"), b"x"), ("purpose", None, b"world domination")],
            "The purpose must be one of",
        ),
        (vec![("file", Some("a\\b.txt"), b"x")], "must not hold a path"),
        (vec![("file", Some("a.txt"), b"x"), ("file", Some("b.txt"), b"x")], "The form holds two files."),
    ] {
        let response = upload(&serving, &fields);
        response.refused(400);
        assert!(response.text().contains(reason), "{}", response.text());
    }
    let large = vec![0; (20 << 20) + 1];
    assert_eq!(upload(&serving, &[("file", Some("l.bin"), &large)]).refused(413), "file_too_large");
    for path in ["/v1/files/..%2f..%2fetc%2fpasswd", "/v1/files/file-x/content"] {
        serving.get(path).refused(404);
    }
}

/// A service that takes one upload, and then one question.
fn with_upload(reply: Reply) -> (Server, Home, Serving) {
    with_upload_and(vec![reply])
}

/// A service that takes one upload, and these questions.
fn with_upload_and(replies: Vec<Reply>) -> (Server, Home, Serving) {
    with_uploads(1, replies)
}

fn with_uploads(uploads: usize, replies: Vec<Reply>) -> (Server, Home, Serving) {
    const PLACES: &str = "POST /rest/uploads/batch_create_upload_urls";
    let storage = Server::start([("POST /bucket", vec![Reply::status(204); uploads])]);
    let place = json!({"results": {"any": {"s3_bucket_url": format!("{}/bucket", storage.url()),
        "s3_object_url": "https://s3.example/o", "fields": {"k": "v"}, "file_uuid": "f-1"}}});
    // Whether it was used shows in the questions; dropped here, it would fail the test before it can be.
    std::mem::forget(storage);
    let places = vec![Reply::json(&place.to_string()); uploads];
    let upstream = Server::start([(PLACES, places), (ASK, replies)]);
    let home = Home::logged_in(&upstream);
    let serving = Serving::of(&home, &[]);
    (upstream, home, serving)
}

fn image(url: &str) -> Value {
    json!({"messages": [{"role": "user", "content": [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": url}}]}]})
}

#[test]
fn an_image_goes_along_with_its_question() {
    let (upstream, _home, serving) = with_upload(cited("A square."));
    assert_eq!(serving.chat(image(&png())).json()["choices"][0]["message"]["content"], "A square.");
    assert_eq!(asked(&upstream)[0]["params"]["attachments"], json!(["https://s3.example/o"]));
    assert_eq!(asked(&upstream)[0]["query_str"], "What is this?");
}

#[test]
fn a_stored_image_goes_along_too() {
    let (upstream, _home, serving) = with_upload(cited("A square."));
    let id =
        upload(&serving, &[("file", Some("s.png"), PNG), ("purpose", None, b"vision")]).json()["id"].clone();
    let input = json!([{"role": "user", "content": [{"type": "input_text", "text": "?"}, {"type": "input_image", "file_id": id}]}]);
    assert_eq!(serving.respond(json!({"input": input})).json()["status"], "completed");
    assert_eq!(asked(&upstream)[0]["params"]["attachments"], json!(["https://s3.example/o"]));
}

#[test]
fn images_of_earlier_turns_go_along_with_every_question() {
    let (upstream, _home, serving) = with_uploads(2, vec![cited("A square."), cited("Red.")]);
    let first = image(&png())["messages"][0].clone();
    serving.chat(json!({"messages": [first]}));
    let answer = json!({"role": "assistant", "content": "A square."});
    let next = json!({"role": "user", "content": "What colour?"});
    serving.chat(json!({"messages": [first, answer, next]}));
    let asked = asked(&upstream);
    assert_eq!(asked[1]["params"]["attachments"], json!(["https://s3.example/o"]));
    assert!(asked[1]["query_str"].as_str().unwrap().contains("A square."));
    let blank = json!({"role": "user", "content": ""});
    serving.chat(json!({"messages": [first, answer, blank]})).refused(400);
}

#[test]
fn addresses_of_this_network_are_not_fetched() {
    let target = Server::start([]);
    let (upstream, _home, serving) = answering(vec![]);
    let local = format!("https://127.0.0.1:{}/x.png", target.port);
    for url in [
        target.url().as_str(),
        &local,
        "https://127.0.0.1/x.png",
        "https://[::1]/x",
        "https://10.0.0.1/x",
        "https://169.254.169.254/latest",
        "file:///etc/passwd",
        "https://localhost/x",
        "x",
    ] {
        serving.chat(image(url)).refused(400);
    }
    assert_eq!((target.connections(), asked(&upstream).len()), (0, 0));
}

#[test]
fn files_that_are_no_images_or_too_many_are_refused() {
    let (upstream, _home, serving) = answering(vec![]);
    for (url, reason) in [
        ("data:image/png;base64,AAAA", "does not hold a PNG"),
        ("data:image/png;base64,!", "not valid base64"),
        ("data:,", "it is empty"),
        ("data:", "not a data URL"),
    ] {
        let response = serving.chat(image(url));
        response.refused(400);
        assert!(response.text().contains(reason), "{}", response.text());
    }
    let part = image(&png())["messages"][0]["content"][1].clone();
    let many = json!({"messages": [{"role": "user", "content": vec![part; 6]}]});
    let response = serving.chat(many);
    response.refused(400);
    assert!(response.text().contains("5 files along, not 6"), "{}", response.text());
    let missing =
        json!({"messages": [{"role": "user", "content": [{"type": "file", "file": {"file_id": "file-0"}}]}]});
    assert_eq!(serving.chat(missing).refused(404), "file_not_found");
    assert!(asked(&upstream).is_empty());
}

#[test]
fn a_document_that_the_service_does_not_read_is_an_error() {
    let (upstream, _home, serving) = with_upload_and(vec![]);
    let file = json!({"type": "file", "file": {"file_data": "YSxiCg==", "filename": "t.csv"}});
    let body = json!({"messages": [{"role": "user", "content": [file, {"type": "text", "text": "?"}]}]});
    assert_eq!(serving.chat(body).refused(502), "attachment_not_processed");
    assert!(asked(&upstream).is_empty());
}
