//! A conversation at a terminal: line editing, follow-ups, commands, and what ends it.

use std::fs;
use std::process::Command;

use crate::support::terminal::Terminal;
use crate::support::{ASK, Home, Reply, Server, pending};

const PROMPT: &str = "> ";

/// The whole answer `text`, with the handle for a follow-up.
fn said(text: &str, entry: &str) -> Reply {
    Reply::stream(format!(
        "data: {{\"status\":\"COMPLETED\",\"final\":true,\"display_model\":\"pplx_pro_upgraded\",\"backend_uuid\":\"{entry}\",\
         \"read_write_token\":\"rw-{entry}\",\"blocks\":[{{\"intended_usage\":\"ask_text\",\"markdown_block\":{{\"chunks\":[\"{text}\"]}}}}]}}\n\n"
    ))
}

/// An answer that begins with `text` and never ends.
fn endless(text: &str) -> Reply {
    Reply::events().write(pending(0, text)).hang()
}

fn start(replies: Vec<Reply>, args: &[&str]) -> (Server, Home, Terminal) {
    let server = Server::start([(ASK, replies)]);
    let home = Home::logged_in(&server).env("TERM", "xterm-256color");
    let terminal = Terminal::start(home.command(&[&["chat"], args].concat()));
    terminal.wait_for(PROMPT);
    (server, home, terminal)
}

fn signal(name: &str, terminal: &Terminal) {
    let sent = Command::new("kill").args([name, &terminal.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// The parameters of all questions.
fn asked(server: &Server) -> Vec<(String, serde_json::Value)> {
    let bodies = server.requests().into_iter().map(|request| request.json());
    bodies.map(|body| (body["query_str"].as_str().unwrap().to_owned(), body["params"].clone())).collect()
}

/// Leaves with Ctrl-D. Everything written.
#[track_caller]
fn leave(mut terminal: Terminal) -> String {
    terminal.type_in("\x04");
    let (code, seen) = terminal.finish();
    assert_eq!(code, 0, "{seen:?}");
    seen
}

#[test]
fn each_question_follows_up_on_the_answer_before_it() {
    let replies = ["e-1", "e-2", "e-3", "e-4"].map(|entry| said("An answer.", entry)).to_vec();
    let (server, home, mut terminal) = start(replies, &["-r", "week"]);
    terminal.type_in("one\r");
    terminal.wait_for_both("thread e-1", PROMPT);
    terminal.type_in("two\r");
    terminal.wait_for_both("thread e-2", PROMPT);
    terminal.type_in("/new\r");
    terminal.wait_for("begins a new thread.");
    terminal.type_in("three\r");
    terminal.wait_for_both("thread e-3", PROMPT);
    leave(terminal);
    assert_eq!(home.run(&["search", "--thread", "e-2", "four"]).code, 0);
    let asked = asked(&server);
    let questions: Vec<_> = asked
        .iter()
        .map(|(query, params)| (query.as_str(), params.get("last_backend_uuid").and_then(|id| id.as_str())))
        .collect();
    assert_eq!(
        questions,
        [("one", None), ("two", Some("e-1")), ("three", None), ("four", Some("e-2"))],
        "the program outside knows them"
    );
    assert_eq!(asked[0].1["search_recency_filter"], "week");
}

#[test]
fn commands_change_what_is_asked_from_then_on() {
    let (server, _home, mut terminal) = start(vec![said("Done.", "e-1")], &["-m", "model-a"]);
    for (typed, told) in [
        ("/model\r", "Asking model-a."),
        ("/model model-b\r", "Asking model-b."),
        ("/recency fortnight\r", "\"fortnight\" is no age."),
        ("/recency day\r", "Searching pages of the last day."),
        ("/source scholar social\r", "Searching scholar, social."),
        ("/modle x\r", "There is no command /modle; nothing was asked."),
        ("/help\r", "/recency [AGE]"),
        ("/save nothing.md\r", "There is nothing to save yet."),
    ] {
        terminal.type_in(typed);
        terminal.wait_for_both(told, PROMPT);
    }
    terminal.type_in("/etc/hosts: what is it?\r");
    terminal.wait_for_both("thread e-1", PROMPT);
    leave(terminal);
    let asked = asked(&server);
    assert_eq!(asked.len(), 1);
    let (query, params) = &asked[0];
    assert_eq!(query, "/etc/hosts: what is it?");
    assert_eq!(
        (&params["model_preference"], &params["search_recency_filter"], &params["sources"]),
        (&"model-b".into(), &"day".into(), &serde_json::json!(["scholar", "social"]))
    );
}

#[test]
fn an_interrupt_stops_the_answer_and_not_the_conversation_every_time() {
    let replies =
        vec![said("First.", "e-1"), endless("Half an"), endless("A third of"), said("Whole.", "e-4")];
    let (server, _home, mut terminal) = start(replies, &[]);
    terminal.type_in("one\r");
    terminal.wait_for_both("thread e-1", PROMPT);
    for (question, begun, times) in [("two\r", "Half an", 1), ("three\r", "A third of", 2)] {
        terminal.type_in(question);
        terminal.wait_for(begun);
        signal("-INT", &terminal);
        terminal.wait_for_times("Interrupted.", times);
    }
    terminal.type_in("four\r");
    terminal.wait_for_both("thread e-4", PROMPT);
    leave(terminal);
    let asked = asked(&server);
    let followed: Vec<_> = asked.iter().map(|(_, params)| params["last_backend_uuid"].as_str()).collect();
    assert_eq!(
        followed,
        [None, Some("e-1"), Some("e-1"), Some("e-1")],
        "an answer that was stopped has no follow-up"
    );
}

#[test]
fn ctrl_c_at_the_prompt_throws_the_line_away() {
    let (server, _home, mut terminal) = start(vec![said("Done.", "e-1")], &[]);
    terminal.type_in("not this\x03");
    terminal.wait_for("Ctrl-D leaves.\r\n");
    signal("-INT", &terminal);
    // Nothing shows that the signal was heard; on a busy machine the line would come first and be interrupted by it.
    std::thread::sleep(std::time::Duration::from_millis(500));
    terminal.type_in("but this\r");
    terminal.wait_for_both("thread e-1", PROMPT);
    leave(terminal);
    assert_eq!(asked(&server)[0].0, "but this");
}

#[test]
fn a_signal_at_the_prompt_ends_the_program_and_restores_the_terminal() {
    for (name, code) in [("-TERM", 143), ("-HUP", 129)] {
        let (_server, _home, mut terminal) = start(vec![], &[]);
        assert!(!terminal.echoes(), "the editor draws what is typed");
        terminal.type_in("half a ques");
        terminal.wait_for("ques");
        signal(name, &terminal);
        let terminal = terminal.ended();
        assert!(terminal.echoes(), "the terminal is as it was");
        let (ended, seen) = terminal.finish();
        assert_eq!(ended, code);
        assert!(seen.contains("\x1B[?2004l"), "pasting is as it was: {seen:?}");
    }
}

#[test]
fn a_signal_during_an_answer_ends_the_program() {
    let (_server, _home, mut terminal) = start(vec![endless("Half an")], &[]);
    terminal.type_in("one\r");
    terminal.wait_for("Half an");
    signal("-TERM", &terminal);
    let (code, seen) = terminal.finish();
    assert_eq!(code, 143);
    assert!(seen.contains("Half an") && seen.contains("Terminated."), "{seen:?}");
}

#[test]
fn several_pasted_lines_are_one_question() {
    let (server, _home, mut terminal) = start(vec![said("Done.", "e-1")], &[]);
    terminal.type_in("\x1B[200~what is\r\nthis\n/new\x1B[201~");
    terminal.type_in("?\r");
    terminal.wait_for_both("thread e-1", PROMPT);
    leave(terminal);
    assert_eq!(asked(&server)[0].0, "what is\nthis\n/new?");
}

#[test]
fn a_failure_is_told_and_the_conversation_goes_on() {
    let replies = vec![Reply::status(429).body("{}"), said("Now.", "e-2")];
    let (_server, _home, mut terminal) = start(replies, &[]);
    terminal.type_in("one\r");
    terminal.wait_for_both("Rate limited by the service.", PROMPT);
    terminal.type_in(&format!("{}\r", "x".repeat(96_001)));
    terminal.wait_for("96001 characters long");
    terminal.type_in("two\r");
    terminal.wait_for_both("thread e-2", PROMPT);
    leave(terminal);
}

#[test]
fn the_history_outlives_the_run_and_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let replies = vec![said("First.", "e-1"), said("Hidden.", "e-2"), said("Again.", "e-3")];
    let (server, home, mut terminal) = start(replies, &[]);
    terminal.type_in("an old question\r");
    terminal.wait_for_both("thread e-1", PROMPT);
    terminal.type_in(" a quiet one\r");
    terminal.wait_for_both("thread e-2", PROMPT);
    leave(terminal);
    let kept = home.path().join("state/pplx/chat-history");
    assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    let lines = fs::read_to_string(&kept).unwrap();
    assert!(lines.contains("an old question") && !lines.contains("quiet"), "{lines}");
    let mut terminal = Terminal::start(home.command(&["chat", "-c"]));
    terminal.wait_for(PROMPT);
    terminal.type_in("\x1B[A");
    terminal.wait_for("an old question");
    terminal.type_in("!\r");
    terminal.wait_for_both("thread e-3", PROMPT);
    leave(terminal);
    let (query, params) = asked(&server)[2].clone();
    assert_eq!((query.as_str(), params["last_backend_uuid"].as_str()), ("an old question!", Some("e-2")));
}

#[test]
fn a_conversation_is_saved_as_markdown() {
    let (_server, home, mut terminal) = start(vec![said("First.", "e-1"), said("Second.", "e-2")], &[]);
    terminal.type_in("one\r");
    terminal.wait_for_both("thread e-1", PROMPT);
    terminal.type_in("two\r");
    terminal.wait_for_both("thread e-2", PROMPT);
    terminal.type_in("/save talk it over.md\r");
    terminal.wait_for_both("Saved to talk it over.md.", PROMPT);
    terminal.type_in("/save no/such/folder.md\r");
    terminal.wait_for_both("Could not write no/such/folder.md", PROMPT);
    leave(terminal);
    let saved = fs::read_to_string(home.path().join("talk it over.md")).unwrap();
    let places = ["one", "First.", "two", "Second."].map(|text| saved.find(text).unwrap());
    assert!(places.is_sorted(), "{saved}");
}

#[test]
fn tab_completes_commands_and_their_values() {
    let (_server, _home, mut terminal) = start(vec![], &[]);
    terminal.type_in("/rec\tmon\t\r");
    terminal.wait_for_both("Searching pages of the last month.", PROMPT);
    leave(terminal);
}

#[test]
fn a_dumb_terminal_is_enough() {
    let server = Server::answering(said("Done.", "e-1"));
    let home = Home::logged_in(&server).env("TERM", "dumb");
    let mut terminal = Terminal::start(home.command(&["chat"]));
    terminal.wait_for(PROMPT);
    terminal.type_in("one\n");
    terminal.wait_for_both("Thread: e-1", PROMPT);
    let seen = leave(terminal);
    assert!(!seen.contains('\x1B'), "{seen:?}");
}

#[test]
fn without_a_terminal_or_a_session_there_is_no_chat() {
    let server = Server::start([]);
    let piped = Home::logged_in(&server).stdin("one\n").run(&["chat"]);
    piped.is(
        2,
        "",
        "A chat needs a terminal for its input and output.\nhint: `pplx search -c \"…\"` follows up on the last answer\n",
    );
    let home = Home::new(&server).env("TERM", "xterm");
    let (code, seen) = Terminal::start(home.command(&["chat"])).finish();
    assert_eq!(code, 4);
    assert!(seen.contains("pplx login") && !seen.contains("> "), "{seen:?}");
}

#[test]
fn where_the_api_is_chosen_a_chat_must_be_asked_of_the_subscription() {
    let server = Server::answering(said("Done.", "e-1"));
    let home = Home::logged_in(&server).env("TERM", "xterm").settings("provider = \"api\"");
    let (code, seen) = Terminal::start(home.command(&["chat"])).finish();
    assert!(code == 2 && seen.contains("pplx chat --provider web"), "{seen:?}");
    let mut terminal = Terminal::start(home.command(&["chat", "--provider", "web"]));
    terminal.wait_for(PROMPT);
    terminal.type_in("one\r");
    terminal.wait_for_both("thread e-1", PROMPT);
    leave(terminal);
}
