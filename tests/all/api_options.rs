//! Streams of chat completions, pages without an answer, options, and who pays.

use crate::support::{ASK, Home, KEY, Outcome, Reply, Server, TOKEN, answered, with_key};
use serde_json::{Value, json};

const CHAT: &str = "POST /chat/completions";
const PAGES: &str = "POST /search";

fn run(api: &Server, args: &[&str]) -> Outcome {
    with_key(api).run(&[&["search", "--provider", "api"], args].concat())
}

fn good() -> Reply {
    Reply::json(r#"{"choices":[{"message":{"content":"Because."}}]}"#)
}

/// What a chat request holds besides its three fields, for these options.
fn options(args: &[&str]) -> Value {
    let server = Server::start([(CHAT, vec![good()])]);
    let outcome = run(&server, &[args, &["--json", "why"]].concat());
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let mut body = server.request().json();
    for field in ["messages", "model", "max_tokens"] {
        assert!(body.as_object_mut().unwrap().remove(field).is_some());
    }
    body
}

/// A chunk in the recorded shape: the whole text so far beside what is new.
fn chunk(so_far: &str, new: &str, rest: Value) -> String {
    let mut chunk = json!({
        "id": "id-1", "model": "sonar", "object": "chat.completion.chunk", "citations": ["https://a.example"],
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": new}, "message": {"role": "assistant", "content": so_far},
                     "finish_reason": null}],
    });
    chunk.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    format!("data: {chunk}\r\n\r\n")
}

fn done(text: &str) -> String {
    chunk(
        text,
        "",
        json!({
            "object": "chat.completion.done", "usage": {"prompt_tokens": 5, "completion_tokens": 7, "cost": {"total_cost": 0.0051}},
            "choices": [{"message": {"content": text}, "delta": {"content": ""}, "finish_reason": "stop"}],
        }),
    )
}

/// Asks for one line an event.
fn streamed(reply: Reply) -> (Outcome, Vec<Value>) {
    let server = Server::start([(CHAT, vec![reply])]);
    let outcome = run(&server, &["-f", "ndjson", "why"]);
    assert_eq!(server.request().json()["stream"], true);
    let lines = outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (outcome, lines)
}

fn texts(lines: &[Value]) -> Vec<(u64, &str)> {
    let texts = lines.iter().filter(|line| line["type"] == "text");
    texts.map(|line| (line["at"].as_u64().unwrap(), line["text"].as_str().unwrap())).collect()
}

#[test]
fn a_stream_uses_one_of_the_two_texts_and_ends_with_or_without_a_mark() {
    let body =
        [chunk("Be", "Be", json!({})), chunk("Because", "cause", json!({})), done("Because [1].")].concat();
    for stream in [body.clone(), body.clone() + "data: [DONE]\r\n\r\n", body.replace("\r\n", "\n")] {
        let (outcome, lines) = streamed(Reply::stream(&stream));
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert_eq!(texts(&lines), [(0, "Because [1].")], "one read, one change");
        let end = lines.last().unwrap();
        assert_eq!(
            (&end["answer"], &end["usage"]["cost"]["total_cost"]),
            (&json!("Because [1]."), &json!(0.0051))
        );
        assert_eq!(end["sources"], json!([{"numbers": [1], "url": "https://a.example"}]));
        assert_eq!(streamed(Reply::in_pieces(stream.as_bytes(), 1)).1.last(), Some(end));
    }
    let (_, lines) = streamed(Reply::in_pieces(body.as_bytes(), 1));
    assert_eq!(texts(&lines), [(0, "Be"), (2, "cause"), (7, " [1].")]);
}

#[test]
fn a_stream_of_new_text_alone_is_read_too() {
    let delta = |text: &str, reason: Value| {
        format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}, "finish_reason": reason}]}))
    };
    let stream = delta("Be", Value::Null) + &delta("cause", Value::Null) + &delta("", "stop".into());
    let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5}}\n\n";
    for stream in [stream.clone(), format!("{stream}{usage}data: [DONE]\n\n"), format!("{stream}{usage}")] {
        let (outcome, lines) = streamed(Reply::stream(&stream));
        assert_eq!((outcome.code, &lines.last().unwrap()["answer"]), (0, &json!("Because")), "{outcome:?}");
    }
}

#[test]
fn a_stream_that_breaks_off_keeps_what_came_and_one_that_fails_says_why() {
    let begun = chunk("Be", "Be", json!({}));
    for reply in [Reply::stream(&begun), Reply::events().write(&begun).cut()] {
        let (outcome, lines) = streamed(reply);
        assert_eq!((outcome.code, &lines.last().unwrap()["answer"]), (8, &json!("Be")), "{outcome:?}");
    }
    let (outcome, lines) = streamed(Reply::stream(
        begun.clone() + "data: {\"error\":{\"message\":\"It broke\",\"code\":500}}\n\n",
    ));
    assert_eq!((outcome.code, &lines.last().unwrap()["error"]["message"]), (6, &json!("It broke")));
    let long = [begun, done("Be").replace("\"stop\"", "\"length\"")].concat();
    assert_eq!(streamed(Reply::stream(long)).0.code, 8, "cut at its number of tokens");
    let (outcome, lines) = streamed(Reply::stream("<html>"));
    assert_eq!((outcome.code, &lines[0]["error"]["code"]), (1, &json!("WEB_PROVIDER_ERROR")), "{outcome:?}");
}

#[test]
fn thoughts_never_reach_an_answer() {
    let text = "<think>\nHm, so.\n</think>\n\nBecause.";
    let server = Server::start([(
        CHAT,
        vec![Reply::json(&json!({"choices": [{"message": {"content": text}}]}).to_string())],
    )]);
    let json = run(&server, &["--json", "-m", "sonar-reasoning-pro", "why"]).json();
    assert_eq!((&json["answer"], &json["reasoning"]), (&json!("Because."), &json!("Hm, so.")));
    let pieces: String = text
        .char_indices()
        .map(|(at, c)| chunk(&text[..at + c.len_utf8()], &c.to_string(), json!({})))
        .collect();
    let (_, lines) = streamed(Reply::in_pieces((pieces + &done(text)).as_bytes(), 40));
    let shown: String = texts(&lines).iter().map(|(_, text)| *text).collect();
    assert_eq!(shown, "Because.");
    assert_eq!(lines.last().unwrap()["reasoning"], "Hm, so.");
    let server = Server::start([(
        CHAT,
        vec![Reply::json(&json!({"choices": [{"message": {"content": text}}]}).to_string())],
    )]);
    let report = run(&server, &["why"]).stdout;
    assert!(report.starts_with("## Answer\nBecause.\n") && !report.contains("Hm"), "{report}");
}

#[test]
fn options_of_the_chat_dialect() {
    assert_eq!(options(&[]), json!({}));
    assert_eq!(
        options(&[
            "--domain",
            "a.example",
            "--after",
            "2026-01-31",
            "--context-size",
            "low",
            "--country",
            "AT",
            "--language",
            "de-AT"
        ]),
        json!({"search_domain_filter": ["a.example"], "search_after_date_filter": "01/31/2026", "language_preference": "de",
               "web_search_options": {"search_context_size": "low", "user_location": {"country": "AT"}}})
    );
    assert_eq!(options(&["--exclude-domain", "a.example"]), json!({"search_domain_filter": ["-a.example"]}));
    let server = Server::start([(CHAT, vec![good(), good(), good()])]);
    run(&server, &["--effort", "medium", "why"]);
    run(&server, &["--max-tokens", "77", "-m", "sonar-pro", "why"]);
    run(&server, &["--system", "Be brief.", "why"]);
    let bodies: Vec<Value> = server.requests().iter().map(crate::support::server::Request::json).collect();
    assert_eq!(bodies[0]["model"], "sonar-reasoning-pro");
    assert_eq!((&bodies[1]["model"], &bodies[1]["max_tokens"]), (&json!("sonar-pro"), &json!(77)));
    assert_eq!(bodies[2]["messages"][0], json!({"role": "system", "content": "Be brief."}));
}

#[test]
fn settings_hold_the_defaults_and_what_is_typed_wins() {
    let server = Server::start([(CHAT, vec![good(), good()])]);
    let home = with_key(&server).settings(
        "provider = \"api\"\neffort = \"low\"\ncountry = \"at\"\nexclude-domain = [\"b.example\"]\nmax-tokens = 50\nrecency = \"day\"\n\
         api-dialect = \"chat\"\nsource = [\"scholar\"]",
    );
    assert_eq!(home.run(&["search", "why"]).code, 0);
    assert_eq!(
        home.run(&["search", "-m", "sonar", "--domain", "a.example", "--before", "2026-01-31", "why"]).code,
        0
    );
    let bodies: Vec<Value> = server.requests().iter().map(crate::support::server::Request::json).collect();
    assert_eq!(
        (&bodies[0]["model"], &bodies[0]["search_recency_filter"]),
        (&json!("sonar-pro"), &json!("day"))
    );
    assert_eq!(bodies[0]["search_domain_filter"], json!(["-b.example"]));
    assert_eq!((&bodies[1]["model"], bodies[1].get("search_recency_filter")), (&json!("sonar"), None));
    assert_eq!(bodies[1]["search_domain_filter"], json!(["a.example"]));
}

#[test]
fn what_a_provider_cannot_honour_is_refused_with_the_reason() {
    let server = Server::start([]);
    for (args, reason) in [
        (&["-s", "scholar"][..], "--source cannot be had"),
        (&["--timezone", "UTC"], "--timezone cannot be had"),
        (&["--save"], "--save cannot be had"),
        (&["-c"], "--continue cannot be had"),
        (&["--thread", "e-1"], "--thread cannot be had"),
        (&["--attach", "x.pdf"], "--attach cannot be had"),
        (&["--research"], "--research cannot be had"),
        (&["--record", "x.sse"], "--record cannot be had"),
        (&["--replay", "x.sse"], "--replay cannot be had"),
        (&["--domain", "https://a.example"], "is no domain."),
        (&["--country", "Austria"], "is no country."),
        (&["--after", "2026-02-30"], "input is out of range."),
        (&["--after", "2026-03-01", "--before", "2026-03-01"], "No page can be published from 2026-03-01"),
        (&["-r", "day", "--after", "2026-03-01"], "'--recency <AGE>' cannot be used with '--after"),
        (
            &["--domain", "a.example", "--exclude-domain", "b.example"],
            "'--domain <HOST>' cannot be used with '--exclude-domain",
        ),
        (&["--effort", "low", "-m", "sonar"], "'--effort <LEVEL>' cannot be used with '--model"),
        (&["--sources-only", "--system", "x"], "'--sources-only' cannot be used with '--system"),
        (&["--sources-only", "-f", "answer"], "With --sources-only there is no answer"),
    ] {
        let outcome = run(&server, &[args, &["q"]].concat());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{args:?}: {outcome:?}");
        assert!(outcome.stderr.contains(reason), "{args:?}: {outcome:?}");
    }
    let many: Vec<String> = (0..21).flat_map(|n| ["--domain".to_owned(), format!("{n}.example")]).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let outcome = run(&server, &[&many[..], &["q"]].concat());
    outcome.is(2, "", "The API takes 20 domains, and these are 21.\nhint: name fewer\n");
    let outcome = run(&server, &["--research", "q"]);
    assert_eq!(
        outcome.stderr,
        "--research cannot be had from the official API, which has --effort high in its place.\nhint: leave it out, or ask the \
         subscription with --provider web\n"
    );
    let web = Home::logged_in(&server).env("PERPLEXITY_API_KEY", KEY);
    for args in [
        &["--effort", "low"][..],
        &["--domain", "a.example"],
        &["--exclude-domain", "a.example"],
        &["--after", "2026-01-01"],
        &["--before", "2026-01-01"],
        &["--context-size", "low"],
        &["--country", "AT"],
        &["--max-tokens", "9"],
        &["--sources-only"],
        &["--api-dialect", "chat"],
    ] {
        let outcome = web.run(&[&["search"], args, &["q"]].concat());
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(
            outcome.stderr.starts_with(&format!(
                "The subscription has nothing like {}; the official API has.\n",
                args[0]
            ))
        );
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn sources_alone_come_without_an_answer() {
    let reply = r#"{"id":"id-1","results":[{"title":"A","url":"https://a.example","snippet":"About a."},{"url":"https://b.example","date":"2026-01-01"}]}"#;
    let server = Server::start([(
        PAGES,
        vec![Reply::json(reply), Reply::json(reply), Reply::json(r#"{"results":[]}"#)],
    )]);
    let outcome = run(
        &server,
        &["--sources-only", "-r", "week", "--domain", "a.example", "--country", "AT", "why", "so"],
    );
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let (report, age) = outcome.stdout.split_once("[2] b.example (").unwrap();
    assert_eq!(report, "## Sources\n2 sources\n[1] A (unknown)\n    https://a.example\n    About a.\n\n");
    assert!(
        age.ends_with(
            "ago)\n    https://b.example\n\n## Meta\nProvider: perplexity (api key)\nModel: unknown\n"
        ),
        "{age}"
    );
    assert_eq!(
        server.request().json(),
        json!({"query": "why so", "search_recency_filter": "week", "search_domain_filter": ["a.example"], "country": "AT"})
    );
    let json = run(&server, &["--sources-only", "--json", "-n", "1", "why"]).json();
    assert_eq!(
        (&json["answer"], json["sources"].as_array().unwrap().len(), &json["truncated"]),
        (&Value::Null, 1, &json!(true))
    );
    let outcome = run(&server, &["--sources-only", "why"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (3, ""), "{outcome:?}");
}

#[test]
fn usage_and_cost_stand_in_the_report() {
    let reply = json!({"choices": [{"message": {"content": "Because."}}], "model": "sonar",
                       "usage": {"prompt_tokens": 5, "completion_tokens": 7, "cost": {"total_cost": 0.0051}}});
    let server = Server::start([(CHAT, vec![Reply::json(&reply.to_string())])]);
    let outcome = run(&server, &["why"]);
    let meta = "## Meta\nProvider: perplexity (api key)\nModel: sonar\nUsage: 5 tokens in, 7 tokens out, 0.0051 USD\n";
    assert!(outcome.stdout.ends_with(meta), "{outcome:?}");
}

#[test]
fn the_payer_never_changes_silently() {
    let refused = || Reply::status(401).header("Content-Type", "application/json").body("{}");
    let api = Server::start([(CHAT, vec![refused()])]);
    let web = Server::start([(ASK, vec![refused()])]);
    let home = Home::logged_in(&web).env("PERPLEXITY_BASE_URL", api.url()).env("PERPLEXITY_API_KEY", KEY);
    assert_eq!(home.run(&["search", "q"]).code, 4);
    assert_eq!((web.connections(), api.connections()), (1, 0), "a refused session does not spend money");
    home.store(TOKEN, crate::support::TOKEN_EXPIRES);
    assert_eq!(home.run(&["search", "--provider", "api", "q"]).code, 4);
    assert_eq!((web.connections(), api.connections()), (1, 1), "a refused key does not use the subscription");
    assert_eq!(home.stored()["access"], TOKEN, "nor is the session what was refused");
}

#[test]
fn the_session_never_goes_to_the_api_nor_the_key_to_the_subscription() {
    let api = Server::start([(CHAT, vec![good()]), ("POST /v1/agent", vec![good()]), (PAGES, vec![good()])]);
    let web = Server::answering(Reply::stream(answered("Yes.")));
    let home =
        Home::logged_in(&web).env("PERPLEXITY_BASE_URL", api.url()).env("PERPLEXITY_API_KEY", KEY).env(
            "PPLX_COOKIES",
            format!("__Secure-next-auth.session-token={TOKEN}; other=COOKIE-OF-THE-BROWSER"),
        );
    home.run(&["search", "--provider", "api", "q"]);
    home.run(&["search", "--provider", "api", "--api-dialect", "agent", "q"]);
    home.run(&["search", "--provider", "api", "--sources-only", "q"]);
    assert_eq!(home.run(&["search", "q"]).code, 0);
    assert_eq!((api.requests().len(), web.requests().len()), (3, 1));
    let holds = |server: &Server, secret: &str| {
        server.requests().iter().any(|request| format!("{request:?}").contains(secret))
    };
    for secret in [TOKEN, "COOKIE-OF-THE-BROWSER"] {
        assert!(holds(&web, secret) && !holds(&api, secret));
    }
    assert!(holds(&api, KEY) && !holds(&web, KEY));
}

#[test]
fn a_machine_with_only_a_key_is_told_how_to_use_it() {
    let server = Server::start([(CHAT, vec![good()])]);
    let outcome = with_key(&server).run(&["search", "q"]);
    outcome.is(
        4,
        "",
        "Not authenticated.\nhint: run `pplx login`; a search alone can use the API key from the environment variable \
         PERPLEXITY_API_KEY: `pplx search --provider api`, which costs money\n",
    );
    assert_eq!(server.connections(), 0);
    assert_eq!(with_key(&server).settings("provider = \"api\"").run(&["search", "q"]).code, 0);
}

#[test]
fn status_is_about_the_key_where_the_settings_choose_the_api() {
    let server = Server::start([]);
    let home = with_key(&server).settings("provider = \"api\"");
    let outcome = home.run(&["status"]);
    assert_eq!(
        (outcome.code, outcome.stdout.lines().last()),
        (0, Some("API key: from the environment variable PERPLEXITY_API_KEY"))
    );
    assert_eq!(home.run(&["status", "--json"]).json()["logged_in"], true);
    let home = home.without("PERPLEXITY_API_KEY");
    let outcome = home.run(&["status", "--json"]);
    assert_eq!((outcome.code, &outcome.json()["logged_in"]), (4, &json!(false)));
}

#[test]
fn doctor_looks_at_the_key_where_the_settings_choose_the_api() {
    let models = "GET /v1/models";
    let refused = Reply::status(401).header("Content-Type", "application/json").body("{\"error\":\"no\"}");
    for (reply, code, last) in
        [(Reply::json("{}"), 0, "ok"), (Reply::status(404), 0, "ok"), (refused, 4, "failed")]
    {
        let server = Server::start([(models, vec![reply])]);
        let home = with_key(&server).settings("provider = \"api\"");
        let outcome = home.run(&["doctor", "--json"]);
        let steps = outcome.json()["steps"].clone();
        let names: Vec<&str> =
            steps.as_array().unwrap().iter().map(|step| step["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["files", "key", "address", "name", "connection"]);
        assert_eq!((outcome.code, steps[4]["status"].as_str()), (code, Some(last)), "{outcome:?}");
        assert!(!outcome.stdout.contains(KEY));
    }
    let outcome = Home::new(&Server::start([])).settings("provider = \"api\"").run(&["doctor"]);
    assert_eq!(outcome.code, 4);
    assert!(outcome.stdout.contains("There is no API key."), "{outcome:?}");
}

#[test]
fn a_key_is_stored_beside_the_session_and_outlives_its_refusal() {
    let web = Server::start([(ASK, vec![Reply::status(401).body("{}")])]);
    let api = Server::start([(CHAT, vec![good(), good()])]);
    let home = Home::new(&web).env("PERPLEXITY_BASE_URL", api.url()).without("PERPLEXITY_API_KEY");
    let home = home.stdin(format!("{KEY}\n"));
    let outcome = home.run(&["login", "--api-key"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(
        outcome.stdout.starts_with("Stored the API key in ") && !outcome.stdout.contains(KEY),
        "{outcome:?}"
    );
    assert_eq!(home.stored(), json!({"api_key": KEY}));
    assert_eq!(home.run(&["search", "--provider", "api", "q"]).code, 0);
    assert_eq!(api.request().header("authorization"), Some(&*format!("Bearer {KEY}")));
    assert!(home.run(&["search", "q"]).stderr.contains("use the API key from /"));

    home.write_auth(&json!({"type": "oauth", "access": TOKEN, "api_key": KEY}).to_string());
    assert!(home.run(&["status"]).stdout.contains("API key: from /"));
    assert_eq!(home.run(&["search", "q"]).code, 4);
    assert_eq!(home.stored(), json!({"api_key": KEY}), "the refused session is gone, the key is not");
    assert_eq!(home.run(&["search", "--provider", "api", "q"]).code, 0);
    let outcome = home.run(&["logout"]);
    assert!(outcome.stdout.ends_with("is deleted, with the API key in it.\n"), "{outcome:?}");
    assert!(!home.auth().exists());
}

#[cfg(unix)]
#[test]
fn a_stored_key_is_private_and_a_login_keeps_it() {
    use std::os::unix::fs::PermissionsExt;
    let server = Server::start([]);
    let home = Home::new(&server).stdin(KEY);
    assert_eq!(home.run(&["login", "--api-key"]).code, 0);
    assert_eq!(std::fs::metadata(home.auth()).unwrap().permissions().mode() & 0o777, 0o600);
    let home = home.stdin(TOKEN);
    home.run(&["login", "--with-token"]);
    assert_eq!((&home.stored()["access"], &home.stored()["api_key"]), (&json!(TOKEN), &json!(KEY)));
    let home = home.stdin("other-key");
    assert_eq!(home.run(&["login", "--api-key"]).code, 0);
    assert_eq!((&home.stored()["access"], &home.stored()["api_key"]), (&json!(TOKEN), &json!("other-key")));
    let home = home.stdin("two words");
    assert_eq!(home.run(&["login", "--api-key"]).code, 2);
    assert_eq!(home.stored()["api_key"], "other-key");
    let outcome = home.env("PERPLEXITY_API_KEY", KEY).run(&["login", "--api-key"]);
    assert_eq!(outcome.code, 2, "{outcome:?}");
}

#[test]
fn damage_and_odd_ends_of_a_stream_cost_nothing() {
    let delta = |content: &str, reason: &str| {
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{content}\"}}{reason}}}]}}\n\n")
    };
    let stop = ",\"finish_reason\":\"stop\"";
    for (body, code, answer) in [
        (delta("a\\ud83d", "") + &delta("\\ude00b", "") + &delta(" end", stop), 0, "a\u{FFFD}\u{FFFD}b end"),
        (delta("a", ",\"finish_reason\":\"\"") + &delta("b", ",\"finish_reason\":\"\""), 8, "ab"),
        (
            delta("ab", "")
                + "data: {\"type\":\"end_of_stream\",\"status\":\"COMPLETED\",\"choices\":[]}\n\n",
            0,
            "ab",
        ),
        (delta("paid", "") + "data: {\"search_results\":\"x\"}\n\n", 1, "paid"),
        (delta("paid", "") + "data: {\"error\":{\"message\":\"boom\",\"code\":500}}\n\n", 6, "paid"),
        (
            "data: {\"choices\":[{\"message\":{\"content\":\"ha\"},\"delta\":{\"content\":\"ha\"}}]}\n\n"
                .repeat(3),
            8,
            "hahaha",
        ),
    ] {
        let (outcome, lines) = streamed(Reply::stream(&body));
        let last = lines.last().unwrap();
        let text = last.get("answer").or(last.get("partial_answer")).unwrap();
        assert_eq!((outcome.code, text), (code, &json!(answer)), "{body}: {outcome:?}");
    }
    let open = Reply::events().write(delta("ab", stop)).hang();
    let started = std::time::Instant::now();
    let (outcome, lines) = streamed(open);
    assert_eq!((outcome.code, &lines.last().unwrap()["complete"]), (0, &json!(true)), "{outcome:?}");
    assert!(
        started.elapsed() < std::time::Duration::from_secs(8),
        "a whole text waits for its cost, not for ever"
    );
}

#[test]
fn defaults_are_checked_as_what_is_typed_and_models_of_the_subscription_are_left_to_it() {
    let server = Server::start([(CHAT, vec![good()])]);
    let home = with_key(&server).settings("provider = \"api\"\nlimit = 0");
    assert_eq!(home.run(&["search", "q"]).code, 2);
    let outcome = home.env("PPLX_FORMAT", "json").run(&["search", "q"]);
    assert_eq!(outcome.json()["error"]["kind"], "usage");
    let home = with_key(&server)
        .settings("provider = \"api\"\nmodel = \"claude46sonnet\"")
        .env("PPLX_MODEL", "pplx_pro_upgraded");
    assert_eq!(home.run(&["search", "q"]).code, 0);
    assert_eq!(server.request().json()["model"], "sonar");
}

#[cfg(unix)]
#[test]
fn a_signal_at_a_hidden_prompt_restores_the_terminal() {
    for (signal, code) in [("-TERM", 143), ("-HUP", 129)] {
        let home = Home::new(&Server::start([])).env("TERM", "xterm");
        let mut terminal = crate::support::terminal::Terminal::start(home.command(&["login", "--api-key"]));
        terminal.wait_for("API key (it is not shown): ");
        terminal.type_in("abc");
        terminal.wait_until_hidden();
        std::process::Command::new("kill").args([signal, &terminal.id().to_string()]).status().unwrap();
        let terminal = terminal.ended();
        assert!(terminal.echoes(), "{signal}");
        assert_eq!(terminal.finish().0, code);
    }
}
