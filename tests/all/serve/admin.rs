//! The session behind the server.

use std::time::Duration;

use serde_json::json;

use super::{KEY, cited};
use crate::support::{ASK, Home, Reply, Server, Serving, TOKEN};

const SESSION: &str = "GET /api/auth/session";
/// Another token, made up.
const NEW: &str = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJuZXciLCJleHAiOjQxMDI0NDQ4MDB9.bm8tc2lnbmF0dXJl";

fn known() -> Reply {
    Reply::json("{\"user\":{\"email\":\"new@x.example\",\"subscription_tier\":\"max\"}}")
}

fn serving(home: &Home) -> Serving {
    Serving::of(home, &[])
}

#[test]
fn the_session_is_replaced_once_it_is_known() {
    let unknown = || Reply::json("{}");
    let upstream = Server::start([(SESSION, vec![known(), unknown(), known()]), (ASK, vec![cited("x")])]);
    let home = Home::logged_in(&upstream).env("PPLX_SERVE_KEY", KEY);
    let serving = serving(&home);
    upstream.wait_for(SESSION);
    let replace = |body: &str| serving.request("POST", "/admin/session").key(KEY).body(body).send();
    assert_eq!(replace(NEW).refused(401), "session_refused");
    assert_eq!(home.stored()["access"], TOKEN);
    for bad in ["", "{}", "{\"token\":\"a b\"}", "two words", "\u{0}"] {
        let refused = replace(bad);
        refused.refused(400);
        assert!(!refused.text().contains("a b"));
    }
    let replaced = replace(&json!({"session_token": NEW}).to_string());
    assert_eq!((replaced.status, &replaced.json()["state"]), (200, &json!("valid")));
    assert!(!replaced.text().contains(NEW));
    assert_eq!((&home.stored()["access"], &home.stored()["email"]), (&json!(NEW), &json!("new@x.example")));
    let body = json!({"model": "auto", "messages": [{"role": "user", "content": "x"}]}).to_string();
    serving.request("POST", "/v1/chat/completions").key(KEY).body(body).send();
    let asked = upstream.requests().into_iter().find(|request| request.key == ASK).unwrap();
    assert!(asked.header("cookie").unwrap().contains(NEW));
}

#[test]
fn without_a_key_nobody_replaces_it() {
    let home = Home::logged_in(&Server::start([]));
    let serving = serving(&home);
    let response = serving.request("POST", "/admin/session").body(NEW).send();
    assert_eq!(response.refused(403), "key_needed");
}

#[test]
fn a_session_of_the_environment_is_not_ours_to_replace() {
    let home = Home::new(&Server::start([])).env("PPLX_TOKEN", TOKEN).env("PPLX_SERVE_KEY", KEY);
    let serving = serving(&home);
    let response = serving.request("POST", "/admin/session").key(KEY).body(NEW).send();
    assert_eq!(response.refused(409), "session_fixed");
}

#[test]
fn a_rotated_session_is_kept() {
    let rotated = known().header("Set-Cookie", &format!("__Secure-next-auth.session-token={NEW}; Path=/"));
    let upstream = Server::start([(SESSION, vec![rotated])]);
    let home = Home::logged_in(&upstream);
    let _serving = serving(&home);
    let started = std::time::Instant::now();
    while home.stored()["access"] != NEW {
        assert!(started.elapsed() < Duration::from_secs(10), "it is not kept");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_user_is_told_of_the_end_once() {
    let refusal = || Reply::status(401).header("Content-Type", "application/json").body("{}");
    let upstream = Server::start([(SESSION, vec![known()]), (ASK, vec![refusal(), refusal(), cited("x")])]);
    let hook = Server::start([("POST /topic", vec![Reply::status(200)])]);
    let home = Home::logged_in(&upstream);
    let serving = Serving::of(&home, &["--notify", &format!("{}/topic", hook.url())]);
    upstream.wait_for(SESSION);
    serving.chat(json!({})).refused(401);
    serving.chat(json!({})).refused(401);
    hook.wait_for("POST /topic");
    std::thread::sleep(Duration::from_millis(100));
    let told = hook.request();
    assert_eq!(told.header("title"), Some("pplx: session ended"));
    assert!(told.body.contains("pplx login") && !told.body.contains(TOKEN), "{}", told.body);
    assert_eq!(serving.get("/health").json()["session"]["state"], "expired");
    assert_eq!(serving.chat(json!({})).status, 200);
    assert_eq!(serving.get("/health").json()["session"]["state"], "valid");
}
