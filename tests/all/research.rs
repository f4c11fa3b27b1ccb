//! Deep research: its report, its id, and a connection that breaks on the way.

use crate::support::{ASK, Home, Reply, Server};

const RECONNECT: &str = "POST /rest/sse/perplexity_ask/reconnect/run-1";

fn frame(status: &str, blocks: &str) -> String {
    format!(
        "data: {{\"status\":\"{status}\",\"display_model\":\"pplx_alpha\",\"backend_uuid\":\"run-1\",\"blocks\":[{blocks}]}}\n\n"
    )
}

fn report(text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    format!(
        "{{\"intended_usage\":\"unified_assets\",\"unified_assets_block\":{{\"assets\":[{{\"research_report\":{{\"source_content\":{text}}}}}]}}}}"
    )
}

const COVER: &str =
    "{\"intended_usage\":\"ask_text\",\"markdown_block\":{\"chunks\":[\"I wrote a report.\"]}}";

fn told() -> String {
    "note: research run run-1; `pplx research get run-1` fetches it at any time\n".to_owned()
}

#[test]
fn the_report_is_the_answer_and_the_run_is_named_at_once() {
    let reply = Reply::events().write(frame("PENDING", "")).pause(300).write(frame("PENDING", COVER));
    let server = Server::answering(reply.write(frame("COMPLETED", &report("# Eels\n\nThey breed at sea."))));
    let home = Home::logged_in(&server);
    let outcome = home.run(&["search", "--research", "-f", "answer", "eels"]);
    outcome.is(0, "# Eels\n\nThey breed at sea.\n", &told());
    assert_eq!(server.request().json()["params"]["model_preference"], "pplx_alpha");
    assert_eq!(server.request().json()["params"]["mode"], "copilot");
}

#[test]
fn a_run_whose_connection_breaks_is_taken_up_again_and_never_asked_twice() {
    let first = Reply::events().write(frame("PENDING", &report("# Eels"))).cut();
    let whole = frame("PENDING", &report("# Eels\n\nThey breed"));
    let second = Reply::events().write(&whole).cut();
    let third = Reply::stream([whole, frame("COMPLETED", &report("# Eels\n\nThey breed at sea."))].concat());
    let server = Server::start([(ASK, vec![first]), (RECONNECT, vec![Reply::dropped(), second, third])]);
    let outcome = Home::logged_in(&server).run(&["search", "--research", "-f", "ndjson", "eels"]);
    assert_eq!((outcome.code, outcome.stderr), (0, told()));
    let lines: Vec<serde_json::Value> =
        outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0], serde_json::json!({"type": "run", "id": "run-1"}));
    let texts: Vec<_> = lines
        .iter()
        .filter(|line| line["type"] == "text")
        .map(|line| (line["at"].as_u64(), line["text"].as_str()))
        .collect();
    assert_eq!(
        texts,
        [(Some(0), Some("# Eels")), (Some(6), Some("\n\nThey breed")), (Some(18), Some(" at sea."))],
        "nothing is told twice"
    );
    assert_eq!(lines.last().unwrap()["answer"], "# Eels\n\nThey breed at sea.");
    let requests = server.requests();
    assert_eq!(requests.iter().filter(|request| request.key == ASK).count(), 1);
    assert_eq!(requests[1].json(), serde_json::json!({"reconnectInitialSnapshot": true}));
    assert!(requests[1].header("cookie").is_some());
}

#[test]
fn a_run_that_is_gone_leaves_what_had_arrived() {
    let first = Reply::events().write(frame("PENDING", &report("# Eels"))).cut();
    let gone = Reply::status(403).header("Content-Type", "application/json").body("{}");
    let server = Server::start([(ASK, vec![first]), (RECONNECT, vec![gone])]);
    let home = Home::logged_in(&server);
    let outcome = home.run(&["search", "--research", "--json", "eels"]);
    assert_eq!((outcome.code, outcome.json()["answer"].as_str()), (8, Some("# Eels")));
    assert!(outcome.json()["notes"][1].as_str().unwrap().contains("pplx research get run-1"), "{outcome:?}");
    assert!(home.auth().exists(), "the session is not what was refused");
}

#[test]
fn an_ordinary_search_is_not_taken_up() {
    let server = Server::answering(Reply::events().write(frame("PENDING", COVER)).cut());
    assert_eq!(Home::logged_in(&server).run(&["search", "q"]).code, 8);
    assert_eq!(server.request().key, ASK);
}

#[test]
fn a_run_is_fetched_when_it_is_over_or_waited_for() {
    let over = Reply::stream(frame("COMPLETED", &report("# Eels")));
    let running = Reply::events()
        .write(frame("PENDING", &report("# E")))
        .pause(200)
        .write(frame("COMPLETED", &report("# Eels")));
    let gone = Reply::status(403).header("Content-Type", "application/json").body("{}");
    let server = Server::start([(RECONNECT, vec![over, running, gone])]);
    let home = Home::logged_in(&server);
    for _ in 0..2 {
        home.run(&["research", "get", "run-1", "-f", "answer"]).is(0, "# Eels\n", "");
    }
    let outcome = home.run(&["research", "get", "run-1"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(home.auth().exists());
}

#[test]
fn a_run_goes_on_with_the_session_that_took_the_place_of_the_first() {
    let rotating = |reply: Reply, to: &str| {
        reply.header("Set-Cookie", &format!("__Secure-next-auth.session-token={to}; Path=/; HttpOnly"))
    };
    let first =
        rotating(Reply::events(), "second.session.token").write(frame("PENDING", &report("# Eels"))).cut();
    let second = rotating(Reply::events(), "third.session.token").write(frame("PENDING", "")).cut();
    let third = Reply::stream(frame("COMPLETED", &report("# Eels")));
    let server = Server::start([(ASK, vec![first]), (RECONNECT, vec![second, third])]);
    let home = Home::logged_in(&server);
    home.run(&["search", "--research", "-q", "-f", "answer", "eels"]).is(0, "# Eels\n", "");
    let requests = server.requests();
    assert_eq!(requests[1].header("authorization"), Some("Bearer second.session.token"));
    assert_eq!(requests[2].header("authorization"), Some("Bearer third.session.token"));
    assert_eq!(home.stored()["access"], "third.session.token");
}

#[test]
fn a_run_that_cannot_be_fetched_as_asked_says_so_in_json() {
    let home = Home::at("http://127.0.0.1:9").settings("limit = \"many\"");
    let outcome = home.run(&["research", "get", "run-1", "--json"]);
    assert_eq!((outcome.code, outcome.json()["error"]["kind"].as_str()), (2, Some("usage")));
}
