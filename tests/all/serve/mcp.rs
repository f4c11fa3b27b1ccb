//! `/mcp`: the tools over streamable HTTP.

use serde_json::{Value, json};

use super::{KEY, answering, cited};
use crate::support::serve::{Request, Response};
use crate::support::{Home, Server, Serving};

fn call(request: Request, method: &str, params: Value) -> Response {
    let request = request
        .header("Accept", "application/json, text/event-stream")
        .header("Content-Type", "application/json");
    request.body(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()).send()
}

/// The reply in a response, which comes as JSON or as an event.
fn reply(response: &Response) -> Value {
    let text = response.text();
    let data = text.lines().filter_map(|line| line.strip_prefix("data: ")).find(|data| data.starts_with('{'));
    serde_json::from_str(data.unwrap_or(text)).unwrap_or_else(|error| panic!("{error}: {text:?}"))
}

fn initialize(request: Request) -> Response {
    let client = json!({"name": "tests", "version": "1"});
    call(
        request,
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}),
    )
}

#[test]
fn the_tools_answer_over_http() {
    let (upstream, _home, serving) = answering(vec![cited("Because [1].")]);
    let begun = initialize(serving.request("POST", "/mcp"));
    assert_eq!(reply(&begun)["result"]["serverInfo"]["name"], "pplx");
    let session = begun.header("mcp-session-id").unwrap().to_owned();
    let request = || {
        serving
            .request("POST", "/mcp")
            .header("mcp-session-id", &session)
            .header("mcp-protocol-version", "2025-11-25")
    };
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    let noted = request()
        .header("Accept", "application/json, text/event-stream")
        .header("Content-Type", "application/json")
        .body(note)
        .send();
    assert_eq!(noted.status, 202);
    let tools = reply(&call(request(), "tools/list", json!({})));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["pplx_search", "pplx_research_start", "pplx_research_get", "pplx_usage"]);
    let result =
        reply(&call(request(), "tools/call", json!({"name": "pplx_search", "arguments": {"query": "why?"}})));
    let text = result["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("Because [1].") && text.contains("https://a.example/"), "{text}");
    assert_eq!(super::asked(&upstream)[0]["query_str"], "why?");
}

#[test]
fn the_key_may_stand_in_the_path() {
    let home = Home::logged_in(&Server::start([])).env("PPLX_SERVE_KEY", KEY);
    let serving = Serving::of(&home, &[]);
    assert_eq!(initialize(serving.request("POST", "/mcp").key(KEY)).status, 200);
    assert_eq!(initialize(serving.request("POST", &format!("/{KEY}/mcp"))).status, 200);
    assert_eq!(initialize(serving.request("POST", "/wrong/mcp")).refused(401), "invalid_api_key");
    assert_eq!(initialize(serving.request("POST", "/mcp")).refused(401), "invalid_api_key");
    let page = serving.request("POST", &format!("/{KEY}/mcp")).header("Origin", "https://evil.example");
    assert_eq!(initialize(page).refused(403), "origin_not_allowed");
}

#[test]
fn an_open_stream_does_not_hold_up_the_end() {
    let (_upstream, _home, serving) = answering(vec![]);
    let session = initialize(serving.request("POST", "/mcp")).header("mcp-session-id").unwrap().to_owned();
    let stream = serving
        .request("GET", "/mcp")
        .header("mcp-session-id", &session)
        .header("Accept", "text/event-stream");
    let _open = stream.open();
    let started = std::time::Instant::now();
    assert_eq!(serving.end(rustix::process::Signal::TERM).0, 0);
    assert!(started.elapsed() < std::time::Duration::from_secs(3));
}
