//! The Agent API: what is sent, what its replies and streams mean, and when it takes the place of chat completions.

use crate::support::{KEY, Outcome, Reply, Server, with_key};
use serde_json::{Value, json};

const CHAT: &str = "POST /chat/completions";
const AGENT: &str = "POST /v1/agent";

fn run(api: &Server, args: &[&str]) -> Outcome {
    with_key(api).run(&[&["search", "--provider", "api"], args].concat())
}

/// Asks the Agent API for JSON, and gets this reply.
fn asked(reply: Reply) -> Outcome {
    run(&Server::start([(AGENT, vec![reply])]), &["--api-dialect", "agent", "--json", "why"])
}

/// The body that is sent for these options.
fn body(args: &[&str]) -> Value {
    let server = Server::start([(
        AGENT,
        vec![Reply::json(&reply("completed", vec![message("Because.")]).to_string())],
    )]);
    let outcome = run(&server, &[&["--api-dialect", "agent", "--json", "why"], args].concat());
    assert_eq!(outcome.code, 0, "{outcome:?}");
    server.request().json()
}

fn message(text: &str) -> Value {
    json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]})
}

fn found(results: Value) -> Value {
    json!({"type": "search_results", "queries": ["q"], "results": results})
}

fn reply(status: &str, output: Vec<Value>) -> Value {
    json!({
        "object": "response", "id": "resp_1", "model": "openai/gpt-x", "status": status, "output": output,
        "usage": {"input_tokens": 9, "output_tokens": 3, "cost": {"currency": "USD", "total_cost": 0.0012}},
    })
}

fn refusal(status: u16, body: &str) -> Reply {
    Reply::status(status).header("Content-Type", "application/json").body(body)
}

fn retired(kind: &str) -> Reply {
    refusal(403, &format!(r#"{{"error":{{"message":"Use the Agent API.","type":"{kind}","code":403}}}}"#))
}

fn good() -> Reply {
    Reply::json(&reply("completed", vec![message("Because.")]).to_string())
}

#[test]
fn only_what_is_asked_for_is_sent() {
    assert_eq!(body(&[]), json!({"input": "why", "stream": false, "effort": "fast"}));
    assert_eq!(body(&["--effort", "xhigh"])["effort"], "xhigh");
    assert_eq!(body(&["-m", "sonar-deep-research"])["effort"], "high");
    assert_eq!(
        body(&["-m", "perplexity/sonar"]),
        json!({"input": "why", "stream": false, "model": "perplexity/sonar", "tools": [{"type": "web_search"}]})
    );
    assert_eq!(body(&["-m", "anthropic/x"])["max_output_tokens"], 8192);
    let args = ["--system", "Be brief.", "--language", "de-AT", "--max-tokens", "99"];
    assert_eq!(
        body(&args),
        json!({"input": "why", "stream": false, "effort": "fast", "instructions": "Be brief.", "language_preference": "de",
               "max_output_tokens": 99})
    );
}

#[test]
fn filters_stand_in_the_tool() {
    let filtered = body(&[
        "--effort",
        "medium",
        "--domain",
        "Example.org",
        "--domain",
        "example.net",
        "--after",
        "2026-01-31",
        "--before",
        "2026-02-28",
        "--context-size",
        "high",
        "--country",
        "at",
    ]);
    let filters = json!({
        "search_domain_filter": ["example.org", "example.net"], "search_after_date_filter": "01/31/2026",
        "search_before_date_filter": "02/28/2026",
    });
    assert_eq!(
        filtered["tools"],
        json!([
            {"type": "web_search", "filters": filters, "search_context_size": "high", "user_location": {"country": "AT"}},
            {"type": "fetch_url"},
        ])
    );
    assert_eq!(
        body(&["-r", "hour", "--exclude-domain", "example.org"])["tools"],
        json!([{"type": "web_search", "filters": {"search_domain_filter": ["-example.org"], "search_recency_filter": "hour"}}])
    );
}

#[test]
fn what_it_cannot_be_asked_is_refused_before_anything_is_sent() {
    let server = Server::start([]);
    for args in [["-m", "sonar-huge"], ["--max-tokens", "15"]] {
        let outcome = run(&server, &["--api-dialect", "agent", args[0], args[1], "q"]);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.starts_with("The Agent API "), "{outcome:?}");
    }
    let outcome = run(&server, &["--api-dialect", "chat", "--effort", "xhigh", "q"]);
    assert!(outcome.code == 2 && outcome.stderr.contains("xhigh"), "{outcome:?}");
    assert_eq!(server.connections(), 0);
}

#[test]
fn an_account_that_knows_effort_by_its_old_name_is_asked_once_more() {
    let unknown = r#"{"error":{"message":"unknown field \"effort\"","type":"invalid_request","code":400,"param":"effort"}}"#;
    let server = Server::start([(AGENT, vec![refusal(400, unknown), good()])]);
    let outcome = run(&server, &["--api-dialect", "agent", "--effort", "low", "--json", "why"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let bodies: Vec<Value> = server.requests().iter().map(crate::support::server::Request::json).collect();
    assert_eq!(bodies[0], json!({"input": "why", "stream": false, "effort": "low"}));
    assert_eq!(bodies[1], json!({"input": "why", "stream": false, "preset": "low"}));

    let server = Server::start([(AGENT, vec![refusal(400, unknown), refusal(400, unknown)])]);
    assert_eq!(run(&server, &["--api-dialect", "agent", "--effort", "low", "q"]).code, 2);
    assert_eq!(server.requests().len(), 2, "once");
    let other = r#"{"error":{"message":"bad","param":"input"}}"#;
    let server = Server::start([(AGENT, vec![refusal(400, other)])]);
    assert_eq!(run(&server, &["--api-dialect", "agent", "q"]).code, 2);
    assert_eq!(server.requests().len(), 1, "only for effort");
}

#[test]
fn a_reply_is_read_whole_and_what_is_unknown_ignored() {
    let output = vec![
        found(
            json!([{"id": 2, "url": "https://b.example", "title": "B", "date": "2026-01-01"}, {"id": 1, "url": "https://a.example"}]),
        ),
        json!({"type": "novelty", "results": [{"id": 9, "url": "https://z.example"}]}),
        json!({"type": "fetch_url_results", "contents": [{"url": "https://a.example"}, {"url": "https://c.example", "title": "C"}]}),
        message("Because [2]."),
        json!({"type": "message", "content": [{"type": "output_text", "text": "And "}, {"type": "other"}, {"type": "output_text", "text": "so."}]}),
        message(""),
    ];
    let outcome = asked(Reply::json(&reply("completed", output).to_string()));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let json = outcome.json();
    assert_eq!(json["answer"], "Because [2].\n\nAnd so.");
    assert_eq!(
        json["sources"],
        json!([
            {"numbers": [1], "url": "https://a.example"},
            {"numbers": [2], "url": "https://b.example", "title": "B", "date": "2026-01-01"},
            {"numbers": [3], "url": "https://c.example", "title": "C"},
        ])
    );
    assert_eq!(
        (&json["model"], &json["request_id"], &json["complete"]),
        (&json!("openai/gpt-x"), &json!("resp_1"), &json!(true))
    );
    assert_eq!(json["usage"]["cost"]["total_cost"], 0.0012);
}

#[test]
fn ids_that_mean_two_pages_give_way_to_the_order_of_appearance() {
    let output = vec![
        found(
            json!([{"id": 1, "url": "https://a.example"}, {"id": 2, "url": "https://b.example"}, {"id": 3, "title": "no address"}]),
        ),
        found(json!([{"id": 1, "url": "https://c.example"}, {"id": 2, "url": "https://a.example"}])),
        message("Because [1]."),
    ];
    let json = asked(Reply::json(&reply("completed", output).to_string())).json();
    let urls: Vec<_> = json["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|source| (&source["numbers"][0], &source["url"]))
        .collect();
    assert_eq!(
        urls,
        [
            (&json!(1), &json!("https://a.example")),
            (&json!(2), &json!("https://b.example")),
            (&json!(3), &json!("https://c.example"))
        ]
    );
    assert_eq!(json["answer"], "Because [1].");
}

#[test]
fn a_run_that_failed_or_was_cancelled_comes_with_a_good_status() {
    let mut failed = reply("failed", vec![]);
    failed["error"] = json!({"message": "The model gave up", "type": "server_error"});
    let outcome = asked(Reply::json(&failed.to_string()));
    assert_eq!(
        (outcome.code, &outcome.json()["error"]["message"]),
        (1, &json!("The model gave up")),
        "{outcome:?}"
    );
    assert_eq!(outcome.json()["error"]["code"], "WEB_PROVIDER_ERROR");
    let outcome = asked(Reply::json(&reply("cancelled", vec![message("Half")]).to_string()));
    assert_eq!(outcome.code, 1, "{outcome:?}");
}

#[test]
fn an_incomplete_answer_is_kept_and_marked() {
    let mut partial = reply("incomplete", vec![message("Because")]);
    partial["incomplete_details"] = json!({"reason": "max_output_tokens"});
    let outcome = asked(Reply::json(&partial.to_string()));
    assert_eq!(
        (outcome.code, &outcome.json()["answer"], &outcome.json()["complete"]),
        (8, &json!("Because"), &json!(false))
    );
    assert!(
        outcome.stderr.contains("number of tokens") && outcome.stderr.contains("--max-tokens"),
        "{outcome:?}"
    );
    partial["output"] = json!([]);
    let outcome = asked(Reply::json(&partial.to_string()));
    assert_eq!((outcome.code, &outcome.json()["answer"]), (8, &Value::Null), "{outcome:?}");
}

#[test]
fn an_empty_answer_and_a_reply_without_output() {
    let outcome = asked(Reply::json(&reply("completed", vec![]).to_string()));
    assert_eq!((outcome.code, &outcome.json()["answer"]), (3, &Value::Null), "{outcome:?}");
    let sources_only = reply("completed", vec![found(json!([{"id": 1, "url": "https://a.example"}]))]);
    let outcome = asked(Reply::json(&sources_only.to_string()));
    assert_eq!((outcome.code, &outcome.json()["answer"]), (0, &Value::Null), "{outcome:?}");
    for body in [r#"{"status":"completed"}"#, r#"{"output":{}}"#, r#"{"output":null}"#] {
        let outcome = asked(Reply::json(body));
        let message = outcome.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with("Perplexity returned an unprocessable response body: "), "{message}");
    }
}

/// A stream in the recorded shape: keys in alphabetical order, no names, no end mark.
fn stream() -> String {
    let events = [
        json!({"response": {"id": "resp_1", "model": "fast", "status": "in_progress"}, "sequence_number": 0, "type": "response.created"}),
        json!({"response": {"id": "resp_1"}, "sequence_number": 1, "type": "response.in_progress"}),
        json!({"item": {"type": "function_call"}, "output_index": 0, "type": "response.output_item.added"}),
        json!({"call_id": "c", "queries": ["why so"], "type": "response.reasoning.search_queries"}),
        json!({"results": [{"id": 1, "url": "https://a.example"}], "type": "response.reasoning.search_results"}),
        json!({"item": found(json!([{"id": 1, "url": "https://a.example", "title": "A"}])), "output_index": 0, "type": "response.output_item.done"}),
        json!({"item": {"type": "message", "content": null}, "output_index": 1, "type": "response.output_item.added"}),
        json!({"delta": "Because ", "item_id": "m", "output_index": 1, "type": "response.output_text.delta"}),
        json!({"delta": "é [1].", "item_id": "m", "output_index": 1, "type": "response.output_text.delta"}),
        json!({"text": "Because é [1].", "type": "response.output_text.done"}),
        json!({"item": message("Because é [1]."), "output_index": 1, "type": "response.output_item.done"}),
        json!({"response": reply("completed", vec![found(json!([{"id": 1, "url": "https://a.example", "title": "A"}])), message("Because é [1].")]),
               "type": "response.completed"}),
    ];
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

/// Asks for one line an event.
fn streamed(reply: Reply) -> (Outcome, Vec<Value>) {
    let server = Server::start([(AGENT, vec![reply])]);
    let outcome = run(&server, &["--api-dialect", "agent", "-f", "ndjson", "why"]);
    assert_eq!(server.request().json()["stream"], true);
    assert_eq!(server.request().header("accept"), Some("text/event-stream"));
    let lines = outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (outcome, lines)
}

#[test]
fn a_stream_is_told_as_it_comes() {
    let (outcome, lines) = streamed(Reply::in_pieces(stream().as_bytes(), 1));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["step", "step", "sources", "step", "text", "text", "done"]);
    assert_eq!(lines[0], json!({"type": "step", "step": "searching", "queries": ["why so"]}));
    assert_eq!((&lines[4]["text"], &lines[5]["at"]), (&json!("Because "), &json!(8)));
    assert_eq!((&lines[6]["answer"], &lines[6]["model"]), (&json!("Because é [1]."), &json!("openai/gpt-x")));
    let crlf = stream().replace('\n', "\r\n") + "data: [DONE]\r\n\r\n";
    let whole = streamed(Reply::stream(crlf)).1;
    assert_eq!(whole.last(), lines.last(), "it does not depend on how it is cut");
}

#[test]
fn a_stream_that_is_cut_at_any_event_keeps_what_came() {
    let stream = stream();
    let ends: Vec<usize> = stream.match_indices("\n\n").map(|(at, _)| at + 2).collect();
    for (count, end) in ends.iter().take(ends.len() - 1).enumerate() {
        let (outcome, lines) = streamed(Reply::stream(&stream[..*end]));
        let last = lines.last().unwrap();
        if count < 5 {
            assert_eq!(
                (outcome.code, &last["error"]["code"]),
                (1, &json!("WEB_PROVIDER_ERROR")),
                "{count}: {outcome:?}"
            );
        } else {
            assert_eq!((outcome.code, &last["complete"]), (8, &json!(false)), "{count}: {outcome:?}");
            assert_eq!(last["sources"][0]["url"], "https://a.example", "{count}");
        }
    }
}

#[test]
fn the_end_of_a_stream_may_be_a_failure_or_a_part_of_an_answer() {
    let begun: String = stream().split_inclusive("\n\n").take(8).collect();
    let end = |event: Value| streamed(Reply::stream(format!("{begun}data: {event}\n\n")));
    for event in [
        json!({"error": {"message": "It broke", "type": "x"}, "type": "response.failed"}),
        json!({"response": {"status": "failed", "error": {"message": "It broke"}}, "type": "response.failed"}),
        json!({"response": {"status": "failed", "error": {"message": "It broke"}, "output": []}, "type": "response.completed"}),
        json!({"error": {"message": "It broke"}, "type": "error"}),
        json!({"message": "It broke", "type": "error"}),
    ] {
        let (outcome, lines) = end(event.clone());
        assert_eq!(
            (outcome.code, &lines.last().unwrap()["error"]["message"]),
            (1, &json!("It broke")),
            "{event}"
        );
    }
    let mut partial = reply("incomplete", vec![message("Because")]);
    partial["incomplete_details"] = json!({"reason": "max_output_tokens"});
    let (outcome, lines) = end(json!({"response": partial, "type": "response.incomplete"}));
    assert_eq!((outcome.code, &lines.last().unwrap()["answer"]), (8, &json!("Because")));
    assert_eq!(end(json!({"response": {"status": "cancelled"}, "type": "response.cancelled"})).0.code, 1);
}

#[test]
fn the_name_of_an_event_serves_where_its_type_is_missing_and_broken_ones_are_skipped() {
    let body = format!(
        "data: nonsense\n\nevent: response.output_text.delta\ndata: {{\"delta\":\"Be\",\"output_index\":0}}\n\n\
         data: {{\"type\":\"response.novelty\"}}\n\nevent: response.completed\ndata: {{\"response\":{}}}\n\n",
        reply("completed", vec![message("Because.")])
    );
    let (outcome, lines) = streamed(Reply::stream(body));
    assert_eq!((outcome.code, &lines.last().unwrap()["answer"]), (0, &json!("Because.")), "{outcome:?}");
}

#[test]
fn auto_falls_over_once_and_remembers_it_for_a_week() {
    for kind in ["chat_completions_not_available", "agent_api_migration_required"] {
        let server = Server::start([
            (CHAT, vec![retired(kind), retired(kind)]),
            (AGENT, vec![good(), good(), good()]),
        ]);
        let home = with_key(&server);
        let search = ["search", "--provider", "api", "--json", "why"];
        assert_eq!(home.run(&search).json()["answer"], "Because.");
        assert_eq!(home.run(&search).json()["answer"], "Because.");
        let keys: Vec<String> = server.requests().into_iter().map(|request| request.key).collect();
        assert_eq!(keys, [CHAT, AGENT, AGENT], "the second run knows");
        let week = 7 * 24 * 3600 * 1000 + 1;
        let database = home.database();
        let changed = database.execute("UPDATE agent_accounts SET learnt = learnt - ?", [week]).unwrap();
        assert_eq!(changed, 1);
        database.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        let kept = std::fs::read(home.state().join("state.db")).unwrap();
        assert!(!kept.windows(KEY.len()).any(|bytes| bytes == KEY.as_bytes()));
        home.run(&search);
        assert_eq!(server.requests()[3].key, CHAT, "after a week it is tried again");
    }
}

#[test]
fn auto_stays_with_any_other_error() {
    for (status, body) in
        [(403, r#"{"error":{"message":"No","type":"forbidden"}}"#), (404, "{}"), (429, "{}"), (500, "{}")]
    {
        let server = Server::start([(CHAT, vec![refusal(status, body)])]);
        assert_ne!(run(&server, &["q"]).code, 0);
        assert_eq!(server.requests().len(), 1, "{status}");
    }
    let server = Server::start([
        (CHAT, vec![retired("chat_completions_not_available")]),
        (AGENT, vec![refusal(500, "{}")]),
    ]);
    assert_eq!(run(&server, &["q"]).code, 6);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn auto_goes_to_the_agent_api_with_what_only_that_has() {
    for args in [["--effort", "xhigh"], ["-m", "openai/x"]] {
        let server = Server::start([(AGENT, vec![good()])]);
        assert_eq!(run(&server, &[args[0], args[1], "q"]).code, 0, "{args:?}");
    }
}

#[test]
fn a_model_that_an_effort_stands_for_is_told() {
    let server = Server::start([(AGENT, vec![good()])]);
    let outcome = run(&server, &["--api-dialect", "agent", "-m", "sonar-pro", "q"]);
    assert!(
        outcome
            .stdout
            .contains("Note: the Agent API has no model sonar-pro; the effort low answered instead\n"),
        "{outcome:?}"
    );
}

#[test]
fn text_that_was_paid_for_is_not_lost_to_what_follows_it() {
    let delta = |text: &str| {
        format!(
            "data: {}\n\n",
            json!({"type": "response.output_text.delta", "output_index": 1, "item_id": "m", "delta": text})
        )
    };
    let event = |event: Value| format!("data: {event}\n\n");
    // An end that lacks what came before it.
    for response in
        [json!({"id": "r", "status": "completed", "output": []}), json!({"id": "r", "status": "completed"})]
    {
        let body = delta("Be")
            + &delta("cause")
            + &event(json!({"type": "response.completed", "response": response}));
        let (outcome, lines) = streamed(Reply::stream(body));
        assert_eq!((outcome.code, &lines.last().unwrap()["answer"]), (0, &json!("Because")), "{outcome:?}");
    }
    let (outcome, lines) =
        streamed(Reply::stream(delta("Because") + &event(json!({"type": "response.completed"}))));
    assert_eq!((outcome.code, &lines.last().unwrap()["answer"]), (0, &json!("Because")), "{outcome:?}");
    // An end that is none, and one that says only by its name how it ended.
    let partial = json!({"type": "response.incomplete", "response": {"incomplete_details": {"reason": "max_output_tokens"}, "output": []}});
    for body in [delta("Because") + "data: [DONE]\n\n", delta("Because") + &event(partial)] {
        let (outcome, lines) = streamed(Reply::stream(body));
        assert_eq!((outcome.code, &lines.last().unwrap()["answer"]), (8, &json!("Because")), "{outcome:?}");
    }
    // A failure after text, in one read.
    let failed = event(
        json!({"type": "response.failed", "response": {"error": {"message": "boom", "code": "rate_limit_exceeded"}}}),
    );
    let (outcome, lines) = streamed(Reply::stream(delta("Because") + &failed));
    assert_eq!(outcome.code, 5, "{outcome:?}");
    assert_eq!(
        (&lines[1]["text"], &lines.last().unwrap()["partial_answer"]),
        (&json!("Because"), &json!("Because"))
    );
    for error in [
        json!({"type": "error", "code": "rate_limit_exceeded", "message": "slow"}),
        json!({"type": "error", "code": 429, "message": "slow"}),
    ] {
        assert_eq!(streamed(Reply::stream(event(error))).0.code, 5);
    }
}

#[test]
fn messages_that_grow_side_by_side_stay_apart() {
    let delta = |index: u32, text: &str| {
        format!(
            "data: {}\n\n",
            json!({"type": "response.output_text.delta", "output_index": index, "delta": text})
        )
    };
    let cut = delta(1, "one") + &delta(2, "two") + &delta(1, " more");
    assert_eq!(streamed(Reply::stream(cut)).1.last().unwrap()["answer"], "one more\n\ntwo");
    let by_id = format!(
        "data: {}\n\ndata: {}\n\n",
        json!({"type": "response.output_text.delta", "item_id": "m", "delta": "Hello"}),
        json!({"type": "response.output_item.done", "output_index": 3, "item": {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "Hello"}]}})
    );
    assert_eq!(streamed(Reply::stream(by_id)).1.last().unwrap()["answer"], "Hello");
}

#[test]
fn a_reply_in_one_piece_is_read_where_a_stream_was_asked_for() {
    let (outcome, lines) = streamed(good());
    assert_eq!((outcome.code, &lines.last().unwrap()["answer"]), (0, &json!("Because.")), "{outcome:?}");
    let error = json!({"error": {"message": "boom", "code": 429, "type": "request_rate_limit_exceeded"}});
    let (outcome, lines) = streamed(Reply::json(&error.to_string()));
    assert_eq!((outcome.code, &lines[0]["error"]["message"]), (5, &json!("boom")), "{outcome:?}");
    assert_eq!(asked(Reply::json(&error.to_string())).code, 5);
    let (_, lines) = streamed(Reply::status(200).header("Content-Type", "text/html").body("<html></html>"));
    assert!(lines[0]["error"]["message"].as_str().unwrap().contains("no event stream"), "{lines:?}");
}

#[test]
fn what_is_learnt_of_one_key_is_not_believed_of_another() {
    let server = Server::start([
        (CHAT, vec![retired("chat_completions_not_available"), retired("chat_completions_not_available")]),
        (AGENT, vec![good(), good()]),
    ]);
    let home = with_key(&server);
    let search = ["search", "--provider", "api", "--json", "why"];
    home.run(&search);
    home.env("PERPLEXITY_API_KEY", "another-key").run(&search);
    assert_eq!(server.requests()[2].key, CHAT);
}
