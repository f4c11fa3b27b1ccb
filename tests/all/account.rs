//! What the service says about the account: `pplx models`, `pplx status --online`.

use crate::support::{ASK, Home, Reply, Server, answered};

const CONFIG: &str = "GET /rest/models/config";
const SESSION: &str = "GET /api/auth/session";
const LIMITS: &str = "GET /rest/rate-limit/status";

fn config() -> Reply {
    Reply::json(
        r#"{"config_schema":"v1","models":{"pplx_pro":{"mode":"search"},"gpt_small":{},"gpt_small_thinking":{},"pplx_alpha":{"mode":"research"}},
        "config":[{"label":"Best","non_reasoning_model":"pplx_pro","reasoning_model":null,"subscription_tier":"pro"},
        {"label":"GPT Small \u001b[31m","non_reasoning_model":"gpt_small","reasoning_model":"gpt_small_thinking","subscription_tier":"max"},7],
        "default_models":{"search":"pplx_pro"}}"#,
    )
}

const TABLE: &str = "MODEL      THINKING            PLAN  NAME\npplx_pro   -                   pro   Best\n\
                     gpt_small  gpt_small_thinking  max   GPT Small\n";

#[test]
fn models_are_listed_live_and_kept_for_a_day() {
    let server = Server::start([(CONFIG, vec![config(), config()])]);
    let home = Home::logged_in(&server);
    home.run(&["models"]).is(0, TABLE, "");
    home.run(&["models"]).is(0, TABLE, "");
    assert_eq!(server.requests().len(), 1, "the second comes from the cache");
    let json = home.run(&["models", "--refresh", "--json"]).json();
    assert_eq!(json["source"], "live");
    assert_eq!(
        json["models"][1],
        serde_json::json!({"id": "gpt_small", "thinking": "gpt_small_thinking", "label": "GPT Small \u{1B}[31m", "tier": "max"})
    );
    assert_eq!(home.database().execute("UPDATE model_list SET fetched = 1", []).unwrap(), 1);
    let stale = home.run(&["models"]);
    assert_eq!(
        (stale.code, stale.stdout.as_str()),
        (0, TABLE),
        "an old list is better than the built-in one"
    );
    assert!(
        stale.stderr.starts_with("warning: ") && stale.stderr.contains("This is not the live list."),
        "{stale:?}"
    );
}

#[test]
fn without_the_service_there_is_a_short_list() {
    for reply in [Reply::status(500), Reply::json("[]"), Reply::json("<html>")] {
        let server = Server::start([(CONFIG, vec![reply])]);
        let outcome = Home::logged_in(&server).run(&["models"]);
        assert!(outcome.code == 0 && outcome.stdout.contains("pplx_pro_upgraded"), "{outcome:?}");
        assert!(outcome.stderr.starts_with("warning: "), "{outcome:?}");
    }
    let outcome = Home::new(&Server::start([])).run(&["models", "--json"]);
    assert_eq!((outcome.code, outcome.json()["source"].as_str()), (0, Some("built-in")));
}

#[test]
fn a_model_that_is_not_listed_is_asked_all_the_same_with_a_note() {
    let server = Server::start([(CONFIG, vec![config()]), (ASK, vec![Reply::stream(answered("Yes.")); 3])]);
    let home = Home::logged_in(&server);
    home.run(&["models"]);
    let outcome = home.run(&["search", "-f", "answer", "-m", "gpt_smal", "q"]);
    outcome.is(0, "Yes.\n", "note: \"gpt_smal\" is not among the models known here; did you mean gpt_small, gpt_small_thinking?\n");
    assert_eq!(server.requests()[1].json()["params"]["model_preference"], "gpt_smal");
    home.run(&["search", "-f", "answer", "-m", "gpt_small_thinking", "q"]).is(0, "Yes.\n", "");
    home.run(&["search", "-q", "-f", "answer", "-m", "zzz", "q"]).is(0, "Yes.\n", "");
}

#[test]
fn status_asks_the_service_for_plan_and_limits() {
    let session = || Reply::json(r#"{"user":{"email":"user@example.com","subscription_tier":"pro"}}"#);
    let limits = || {
        Reply::json(
            r#"{"modes":{"pro_search":{"available":true,"remaining_detail":{"kind":"not_provided","remaining":0}},
            "research":{"available":true,"remaining_detail":{"kind":"exact","remaining":12}},"labs":{"available":false}}}"#,
        )
    };
    let server = Server::start([
        (SESSION, vec![session(), session(), session()]),
        (LIMITS, vec![limits(), limits(), Reply::status(403)]),
    ]);
    let home = Home::logged_in(&server);
    let outcome = home.run(&["status", "--online"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    assert!(
        outcome.stdout.ends_with(
            "Plan: pro\nLimit of labs: none left\nLimit of pro_search: available, number not provided\nLimit of research: 12 left\n"
        ),
        "{outcome:?}"
    );
    let json = home.run(&["status", "--online", "--json"]).json();
    assert_eq!((json["plan"].as_str(), json["logged_in"].as_bool()), (Some("pro"), Some(true)));
    assert_eq!(
        json["limits"][2],
        serde_json::json!({"kind": "research", "available": true, "remaining": 12})
    );
    let outcome = home.run(&["status", "--online"]);
    assert!(
        outcome.code == 0 && outcome.stdout.ends_with("Plan: pro\nLimits: not provided\n"),
        "{outcome:?}"
    );
}

#[test]
fn a_session_that_the_service_does_not_know_is_not_usable() {
    let server = Server::start([(SESSION, vec![Reply::json("{}"), Reply::json("{}")])]);
    let home = Home::logged_in(&server);
    let outcome = home.run(&["status", "--online"]);
    assert_eq!(outcome.code, 4, "{outcome:?}");
    assert!(outcome.stderr.starts_with("The session was not accepted"), "{outcome:?}");
    let outcome = home.run(&["status", "--online", "--json"]);
    assert_eq!((outcome.code, outcome.json()["logged_in"].as_bool()), (4, Some(false)));
}

#[test]
fn a_session_rotated_on_the_way_is_kept() {
    let rotating =
        config().header("Set-Cookie", "__Secure-next-auth.session-token=second.session.token; Path=/");
    let server = Server::start([(CONFIG, vec![rotating])]);
    let home = Home::logged_in(&server);
    assert_eq!(home.run(&["models"]).code, 0);
    assert_eq!(home.stored()["access"], "second.session.token");
}

#[test]
fn the_doctor_finds_everything_in_order() {
    let session = || Reply::json(r#"{"user":{"email":"user@example.com","subscription_tier":"pro"}}"#);
    let server =
        Server::start([(SESSION, vec![session(), session()]), (ASK, vec![Reply::stream(answered("pong"))])]);
    let home = Home::logged_in(&server);
    let outcome = home.run(&["doctor"]);
    let path = home.auth();
    outcome.is(
        0,
        &format!(
            "ok       files        {} is there\nok       credential   {}\nok       address      {}/\nok       name         127.0.0.1 is 127.0.0.1\n\
             ok       connection   TLS and the edge let requests through\nok       session      user@example.com, plan pro\n\
             ok       stream       the service began an answer that can be read\n",
            path.display(),
            path.display(),
            server.url()
        ),
        "",
    );
    let quick = home.run(&["doctor", "--no-ask", "--json"]).json();
    assert_eq!((quick["ok"].as_bool(), quick["steps"][6]["status"].as_str()), (Some(true), Some("skipped")));
}

#[test]
fn the_doctor_names_the_first_thing_that_is_missing() {
    let page = Reply::status(403).header("Content-Type", "text/html").body("<title>Just a moment...</title>");
    let known = || Reply::json(r#"{"user":{"email":"user@example.com"}}"#);
    for (script, step, code, hint) in [
        (vec![(SESSION, vec![page])], "connection", 7, "does not help"),
        (vec![(SESSION, vec![Reply::json("{}")])], "session", 4, "pplx login"),
        (vec![(SESSION, vec![known()]), (ASK, vec![Reply::status(429)])], "stream", 5, "wait"),
        (
            vec![(SESSION, vec![known()]), (ASK, vec![Reply::status(200).body("<html>")])],
            "stream",
            1,
            "sign-in",
        ),
    ] {
        let server = Server::start(script);
        let outcome = Home::logged_in(&server).run(&["doctor", "--json"]);
        assert_eq!(outcome.code, code, "{outcome:?}");
        let failed: Vec<_> = outcome.json()["steps"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|step| step["status"] == "failed")
            .cloned()
            .collect();
        assert_eq!((failed.len(), failed[0]["name"].as_str()), (1, Some(step)));
        assert!(failed[0]["hint"].as_str().unwrap().contains(hint), "{outcome:?}");
    }
    let server = Server::start([]);
    let outcome = Home::new(&server).run(&["doctor"]);
    assert_eq!(outcome.code, 4);
    assert!(outcome.stdout.contains("failed   credential   Not authenticated.\n                      hint: run `pplx login`\nskipped  address\nskipped  name\n"), "{outcome:?}");
    let broken = Home::logged_in(&server).settings("[").run(&["doctor"]);
    assert_eq!(broken.code, 2, "{broken:?}");
    assert!(
        broken.stdout.contains("failed   files") && broken.stdout.contains("settings.toml"),
        "{broken:?}"
    );
    let nowhere = Home::at("https://no-such-host.invalid").env("PPLX_TOKEN", "a.b.c");
    let outcome = nowhere.run(&["doctor"]);
    assert!(outcome.code == 6 && outcome.stdout.contains("failed   name"), "{outcome:?}");
}

#[test]
fn saved_threads_are_listed_shown_exported_and_deleted() {
    let rows = r#"[{"slug":"tides-Ab1","title":"Tides \u001b[31m\u202e","last_query_datetime":"2000-01-01T00:00:00","read_write_token":"rw","total_threads":2},
        {"slug":"eels-Cd2","query_str":"eels?"},{"title":"no name"},7]"#
        .replace(",7]", "]");
    let entry = |id: &str, query: &str, answer: &str| {
        format!(
            "{{\"backend_uuid\":\"{id}\",\"context_uuid\":\"context-1\",\"query_str\":\"{query}\",\"status\":\"COMPLETED\",\"display_model\":\"gpt_small\",\
             \"blocks\":[{{\"intended_usage\":\"ask_text\",\"markdown_block\":{{\"answer\":\"{answer}\"}}}},{{\"intended_usage\":\"web_results\",\
             \"web_result_block\":{{\"web_results\":[{{\"name\":\"T\",\"url\":\"https://a.example/\"}}]}}}}]}}"
        )
    };
    let thread = format!(
        "{{\"status\":\"success\",\"entries\":[{},{}],\"thread_metadata\":{{}}}}",
        entry("e-1", "when is high water", "At noon [1]."),
        entry("e-2", "and low?", "At six [1].")
    );
    let get = "GET /rest/thread/tides-Ab1";
    let list = "POST /rest/thread/list_ask_threads";
    let server = Server::start([
        (list, vec![Reply::json(&rows), Reply::json(&rows)]),
        (
            get,
            vec![
                Reply::json(&thread),
                Reply::json(&thread),
                Reply::json(&thread),
                Reply::json(&thread),
                Reply::status(404),
            ],
        ),
        ("DELETE /rest/thread", vec![Reply::json(r#"{"status":"success"}"#)]),
    ]);
    let home = Home::logged_in(&server);
    let outcome = home.run(&["threads"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    assert!(
        outcome.stdout.starts_with("tides-Ab1  Tides (")
            && outcome.stdout.ends_with("eels-Cd2  eels? (unknown)\n"),
        "{outcome:?}"
    );
    let outcome = home.run(&["threads", "list", "-n", "3", "--search", "tide", "--json"]);
    assert!(outcome.stdout.contains(r"Tides \u001b[31m\u202e"), "nothing steers the terminal: {outcome:?}");
    let json = outcome.json();
    assert_eq!(
        json["threads"][1],
        serde_json::json!({"thread": "eels-Cd2", "title": "eels?", "asked": null})
    );
    assert_eq!(server.requests()[1].json()["limit"], 3);
    assert_eq!(server.requests()[1].json()["search_term"], "tide");
    let expected = "# when is high water\n\n## Answer\nAt noon [1].\n\n## Sources\n1 source\n[1] T (unknown)\n    https://a.example/\n\n\
                    # and low?\n\n## Answer\nAt six [1].\n\n## Sources\n1 source\n[1] T (unknown)\n    https://a.example/\n\n";
    home.run(&["threads", "show", "tides-Ab1"]).is(0, expected, "");
    let json = home.run(&["threads", "show", "tides-Ab1", "--json"]).json();
    assert_eq!(
        (json["entries"][1]["query"].as_str(), json["entries"][1]["answer"].as_str()),
        (Some("and low?"), Some("At six [1]."))
    );
    home.run(&["threads", "export", "tides-Ab1", "out.md"]).is(0, "Exported to out.md.\n", "");
    assert_eq!(std::fs::read_to_string(home.path().join("out.md")).unwrap(), expected);
    home.run(&["threads", "delete", "tides-Ab1"]).is(0, "Deleted tides-Ab1.\n", "");
    let deleted =
        server.requests().into_iter().find(|request| request.key.starts_with("DELETE")).unwrap().json();
    assert_eq!(deleted["entry_uuids"], serde_json::json!(["e-1", "e-2"]));
    assert_eq!(deleted["context_uuids"], serde_json::json!(["context-1"]));
    let gone = home.run(&["threads", "show", "tides-Ab1"]);
    assert_eq!(gone.code, 1, "{gone:?}");
}

#[test]
fn a_session_that_is_refused_is_cleared_whatever_was_asked() {
    for (args, key) in [
        (&["threads", "list"][..], "POST /rest/thread/list_ask_threads"),
        (&["models", "--refresh"], "GET /rest/models/config"),
        (&["search", "--attach", "a.txt", "q"], "POST /rest/uploads/batch_create_upload_urls"),
    ] {
        let refused = Reply::status(401).header("Content-Type", "application/json").body("{}");
        let server = Server::start([(key, vec![refused])]);
        let home = Home::logged_in(&server);
        std::fs::write(home.path().join("a.txt"), "text").unwrap();
        let outcome = home.run(args);
        assert!(outcome.stderr.contains("The service refused the session"), "{outcome:?}");
        assert!(!home.auth().exists(), "{args:?}");
    }
}
