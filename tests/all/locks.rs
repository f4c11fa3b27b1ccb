//! Locks that another process holds, on everything that the program locks: an answer comes all the same, and whatever
//! waits has a limit.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

#[cfg(feature = "serve")]
use crate::support::Serving;
use crate::support::command::finish;
#[cfg(feature = "mcp")]
use crate::support::mcp::Client;
use crate::support::terminal::Terminal;
use crate::support::{ASK, Home, Reply, Server, TOKEN};

/// How long state may keep a run waiting, with something to spare for a slow machine.
const STATE_LIMIT: Duration = Duration::from_millis(3500);
/// What `/health` may take.
#[cfg(all(feature = "mcp", feature = "serve"))]
const HEALTH_LIMIT: Duration = Duration::from_millis(50);

/// How the prompt of a chat is drawn for the first time.
const PROMPT: &str = "\r\x1B[K> \r";

/// Everything that the program locks, held by this process until it is dropped.
struct Held {
    _files: Vec<File>,
    _database: Connection,
}

impl Held {
    /// The folders, the files, and the database, which is not there before.
    fn all(home: &Home) -> Self {
        let state = home.path().join("state/pplx");
        let folders =
            [state.clone(), state.join("queue"), state.join("files"), home.path().join("config/pplx")];
        let files = ["serve.lock", "chat-history", "queue/1.ticket"].map(|name| state.join(name));
        Self { _files: lock(&folders, &files), _database: hold(&state.join("state.db")) }
    }
}

fn lock(folders: &[PathBuf], files: &[PathBuf]) -> Vec<File> {
    for folder in folders {
        fs::create_dir_all(folder).unwrap();
    }
    for file in files {
        fs::write(file, "").unwrap();
    }
    let lock = |path: &PathBuf| {
        let file = File::open(path).unwrap();
        file.lock().unwrap();
        file
    };
    folders.iter().chain(files).map(lock).collect()
}

/// A database that nobody else can read or change.
fn hold(path: &Path) -> Connection {
    let database = Connection::open(path).unwrap();
    database.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;").unwrap();
    database
}

/// An answer with a handle for a follow-up, and a new session in place of the one that asked.
fn answer() -> Reply {
    let frame = json!({"status": "COMPLETED", "final": true, "display_model": "pplx_pro_upgraded", "backend_uuid": "entry-1",
        "blocks": [{"intended_usage": "ask_text", "markdown_block": {"chunks": ["Because."]}}]});
    Reply::stream(format!("data: {frame}\n\n"))
}

fn rotating() -> Reply {
    let rotated = format!("__Secure-next-auth.session-token={TOKEN}x; Path=/");
    answer().header("Set-Cookie", &rotated)
}

fn home(replies: Vec<Reply>) -> (Server, Home) {
    let server = Server::start([(ASK, replies)]);
    let home = Home::logged_in(&server);
    (server, home)
}

#[test]
fn an_answer_is_printed_before_it_is_remembered() {
    let (_server, home) = home(vec![answer()]);
    let held = Held::all(&home);
    let mut child = home.start(&["search", "why?"]);
    let started = Instant::now();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line == "Thread: entry-1"));
    assert!(child.try_wait().unwrap().is_none(), "it still waits for the database");
    let outcome = finish(child);
    assert!(started.elapsed() < STATE_LIMIT, "{:?}", started.elapsed());
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let path = home.path().join("state/pplx/state.db");
    let warning = format!("warning: Could not use {}: another process keeps it locked.\n", path.display());
    assert_eq!(outcome.stderr, warning);
    drop(held);
}

#[test]
fn a_new_session_that_cannot_be_kept_costs_no_answer() {
    let (_server, home) = home(vec![rotating()]);
    let _held = Held::all(&home);
    let outcome = home.run(&["search", "-q", "-f", "answer", "why?"]);
    outcome.is(0, "Because.\n", "");
    assert!(outcome.took < STATE_LIMIT * 2, "{outcome:?}");
    assert_eq!(home.stored()["access"], TOKEN);
}

#[test]
fn a_time_limit_and_signals_are_heard_while_state_is_waited_for() {
    let (_server, home) = home(vec![answer()]);
    let _held = Held::all(&home);
    let limited = home.run(&["search", "--timeout", "1", "why?"]);
    assert!(limited.code == 0 && limited.stdout.contains("Because."), "{limited:?}");
    assert!(limited.took < Duration::from_millis(1700), "{limited:?}");
    let follow_up = home.run(&["search", "--timeout", "1", "-c", "and?"]);
    assert!(follow_up.code == 6 && follow_up.took < Duration::from_millis(1700), "{follow_up:?}");
    let child = home.start(&["search", "-c", "and?"]);
    std::thread::sleep(Duration::from_millis(300));
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), Signal::INT).unwrap();
    let stopped = finish(child);
    assert!(stopped.code == 130 && stopped.took < Duration::from_millis(700), "{stopped:?}");
    let refused = home.run(&["search", "-c", "and?"]);
    assert!(refused.code == 1 && refused.stderr.contains("state.db"), "{refused:?}");
}

#[test]
fn a_chat_goes_on() {
    let (_server, home) = home(vec![answer(), answer()]);
    let home = home.env("TERM", "xterm-256color");
    let _held = Held::all(&home);
    let started = Instant::now();
    let mut terminal = Terminal::start(home.command(&["chat"]));
    for number in 1..=2 {
        terminal.wait_for_times(PROMPT, number);
        terminal.type_in("why?\r");
        terminal.wait_for_times("state.db: another process keeps it locked", number);
        terminal.wait_for_times("Because.", number);
    }
    terminal.wait_for_times(PROMPT, 3);
    terminal.type_in("\x04");
    assert_eq!(terminal.finish().0, 0);
    assert!(started.elapsed() < STATE_LIMIT * 4, "{:?}", started.elapsed());
}

#[cfg(feature = "mcp")]
#[test]
fn a_question_of_an_agent_is_answered_or_refused_in_time() {
    let (_server, home) = home(vec![answer()]);
    let state = home.path().join("state/pplx");
    let queue = lock(&[state.join("queue")], &[]);
    let mut client = Client::ready(home.command(&["mcp"]), "tests");
    let started = Instant::now();
    let refused = client.call("pplx_search", json!({"query": "why?"}));
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(refused["isError"] == true && text.contains("queue"), "{refused}");
    assert!(started.elapsed() < STATE_LIMIT, "{:?}", started.elapsed());
    let mut hasty = Client::ready(home.command(&["mcp", "--timeout", "1"]), "tests");
    let started = Instant::now();
    let refused = hasty.call("pplx_search", json!({"query": "why?"}));
    assert!(refused["isError"] == true, "{refused}");
    assert!(started.elapsed() < Duration::from_millis(1500), "{:?}", started.elapsed());
    drop(queue);
    fs::remove_dir_all(&state).unwrap();
    fs::create_dir_all(&state).unwrap();
    let _database = hold(&state.join("state.db"));
    let answered = client.call("pplx_search", json!({"query": "why?"}));
    assert_eq!(answered["structuredContent"]["answer"], "Because.", "{answered}");
}

#[cfg(all(feature = "mcp", feature = "serve"))]
/// A session of the server's tools for agents; its id.
fn begin_session(serving: &Serving) -> String {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string();
    let request = serving.request("POST", "/mcp").header("Content-Type", "application/json");
    let begun = request.header("Accept", "application/json, text/event-stream").body(body).send();
    begun.header("mcp-session-id").unwrap().to_owned()
}

#[cfg(all(feature = "mcp", feature = "serve"))]
#[test]
fn a_server_answers_and_says_how_it_is() {
    let (_server, home) = home(vec![rotating(), rotating(), answer()]);
    let held = Held::all(&home);
    let serving = Serving::of(&home, &[]);
    let health = |what: &str| {
        let started = Instant::now();
        assert_eq!(serving.get("/health").status, 200);
        assert!(started.elapsed() < HEALTH_LIMIT, "{what}: {:?}", started.elapsed());
    };
    health("at the start");
    let session = begin_session(&serving);
    let question = json!({"model": "auto", "messages": [{"role": "user", "content": "why?"}]});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "pplx_search", "arguments": {"query": "why?"}}});
    let form =
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nx\r\n--b--\r\n";
    let begun = [
        ("/v1/chat/completions", question.to_string(), "application/json"),
        ("/v1/responses", json!({"model": "auto", "input": "why?"}).to_string(), "application/json"),
        ("/mcp", call.to_string(), "application/json"),
        ("/v1/files", form.to_owned(), "multipart/form-data; boundary=b"),
    ];
    let begun = begun.map(|(path, body, kind)| {
        let request = serving.request("POST", path).header("Content-Type", kind);
        let request = request.header("Mcp-Session-Id", &session).header("Mcp-Protocol-Version", "2025-11-25");
        let request = request.header("Accept", "application/json, text/event-stream").body(body);
        std::thread::spawn(move || request.send())
    });
    let until = Instant::now() + Duration::from_secs(2);
    while Instant::now() < until {
        health("while everything is locked");
        std::thread::sleep(Duration::from_millis(20));
    }
    let [chat, response, agent, file] = begun.map(|response| response.join().unwrap());
    assert_eq!(chat.json()["choices"][0]["message"]["content"], "Because.");
    assert_eq!(response.json()["output"][0]["content"][0]["text"], "Because.");
    assert!(agent.text().contains("queue") && agent.text().contains("isError\":true"), "{}", agent.text());
    assert_eq!(file.refused(500), "internal_error");
    drop(held);
    let stored = serving.respond(json!({})).json();
    let found = serving.get(&format!("/v1/responses/{}", stored["id"].as_str().unwrap()));
    assert_eq!(found.json()["status"], "completed", "once it can be had, it is used");
}

/// A home whose folders cannot be had: what should hold them is a device. The session comes from the environment.
fn without_folders(replies: Vec<Reply>) -> (Server, Home) {
    let server = Server::start([(ASK, replies)]);
    let home = Home::new(&server).env("PPLX_TOKEN", TOKEN);
    let home = home.env("XDG_STATE_HOME", "/dev/null/state").env("XDG_CONFIG_HOME", "/dev/null/config");
    (server, home)
}

#[test]
fn without_folders_a_search_and_a_chat_answer() {
    let (_server, home) = without_folders(vec![answer(), answer()]);
    let outcome = home.run(&["search", "-f", "answer", "why?"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Because.\n"), "{outcome:?}");
    assert!(outcome.stderr.starts_with("warning: ") && outcome.stderr.lines().count() == 1, "{outcome:?}");
    let home = home.env("TERM", "xterm-256color");
    let mut terminal = Terminal::start(home.command(&["chat"]));
    terminal.wait_for("> ");
    terminal.type_in("why?\r");
    terminal.wait_for_both("Because.", "> ");
    terminal.type_in("\x04");
    assert_eq!(terminal.finish().0, 0);
}

#[cfg(feature = "mcp")]
#[test]
fn without_folders_an_agent_is_answered() {
    let (_server, home) = without_folders(vec![answer()]);
    let mut client = Client::ready(home.command(&["mcp"]), "tests");
    let answered = client.call("pplx_search", json!({"query": "why?"}));
    assert_eq!(answered["structuredContent"]["answer"], "Because.", "{answered}");
}

#[cfg(feature = "serve")]
#[test]
fn without_folders_a_server_answers() {
    let (_server, home) = without_folders(vec![answer(), answer()]);
    let serving = Serving::of(&home, &[]);
    assert_eq!(serving.get("/health").status, 200);
    assert_eq!(serving.chat(json!({})).json()["choices"][0]["message"]["content"], "Because.");
    let stored = serving.respond(json!({})).json();
    assert_eq!(stored["output"][0]["content"][0]["text"], "Because.");
    let id = stored["id"].as_str().unwrap();
    assert!(matches!(serving.get(&format!("/v1/responses/{id}")).status, 404 | 500));
}
