//! How the server starts, ends, and says how it is.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use super::{KEY, answering, cited};
use crate::support::{ASK, Home, Reply, Server, Serving, answered, pending};

#[test]
fn the_end_waits_for_answers_that_are_on_their_way() {
    let reply = Reply::events().write(pending(0, "one ")).pause(600).write(answered("one two"));
    let (upstream, _home, mut serving) = answering(vec![reply]);
    let body = json!({"stream": true, "messages": [{"role": "user", "content": "x"}]}).to_string();
    let open = serving.request("POST", "/v1/chat/completions").body(body).open();
    upstream.wait_for(ASK);
    serving.signal(Signal::TERM);
    std::thread::sleep(Duration::from_millis(100));
    assert!(std::net::TcpStream::connect(("127.0.0.1", serving.port)).is_err(), "it still listens");
    let response = open.whole();
    assert!(
        response.text().contains("two") && response.text().ends_with("data: [DONE]\n\n"),
        "{}",
        response.text()
    );
    assert_eq!(serving.wait().0, 0);
}

#[test]
fn the_end_waits_for_background_answers() {
    let reply = Reply::events().write(pending(0, "one ")).pause(500).write(answered("one two"));
    let upstream = Server::start([(ASK, vec![reply])]);
    let home = Home::logged_in(&upstream);
    let serving = Serving::of(&home, &[]);
    let begun = serving.respond(json!({"background": true})).json();
    upstream.wait_for(ASK);
    assert_eq!(serving.end(Signal::TERM).0, 0);
    let serving = Serving::of(&home, &[]);
    let kept = serving.get(&format!("/v1/responses/{}", begun["id"].as_str().unwrap())).json();
    assert_eq!(kept["status"], "completed");
}

#[test]
fn the_end_does_not_wait_for_a_background_answer_that_was_cancelled() {
    let reply = Reply::events().write(pending(0, "one ")).hang();
    let upstream = Server::start([(ASK, vec![reply])]);
    let home = Home::logged_in(&upstream);
    let serving = Serving::of(&home, &[]);
    let begun = serving.respond(json!({"background": true})).json();
    let path = format!("/v1/responses/{}", begun["id"].as_str().unwrap());
    upstream.wait_for(ASK);
    let cancelled = serving.request("POST", &format!("{path}/cancel")).send().json();
    assert_eq!(cancelled["status"], "cancelled");
    let started = Instant::now();
    assert_eq!(serving.end(Signal::TERM).0, 0);
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    let serving = Serving::of(&home, &[]);
    assert_eq!(serving.get(&path).json()["status"], "cancelled");
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let (upstream, _home, mut serving) = answering(vec![Reply::events().write(pending(0, "one ")).hang()]);
    let body = json!({"stream": true, "messages": [{"role": "user", "content": "x"}]}).to_string();
    let _open = serving.request("POST", "/v1/chat/completions").body(body).open();
    upstream.wait_for(ASK);
    serving.signal(Signal::TERM);
    std::thread::sleep(Duration::from_millis(100));
    let second = Instant::now();
    serving.signal(Signal::TERM);
    assert_eq!(serving.wait().0, 143);
    assert!(second.elapsed() < Duration::from_secs(2), "{:?}", second.elapsed());
}

#[test]
fn an_idle_server_ends_at_once() {
    for signal in [Signal::TERM, Signal::INT] {
        let (_upstream, _home, serving) = answering(vec![]);
        serving.get("/health");
        let started = Instant::now();
        assert_eq!(serving.end(signal).0, 0);
        assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    }
}

#[test]
fn an_address_that_is_taken_is_told() {
    let (_upstream, home, serving) = answering(vec![]);
    let outcome = home.run(&["serve", "--listen", &format!("127.0.0.1:{}", serving.port)]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(
        outcome.stderr.contains("Could not listen") && outcome.stderr.contains("hint: "),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_check_says_whether_the_server_can_answer() {
    const SESSION: &str = "GET /api/auth/session";
    let upstream = Server::start([(
        SESSION,
        vec![Reply::json("{\"user\":{\"email\":\"a@x.example\"}}"), Reply::json("{}")],
    )]);
    let home = Home::logged_in(&upstream).env("PPLX_SERVE_KEY", KEY);
    for (state, code) in [("valid", 0), ("expired", 4)] {
        let serving = Serving::of(&home, &[]);
        let started = Instant::now();
        while serving.get("/health").json()["session"]["state"] != state {
            assert!(started.elapsed() < Duration::from_secs(10), "{state}");
            std::thread::sleep(Duration::from_millis(5));
        }
        let outcome = home.run(&["serve", "--check", "--listen", &format!("127.0.0.1:{}", serving.port)]);
        assert_eq!(outcome.code, code, "{outcome:?}");
        let line = format!("http://127.0.0.1:{}: ok, session valid\n", serving.port);
        assert_eq!(outcome.stdout, if code == 0 { line.as_str() } else { "" });
    }
    let outcome = home.run(&["serve", "--check", "--listen", "127.0.0.1:9"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (6, ""));
}

#[test]
fn the_table_of_settings_is_read() {
    let upstream = Server::start([(ASK, vec![cited("x")])]);
    let home = Home::logged_in(&upstream).settings(
        "language = \"de-DE\"\n[serve]\nlisten = \"127.0.0.1:0\"\nallow-host = [\"pplx.example\"]\nexperimental-tools = true\n[serve.alias]\nmine = \"turbo\"\n",
    );
    let serving = Serving::start(home.command(&["serve"]));
    assert_eq!(serving.request("GET", "/v1/models/mine").header("Host", "pplx.example").send().status, 200);
    serving.chat(json!({"model": "mine"}));
    let asked = super::asked(&upstream)[0].clone();
    assert_eq!(
        (&asked["params"]["model_preference"], &asked["params"]["language"]),
        (&json!("turbo"), &json!("de-DE"))
    );
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let home = Home::logged_in(&Server::start([]));
    for (options, part) in [
        (["--alias", "x"], "NAME=MODEL"),
        (["--allow-origin", "chat.example"], "origin"),
        (["--notify", "ftp://x"], "--notify"),
        (["--key-file", "/nonexistent"], "Could not read"),
        (["--listen", "x"], "--listen"),
    ] {
        let outcome = home.run(&[&["serve"], options.as_slice()].concat());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{options:?}");
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
    }
    let home = home.settings("[serve]\nport = 1\n");
    let outcome = home.run(&["serve"]);
    assert!(outcome.code == 2 && outcome.stderr.contains("port"), "{outcome:?}");
    let home = home.settings("provider = \"api\"\n");
    let outcome = home.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(outcome.code == 2 && outcome.stderr.contains("chooses the official API"), "{outcome:?}");
}
