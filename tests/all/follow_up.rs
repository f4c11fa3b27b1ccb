//! Follow-ups: what is kept of an answer, what is sent for the next, and what happens when a thread is gone.

use std::fs;

use crate::support::{ASK, Home, Reply, Server, answered};

/// An answer with all that a follow-up needs.
fn in_thread(text: &str, entry: &str) -> Vec<u8> {
    format!(
        "data: {{\"status\":\"PENDING\",\"backend_uuid\":\"{entry}\",\"context_uuid\":\"thread-1\"}}\n\ndata: {{\"status\":\"COMPLETED\",\
         \"display_model\":\"pplx_pro_upgraded\",\"read_write_token\":\"rw-{entry}\",\"blocks\":[{{\"intended_usage\":\"ask_text\",\
         \"markdown_block\":{{\"chunks\":[\"{text}\"]}}}}]}}\n\n"
    )
    .into_bytes()
}

fn state(home: &Home) -> std::path::PathBuf {
    home.path().join("state/pplx/threads.json")
}

fn home(server: &Server) -> Home {
    Home::logged_in(server)
}

#[test]
fn a_follow_up_names_the_answer_before_it() {
    let replies = vec![
        Reply::stream(in_thread("One.", "entry-1")),
        Reply::stream(in_thread("Two.", "entry-2")),
        Reply::stream(in_thread("Three.", "entry-3")),
    ];
    let server = Server::start([(ASK, replies)]);
    let home = home(&server);
    let first = home.run(&["search", "first"]);
    assert!(first.stdout.contains("Thread: entry-1\n"), "{first:?}");
    assert_eq!(home.run(&["search", "--json", "-c", "second"]).json()["thread"], "entry-2");
    assert_eq!(home.run(&["search", "-r", "day", "--thread", "entry-1", "third"]).code, 0);
    let requests = server.requests();
    let params: Vec<_> = requests.iter().map(|request| request.json()["params"].clone()).collect();
    assert_eq!(params[0].get("last_backend_uuid"), None);
    for (params, entry) in [(&params[1], "entry-1"), (&params[2], "entry-1")] {
        assert_eq!(params["last_backend_uuid"], entry);
        assert_eq!(params["read_write_token"], format!("rw-{entry}"));
        assert_eq!(
            (params["query_source"].as_str(), params["followup_source"].as_str()),
            (Some("followup"), Some("link"))
        );
        assert_eq!(params.get("frontend_context_uuid"), None);
    }
    let ages = [&params[1], &params[2]].map(|params| params.get("search_recency_filter"));
    assert_eq!(ages, [None, Some(&"day".into())], "only an age that was asked for is sent");
    for outcome in [first, home.run(&["status", "--json"])] {
        assert!(!outcome.stdout.contains("rw-entry"), "the token is not shown: {outcome:?}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_kept_is_private_and_bounded() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let server = Server::answering(Reply::stream(in_thread("One.", "entry-new")));
    let home = home(&server);
    let old: Vec<String> =
        (0..250).map(|n| format!("{{\"id\":\"old-{n}\",\"query\":\"q\",\"answered\":1}}")).collect();
    fs::create_dir_all(state(&home).parent().unwrap()).unwrap();
    fs::write(state(&home), format!("{{\"threads\":[{}]}}", old.join(","))).unwrap();
    assert_eq!(home.run(&["search", "q"]).code, 0);
    assert_eq!(mode(&state(&home)), 0o600);
    let kept: serde_json::Value = serde_json::from_str(&fs::read_to_string(state(&home)).unwrap()).unwrap();
    let threads = kept["threads"].as_array().unwrap();
    assert_eq!((threads.len(), threads[199]["id"].as_str()), (200, Some("entry-new")));
}

#[test]
fn a_thread_that_is_gone_is_asked_once_as_a_new_one() {
    let stale = "data: {\"status\":\"FAILED\",\"error_code\":\"GENERIC_FAILED_RESPONSE\",\"error_message\":\"Please try again later\"}\n\n";
    let gone = Reply::status(403).header("Content-Type", "application/json").body("{}");
    for refusal in [Reply::stream(stale), gone] {
        let replies = vec![
            Reply::stream(in_thread("One.", "entry-1")),
            refusal.clone(),
            Reply::stream(answered("Anew.")),
        ];
        let server = Server::start([(ASK, replies)]);
        let home = home(&server);
        home.run(&["search", "first"]);
        let outcome = home.run(&["search", "-c", "second"]);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{outcome:?}");
        assert!(
            outcome
                .stdout
                .contains("Note: the thread could not be continued; this is the first answer of a new one\n"),
            "{outcome:?}"
        );
        assert_eq!(server.requests()[2].json()["params"].get("last_backend_uuid"), None);
        assert!(home.auth().exists(), "the session is not what was refused");

        let replies = vec![Reply::stream(in_thread("One.", "entry-1")), refusal.clone(), refusal];
        let server = Server::start([(ASK, replies)]);
        let home = self::home(&server);
        home.run(&["search", "first"]);
        assert_ne!(home.run(&["search", "-c", "second"]).code, 0);
        assert_eq!(server.requests().len(), 3, "there is no third try");
    }
}

#[test]
fn an_error_after_some_text_is_not_asked_again() {
    let failed = "data: {\"status\":\"FAILED\",\"error_code\":\"GENERIC_FAILED_RESPONSE\"}\n\n";
    let half = [crate::support::pending(0, "Half"), failed.as_bytes().to_vec()].concat();
    let server =
        Server::start([(ASK, vec![Reply::stream(in_thread("One.", "entry-1")), Reply::stream(half)])]);
    let home = home(&server);
    home.run(&["search", "first"]);
    assert_eq!(home.run(&["search", "-c", "second"]).code, 1);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn without_an_answer_to_follow_up_on_nothing_is_sent() {
    let server = Server::start([]);
    let home = home(&server);
    let outcome = home.run(&["search", "-c", "q"]);
    outcome.is(2, "", "There is no answer to follow up on.\nhint: ask without --continue and --thread\n");
    let outcome = home.run(&["search", "--thread", "nope", "q"]);
    outcome.is(
        2,
        "",
        "No answer with the id \"nope\" was given here.\nhint: ask without --continue and --thread\n",
    );
    fs::create_dir_all(state(&home).parent().unwrap()).unwrap();
    fs::write(state(&home), "{broken rw-secret").unwrap();
    let outcome = home.run(&["search", "-c", "q"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stderr.contains("threads.json") && !outcome.stderr.contains("rw-secret"), "{outcome:?}");
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_state_that_cannot_be_kept_does_not_spoil_the_answer() {
    let server = Server::answering(Reply::stream(in_thread("Yes.", "entry-1")));
    let home = Home::logged_in(&server).env("XDG_STATE_HOME", "/dev/null/here");
    let outcome = home.run(&["search", "-f", "answer", "q"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Yes.\n"));
    assert!(
        outcome
            .stderr
            .starts_with("warning: Could not create the folder of /dev/null/here/pplx/threads.json: "),
        "{outcome:?}"
    );
}
