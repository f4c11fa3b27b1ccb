//! `pplx search` from end to end: what is sent, what is printed, and how it ends.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use crate::support::{ASK, Home, Reply, Server, TOKEN, answered, pending};

fn params(server: &Server) -> serde_json::Value {
    server.request().json()["params"].clone()
}

#[test]
fn the_request_is_the_one_of_the_protocol() {
    let server = Server::answering(Reply::stream(answered("Yes.")));
    let outcome = Home::logged_in(&server).run(&["search", "is", "it", "so?"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let request = server.request();
    let id = request.header("x-request-id").unwrap().to_owned();
    for (name, value) in [
        ("authorization", format!("Bearer {TOKEN}")),
        ("cookie", format!("__Secure-next-auth.session-token={TOKEN}")),
        ("content-type", "application/json".to_owned()),
        ("accept", "text/event-stream".to_owned()),
        ("origin", "https://www.perplexity.ai".to_owned()),
        ("referer", "https://www.perplexity.ai/".to_owned()),
        ("user-agent", "Perplexity/641 CFNetwork/1568 Darwin/25.2.0".to_owned()),
        ("x-app-apiclient", "default".to_owned()),
        ("x-app-apiversion", "2.18".to_owned()),
        ("x-perplexity-request-reason", "submit".to_owned()),
    ] {
        assert_eq!(request.header(name), Some(value.as_str()), "{name}");
    }
    assert_eq!(request.header("accept-encoding"), None, "compression would hold events back");
    let mut body = request.json();
    let context = body["params"]["frontend_context_uuid"].take();
    assert_eq!(context.as_str().unwrap().len(), 36);
    assert_eq!(
        body,
        serde_json::json!({
            "query_str": "is it so?",
            "params": {
                "query_str": "is it so?",
                "search_focus": "internet",
                "mode": "copilot",
                "model_preference": "pplx_pro_upgraded",
                "sources": ["web"],
                "attachments": [],
                "frontend_uuid": id,
                "frontend_context_uuid": null,
                "version": "2.18",
                "language": "en-US",
                "timezone": "UTC",
                "search_recency_filter": null,
                "is_incognito": true,
                "use_schematized_api": true,
                "skip_search_enabled": true,
                "always_search_override": true,
            },
        })
    );
}

#[test]
fn options_change_the_request() {
    let server = Server::answering(Reply::stream(answered("Yes.")));
    let home = Home::logged_in(&server);
    let outcome = home.run(&[
        "search",
        "-r",
        "week",
        "-m",
        "gpt_small",
        "-s",
        "scholar",
        "--source",
        "social",
        "--system",
        "Be brief.",
        "--language",
        "de-DE",
        "--timezone",
        "Asia/Tokyo",
        "--save",
        "q",
    ]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let body = server.request().json();
    assert_eq!(body["query_str"], "Be brief.\n\nq");
    let params = &body["params"];
    assert_eq!(params["query_str"], "Be brief.\n\nq");
    assert_eq!(params["search_recency_filter"], "week");
    assert_eq!(params["model_preference"], "gpt_small");
    assert_eq!(params["sources"], serde_json::json!(["scholar", "social"]));
    assert_eq!(params["language"], "de-DE");
    assert_eq!(params["timezone"], "Asia/Tokyo");
    assert_eq!(params["is_incognito"], false);
}

#[test]
fn a_flag_wins_over_the_environment_and_that_over_the_settings() {
    let settings =
        "model = \"from_settings\"\nformat = \"json\"\nlimit = 1\nrecency = \"day\"\nno-wrap = true\n";
    let ask = |args: &[&str], variable: Option<&str>| {
        let server = Server::answering(Reply::stream(answered("Yes.")));
        let mut home = Home::logged_in(&server).settings(settings);
        if let Some(variable) = variable {
            home = home.env("PPLX_MODEL", variable).env("PPLX_FORMAT", "answer");
        }
        let outcome = home.run(args);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        (params(&server)["model_preference"].as_str().unwrap().to_owned(), outcome.stdout.starts_with('{'))
    };
    assert_eq!(ask(&["search", "q"], None), ("from_settings".to_owned(), true));
    assert_eq!(ask(&["search", "q"], Some("from_env")), ("from_env".to_owned(), false));
    assert_eq!(ask(&["search", "-m", "typed", "--json", "q"], Some("from_env")), ("typed".to_owned(), true));
}

#[test]
fn settings_that_are_not_usable_are_named_with_their_line() {
    for (toml, word) in [
        ("model = \"x\"\nmodle = 1\n", "line 2"),
        ("limit = -1\n", "line 1"),
        ("format = \"pdf\"", "pdf"),
        ("[", "line 1"),
    ] {
        let server = Server::start([]);
        let outcome = Home::logged_in(&server).settings(toml).run(&["search", "q"]);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.contains("settings.toml") && outcome.stderr.contains(word), "{outcome:?}");
        assert_eq!(outcome.stderr.lines().count(), 2, "{outcome:?}");
        let help = Home::new(&server).settings(toml).run(&["search", "--help"]);
        assert!(help.code == 0 && help.stdout.contains("Usage: pplx search"), "{help:?}");
    }
}

#[test]
fn standard_input_is_read_only_where_a_dash_stands() {
    let text = "crlf\r\n\"quotes\" \\ back\u{0}slash 🧪";
    for (args, stdin, query) in [
        (&["search", "-"][..], format!("{text}\n"), text.to_owned()),
        (&["search", "explain", "this", "-"], format!("{text}\r\n"), format!("explain this\n\n{text}")),
        (&["search", "alone", "-"], String::new(), "alone".to_owned()),
        (&["search", "unread"], "never".to_owned(), "unread".to_owned()),
        (&["search", "--", "--help", "me", "choose"], String::new(), "--help me choose".to_owned()),
        (&["search", "--", "-5", "degrees"], String::new(), "-5 degrees".to_owned()),
        (&["search", "what", "is", "2", "+", "2"], String::new(), "what is 2 + 2".to_owned()),
    ] {
        let server = Server::answering(Reply::stream(answered("Yes.")));
        let outcome = Home::logged_in(&server).stdin(&stdin).run(args);
        assert_eq!(outcome.code, 0, "{args:?} {outcome:?}");
        let body = server.request().json();
        assert_eq!(
            (body["query_str"].as_str(), body["params"]["query_str"].as_str()),
            (Some(query.as_str()), Some(query.as_str()))
        );
    }
}

#[test]
fn standard_input_that_stays_open_holds_up_nothing() {
    let server = Server::answering(Reply::stream(answered("Yes.")));
    let home = Home::logged_in(&server);
    let mut child =
        home.command(&["search", "q"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let stdin = child.stdin.take();
    assert!(child.wait().unwrap().success());
    drop(stdin);
}

#[test]
fn a_query_that_cannot_be_asked_is_refused_before_anything_is_sent() {
    let long = "x".repeat(96_001);
    for (args, stdin, message) in [
        (&["search"][..], &b""[..], "There is no question."),
        (&["search", ""], b"", "The question is empty."),
        (&["search", " \n\t"], b"", "The question is empty."),
        (&["search", "-"], b" \n", "The question is empty."),
        (&["search", "-"], b"caf\xE9", "Standard input is not UTF-8 text (byte 3)."),
        (
            &["search", "-"],
            long.as_bytes(),
            "The question is 96001 characters long; the service takes 96000 characters.",
        ),
        (
            &["search", "--system", "abc", "-"],
            &long.as_bytes()[..95_999],
            "The question is 96004 characters long; the service takes 96000 characters.",
        ),
    ] {
        let server = Server::start([]);
        let outcome = Home::logged_in(&server).stdin(stdin).run(args);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{outcome:?}");
        assert!(outcome.stderr.starts_with(&format!("{message}\nhint: ")), "{outcome:?}");
        assert!(server.requests().is_empty());
    }
    let server = Server::answering(Reply::stream(answered("Yes.")));
    let whole = "é".repeat(96_000);
    assert_eq!(Home::logged_in(&server).stdin(&whole).run(&["search", "-"]).code, 0);
    assert_eq!(server.request().json()["query_str"], whole.as_str());
}

#[test]
fn an_endless_input_is_refused() {
    let server = Server::start([]);
    let outcome = Home::logged_in(&server).stdin("word ".repeat(210_000)).run(&["search", "-"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.starts_with("The question is longer than"), "{outcome:?}");
}

#[test]
fn each_status_has_its_message_its_hint_and_its_code() {
    let challenge = "<!DOCTYPE html><title>Just a moment...</title><script>window._cf_chl_opt={}</script>";
    let html = |status: u16, body: &str| Reply::status(status).header("Content-Type", "text/html").body(body);
    let json =
        |status: u16, body: &str| Reply::status(status).header("Content-Type", "application/json").body(body);
    let table = [
        (json(401, r#"{"detail":{"error":"Unauthorized"}}"#), 4, "refused the session", "pplx login", false),
        (json(403, "{}"), 4, "refused the session", "pplx login", false),
        (html(403, challenge), 7, "bot protection", "does not help", true),
        (
            html(403, "<h1>no</h1>").header("cf-mitigated", "challenge"),
            7,
            "bot protection",
            "does not help",
            true,
        ),
        (html(503, challenge), 7, "bot protection", "does not help", true),
        (html(403, "<h1>Forbidden</h1>"), 7, "bot protection", "does not help", true),
        (json(403, r#"{"error_code":"USAGE_QUOTA_FEATURE_DISABLED"}"#), 5, "USAGE_QUOTA", "wait", true),
        (json(429, r#"{"error":"slow"}"#).header("Retry-After", "37"), 5, "wait 37 seconds", "wait", true),
        (
            json(429, "{}").header("Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT"),
            5,
            "until Wed, 21 Oct",
            "wait",
            true,
        ),
        (Reply::status(429), 5, "Rate limited by the service.", "wait", true),
        (html(502, "<h1>502 Bad Gateway</h1>"), 6, "HTTP 502", "ask again", true),
        (json(500, "{}"), 6, "HTTP 500", "ask again", true),
        (
            json(400, r#"{"detail":"Unsupported api version 2.18"}"#),
            1,
            "HTTP 400: Unsupported api version 2.18.",
            "newer pplx",
            true,
        ),
        (
            json(404, r#"{"error":{"message":"no such model"}}"#),
            1,
            "HTTP 404: no such model.",
            "newer pplx",
            true,
        ),
        (
            Reply::status(302).header("Location", "https://login.wifi.example/start"),
            6,
            "redirect to login.wifi.example",
            "sign-in",
            true,
        ),
        (html(200, "<html><script>data: {}</script>"), 1, "an HTML page", "sign-in", true),
        (json(200, r#"{"error":"maintenance"}"#), 1, "JSON (maintenance)", "sign-in", true),
        (Reply::status(200).body("<html>untyped"), 1, "an HTML page", "sign-in", true),
        (Reply::status(200).body("plain words"), 1, "something else", "sign-in", true),
    ];
    for (reply, code, message, hint, kept) in table {
        let server = Server::answering(reply);
        let home = Home::logged_in(&server);
        let outcome = home.run(&["search", "q"]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (code, ""), "{message}: {outcome:?}");
        let lines: Vec<&str> = outcome.stderr.lines().collect();
        assert_eq!(lines.len(), 2, "{outcome:?}");
        assert!(
            lines[0].contains(message) && lines[1].starts_with("hint: ") && lines[1].contains(hint),
            "{outcome:?}"
        );
        assert!(!outcome.stderr.contains('<'), "no markup: {outcome:?}");
        assert_eq!(home.auth().exists(), kept, "{message}");
        assert_eq!(server.connections(), 1, "nothing is asked twice after a status line");
    }
}

#[test]
fn json_carries_a_failure_too() {
    let server = Server::answering(Reply::status(429).header("Retry-After", "5"));
    let outcome = Home::logged_in(&server).run(&["search", "--json", "q"]);
    assert_eq!(outcome.code, 5);
    let error = &outcome.json()["error"];
    assert_eq!(error["kind"], "rate_limit");
    assert!(error["message"].as_str().unwrap().contains("5 seconds") && error["hint"].is_string());
    let outcome = Home::new(&Server::start([])).run(&["search", "--json", ""]);
    assert_eq!((outcome.code, outcome.json()["error"]["kind"].as_str()), (2, Some("usage")));
}

#[test]
fn a_connection_that_breaks_before_a_reply_is_tried_once_more() {
    let server = Server::start([(ASK, vec![Reply::dropped(), Reply::stream(answered("4"))])]);
    let outcome = Home::logged_in(&server).run(&["search", "-f", "answer", "two plus two"]);
    outcome.is(0, "4\n", "");
    let requests = server.requests();
    assert_eq!(server.connections(), 2);
    assert_eq!(requests[0].body, requests[1].body);

    let server = Server::start([(ASK, vec![Reply::dropped(), Reply::dropped()])]);
    let outcome = Home::logged_in(&server).run(&["search", "q"]);
    assert_eq!((outcome.code, server.connections()), (6, 2), "{outcome:?}");
}

#[test]
fn no_one_listening_is_a_network_error() {
    let home = Home::at("http://127.0.0.1:9").env("PPLX_TOKEN", TOKEN);
    let outcome = home.run(&["search", "q"]);
    assert_eq!(outcome.code, 6);
    assert!(outcome.stderr.starts_with("Could not reach 127.0.0.1:9: "), "{outcome:?}");
    let outcome = Home::at("https://no-such-host.invalid").env("PPLX_TOKEN", TOKEN).run(&["search", "q"]);
    assert_eq!(outcome.code, 6, "{outcome:?}");
}

#[test]
fn a_base_address_that_would_leak_is_refused() {
    for url in ["http://example.org", "ftp://127.0.0.1", "nonsense", "https://user:pass@example.org"] {
        let outcome = Home::at(url).env("PPLX_TOKEN", TOKEN).run(&["search", "q"]);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.starts_with("PPLX_BASE_URL is not usable: "), "{outcome:?}");
        assert!(!outcome.stderr.contains("pass@"), "{outcome:?}");
    }
}

#[test]
fn a_limit_keeps_the_sources_that_are_cited() {
    let results: Vec<_> =
        (1..=10).map(|n| format!("{{\"name\":\"Doc {n}\",\"url\":\"https://docs.example/{n}\"}}")).collect();
    let stream = format!(
        "data: {{\"status\":\"COMPLETED\",\"display_model\":\"pplx_pro_upgraded\",\"blocks\":[{{\"intended_usage\":\"ask_text\",\"markdown_block\":\
         {{\"chunks\":[\"Rule A holds [2]. Rule B does not [9].\"]}}}},{{\"intended_usage\":\"web_results\",\"web_result_block\":\
         {{\"web_results\":[{}]}}}}]}}\n\n",
        results.join(",")
    );
    let ask = |args: &[&str]| {
        let server = Server::answering(Reply::stream(&stream));
        Home::logged_in(&server).run(&[&["search"], args, &["q"]].concat()).stdout
    };
    let three = ask(&["--limit", "3"]);
    assert!(three.contains("## Sources\n3 sources (7 more not shown)\n[1] Doc 1"), "{three}");
    assert!(
        three.contains("\n[2] Doc 2") && three.contains("\n[9] Doc 9") && !three.contains("[3]"),
        "{three}"
    );
    assert!(ask(&["-n", "1"]).contains("1 source (9 more not shown, among them [9])\n[2] Doc 2"));
    assert!(
        ask(&["-n", "0"])
            .contains("## Sources\n0 sources (10 more not shown, among them [2] [9])\n\n## Meta")
    );
    assert!(ask(&["-n", "99"]).contains("## Sources\n10 sources\n"));
    let json: serde_json::Value = serde_json::from_str(&ask(&["-n", "3", "--json"])).unwrap();
    let numbers: Vec<_> = json["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|source| source["numbers"][0].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [1, 2, 9]);
    assert_eq!(json["notes"][0], "sources: 7 more not shown");
}

#[test]
fn the_json_document_has_all_its_fields() {
    let old = chrono::Utc::now() - chrono::Duration::days(3);
    let stream = format!(
        "data: {{\"status\":\"COMPLETED\",\"display_model\":\"gpt_small\",\"backend_uuid\":\"entry-7\",\"blocks\":[{{\"intended_usage\":\"ask_text\",\
         \"markdown_block\":{{\"chunks\":[\"One [1].\"]}}}},{{\"intended_usage\":\"web_results\",\"web_result_block\":{{\"web_results\":[{{\"name\":\
         \"Title \\u202e\",\"url\":\"https://a.example/\",\"snippet\":\"S\",\"timestamp\":\"{}\"}},{{\"url\":\"https://b.example/\"}}]}}}}]}}\n\n",
        old.to_rfc3339()
    );
    let server = Server::answering(Reply::stream(&stream));
    let outcome = Home::logged_in(&server).run(&["search", "--json", "q"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    assert!(
        outcome.stdout.ends_with("}\n")
            && outcome.stdout.contains("\\u202e")
            && !outcome.stdout.contains('\u{202E}')
    );
    let mut json = outcome.json();
    let age = json["sources"][0]["age_seconds"].take().as_i64().unwrap();
    assert!((259_200..259_260).contains(&age), "{age}");
    assert_eq!(json["request_id"].take(), server.request().json()["params"]["frontend_uuid"]);
    assert_eq!(
        json,
        serde_json::json!({
            "version": 1,
            "answer": "One [1].",
            "sources": [
                {"numbers": [1], "title": "Title \u{202E}", "url": "https://a.example/", "snippet": "S", "date": old.to_rfc3339(), "age_seconds": null},
                {"numbers": [2], "title": "b.example", "url": "https://b.example/", "snippet": null, "date": null, "age_seconds": null},
            ],
            "model": "gpt_small",
            "requested_model": "pplx_pro_upgraded",
            "provider": "perplexity (oauth)",
            "thread": "entry-7",
            "request_id": null,
            "complete": true,
            "notes": ["asked for pplx_pro_upgraded, answered by gpt_small"],
        })
    );
    let server = Server::answering(Reply::stream(&stream));
    let report = Home::logged_in(&server).run(&["search", "q"]).stdout;
    assert!(
        report.contains("[1] Title (3d ago)\n") && report.contains("Thread: entry-7\nNote: asked for"),
        "{report}"
    );
}

#[test]
fn ndjson_tells_what_happens_as_it_happens() {
    let plan = "data: {\"status\":\"PENDING\",\"blocks\":[{\"intended_usage\":\"pro_search_steps\",\"plan_block\":{\"steps\":[{\"step_type\":\
                \"SEARCH_WEB\",\"search_web_content\":{\"queries\":[{\"query\":\"a b\"}]}}]}},{\"intended_usage\":\"web_results\",\
                \"web_result_block\":{\"web_results\":[{\"name\":\"T\",\"url\":\"https://a.example/\"}]}}]}\n\n";
    let reply = Reply::events()
        .write(plan)
        .pause(40)
        .write(pending(0, "Hello "))
        .pause(40)
        .write(pending(0, "Help "))
        .pause(40);
    let server = Server::answering(
        reply.write(pending(1, "me.")).pause(40).write("event: end_of_stream\ndata: {}\n\n"),
    );
    let outcome = Home::logged_in(&server).run(&["search", "-f", "ndjson", "q"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let lines: Vec<serde_json::Value> =
        outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (done, before) = lines.split_last().unwrap();
    assert_eq!(
        before,
        [
            serde_json::json!({"type": "step", "step": "searching", "queries": ["a b"]}),
            serde_json::json!({"type": "step", "step": "reading", "pages": 1}),
            serde_json::json!({"type": "sources", "sources": [{"numbers": [1], "title": "T", "url": "https://a.example/", "snippet": null, "date": null, "age_seconds": null}]}),
            serde_json::json!({"type": "step", "step": "writing"}),
            serde_json::json!({"type": "text", "at": 0, "text": "Hello "}),
            serde_json::json!({"type": "text", "at": 3, "text": "p "}),
            serde_json::json!({"type": "text", "at": 5, "text": "me."}),
        ]
    );
    assert_eq!(
        (done["type"].as_str(), done["answer"].as_str(), done["version"].as_u64()),
        (Some("done"), Some("Help me."), Some(1))
    );

    let server = Server::answering(Reply::status(500));
    let outcome = Home::logged_in(&server).run(&["search", "-f", "ndjson", "q"]);
    assert_eq!((outcome.code, outcome.json()["type"].as_str()), (6, Some("error")));
    assert_eq!(outcome.json()["error"]["kind"], "network");
}

#[test]
fn an_error_in_the_stream_keeps_what_had_arrived() {
    let failed = "data: {\"status\":\"FAILED\",\"error_code\":\"X\",\"error_message\":\"Went wrong.\"}\n\n";
    let stream = [pending(0, "Half an "), failed.as_bytes().to_vec()].concat();
    let server = Server::answering(Reply::stream(&stream));
    let outcome = Home::logged_in(&server).run(&["search", "--json", "q"]);
    assert_eq!((outcome.code, outcome.json()["error"]["message"].as_str()), (1, Some("Went wrong. (X)")));
    assert_eq!(outcome.json()["partial_answer"], "Half an ");
    let server = Server::answering(Reply::stream(&stream));
    let outcome = Home::logged_in(&server).run(&["search", "-f", "answer", "q"]);
    outcome.is(
        1,
        "Half an\n",
        "Went wrong. (X)\nhint: ask again, or ask another model with `pplx search --model`\n",
    );
}

#[test]
fn long_lines_are_broken_and_with_no_wrap_they_are_not() {
    let text = vec!["éclair"; 400].join(" ");
    let ask = |args: &[&str]| {
        let server = Server::answering(Reply::stream(answered(&text)));
        Home::logged_in(&server).run(&[&["search"], args, &["q"]].concat()).stdout
    };
    let broken = ask(&[]);
    assert!(
        broken.lines().all(|line| line.len() <= 700) && broken.replace('\n', " ").contains(&text),
        "{broken}"
    );
    assert!(ask(&["--no-wrap"]).contains(&text));
}

#[test]
fn text_off_a_terminal_waits_until_it_cannot_change() {
    let reply =
        Reply::events().write(pending(0, "The fare is 41.")).pause(80).write(answered("The fare is 44."));
    let server = Server::answering(reply);
    let outcome = Home::logged_in(&server).run(&["search", "-f", "answer", "q"]);
    outcome.is(0, "The fare is 44.\n", "");
}

#[test]
fn silence_ends_a_run_and_any_byte_resets_it() {
    let beats = (0..4)
        .fold(Reply::events().write(pending(0, "Deep ")), |reply, _| reply.pause(600).write(": beat\n\n"));
    let server = Server::answering(beats.write(answered("Deep work.")));
    let outcome = Home::logged_in(&server).run(&["search", "-f", "answer", "--idle-timeout", "1", "q"]);
    outcome.is(0, "Deep work.\n", "");

    let server = Server::answering(Reply::events().write(pending(0, "Half")).hang());
    let outcome = Home::logged_in(&server).run(&["search", "--json", "--idle-timeout", "1", "q"]);
    assert_eq!((outcome.code, outcome.json()["complete"].as_bool()), (8, Some(false)));
    assert_eq!(outcome.json()["notes"][0], "The answer is incomplete: nothing arrived for 1 second");
    assert!(server.wait_for_close(1, Duration::from_secs(1)), "the connection is closed");

    let server = Server::answering(Reply::events().pause(1500));
    let outcome = Home::logged_in(&server).run(&["search", "--idle-timeout", "1", "q"]);
    assert_eq!(outcome.code, 6, "nothing was received: {outcome:?}");
}

#[test]
fn the_whole_run_has_a_limit_that_keeps_what_came() {
    let server = Server::answering(Reply::events().write(pending(0, "So far ")).hang());
    let outcome = Home::logged_in(&server).run(&["search", "--timeout", "1", "q"]);
    assert_eq!(outcome.code, 8, "{outcome:?}");
    assert!(outcome.stdout.starts_with("## Answer\nSo far\n"), "{outcome:?}");
    assert!(
        outcome.stdout.contains("Note: The answer is incomplete: the time limit of 1 second ran out\n"),
        "{outcome:?}"
    );
    assert!(outcome.stderr.contains("hint: ask again with a longer --timeout"), "{outcome:?}");

    let server = Server::answering(Reply::events().pause(1500));
    let outcome = Home::logged_in(&server).run(&["search", "--timeout", "1", "q"]);
    assert_eq!(outcome.code, 6, "{outcome:?}");
}

#[test]
fn after_a_final_frame_the_rest_may_stay_away_for_three_seconds() {
    let frame = "data: {\"status\":\"PENDING\",\"final\":true,\"display_model\":\"pplx_pro_upgraded\",\"blocks\":[{\"intended_usage\":\"ask_text\",\
                 \"markdown_block\":{\"chunks\":[\"All said.\"]}}]}\n\n";
    let server = Server::answering(Reply::events().write(frame).hang());
    let outcome = Home::logged_in(&server).run(&["search", "-f", "answer", "q"]);
    outcome.is(0, "All said.\n", "");
    assert!((2500..5000).contains(&outcome.took.as_millis()), "{:?}", outcome.took);
}

#[test]
fn completed_ends_at_once_although_the_connection_stays_open() {
    let server = Server::answering(Reply::events().write(answered("Done.")).hang());
    let outcome = Home::logged_in(&server).run(&["search", "-f", "answer", "q"]);
    outcome.is(0, "Done.\n", "");
    assert!(outcome.took < Duration::from_secs(2));
}

#[test]
fn a_recording_holds_the_exact_bytes_and_answers_again() {
    let stream = [b"\xEF\xBB\xBF: \xFF\r\n".to_vec(), answered("Same [1].")].concat();
    let server = Server::answering(Reply::in_pieces(&stream, 7).header("Set-Cookie", "secret=hidden"));
    let home = Home::logged_in(&server);
    fs::write(home.path().join("kept.sse"), "old and much longer than nothing").unwrap();
    let live = home.run(&["search", "--record", "kept.sse", "q"]);
    assert_eq!(live.code, 0, "{live:?}");
    let recorded = fs::read(home.path().join("kept.sse")).unwrap();
    assert_eq!(recorded, stream, "also what follows the frame that completes the answer");
    let again = Home::at("http://127.0.0.1:9").run(&[
        "search",
        "--replay",
        home.path().join("kept.sse").to_str().unwrap(),
        "q",
    ]);
    again.is(0, &live.stdout, "");
}

#[test]
fn a_recording_that_cannot_be_written_costs_no_question() {
    let server = Server::start([]);
    let home = Home::logged_in(&server);
    let outcome = home.run(&["search", "--record", "no/such/dir/x.sse", "q"]);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(outcome.stderr.contains("Could not write the recording no/such/dir/x.sse"), "{outcome:?}");
    let outcome = home.run(&["search", "--replay", "missing.sse", "q"]);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(outcome.stderr.starts_with("Could not read the recording missing.sse: "), "{outcome:?}");
    fs::write(home.path().join("page.html"), "<html>").unwrap();
    let outcome = home.run(&["search", "--replay", "page.html", "q"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stderr.starts_with("The reply is an HTML page"), "{outcome:?}");
}

#[test]
fn a_failed_run_leaves_the_output_file_as_it_was() {
    let server = Server::start([(ASK, vec![Reply::status(500), Reply::stream(answered("New."))])]);
    let home = Home::logged_in(&server);
    fs::write(home.path().join("out.md"), "old").unwrap();
    assert_eq!(home.run(&["search", "-o", "out.md", "q"]).code, 6);
    assert_eq!(fs::read_to_string(home.path().join("out.md")).unwrap(), "old");
    home.run(&["search", "-f", "answer", "-o", "out.md", "q"]).is(0, "", "");
    assert_eq!(fs::read_to_string(home.path().join("out.md")).unwrap(), "New.\n");
    let outcome = home.run(&["search", "-o", "no/such/out.md", "q"]);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(outcome.stderr.starts_with("Could not write no/such/out.md: "), "{outcome:?}");
    assert_eq!(server.requests().len(), 2, "nothing was asked for it");
}

#[test]
fn verbose_tells_the_steps_and_what_was_skipped() {
    let stream = [b"data: {broken\n\n".to_vec(), pending(0, "So "), answered("So it is.")].concat();
    let server = Server::answering(Reply::stream(&stream));
    let outcome = Home::logged_in(&server).run(&["search", "-v", "-f", "answer", "q"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "So it is.\n"));
    assert!(outcome.stderr.starts_with("warning: skipped an event with broken JSON"), "{outcome:?}");
    assert!(outcome.stderr.contains("Writing\n"), "{outcome:?}");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use crate::support::command::finish;
    use std::process::Command;

    fn shell(home: &Home, script: &str) -> crate::support::Outcome {
        let program = home.command(&[]).get_program().to_owned();
        let mut command = Command::new("bash");
        command.arg("-c").arg(script.replace("pplx", program.to_str().unwrap())).env_clear();
        command.envs(home.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
        finish(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    #[test]
    fn a_reader_that_leaves_ends_the_run_quietly() {
        let text = (0..20_000).map(|n| format!("line {n}\n")).collect::<String>();
        for script in [
            "pplx search q | head -1; echo ${PIPESTATUS[0]}",
            "pplx search --json q | head -c 10; echo ${PIPESTATUS[0]}",
        ] {
            let server = Server::answering(Reply::stream(answered(&text)));
            let outcome = shell(&Home::logged_in(&server), script);
            assert_eq!(outcome.stderr, "", "{script}");
            assert!(outcome.stdout.ends_with("0\n"), "{script}: {outcome:?}");
        }
        let outcome =
            shell(&Home::at("http://127.0.0.1:9"), "pplx search --help | head -1; echo ${PIPESTATUS[0]}");
        assert_eq!((outcome.stdout.lines().last(), outcome.stderr.as_str()), (Some("0"), ""));
    }

    #[test]
    fn a_reader_that_leaves_ends_the_search_too() {
        let server = Server::answering(Reply::events().write(pending(0, "Half")).hang());
        let outcome = shell(&Home::logged_in(&server), "pplx search q | sleep 0.4; echo ${PIPESTATUS[0]}");
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("0\n", ""));
        assert!(server.wait_for_close(1, Duration::from_secs(1)), "the connection is closed");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_and_a_closed_stream_is_none() {
        let server = Server::start([(ASK, vec![Reply::stream(answered("Text.")); 3])]);
        let home = Home::logged_in(&server);
        let outcome = shell(&home, "pplx search q > /dev/full");
        assert_eq!(outcome.code, 1);
        assert!(outcome.stderr.starts_with("Could not write the result: "), "{outcome:?}");
        let outcome = shell(&home, "pplx search -f answer q 2>&-");
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Text.\n"));
        let outcome = shell(&home, "pplx search -o /dev/full q");
        assert_eq!(outcome.code, 1, "{outcome:?}");
        assert!(outcome.stderr.starts_with("Could not write"), "{outcome:?}");
    }

    #[test]
    fn a_signal_ends_the_run_and_keeps_what_came() {
        for (signal, code, message) in
            [("INT", 130, "Interrupted."), ("TERM", 143, "Terminated."), ("HUP", 129, "Hung up.")]
        {
            let server = Server::answering(Reply::events().write(pending(0, "So far ")).hang());
            let home = Home::logged_in(&server);
            let child = home.start(&["search", "--json", "q"]);
            server.wait_for_request();
            std::thread::sleep(Duration::from_millis(150));
            Command::new("kill").arg(format!("-{signal}")).arg(child.id().to_string()).status().unwrap();
            let outcome = finish(child);
            assert_eq!(outcome.code, code, "{outcome:?}");
            assert!(outcome.took < Duration::from_secs(1), "{outcome:?}");
            assert_eq!(outcome.stderr, format!("{message}\n"));
            assert_eq!(
                (outcome.json()["complete"].as_bool(), outcome.json()["answer"].as_str()),
                (Some(false), Some("So far "))
            );
            assert!(server.wait_for_close(1, Duration::from_secs(1)), "the connection is closed");
        }
    }

    #[test]
    fn a_second_signal_ends_even_a_run_that_cannot_write() {
        let server = Server::answering(Reply::stream(answered(&"x ".repeat(400_000))));
        let home = Home::logged_in(&server);
        let mut child = home.command(&["search", "q"]).stdout(Stdio::piped()).spawn().unwrap();
        server.wait_for_request();
        std::thread::sleep(Duration::from_millis(300));
        for count in 1..=2 {
            assert!(child.try_wait().unwrap().is_none(), "it ended before signal {count}");
            Command::new("kill").arg("-INT").arg(child.id().to_string()).status().unwrap();
            std::thread::sleep(Duration::from_millis(300));
        }
        let Some(status) = child.try_wait().unwrap() else { panic!("it goes on after two signals") };
        assert_eq!(crate::support::command::code_of(status), 130);
    }
}
