//! `pplx mcp`: both eras of the protocol, the tools, and what happens to a call that nobody waits for.

use std::time::{Duration, Instant};

use crate::support::mcp::Client;
use crate::support::{ASK, Home, Reply, Server, TOKEN, answered, pending};
use serde_json::{Value, json};

const RECONNECT: &str = "POST /rest/sse/perplexity_ask/reconnect/run-1";

/// A server for this home, ready for calls.
fn client(home: &Home) -> Client {
    Client::ready(home.command(&["mcp"]), "tests")
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// An answer that cites a page, and can be followed up on.
fn good() -> Reply {
    Reply::stream(
        "data: {\"status\":\"COMPLETED\",\"final\":true,\"display_model\":\"pplx_pro_upgraded\",\"backend_uuid\":\"entry-1\",\"blocks\":[\
         {\"intended_usage\":\"web_results\",\"web_result_block\":{\"web_results\":[{\"name\":\"A page\",\"url\":\"https://a.example/\",\"snippet\":\"About a.\"}]}},\
         {\"intended_usage\":\"ask_text\",\"markdown_block\":{\"chunks\":[\"Because [1].\"]}}]}\n\n",
    )
}

/// Whether any file of the state holds this text.
fn is_kept(home: &Home, text: &str) -> bool {
    fn search(folder: &std::path::Path, text: &str) -> bool {
        std::fs::read_dir(folder).into_iter().flatten().any(|entry| {
            let path = entry.unwrap().path();
            let holds = |bytes: Vec<u8>| bytes.windows(text.len()).any(|bytes| bytes == text.as_bytes());
            if path.is_dir() { search(&path, text) } else { std::fs::read(&path).is_ok_and(holds) }
        })
    }
    search(&home.path().join("state"), text)
}

fn research(status: &str, report: &str) -> String {
    let report = serde_json::to_string(report).unwrap();
    format!(
        "data: {{\"status\":\"{status}\",\"display_model\":\"pplx_alpha\",\"backend_uuid\":\"run-1\",\"blocks\":[{{\"intended_usage\":\
         \"unified_assets\",\"unified_assets_block\":{{\"assets\":[{{\"research_report\":{{\"source_content\":{report}}}}}]}}}}]}}\n\n"
    )
}

#[test]
fn a_handshake_in_every_version_and_in_none() {
    let home = Home::new(&Server::start([]));
    for (asked, expected) in [
        (json!("2024-11-05"), "2024-11-05"),
        (json!("2025-03-26"), "2025-03-26"),
        (json!("2025-06-18"), "2025-06-18"),
        (json!("2025-11-25"), "2025-11-25"),
        (json!("2099-01-01"), "2025-11-25"),
        (json!(""), "2025-11-25"),
        (Value::Null, "2025-11-25"),
    ] {
        let mut client = Client::start(home.command(&["mcp"]));
        let mut params =
            json!({"capabilities": {"sampling": {}}, "clientInfo": {"name": "t", "version": "1"}});
        if !asked.is_null() {
            params["protocolVersion"] = asked.clone();
        }
        let result = client.request("initialize", params)["result"].clone();
        assert_eq!(
            (&result["protocolVersion"], &result["serverInfo"]["name"]),
            (&json!(expected), &json!("pplx")),
            "{asked}"
        );
        assert_eq!(
            client.request("ping", json!({}))["result"],
            json!({}),
            "before it is told that the handshake is over"
        );
        assert_eq!(client.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len(), 4);
        client.close();
    }
}

#[test]
fn the_era_without_a_handshake() {
    let home = Home::new(&Server::start([]));
    let mut client = Client::start(home.command(&["mcp"]));
    let meta = |version: &str| json!({"_meta": {"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {}}});
    let discovered = client.request("server/discover", meta("2026-07-28"))["result"].clone();
    assert_eq!(discovered["resultType"], "complete");
    assert!(discovered["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")));
    assert!(discovered["ttlMs"].is_u64() && discovered["cacheScope"].is_string());
    let listed = client.request("tools/list", meta("2026-07-28"))["result"].clone();
    assert!(
        listed["resultType"] == "complete"
            && listed["ttlMs"].is_u64()
            && listed["tools"][0]["name"] == "pplx_search"
    );
    let error = client.request("tools/list", meta("2027-01-01"))["error"].clone();
    assert_eq!((&error["code"], &error["data"]["requested"]), (&json!(-32022), &json!("2027-01-01")));
    let mut call = meta("2026-07-28");
    call["name"] = "pplx_search".into();
    call["arguments"] = json!({"query": "why"});
    let result = client.request("tools/call", call)["result"].clone();
    assert_eq!((&result["resultType"], &result["isError"]), (&json!("complete"), &json!(true)));
}

#[test]
fn tools_are_listed_at_once_without_home_network_or_session() {
    let started = Instant::now();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pplx"));
    command.arg("mcp").env_clear().env("RUST_LOG", "trace");
    let mut client = Client::ready(command, "tests");
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let took = started.elapsed();
    assert!(took < Duration::from_millis(500), "50 ms where nothing else runs, and not optimised: {took:?}");
    let names: Vec<&str> =
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["pplx_search", "pplx_research_start", "pplx_research_get", "pplx_usage"]);
    for tool in tools.as_array().unwrap() {
        assert!(tool["description"].as_str().unwrap().len() < 120, "{tool}");
        assert_eq!(
            (&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]),
            (&json!("object"), &json!("object"))
        );
        assert_eq!(tool["annotations"]["readOnlyHint"], tool["name"] != "pplx_research_start");
    }
    let result = client.call("pplx_search", json!({"query": "why"}));
    assert_eq!(
        (&result["isError"], text(&result).lines().next()),
        (&json!(true), Some("Not authenticated."))
    );
    assert_eq!(client.close().1, "", "nothing but the protocol");
}

#[test]
fn what_is_no_message_harms_nothing() {
    let home = Home::new(&Server::start([]));
    let mut client = client(&home);
    client.write("no json\n\n[]\n[{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"ping\"}]\n");
    client
        .write(&format!("{{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":\"{}\"}}\n", "x".repeat(2 << 20)));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/unknown", "params": {}}));
    assert_eq!(client.request("resources/list", json!({}))["error"]["code"], -32601);
    let error = client.request("tools/call", json!({"name": "no_such_tool"}))["error"].clone();
    assert!(error["message"].as_str().unwrap().contains("no_such_tool"), "{error}");
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
}

#[test]
fn an_answer_comes_as_text_that_is_complete_and_for_programs() {
    let server = Server::answering(good());
    let home = Home::logged_in(&server).settings("language = \"de-AT\"");
    let mut client = client(&home);
    let arguments = json!({"query": "why so?", "recency": "week", "sources": ["scholar"], "limit": 5, "model": "model-x"});
    let result = client.call("pplx_search", arguments);
    assert_eq!(
        text(&result),
        "Because [1].\n\n## Sources\n1 source\n[1] A page (unknown)\n    https://a.example/\n    About a.\n\n## Meta\n\
         Provider: perplexity (oauth)\nModel: pplx_pro_upgraded\nThread: entry-1\nNote: asked for model-x, answered by pplx_pro_upgraded"
    );
    let structured = &result["structuredContent"];
    assert_eq!(
        (&structured["answer"], &structured["partial"], &structured["thread"]),
        (&json!("Because [1]."), &json!(false), &json!("entry-1"))
    );
    assert_eq!(
        (&structured["sources"][0]["numbers"], &structured["sources"][0]["url"]),
        (&json!([1]), &json!("https://a.example/"))
    );
    assert_ne!(result["isError"], true);
    let params = server.request().json()["params"].clone();
    assert_eq!((&params["search_recency_filter"], &params["sources"]), (&json!("week"), &json!(["scholar"])));
    assert_eq!((&params["model_preference"], &params["language"]), (&json!("model-x"), &json!("de-AT")));
    // The answer does not wait for it.
    let started = Instant::now();
    let remembered = || {
        let kept = home.state().join("state.db").exists()
            && home
                .database()
                .query_row("SELECT count(*) FROM answers WHERE entry = 'entry-1'", [], |row| row.get(0))
                == Ok(1);
        assert!(started.elapsed() < Duration::from_secs(5), "a follow-up is possible");
        kept
    };
    while !remembered() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn mistakes_name_their_argument_and_nothing_is_asked() {
    let server = Server::start([]);
    let home = Home::logged_in(&server);
    let mut client = client(&home);
    for (tool, arguments, name) in [
        ("pplx_search", json!({}), "query"),
        ("pplx_search", json!({"query": "  "}), "query"),
        ("pplx_search", json!({"query": 5}), "query"),
        ("pplx_search", json!({"query": "q", "limit": "3"}), "limit"),
        ("pplx_search", json!({"query": "q", "limit": 0}), "limit"),
        ("pplx_search", json!({"query": "q", "recency": "fortnight"}), "recency"),
        ("pplx_search", json!({"query": "q", "sources": "web"}), "sources"),
        ("pplx_search", json!({"query": "q", "nonsense": 1}), "nonsense"),
        ("pplx_research_start", json!({}), "query"),
        ("pplx_research_get", json!({"wait": 0}), "id"),
        ("pplx_research_get", json!({"id": "x", "wait": -1}), "wait"),
        ("pplx_research_get", json!({"id": "x", "wait": 301}), "wait"),
        ("pplx_research_get", json!({"id": "x", "offset": -1}), "offset"),
        ("pplx_usage", json!({"query": "q"}), "query"),
    ] {
        let result = client.call(tool, arguments.clone());
        assert!(
            result["isError"] == true && text(&result).contains(&format!("\"{name}\"")),
            "{arguments}: {result}"
        );
        assert_eq!(text(&result).lines().count(), 1, "{result}");
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn an_argument_that_is_null_is_absent() {
    let server = Server::answering(good());
    let home = Home::logged_in(&server);
    let arguments = json!({"query": "why", "recency": null, "sources": null, "limit": null, "model": null});
    let result = client(&home).call("pplx_search", arguments);
    assert_eq!(result["structuredContent"]["answer"], "Because [1].", "{result}");
    let params = server.request().json()["params"].clone();
    assert_eq!((&params["search_recency_filter"], &params["sources"]), (&Value::Null, &json!(["web"])));
}

#[test]
fn structured_content_has_the_fields_that_its_schema_names() {
    fn names(value: &Value) -> Vec<&String> {
        value.as_object().unwrap().keys().collect()
    }
    let server = Server::start([
        (ASK, vec![good(), Reply::stream(research("COMPLETED", "# Eels"))]),
        ("GET /api/auth/session", vec![Reply::json(r#"{"user":{"subscription_tier":"pro"}}"#)]),
        ("GET /rest/rate-limit/status", vec![Reply::json(r#"{"modes":{"labs":{"available":false}}}"#)]),
    ]);
    let home = Home::logged_in(&server);
    let mut client = client(&home);
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let schema = |name: &str| {
        let tool = tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
        tool["outputSchema"].clone()
    };
    for (name, arguments, list) in [
        ("pplx_search", json!({"query": "why"}), Some("sources")),
        ("pplx_research_start", json!({"query": "eels"}), None),
        ("pplx_research_get", json!({"id": "run-1"}), None),
        ("pplx_usage", json!({}), Some("limits")),
    ] {
        let result = client.call(name, arguments);
        let content = &result["structuredContent"];
        assert!(content.is_object(), "{name}: {result}");
        let properties = &schema(name)["properties"];
        assert_eq!(names(content), names(properties), "{name}");
        if let Some(list) = list {
            assert_eq!(names(&content[list][0]), names(&properties[list]["items"]["properties"]), "{name}");
        }
    }
}

#[test]
fn failures_are_failures_in_one_sentence_and_a_hint() {
    let page =
        "<html><head><title>Just a moment...</title></head><script>window._cf_chl_opt={}</script></html>";
    for (reply, expected) in [
        (Reply::status(401).body("{}"), "refused the session"),
        (Reply::status(429).header("Retry-After", "37").body("{}"), "wait 37 seconds"),
        (Reply::status(403).header("Content-Type", "text/html").body(page), "bot protection"),
        (Reply::stream("data: {\"status\":\"FAILED\",\"text\":\"It went wrong.\"}\n\n"), "It went wrong."),
        (Reply::events().write(pending(0, "Half of it")).cut(), "Half of it"),
    ] {
        let server = Server::answering(reply);
        let home = Home::logged_in(&server);
        let mut client = client(&home);
        let result = client.call("pplx_search", json!({"query": "why"}));
        assert!(result["isError"] == true && text(&result).contains(expected), "{result}");
        assert!(!text(&result).contains('<') && text(&result).contains("hint: "), "{result}");
        assert_eq!(client.request("ping", json!({}))["result"], json!({}), "and it lives on");
    }
}

#[test]
fn progress_is_told_only_to_those_who_asked() {
    let reply = || {
        let plan = "data: {\"blocks\":[{\"intended_usage\":\"pro_search_steps\",\"plan_block\":{\"steps\":[{\"step_type\":\"SEARCH_WEB\",\
                    \"search_web_content\":{\"queries\":[{\"query\":\"tide tables\"}]}}]}}]}\n\n";
        Reply::events().write(plan).pause(5500).write(answered("At noon."))
    };
    let server = Server::start([(ASK, vec![reply(), good()])]);
    let home = Home::logged_in(&server);
    let mut client = client(&home);
    let id = client.begin_watched("pplx_search", json!({"query": "when"}));
    client.reply(&json!(id));
    let told = client.progress();
    assert!(
        told.iter().filter(|message| *message == "Searching: tide tables").count() >= 2,
        "also when nothing changes: {told:?}"
    );
    let steps: Vec<f64> = client.seen.iter().filter_map(|line| line["params"]["progress"].as_f64()).collect();
    assert!(steps.len() == told.len() && steps.is_sorted_by(|a, b| a < b), "{steps:?}");
    client.call("pplx_search", json!({"query": "why"}));
    assert_eq!(client.progress().len(), told.len());
}

#[test]
fn a_cancelled_call_ends_at_the_service_in_every_phase() {
    for reply in
        [Reply::delayed(20_000), Reply::events().hang(), Reply::events().write(pending(0, "Half")).hang()]
    {
        let is_held_back = server_phase(&reply);
        let server = Server::answering(reply);
        let home = Home::logged_in(&server);
        let mut client = client(&home);
        let id = client.begin("pplx_search", json!({"query": "why"}));
        server.wait_for_request();
        std::thread::sleep(Duration::from_millis(100));
        client.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}),
        );
        if !is_held_back {
            assert!(server.wait_for_close(1, Duration::from_secs(1)), "the call at the service has ended");
        }
        assert_eq!(client.request("ping", json!({}))["result"], json!({}));
        while client.next(Duration::from_millis(200)) {}
        assert!(
            !client.seen.iter().any(|line| line.get("id") == Some(&json!(id))),
            "nothing more is said of it"
        );
    }
}

/// The scripted server notices the end of a connection only while it writes or waits in a body.
fn server_phase(reply: &Reply) -> bool {
    format!("{reply:?}").contains("delay: 20s")
}

#[test]
fn the_end_of_the_input_ends_everything_within_a_second() {
    for reply in [Reply::delayed(20_000), Reply::events().write(pending(0, "Half")).hang()] {
        let server = Server::answering(reply);
        let home = Home::logged_in(&server);
        let mut client = client(&home);
        client.begin("pplx_search", json!({"query": "why"}));
        server.wait_for_request();
        let (took, errors) = client.close();
        assert!(took < Duration::from_secs(1), "{took:?}");
        assert_eq!(errors, "");
    }
}

#[test]
fn calls_wait_for_each_other_over_all_processes() {
    let slow = |text: &str| Reply::events().write(pending(0, text)).pause(700).write(answered(text));
    let server = Server::start([(ASK, vec![slow("One."), slow("Two."), slow("Three.")])]);
    let home = Home::logged_in(&server);
    let (mut first, mut second) = (client(&home), client(&home));
    let one = first.begin("pplx_search", json!({"query": "one"}));
    server.wait_for_request();
    let two = second.begin_watched("pplx_search", json!({"query": "two"}));
    while second.progress().is_empty() {
        assert!(second.next(Duration::from_secs(5)));
    }
    let three = first.begin_watched("pplx_search", json!({"query": "three"}));
    assert!(text(&first.reply(&json!(one))["result"]).starts_with("One."));
    assert!(server.requests().len() < 3, "one at a time");
    assert!(text(&second.reply(&json!(two))["result"]).starts_with("Two."));
    assert!(text(&first.reply(&json!(three))["result"]).starts_with("Three."));
    assert!(
        second.progress().contains(&"Waiting for 1 question before this one".to_owned()),
        "{:?}",
        second.progress()
    );
    let queries: Vec<String> = server
        .requests()
        .iter()
        .map(|request| request.json()["query_str"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(queries, ["one", "two", "three"]);
}

#[test]
fn at_the_deadline_there_is_a_partial_answer_and_an_id_for_the_rest() {
    let reply = Reply::events()
        .write(pending(0, "The first half "))
        .pause(2500)
        .write(answered("The first half and the second."));
    let server = Server::answering(reply);
    let home = Home::logged_in(&server);
    let mut client = Client::ready(home.command(&["mcp", "--timeout", "1"]), "tests");
    let result = client.call("pplx_search", json!({"query": "why"}));
    let structured = &result["structuredContent"];
    assert_eq!(
        (&structured["partial"], &structured["answer"]),
        (&json!(true), &json!("The first half")),
        "{result}"
    );
    let id = structured["id"].as_str().unwrap().to_owned();
    assert!(text(&result).contains(&format!("pplx_research_get with the id {id}")), "{result}");
    assert_eq!(
        client.call("pplx_research_get", json!({"id": id, "wait": 0}))["structuredContent"]["partial"],
        true
    );
    std::thread::sleep(Duration::from_millis(1700));
    let rest = client.call("pplx_research_get", json!({"id": id}));
    assert_eq!(
        (&rest["structuredContent"]["partial"], &rest["structuredContent"]["answer"]),
        (&json!(false), &json!("The first half and the second."))
    );
    std::thread::sleep(Duration::from_millis(200));
    client.close();
    let mut later = self::client(&home);
    assert_eq!(
        later.call("pplx_research_get", json!({"id": id}))["structuredContent"],
        rest["structuredContent"],
        "it is kept"
    );
    let unknown = later.call("pplx_research_get", json!({"id": "../auth"}));
    assert_eq!(unknown["isError"], true);
}

#[test]
fn a_search_that_outlived_its_call_keeps_what_came_when_the_server_ends() {
    let server = Server::answering(Reply::events().write(pending(0, "The first half")).hang());
    let home = Home::logged_in(&server);
    let mut client = Client::ready(home.command(&["mcp", "--timeout", "1"]), "tests");
    let id = client.call("pplx_search", json!({"query": "why"}))["structuredContent"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    std::thread::sleep(Duration::from_millis(200));
    client.kill();
    let result = self::client(&home).call("pplx_research_get", json!({"id": id}));
    assert!(
        result["isError"] == true
            && text(&result).contains("The first half")
            && text(&result).contains("ended before"),
        "{result}"
    );
}

#[test]
fn research_goes_on_over_a_restart() {
    let begun = Reply::events().write(research("PENDING", "# Eels")).hang();
    let again = Reply::events()
        .write(research("PENDING", "# Eels\n\nThey breed"))
        .pause(300)
        .write(research("COMPLETED", "# Eels\n\nThey breed at sea."));
    let server = Server::start([(ASK, vec![begun]), (RECONNECT, vec![again])]);
    let home = Home::logged_in(&server);
    let mut client = client(&home);
    let started = client.call("pplx_research_start", json!({"query": "eels"}));
    assert_eq!(started["structuredContent"], json!({"id": "run-1", "status": "running"}));
    assert!(text(&started).contains("run-1"));
    assert_eq!(server.requests()[0].json()["params"]["model_preference"], "pplx_alpha");
    let running = client.call("pplx_research_get", json!({"id": "run-1", "wait": 0}));
    assert_eq!(
        (&running["structuredContent"]["partial"], &running["structuredContent"]["answer"]),
        (&json!(true), &json!("# Eels"))
    );
    std::thread::sleep(Duration::from_millis(200));
    client.kill();
    assert!(is_kept(&home, "run-1"));
    let mut client = self::client(&home);
    let whole = client.call("pplx_research_get", json!({"id": "run-1"}));
    assert_eq!(whole["structuredContent"]["answer"], "# Eels\n\nThey breed at sea.");
    assert_eq!(server.requests().iter().filter(|request| request.key == ASK).count(), 1, "it is asked once");
    let again = client.call("pplx_research_get", json!({"id": "run-1"}));
    assert_eq!(again["structuredContent"], whole["structuredContent"]);
}

#[test]
fn a_run_that_could_not_be_fetched_can_be_fetched_again() {
    let gone = Reply::status(403).header("Content-Type", "application/json").body("{}");
    let whole = Reply::stream(research("COMPLETED", "# Eels"));
    let server = Server::start([(RECONNECT, vec![gone, whole])]);
    let home = Home::logged_in(&server);
    let mut client = client(&home);
    assert_eq!(client.call("pplx_research_get", json!({"id": "run-1"}))["isError"], true);
    std::thread::sleep(Duration::from_millis(100));
    let fetched = client.call("pplx_research_get", json!({"id": "run-1"}));
    assert_eq!(
        fetched["structuredContent"]["answer"], "# Eels",
        "started elsewhere, and fetched at the second try"
    );
}

#[test]
fn a_long_answer_is_cut_and_says_how_to_go_on() {
    let long: String = (0..5000).map(|n| format!("Line {n} of it.\n\n")).collect();
    let server = Server::answering(Reply::stream(answered(&long)));
    let home = Home::logged_in(&server);
    let mut client = client(&home);
    let mut result = client.call("pplx_search", json!({"query": "why"}));
    let mut whole = String::new();
    for _ in 0..20 {
        assert!(text(&result).len() < 20_000 && text(&result).contains("## Meta"), "{}", text(&result).len());
        let structured = &result["structuredContent"];
        whole += structured["answer"].as_str().unwrap();
        let Some(next) = structured["next_offset"].as_u64() else { break };
        assert!(text(&result).contains(&format!("the offset {next} goes on")));
        result = client.call("pplx_research_get", json!({"id": structured["id"], "offset": next}));
    }
    assert_eq!(whole, long.trim());
}

#[test]
fn plan_and_limits_are_told() {
    let session = r#"{"user":{"email":"tester@example.com","subscription_tier":"pro"}}"#;
    let server = Server::start([
        ("GET /api/auth/session", vec![Reply::json(session)]),
        ("GET /rest/rate-limit/status", vec![Reply::json(r#"{"remaining_pro":12}"#)]),
    ]);
    let home = Home::logged_in(&server);
    let mut client = client(&home);
    let result = client.call("pplx_usage", json!({}));
    assert!(text(&result).starts_with("Plan: "), "{result}");
    assert!(result["structuredContent"]["limits"].is_array(), "{result}");
    assert!(!result.to_string().contains("tester@example.com"));
}

#[test]
fn no_secret_is_in_any_byte() {
    let echo = Reply::status(400)
        .header("Content-Type", "application/json")
        .body(&format!("{{\"error\":\"bad {TOKEN}\"}}"));
    let server = Server::start([(ASK, vec![echo, good()])]);
    let home = Home::logged_in(&server).env("RUST_LOG", "trace");
    let mut client = client(&home);
    assert!(text(&client.call("pplx_search", json!({"query": "why"}))).contains("[redacted]"));
    client.call("pplx_search", json!({"query": "why"}));
    let seen = format!("{:?}", client.seen);
    let (_, errors) = client.close();
    assert!(!seen.contains(TOKEN) && errors.is_empty(), "{errors}");
}

#[test]
fn research_that_began_after_its_call_had_ended_is_taken_up_all_the_same() {
    let late = Reply::events().pause(1500).write(research("PENDING", "# Eels")).hang();
    let whole = Reply::stream(research("COMPLETED", "# Eels\n\nThey breed at sea."));
    let server = Server::start([(ASK, vec![late]), (RECONNECT, vec![whole])]);
    let home = Home::logged_in(&server);
    let mut client = Client::ready(home.command(&["mcp", "--timeout", "1"]), "tests");
    let started = client.call("pplx_research_start", json!({"query": "eels"}));
    let id = started["structuredContent"]["id"].as_str().unwrap().to_owned();
    std::thread::sleep(Duration::from_millis(2500));
    client.kill();
    let fetched = self::client(&home).call("pplx_research_get", json!({"id": id}));
    assert_eq!(fetched["structuredContent"]["answer"], "# Eels\n\nThey breed at sea.", "{fetched}");
}

#[test]
fn ids_that_are_none_are_refused_and_unknown_ones_leave_nothing() {
    let gone = Reply::status(403).header("Content-Type", "application/json").body("{}");
    let server = Server::start([("POST /rest/sse/perplexity_ask/reconnect/nope-1", vec![gone])]);
    let home = Home::logged_in(&server);
    let mut client = client(&home);
    for id in ["..", ".", "a/b", "\u{0}", &"x".repeat(5000)] {
        let result = client.call("pplx_research_get", json!({"id": id}));
        assert!(result["isError"] == true && text(&result).contains("\"id\""), "{result}");
    }
    assert_eq!(server.connections(), 0);
    assert_eq!(client.call("pplx_research_get", json!({"id": "nope-1"}))["isError"], true);
    std::thread::sleep(Duration::from_millis(100));
    assert!(!is_kept(&home, "nope-1"));
}

#[test]
fn usage_keeps_to_the_deadline_and_to_the_end_of_the_input() {
    let server =
        Server::start([("GET /api/auth/session", vec![Reply::delayed(20_000), Reply::delayed(20_000)])]);
    let home = Home::logged_in(&server);
    let mut client = Client::ready(home.command(&["mcp", "--timeout", "1"]), "tests");
    let result = client.call("pplx_usage", json!({}));
    assert!(result["isError"] == true && text(&result).contains("in time"), "{result}");
    client.begin("pplx_usage", json!({}));
    std::thread::sleep(Duration::from_millis(200));
    let (took, _) = client.close();
    assert!(took < Duration::from_secs(1), "{took:?}");
}

#[test]
fn nothing_is_lost_at_the_end_of_the_input_and_calls_have_no_last_word() {
    let server = Server::answering(Reply::events().hang());
    let home = Home::logged_in(&server);
    let mut client = client(&home);
    let call = client.begin("pplx_search", json!({"query": "why"}));
    server.wait_for_request();
    client.write("{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"method\":\"ping\"}");
    let seen = client.close_and_see();
    assert!(seen.iter().any(|line| line["id"] == "last"), "a last line without its end: {seen:?}");
    assert!(!seen.iter().any(|line| line["id"] == json!(call)), "{seen:?}");
}

#[test]
fn what_programs_get_is_as_short_as_the_text() {
    let snippet = "s".repeat(30_000);
    let results: Vec<Value> = (1..=10)
        .map(
            |n| json!({"name": "N".repeat(900), "url": format!("https://a.example/{n}"), "snippet": snippet}),
        )
        .collect();
    let frame = json!({"status": "COMPLETED", "final": true, "display_model": "pplx_pro_upgraded", "blocks": [
        {"intended_usage": "web_results", "web_result_block": {"web_results": results}},
        {"intended_usage": "ask_text", "markdown_block": {"chunks": ["Because."]}}]});
    let server = Server::answering(Reply::stream(format!("data: {frame}\n\n")));
    let home = Home::logged_in(&server);
    let result = client(&home).call("pplx_search", json!({"query": "why"}));
    assert!(result.to_string().len() < 40_000, "{}", result.to_string().len());
}
