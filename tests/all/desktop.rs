//! What an answer is handed on to: the clipboard's program and the browser's.

#![cfg(target_os = "linux")]

use std::fs;
use std::time::{Duration, Instant};

use crate::support::{Home, Reply, Server, answered};

const HERONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/streams/herons.sse");

/// What a stand-in program wrote, as soon as it did: a browser is not waited for.
fn written(home: &Home, name: &str) -> String {
    let end = Instant::now() + Duration::from_secs(5);
    while Instant::now() < end {
        match fs::read_to_string(home.path().join(name)) {
            Ok(text) if !text.is_empty() => return text,
            _ => std::thread::sleep(Duration::from_millis(10)),
        }
    }
    panic!("nothing was written to {name}");
}

#[test]
fn the_answer_goes_to_the_clipboard_that_there_is() {
    for (variable, program) in [("DISPLAY", "xclip"), ("WAYLAND_DISPLAY", "wl-copy")] {
        let server = Server::answering(Reply::stream(answered("Zwölf [1].")));
        let home = Home::logged_in(&server).program(program, "cat > copied").env(variable, ":0");
        home.run(&["search", "-q", "--copy", "-f", "answer", "q"]).is(0, "Zwölf [1].\n", "");
        assert_eq!(written(&home, "copied"), "Zwölf [1].");
    }
}

#[test]
fn without_a_clipboard_the_answer_is_printed_and_the_run_has_failed() {
    for program in ["exit 1", "sleep 60"] {
        let home = Home::at("http://127.0.0.1:9").program("xclip", program).env("DISPLAY", ":0");
        let outcome = home.run(&["search", "--replay", HERONS, "--copy", "-f", "answer", "q"]);
        assert_eq!(outcome.code, 1, "{program}");
        assert!(!outcome.stdout.is_empty());
        assert!(outcome.stderr.starts_with("Could not copy the answer: xclip: "), "{}", outcome.stderr);
    }
    let home = Home::at("http://127.0.0.1:9").without("DISPLAY").without("WAYLAND_DISPLAY");
    let outcome = home.run(&["search", "--replay", HERONS, "--copy", "-f", "answer", "q"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.stderr.starts_with("Could not copy the answer: there is no clipboard here"));
}

#[test]
fn a_source_is_opened_by_its_number() {
    let home = Home::at("http://127.0.0.1:9").program("xdg-open", "echo \"$1\" > opened");
    let outcome = home.run(&["search", "--replay", HERONS, "--open", "2", "--json", "q"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let sources = &outcome.json()["sources"];
    let second = sources.as_array().unwrap().iter().find(|source| source["numbers"][0] == 2).unwrap();
    assert_eq!(written(&home, "opened").trim_end(), second["url"]);
    let outcome = home.run(&["search", "--replay", HERONS, "--open", "99", "-f", "answer", "q"]);
    assert_eq!(outcome.code, 1);
    assert_eq!(outcome.stderr, "Could not open the source: the answer has no source [99].\n");
}

#[test]
fn only_pages_are_opened() {
    let stream = "data: {\"status\":\"COMPLETED\",\"final\":true,\"blocks\":[{\"intended_usage\":\"ask_text\",\"markdown_block\":\
                  {\"chunks\":[\"See [1].\"],\"chunk_starting_offset\":0}},{\"intended_usage\":\"web_results\",\"web_result_block\":\
                  {\"web_results\":[{\"name\":\"x\",\"url\":\"file:///etc/passwd\"}]}}]}\n\n";
    let server = Server::answering(Reply::stream(stream));
    let home = Home::logged_in(&server).program("xdg-open", "echo \"$1\" > opened");
    let outcome = home.run(&["search", "--open", "1", "-f", "answer", "q"]);
    assert_eq!(outcome.code, 1);
    assert_eq!(outcome.stderr, "Could not open the source: its address is not one of the web.\n");
    assert!(!home.path().join("opened").exists());
}
