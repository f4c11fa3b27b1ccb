//! Who may ask, and what is kept from everybody.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{KEY, answering, cited};
use crate::support::{ASK, Home, Server, Serving, TOKEN};

fn keyed(options: &[&str]) -> (Home, Serving) {
    let home = Home::logged_in(&Server::start([])).env("PPLX_SERVE_KEY", KEY);
    let serving = Serving::of(&home, options);
    (home, serving)
}

#[test]
fn the_key_opens_everything_but_health_and_the_page() {
    let (_home, serving) = keyed(&[]);
    for (method, path) in [
        ("GET", "/v1/models"),
        ("POST", "/v1/chat/completions"),
        ("POST", "/v1/responses"),
        ("GET", "/v1/responses/x"),
        ("GET", "/v1/files"),
        ("POST", "/admin/session"),
        ("POST", "/mcp"),
    ] {
        for request in [serving.request(method, path), serving.request(method, path).key("wrong")] {
            let response = request.send();
            assert_eq!(response.refused(401), "invalid_api_key", "{path}");
            assert_eq!(response.header("www-authenticate"), Some("Bearer"));
        }
        assert_ne!(serving.request(method, path).key(KEY).send().status, 401, "{path}");
    }
    for path in ["/", "/page.js", "/health"] {
        assert_eq!(serving.get(path).status, 200, "{path}");
    }
}

#[test]
fn the_key_comes_from_a_file_too() {
    let home = Home::logged_in(&Server::start([]));
    let file = home.path().join("key");
    std::fs::write(&file, format!("{KEY}\n")).unwrap();
    let serving = Serving::of(&home, &["--key-file", file.to_str().unwrap()]);
    assert_eq!(serving.get("/v1/models").status, 401);
    assert_eq!(serving.request("GET", "/v1/models").key(KEY).send().status, 200);
}

#[test]
fn what_others_can_reach_needs_a_key() {
    let home = Home::logged_in(&Server::start([]));
    let outcome = home.run(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(outcome.stderr.contains("PPLX_SERVE_KEY"), "{}", outcome.stderr);
    let outcome = home.env("PPLX_SERVE_KEY", "short").run(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(
        outcome.stderr.contains("16 characters") && !outcome.stderr.contains("short"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn foreign_names_and_pages_are_refused() {
    let (_upstream, _home, serving) = answering(vec![]);
    let host = serving.request("GET", "/v1/models").header("Host", "evil.example").send();
    assert_eq!(host.refused(403), "host_not_allowed");
    for origin in ["https://evil.example", "http://localhost:3000", "null"] {
        let page = serving.request("GET", "/v1/models").header("Origin", origin).send();
        assert_eq!(
            (page.refused(403).as_str(), page.header("access-control-allow-origin")),
            ("origin_not_allowed", None)
        );
    }
    let own = format!("http://127.0.0.1:{}", serving.port);
    assert_eq!(serving.request("GET", "/v1/models").header("Origin", &own).send().status, 200);
}

#[test]
fn pages_that_are_allowed_may_call() {
    let (_home, serving) = keyed(&["--allow-origin", "https://chat.example", "--allow-host", "pplx.example"]);
    let preflight = |origin: &str| {
        let request = serving.request("OPTIONS", "/v1/chat/completions").header("Origin", origin);
        let request = request.header("Access-Control-Request-Method", "POST");
        request.header("Access-Control-Request-Headers", "authorization,content-type,x-stainless-lang").send()
    };
    for origin in ["https://chat.example", "http://localhost:3000"] {
        let response = preflight(origin);
        assert_eq!((response.status, response.header("access-control-allow-origin")), (200, Some(origin)));
        assert!(response.header("access-control-allow-headers").unwrap().contains("x-stainless-lang"));
    }
    assert_eq!(preflight("https://evil.example").header("access-control-allow-origin"), None);
    let request = serving
        .request("GET", "/v1/models")
        .header("Host", "pplx.example")
        .header("Origin", "https://chat.example");
    let response = request.key(KEY).send();
    assert_eq!(
        (response.status, response.header("access-control-allow-origin")),
        (200, Some("https://chat.example"))
    );
}

#[test]
fn errors_have_one_shape_everywhere() {
    let (_upstream, _home, serving) = answering(vec![]);
    assert_eq!(serving.get("/no/such/path").refused(404), "unknown_url");
    assert_eq!(serving.get("/nothing.js").refused(404), "unknown_url");
    assert_eq!(serving.get("/v1/chat/completions").refused(405), "method_not_allowed");
    assert_eq!(serving.request("DELETE", "/v1/models").send().refused(405), "method_not_allowed");
    serving.get("/v1/responses/x/input_items?limit=x").refused(400);
    serving.get("/v1/responses/x?stream=x").refused(400);
    serving.request("POST", "/v1/files").body("x").send().refused(400);
}

#[test]
fn a_body_has_a_limit() {
    let (_upstream, _home, serving) = answering(vec![]);
    let body = vec![b' '; (32 << 20) + 1];
    assert_eq!(
        serving.request("POST", "/v1/chat/completions").body(body).send().refused(413),
        "body_too_large"
    );
}

#[test]
fn a_client_that_says_nothing_holds_up_nobody() {
    let (_upstream, _home, serving) = answering(vec![cited("x")]);
    let silent: Vec<TcpStream> =
        (0..50).map(|_| TcpStream::connect(("127.0.0.1", serving.port)).unwrap()).collect();
    let mut half = TcpStream::connect(("127.0.0.1", serving.port)).unwrap();
    half.write_all(b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")
        .unwrap();
    let started = Instant::now();
    assert_eq!(serving.chat(json!({})).status, 200);
    assert!(started.elapsed() < Duration::from_secs(3));
    drop(silent);
}

#[test]
fn several_requests_share_a_connection() {
    let (_upstream, _home, serving) = answering(vec![]);
    let mut stream = TcpStream::connect(("127.0.0.1", serving.port)).unwrap();
    for _ in 0..3 {
        stream.write_all(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").unwrap();
        let mut buffer = [0; 4096];
        let length = stream.read(&mut buffer).unwrap();
        assert!(buffer[..length].starts_with(b"HTTP/1.1 200"));
    }
}

#[test]
fn the_log_has_a_line_a_request_and_no_secret() {
    let upstream = Server::start([(ASK, vec![cited("the answer of the test")])]);
    let home = Home::logged_in(&upstream).env("PPLX_SERVE_KEY", KEY);
    let serving = Serving::of(&home, &[]);
    let body = json!({"model": "auto", "stream": true, "messages": [{"role": "user", "content": "the question of the test"}]});
    let response = serving.request("POST", "/v1/chat/completions").key(KEY).body(body.to_string()).send();
    let id = response.header("x-request-id").unwrap().to_owned();
    serving.request("POST", &format!("/{KEY}/mcp")).body("{}").send();
    let (_, errors) = serving.end(rustix::process::Signal::TERM);
    for secret in ["the question of the test", "the answer of the test", KEY, TOKEN, "rw-secret-1"] {
        assert!(!errors.contains(secret), "{errors}");
    }
    let lines: Vec<serde_json::Value> =
        errors.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(
        lines.iter().any(|line| line["path"].as_str().is_some_and(|path| path.ends_with("/mcp"))),
        "{errors}"
    );
    let line = lines.iter().find(|line| line["request"] == id).unwrap();
    assert_eq!(
        (&line["method"], &line["path"], &line["status"], &line["stream"], &line["model"]),
        (
            &json!("POST"),
            &json!("/v1/chat/completions"),
            &json!(200),
            &json!(true),
            &json!("pplx_pro_upgraded")
        )
    );
    assert!(line["ms"].is_u64() && line["time"].is_string());
}
