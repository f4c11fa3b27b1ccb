//! `/v1/models`, `/health` and what is left of the quota.

use std::time::Duration;

use serde_json::{Value, json};

use super::{asked, cited};
use crate::support::{ASK, Home, Reply, Server, Serving};

const MODELS: &str = "GET /rest/models/config";
const SESSION: &str = "GET /api/auth/session";
const LIMITS: &str = "GET /rest/rate-limit/status";

fn list() -> Reply {
    Reply::json(
        "{\"models\":{\"gpt9_x\":{},\"turbo\":{}},\"config\":[{\"label\":\"GPT-9 X\",\"non_reasoning_model\":\"gpt9_x\",\"reasoning_model\":\"gpt9_x_thinking\",\"subscription_tier\":\"pro\"},\
        {\"label\":\"Big\",\"non_reasoning_model\":\"big_one\",\"subscription_tier\":\"max\"}]}",
    )
}

fn user(plan: &str) -> Reply {
    Reply::json(&format!("{{\"user\":{{\"email\":\"a@x.example\",\"subscription_tier\":\"{plan}\"}}}}"))
}

fn ids(serving: &Serving) -> Vec<String> {
    let list = serving.get("/v1/models").json();
    list["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap().to_owned()).collect()
}

/// Waits until something is so.
#[track_caller]
fn wait(so: impl Fn() -> bool) {
    let started = std::time::Instant::now();
    while !so() {
        assert!(started.elapsed() < Duration::from_secs(10), "it is not so");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_accounts_list_and_plan_decide_what_is_offered() {
    let upstream = Server::start([(MODELS, vec![list()]), (SESSION, vec![user("pro")])]);
    let home = Home::logged_in(&upstream);
    let serving = Serving::of(&home, &["--alias", "gpt-4o=gpt9_x"]);
    wait(|| {
        serving.get("/health").json()["session"]["state"] == "valid"
            && ids(&serving).contains(&"gpt9_x".to_owned())
    });
    assert_eq!(ids(&serving), ["auto", "gpt", "gpt-4o", "gpt9_x"]);
    let model = serving.get("/v1/models/gpt").json();
    assert_eq!(
        (&model["object"], &model["alias_of"], &model["label"], &model["thinking"]),
        (&json!("model"), &json!("gpt9_x"), &json!("GPT-9 X"), &json!(true))
    );
    assert!(model["created"].as_i64().unwrap() > 1_700_000_000);
    assert_eq!(serving.get("/v1/models/no-such-model").refused(404), "model_not_found");
    assert_eq!(serving.get("/v1/models/big_one").refused(403), "model_not_in_plan");
    assert_eq!(serving.chat(json!({"model": "big_one"})).refused(403), "model_not_in_plan");
    let unknown = serving.chat(json!({"model": "gpt9x"}));
    assert_eq!(unknown.refused(404), "model_not_found");
    assert!(unknown.text().contains("gpt9_x"), "{}", unknown.text());
    assert!(asked(&upstream).is_empty());
}

#[test]
fn a_used_up_quota_is_told_and_costs_nothing() {
    let limits = Reply::json(
        "{\"modes\":{\"pro_search\":{\"available\":true,\"remaining_detail\":{\"kind\":\"exact\",\"remaining\":0}},\"research\":{\"available\":true,\"remaining_detail\":{\"kind\":\"exact\",\"remaining\":3}}}}",
    );
    let upstream =
        Server::start([(LIMITS, vec![limits]), (SESSION, vec![user("pro")]), (ASK, vec![cited("x")])]);
    let home = Home::logged_in(&upstream);
    let serving = Serving::of(&home, &[]);
    wait(|| !serving.get("/health").json()["quota"].is_null());
    let health = serving.get("/health").json();
    assert_eq!(
        health["quota"],
        json!({"pro_search": {"available": true, "remaining": 0}, "research": {"available": true, "remaining": 3}})
    );
    let refused = serving.chat(json!({"model": "gpt"}));
    assert_eq!(
        (refused.refused(429).as_str(), refused.header("retry-after")),
        ("insufficient_quota", Some("3600"))
    );
    assert_eq!(refused.header("x-should-retry"), Some("false"));
    assert!(asked(&upstream).is_empty());
    let answered = serving.chat(json!({"model": "auto"}));
    assert_eq!((answered.status, answered.header("x-ratelimit-remaining-requests")), (200, Some("0")));
    assert_eq!(answered.header("x-pplx-remaining-research"), Some("3"));
}

#[test]
fn health_asks_nobody_and_needs_no_key() {
    let upstream = Server::start([(SESSION, vec![Reply::json("{}")])]);
    let home = Home::logged_in(&upstream).env("PPLX_SERVE_KEY", super::KEY);
    let serving = Serving::of(&home, &[]);
    wait(|| serving.get("/health").json()["session"]["state"] == "expired");
    let health = serving.get("/health");
    let body = health.json();
    assert_eq!(
        (&body["status"], &body["auth"], body.get("quota")),
        (&json!("degraded"), &json!(true), Some(&Value::Null))
    );
    assert!(!health.text().contains(super::KEY) && home.auth().exists());
}
