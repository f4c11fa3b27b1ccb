//! Chat completions of the official API: a test for each row of the table of their behaviour, named after the row.

use crate::support::{KEY, Outcome, Reply, Server, with_key};
use serde_json::{Value, json};

const CHAT: &str = "POST /chat/completions";
const RETIRED: &str =
    r#"{"error":{"message":"Use the Agent API.","type":"chat_completions_not_available","code":403}}"#;

fn run(api: &Server, args: &[&str]) -> Outcome {
    with_key(api).run(&[&["search", "--provider", "api"], args].concat())
}

/// Asks in the chat dialect for JSON, and gets this reply.
fn asked(reply: Reply) -> Outcome {
    run(&Server::start([(CHAT, vec![reply])]), &["--api-dialect", "chat", "--json", "why"])
}

fn chat_reply(rest: Value) -> Reply {
    let mut reply = json!({"choices": [{"message": {"content": "Because."}}]});
    reply.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    Reply::json(&reply.to_string())
}

fn refusal(status: u16, body: &str) -> Reply {
    Reply::status(status).header("Content-Type", "application/json").body(body)
}

/// The whole of an answer that is good: what the table says about it.
#[track_caller]
fn result(outcome: &Outcome) -> (Value, Value, Value) {
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let json = outcome.json();
    (json["answer"].clone(), json["sources"].clone(), json["truncated"].clone())
}

#[track_caller]
fn failed(outcome: &Outcome, exit: i32, code: &str, message: &str) {
    let error = &outcome.json()["error"];
    assert_eq!(outcome.code, exit, "{outcome:?}");
    assert_eq!(
        (error["code"].as_str(), error["message"].as_str()),
        (Some(code), Some(message)),
        "{outcome:?}"
    );
    assert!(!format!("{outcome:?}").contains(KEY), "the key is in no output");
}

#[track_caller]
fn failed_with_prefix(outcome: &Outcome, exit: i32, prefix: &str) {
    let error = &outcome.json()["error"];
    assert_eq!((outcome.code, error["code"].as_str()), (exit, Some("WEB_PROVIDER_ERROR")), "{outcome:?}");
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with(prefix) && message.len() > prefix.len() + 2, "{message}");
}

const UNREACHED: &str = "Perplexity search request failed: ";
const UNREADABLE: &str = "Perplexity returned an unprocessable response body: ";

#[test]
fn r1_r3_r4_r5_r8_the_request_is_that_of_the_table() {
    let server = Server::start([(CHAT, vec![chat_reply(json!({}))])]);
    let outcome = run(&server, &["--json", "--limit", "3", "  why \n so? "]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let request = server.request();
    assert_eq!(
        request.json(),
        json!({"model": "sonar", "max_tokens": 1024, "messages": [{"role": "user", "content": "  why \n so? "}]})
    );
    assert_eq!(request.header("authorization"), Some(&*format!("Bearer {KEY}")));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("accept"), Some("application/json"));
    assert!(request.header("user-agent").unwrap().starts_with("pplx/"));
    assert_eq!(request.header("cookie"), None);
    let server = Server::start([(CHAT, vec![chat_reply(json!({}))])]);
    run(&server, &["--json", "-r", "week", "why"]);
    assert_eq!(server.request().json()["search_recency_filter"], "week");
}

#[test]
fn r2_a_redirect_is_refused_and_its_target_never_contacted() {
    let target = Server::start([]);
    for status in [301, 302, 303, 307, 308] {
        for location in [
            format!("{}/chat/completions", target.url()),
            target.url().replace("http:", "https:"),
            "/other".to_owned(),
        ] {
            let outcome = asked(Reply::status(status).header("Location", &location).body(""));
            failed_with_prefix(&outcome, 6, UNREACHED);
        }
    }
    assert_eq!(target.connections(), 0);
}

#[test]
fn r7_a_slash_at_the_end_of_the_base_makes_no_difference() {
    let server = Server::start([("POST /v9/chat/completions", vec![chat_reply(json!({}))])]);
    let home = with_key(&server).env("PERPLEXITY_BASE_URL", format!("{}/v9/", server.url()));
    assert_eq!(home.run(&["search", "--provider", "api", "--json", "q"]).code, 0);
}

#[test]
fn a1_to_a3_nothing_is_sent_without_a_key_or_with_a_base_or_number_that_is_none() {
    let server = Server::start([]);
    let search = ["search", "--provider", "api", "--json", "q"];
    for key in ["", "  "] {
        let outcome = with_key(&server).env("PERPLEXITY_API_KEY", key).run(&search);
        assert_eq!(
            (outcome.code, outcome.json()["error"]["kind"].as_str()),
            (4, Some("auth")),
            "{outcome:?}"
        );
        assert!(
            outcome.stderr.contains("There is no API key.\nhint: put one into PERPLEXITY_API_KEY"),
            "{outcome:?}"
        );
    }
    for base in ["no address", "http://gateway.example", "ftp://127.0.0.1"] {
        assert_eq!(with_key(&server).env("PERPLEXITY_BASE_URL", base).run(&search).code, 2, "{base}");
    }
    for args in [["--max-tokens", "0"], ["--max-tokens", "1.5"], ["--limit", "0"]] {
        let outcome = run(&server, &[args[0], args[1], "q"]);
        assert!(outcome.code == 2 && outcome.stderr.contains(&format!("{} ", args[0])), "{outcome:?}");
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn m1_the_content_is_the_answer() {
    let reply = json!({"model": "sonar", "id": "id-1", "usage": {"prompt_tokens": 5, "completion_tokens": 9, "cost": {"total_cost": 0.005}}});
    let outcome = asked(chat_reply(reply));
    assert_eq!(result(&outcome), (json!("Because."), json!([]), json!(false)));
    let json = outcome.json();
    assert_eq!(
        (&json["model"], &json["request_id"], &json["provider"]),
        (&json!("sonar"), &json!("id-1"), &json!("perplexity (api key)"))
    );
    assert_eq!(json["usage"]["cost"]["total_cost"], 0.005);
}

#[test]
fn m2_content_that_is_empty_or_missing_is_absent() {
    let results = r#""search_results":[{"url":"https://a.example"}]"#;
    for reply in [
        "{}",
        r#"{"choices":[]}"#,
        r#"{"choices":[{}]}"#,
        r#"{"choices":[{"message":{"content":null}}]}"#,
        r#"{"choices":[{"message":{"content":""}}]}"#,
    ] {
        let with_results = if reply == "{}" {
            format!("{{{results}}}")
        } else {
            reply.replacen('{', &format!("{{{results},"), 1)
        };
        assert_eq!(result(&asked(Reply::json(&with_results))).0, Value::Null, "{reply}");
        let outcome = asked(Reply::json(reply));
        assert_eq!(
            (outcome.code, &outcome.json()["answer"], &outcome.json()["sources"]),
            (3, &Value::Null, &json!([])),
            "{reply}"
        );
        assert!(outcome.stderr.starts_with("No results found.\n"), "{outcome:?}");
    }
}

#[test]
fn m3_to_m6_where_the_sources_come_from() {
    let pages = json!([{"url": "https://a.example/", "title": "A"}, {"url": "https://a.example/", "title": "A again"}]);
    for (reply, expected) in [
        (
            json!({"search_results": pages, "citations": ["https://c.example"]}),
            json!([
                {"numbers": [1], "url": "https://a.example/", "title": "A"},
                {"numbers": [2], "url": "https://a.example/", "title": "A again"},
            ]),
        ),
        (json!({"search_results": [], "citations": ["https://c.example"]}), json!([])),
        (
            json!({"citations": ["https://c.example", "https://d.example"]}),
            json!([{"numbers": [1], "url": "https://c.example"}, {"numbers": [2], "url": "https://d.example"}]),
        ),
        (json!({}), json!([])),
        (json!({"citations": null}), json!([])),
    ] {
        assert_eq!(result(&asked(chat_reply(reply.clone()))).1, expected, "{reply}");
    }
}

#[test]
fn m7_m8_empty_fields_are_absent_and_the_date_is_not_touched() {
    let page =
        json!({"url": "u", "title": "", "snippet": null, "date": "3rd of May", "last_updated": "2026-01-01"});
    let bare = json!({"url": "v", "title": null, "snippet": "", "date": "", "last_updated": "2026-01-01"});
    let (_, sources, _) = result(&asked(chat_reply(json!({"search_results": [page, bare]}))));
    assert_eq!(
        sources,
        json!([{"numbers": [1], "url": "u", "date": "3rd of May"}, {"numbers": [2], "url": "v"}])
    );
}

#[test]
fn m9_m10_a_list_that_is_none_is_an_error_and_no_reason_to_fall_back() {
    for reply in [
        json!({"search_results": null, "citations": ["https://c.example"]}),
        json!({"search_results": {}}),
        json!({"search_results": [null]}),
        json!({"search_results": [{"title": "no address"}]}),
        json!({"citations": "https://c.example"}),
        json!({"citations": [5]}),
    ] {
        failed_with_prefix(&asked(chat_reply(reply)), 1, UNREADABLE);
    }
    failed_with_prefix(&asked(Reply::json("null")), 1, UNREADABLE);
}

#[test]
fn m11_m12_b1_to_b4_the_limit_is_applied_afterwards() {
    let pages: Vec<Value> = (1..=5).map(|n| json!({"url": format!("https://{n}.example")})).collect();
    let reply = || {
        let content = json!([{"message": {"content": "Only the last matters [5]."}}]);
        chat_reply(json!({"search_results": pages, "choices": content}))
    };
    for (limit, kept, truncated) in
        [(None, 5, false), (Some("9"), 5, false), (Some("5"), 5, false), (Some("2"), 2, true)]
    {
        let server = Server::start([(CHAT, vec![reply()])]);
        let mut args = vec!["--json", "q"];
        args.extend(limit.iter().flat_map(|limit| ["-n", limit]));
        let (answer, sources, cut) = result(&run(&server, &args));
        assert_eq!((answer, cut), (json!("Only the last matters [5]."), json!(truncated)));
        let numbers: Vec<u64> =
            sources.as_array().unwrap().iter().map(|source| source["numbers"][0].as_u64().unwrap()).collect();
        assert_eq!(numbers, (1..=kept).collect::<Vec<u64>>(), "the first are kept");
        assert!(!server.request().body.contains("max_results"));
    }
}

#[cfg(unix)]
#[test]
fn r6_e1_e7_e8_an_abort_is_told_apart_in_every_phase() {
    for (reply, phase) in [
        (Reply::delayed(20_000), "headers"),
        (Reply::pieces(200).write("{\"choices\"").hang(), "good body"),
        (Reply::pieces(400).write("{\"error\"").hang(), "error body"),
    ] {
        let server = Server::start([(CHAT, vec![reply])]);
        let child = with_key(&server).start(&["search", "--provider", "api", "--json", "q"]);
        server.wait_for_request();
        std::thread::sleep(std::time::Duration::from_millis(200));
        assert!(
            std::process::Command::new("kill")
                .args(["-INT", &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        let outcome = crate::support::command::finish(child);
        assert_eq!(outcome.code, 130, "{phase}: {outcome:?}");
        failed(&outcome, 130, "WEB_ABORTED", "Perplexity search aborted");
    }
}

#[test]
fn e2_no_connection_is_no_answer() {
    let home = with_key(&Server::start([])).env("PERPLEXITY_BASE_URL", "http://127.0.0.1:9");
    failed_with_prefix(&home.run(&["search", "--provider", "api", "--json", "q"]), 6, UNREACHED);
    let server = Server::start([(CHAT, vec![Reply::dropped()])]);
    failed_with_prefix(&run(&server, &["--json", "q"]), 6, UNREACHED);
    assert_eq!(server.requests().len(), 1, "nothing is asked twice");
}

#[test]
fn e3_e4_e5_the_message_of_the_api_is_kept() {
    for (status, body, exit, message) in [
        (400, r#"{"error":"No such model"}"#, 2, "No such model"),
        (422, r#"{"error":{"message":"Too long"}}"#, 2, "Too long"),
        (404, r#"{"message":"No such thing"}"#, 1, "No such thing"),
        (401, r#"{"error":{"message":"Invalid key","type":"invalid_api_key","code":401}}"#, 4, "Invalid key"),
        (401, r#"{"error":{"message":"No credit left","type":"insufficient_quota"}}"#, 5, "No credit left"),
        (401, "<html>Unauthorized</html>", 4, "Perplexity API error (HTTP 401)"),
        (402, r#"{"error":{"message":"Pay first"}}"#, 5, "Pay first"),
        (403, r#"{"error":{"message":"Not for you","type":"forbidden"}}"#, 4, "Not for you"),
        (403, RETIRED, 1, "Use the Agent API."),
        (424, "{}", 1, "Perplexity API error (HTTP 424)"),
        (429, r#"{"error":{"message":"Slow down","type":"request_rate_limit_exceeded"}}"#, 5, "Slow down"),
        (500, "", 6, "Perplexity API error (HTTP 500)"),
        (502, "<html>Bad gateway</html>", 6, "Perplexity API error (HTTP 502)"),
        (400, r#"{"error":""}"#, 2, "Perplexity API error (HTTP 400)"),
        (400, r#"{"error":{"message":""},"message":"m"}"#, 2, "Perplexity API error (HTTP 400)"),
        (400, "null", 2, "Perplexity API error (HTTP 400)"),
        (400, r#"{"detail":"x"}"#, 2, "Perplexity API error (HTTP 400)"),
    ] {
        let server = Server::start([(CHAT, vec![refusal(status, body)])]);
        let outcome = run(&server, &["--api-dialect", "chat", "--json", "q"]);
        failed(&outcome, exit, "WEB_PROVIDER_ERROR", message);
        assert_eq!(server.requests().len(), 1, "nothing is retried");
    }
}

#[test]
fn e4_hints_say_what_is_wrong_and_a_key_that_is_echoed_is_hidden() {
    let quota = asked(refusal(401, r#"{"error":{"message":"No credit","type":"insufficient_quota"}}"#));
    assert!(quota.json()["error"]["hint"].as_str().unwrap().contains("add credits"), "{quota:?}");
    let key = asked(refusal(401, &format!(r#"{{"error":{{"message":"Bad key {KEY}"}}}}"#)));
    failed(&key, 4, "WEB_PROVIDER_ERROR", "Bad key [redacted]");
    assert!(key.stderr.contains("into PERPLEXITY_API_KEY"), "{key:?}");
    let parameter = asked(refusal(400, r#"{"error":{"message":"unknown field","param":"top_k"}}"#));
    assert!(parameter.json()["error"]["hint"].as_str().unwrap().starts_with("it is about top_k; "));
    let detail = asked(refusal(422, r#"{"detail":[{"msg":"too short","loc":["body"]}]}"#));
    assert!(detail.json()["error"]["hint"].as_str().unwrap().starts_with("too short; "));
    let wait = asked(refusal(429, "{}").header("Retry-After", "17"));
    assert!(wait.json()["error"]["hint"].as_str().unwrap().starts_with("wait 17 seconds; "));
    let reset = asked(refusal(429, "{}").header("x-ratelimit-reset", "1"));
    assert!(reset.json()["error"]["hint"].as_str().unwrap().starts_with("wait 0 seconds; "));
}

#[test]
fn e6_a_body_that_cannot_be_read_says_so() {
    let large = format!("{{\"choices\":\"{}\"}}", "x".repeat(9 << 20));
    for body in ["", "no json", "<html></html>", r#"{"choices":[{"message""#, "[]", "5", &large] {
        failed_with_prefix(&asked(Reply::json(body)), 1, UNREADABLE);
    }
    let cut = Reply::pieces(200).write("{\"choices\"").cut();
    failed_with_prefix(&asked(cut), 1, UNREADABLE);
}

#[test]
fn e9_a_timeout_is_no_abort() {
    for limit in ["--timeout", "--idle-timeout"] {
        let server = Server::start([(CHAT, vec![Reply::delayed(20_000)])]);
        failed_with_prefix(&run(&server, &["--json", limit, "1", "q"]), 6, UNREACHED);
        let server = Server::start([(CHAT, vec![Reply::pieces(200).write("{").hang()])]);
        failed_with_prefix(&run(&server, &["--json", limit, "1", "q"]), 1, UNREADABLE);
    }
}
