//! `--attach`: what is uploaded, where it goes, and each way in which it can fail.

use std::fs;

use crate::support::{ASK, Home, Reply, Server, TOKEN, answered};

const PLACES: &str = "POST /rest/uploads/batch_create_upload_urls";
const PROCESSED: &str = "POST /rest/sse/attachment_processing/subscribe";
const BUCKET: &str = "POST /bucket";

/// The places that the service names, in the storage `storage`.
fn places(storage: &Server, objects: &[&str]) -> Reply {
    let place = |object: &&str| {
        format!(
            "\"{object}\":{{\"s3_bucket_url\":\"{}/bucket\",\"s3_object_url\":\"https://files.example/{object}\",\"fields\":\
             {{\"z-key\":\"first\",\"policy\":\"second\"}},\"file_uuid\":\"id-{object}\",\"rate_limited\":false,\"error\":null}}",
            storage.url()
        )
    };
    Reply::json(&format!("{{\"results\":{{{}}}}}", objects.iter().map(place).collect::<Vec<_>>().join(",")))
}

fn home(server: &Server) -> Home {
    let home = Home::logged_in(server);
    fs::write(home.path().join("picture.png"), [0x89, b'P', b'N', b'G']).unwrap();
    fs::write(home.path().join("notes.txt"), "tide notes").unwrap();
    home
}

#[test]
fn files_go_to_their_places_and_the_question_names_them() {
    let storage = Server::start([(BUCKET, vec![Reply::status(204), Reply::status(204)])]);
    let server = Server::start([
        (PLACES, vec![places(&storage, &["one", "two"])]),
        (PROCESSED, vec![Reply::stream("data: {\"status\":\"success\"}\n\n")]),
        (ASK, vec![Reply::stream(answered("Seen."))]),
    ]);
    let outcome = home(&server).run(&[
        "search",
        "-f",
        "answer",
        "--attach",
        "picture.png",
        "--attach",
        "notes.txt",
        "q",
    ]);
    outcome.is(0, "Seen.\n", "");
    let requests = server.requests();
    let files: Vec<serde_json::Value> =
        requests[0].json()["files"].as_object().unwrap().values().cloned().collect();
    assert!(files.iter().any(|file| file["filename"] == "notes.txt"
        && file["content_type"] == "text/plain"
        && file["file_size"] == 10));
    assert!(
        files.iter().any(|file| file["filename"] == "picture.png" && file["content_type"] == "image/png")
    );
    assert_eq!(
        requests[1].json()["file_uuids"],
        serde_json::json!(["id-two"]),
        "an image needs no processing"
    );
    let attachments = &requests[2].json()["params"]["attachments"];
    assert_eq!(attachments, &serde_json::json!(["https://files.example/one", "https://files.example/two"]));
    for request in storage.requests() {
        let all = format!("{:?}", request.headers);
        assert!(
            !all.contains(TOKEN) && request.header("cookie").is_none(),
            "the session stays with the service"
        );
        let fields = [
            "name=\"z-key\"\r\n\r\nfirst\r\n",
            "name=\"policy\"\r\n\r\nsecond\r\n",
            "name=\"file\"; filename=\"",
        ];
        let places: Vec<_> = fields.iter().map(|field| request.body.find(field).unwrap()).collect();
        assert!(places.is_sorted(), "the fields in their order, the file last: {request:?}");
    }
    assert!(
        storage.requests()[1]
            .body
            .contains("filename=\"notes.txt\"\r\nContent-Type: text/plain\r\n\r\ntide notes\r\n--")
    );
}

#[test]
fn a_document_that_is_not_confirmed_is_asked_about_with_a_note() {
    let refused =
        Reply::status(403).header("Content-Type", "text/html").body("<title>Just a moment...</title>");
    let storage = Server::start([(BUCKET, vec![Reply::status(204)])]);
    let server = Server::start([
        (PLACES, vec![places(&storage, &["one"])]),
        (PROCESSED, vec![refused]),
        (ASK, vec![Reply::stream(answered("Yes."))]),
    ]);
    let outcome = home(&server).run(&["search", "--attach", "notes.txt", "q"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    assert!(
        outcome.stdout.contains("Note: the service did not confirm that it has read notes.txt"),
        "{outcome:?}"
    );
}

#[test]
fn a_file_that_cannot_go_along_is_refused_before_anything_is_sent() {
    let server = Server::start([]);
    let home = home(&server);
    fs::write(home.path().join("empty.txt"), "").unwrap();
    fs::write(home.path().join("program.bin"), [0, 159, 146, 150]).unwrap();
    fs::create_dir(home.path().join("folder")).unwrap();
    fs::File::create(home.path().join("large.pdf")).unwrap().set_len(51 << 20).unwrap();
    for (file, reason) in [
        ("missing.txt", "No such file"),
        ("empty.txt", "it is empty"),
        ("program.bin", "images, PDF, text and office files"),
        ("folder", "it is not a file"),
        ("large.pdf", "it is 51 MB large; the service takes 50 MB"),
    ] {
        let outcome = home.run(&["search", "--attach", file, "q"]);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(
            outcome.stderr.starts_with(&format!("Could not attach {file}: "))
                && outcome.stderr.contains(reason),
            "{outcome:?}"
        );
    }
}

#[test]
fn each_failure_of_an_upload_is_told_and_nothing_is_asked() {
    let place = |fields: &str| Reply::json(&format!("{{\"results\":{{\"x\":{{{fields}}}}}}}"));
    for (reply, code, reason) in [
        (place("\"rate_limited\":true"), 5, "Rate limited"),
        (place("\"error\":\"file type not allowed\""), 2, "file type not allowed"),
        (place("\"s3_object_url\":\"https://files.example/x\""), 2, "named no place"),
        (
            place("\"s3_bucket_url\":\"https://elsewhere.example/\",\"s3_object_url\":\"o\""),
            2,
            "none of its own",
        ),
        (place("\"s3_bucket_url\":\"http://10.0.0.1/\",\"s3_object_url\":\"o\""), 2, "none of its own"),
        (Reply::json("{\"results\":{}}"), 2, "named no place"),
        (Reply::json("not JSON"), 1, "unexpected"),
        (Reply::status(500), 6, "HTTP 500"),
    ] {
        let server = Server::start([(PLACES, vec![reply])]);
        let outcome = home(&server).run(&["search", "--attach", "notes.txt", "q"]);
        assert_eq!(outcome.code, code, "{outcome:?}");
        assert!(outcome.stderr.contains(reason), "{outcome:?}");
    }
    let storage = Server::start([(BUCKET, vec![Reply::status(403).body("<Error>")])]);
    let server = Server::start([(PLACES, vec![places(&storage, &["one"])])]);
    let outcome = home(&server).run(&["search", "--attach", "notes.txt", "q"]);
    assert!(outcome.code == 2 && outcome.stderr.contains("the upload was refused (HTTP 403)"), "{outcome:?}");
}
