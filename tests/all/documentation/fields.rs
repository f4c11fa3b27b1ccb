//! doc/scripts-and-json.md names each field of the JSON that the program prints, and no other.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::page::{Page, root};
use crate::support::{Home, Reply, Server, with_key};

type Names = BTreeSet<String>;

fn page() -> Page {
    Page::read("doc/scripts-and-json.md")
}

/// The fields in the table below this heading.
#[track_caller]
fn documented(heading: &str) -> Names {
    let names: Names = page().names(heading).into_iter().collect();
    assert!(names.len() > 1, "{heading}: {names:?}");
    names
}

/// The fields of a document, those of objects within it after the name of the outer field and a dot. What the API says
/// about usage is passed on as it is.
fn printed(document: &Value) -> Names {
    let mut names = Names::new();
    collect(document, "", &mut names);
    names
}

fn collect(value: &Value, prefix: &str, names: &mut Names) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = format!("{prefix}{name}");
                if name != "usage" {
                    collect(value, &format!("{name}."), names);
                }
                names.insert(name);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, prefix, names)),
        _ => {}
    }
}

/// The lines of all streams of tests/streams, replayed.
fn replayed() -> Vec<Value> {
    let mut lines = Vec::new();
    for file in fs::read_dir(root().join("tests/streams")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "sse") {
            let home = Home::at("http://127.0.0.1:9");
            let outcome = home.run(&["search", "--replay", path.to_str().unwrap(), "-f", "ndjson", "q"]);
            lines.extend(lines_of(&outcome.stdout));
        }
    }
    assert!(lines.len() > 100, "{} lines", lines.len());
    lines
}

fn lines_of(stdout: &str) -> impl Iterator<Item = Value> {
    stdout.lines().map(|line| serde_json::from_str(line).unwrap())
}

/// The fields of all lines of this type, without the type itself.
fn fields_of(lines: &[Value], kind: &str) -> Names {
    let mut names: Names = lines.iter().filter(|line| line["type"] == kind).flat_map(printed).collect();
    assert!(names.remove("type"), "there is no line of the type {kind}");
    names
}

/// The lines of a run of deep research.
fn researched() -> Vec<Value> {
    let frame = "data: {\"status\":\"COMPLETED\",\"backend_uuid\":\"run-1\",\"blocks\":[{\"intended_usage\":\"ask_text\",\
                 \"markdown_block\":{\"chunks\":[\"A report.\"]}}]}\n\n";
    let pending = "data: {\"status\":\"PENDING\",\"backend_uuid\":\"run-1\",\"blocks\":[]}\n\n";
    let server = Server::answering(Reply::stream([pending, frame].concat()));
    let outcome = Home::logged_in(&server).run(&["search", "--research", "-f", "ndjson", "q"]);
    lines_of(&outcome.stdout).collect()
}

/// What the official API answers a question with.
fn asked_of_api(reply: Reply) -> Value {
    let server = Server::start([("POST /chat/completions", vec![reply])]);
    with_key(&server).run(&["search", "--provider", "api", "--json", "--limit", "1", "q"]).json()
}

#[test]
fn the_answer_has_the_fields_of_the_page() {
    let lines = replayed();
    assert_eq!(fields_of(&lines, "done"), documented("The answer"));
    let stream = root().join("tests/streams/herons.sse");
    let home = Home::at("http://127.0.0.1:9");
    let document = home.run(&["search", "--replay", stream.to_str().unwrap(), "--json", "q"]).json();
    assert_eq!(printed(&document), documented("The answer"), "one object has them all");
}

#[test]
fn an_answer_of_the_api_has_the_fields_of_the_page() {
    let page = r#"{"title": "T", "url": "https://a.example", "snippet": "S", "date": "2026-01-01"}"#;
    let document = asked_of_api(Reply::json(&format!(
        r#"{{"model": "sonar", "choices": [{{"message": {{"content": "<think>Hm.</think>Yes."}}}}],
            "search_results": [{page}, {page}], "usage": {{"prompt_tokens": 5}}}}"#
    )));
    let mut expected = documented("The answer");
    assert!(expected.remove("sources.age_seconds"));
    expected.extend(documented("From the official API"));
    assert_eq!(printed(&document), expected);
}

#[test]
fn a_failure_has_the_fields_of_the_page() {
    let mut names = fields_of(&replayed(), "error");
    let json = |status| Reply::status(status).header("Content-Type", "application/json");
    names.extend(printed(&asked_of_api(json(500).body("{}"))));
    assert_eq!(names, documented("A failure"));
}

#[test]
fn a_line_has_the_fields_of_its_type() {
    let lines: Vec<Value> = replayed().into_iter().chain(researched()).collect();
    let page = page();
    let rows = page.rows("-f ndjson: one object a line");
    let types: Names = rows.iter().map(|row| row[0].join(" ")).collect();
    let printed_types: Names = lines.iter().map(|line| line["type"].as_str().unwrap().to_owned()).collect();
    assert_eq!(types, printed_types);
    for row in rows {
        let kind = row[0].join(" ");
        let mut expected: Names = row[1].iter().map(|name| name.replace("[]", "")).collect();
        match kind.as_str() {
            "done" => expected = documented("The answer"),
            "error" => continue, // The API's failures have a field more; they are looked at above.
            "sources" => {
                let answer = documented("The answer").into_iter();
                expected.extend(answer.filter(|name| name.starts_with("sources.")));
            }
            _ => {}
        }
        assert_eq!(fields_of(&lines, &kind), expected, "{kind}");
    }
}

#[test]
fn what_is_said_of_the_account_has_the_fields_of_the_page() {
    let session = Reply::json(r#"{"user": {"email": "user@example.com", "subscription_tier": "pro"}}"#);
    let limits = Reply::json(r#"{"modes": {"labs": {"available": false}}}"#);
    let models = Reply::json(
        r#"{"models": {"a": {}}, "config": [{"label": "A", "non_reasoning_model": "a", "subscription_tier": "pro"}]}"#,
    );
    let server = Server::start([
        ("GET /api/auth/session", vec![session.clone(), session]),
        ("GET /rest/rate-limit/status", vec![limits]),
        ("GET /rest/models/config", vec![models]),
    ]);
    let home = Home::logged_in(&server);
    for (args, heading) in [
        (&["status", "--online", "--json"][..], "pplx status --json"),
        (&["models", "--json"], "pplx models --json"),
        (&["doctor", "--no-ask", "--json"], "pplx doctor --json"),
    ] {
        assert_eq!(printed(&home.run(args).json()), documented(heading), "{args:?}");
    }
}

#[test]
fn threads_have_the_fields_of_the_page() {
    let entry = r#"{"backend_uuid": "e-1", "query_str": "q", "status": "COMPLETED", "blocks": [
        {"intended_usage": "ask_text", "markdown_block": {"answer": "Yes [1]."}},
        {"intended_usage": "web_results", "web_result_block": {"web_results": [{"name": "T", "url": "https://a.example/"}]}}]}"#;
    let server = Server::start([
        ("POST /rest/thread/list_ask_threads", vec![Reply::json(r#"[{"slug": "t-1", "title": "T"}]"#)]),
        (
            "GET /rest/thread/t-1",
            vec![Reply::json(&format!(r#"{{"status": "success", "entries": [{entry}]}}"#))],
        ),
    ]);
    let home = Home::logged_in(&server);
    let list = home.run(&["threads", "list", "--json"]).json();
    assert_eq!(printed(&list), documented("pplx threads list --json"));
    let shown = home.run(&["threads", "show", "t-1", "--json"]).json();
    let mut expected = documented("pplx threads show --json");
    expected.extend(documented("The answer").iter().map(|name| format!("entries.{name}")));
    assert_eq!(printed(&shown), expected);
}
