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

/// Where an earlier version kept its answers.
fn old_file(home: &Home) -> std::path::PathBuf {
    home.state().join("threads.json")
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
    fs::create_dir_all(home.state()).unwrap();
    fs::write(old_file(&home), format!("{{\"threads\":[{}]}}", old.join(","))).unwrap();
    home.run(&["search", "-f", "answer", "q"]).is(0, "One.\n", "");
    assert!(!old_file(&home).exists(), "it is read once");
    assert_eq!(mode(&home.state().join("state.db")), 0o600);
    let sql = "SELECT count(*), (SELECT entry FROM answers ORDER BY number DESC) FROM answers";
    let kept = home.database().query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    assert_eq!(kept, (200, "entry-new".to_owned()));
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
    fs::create_dir_all(home.state()).unwrap();
    fs::write(old_file(&home), "{broken rw-secret").unwrap();
    let outcome = home.run(&["search", "-c", "q"]);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(old_file(&home).exists(), "what could not be read stays");
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
        outcome.stderr.starts_with("warning: Could not create /dev/null/here/pplx/state.db: "),
        "{outcome:?}"
    );
}

#[test]
fn searches_that_end_at_the_same_moment_are_all_remembered() {
    let replies =
        (0..16).map(|number| Reply::stream(in_thread("Yes.", &format!("entry-{number}")))).collect();
    let server = Server::start([(ASK, replies)]);
    let home = home(&server);
    let searches: Vec<_> = (0..16).map(|_| home.start(&["search", "-f", "answer", "q"])).collect();
    for search in searches {
        crate::support::command::finish(search).is(0, "Yes.\n", "");
    }
    let sql = "SELECT count(DISTINCT entry) FROM answers";
    let kept: i64 = home.database().query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 16);
}

#[test]
fn a_damaged_database_is_set_aside_and_a_newer_one_is_left_alone() {
    let replies =
        vec![Reply::stream(in_thread("Yes.", "entry-1")), Reply::stream(in_thread("Yes.", "entry-2"))];
    let server = Server::start([(ASK, replies)]);
    let home = home(&server);
    fs::create_dir_all(home.state()).unwrap();
    fs::write(home.state().join("state.db"), "no database").unwrap();
    let outcome = home.run(&["search", "-f", "answer", "q"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Yes.\n"));
    assert!(
        outcome.stderr.starts_with("warning: ") && outcome.stderr.contains("state.db.damaged-"),
        "{outcome:?}"
    );
    assert_eq!(outcome.stderr.lines().count(), 1);
    home.database().execute_batch("PRAGMA user_version = 7").unwrap();
    let outcome = home.run(&["search", "-f", "answer", "q"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Yes.\n"));
    assert!(outcome.stderr.contains("state.db is of a newer pplx (version 7"), "{outcome:?}");
    let kept: i64 = home.database().query_row("SELECT count(*) FROM answers", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 1);
}

#[cfg(unix)]
#[test]
fn a_full_disk_costs_a_warning() {
    let server = Server::answering(Reply::stream(in_thread("Yes.", "entry-1")));
    let home = home(&server);
    // No file may grow, which is what a full disk comes to.
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" search -f answer q";
    let mut command = std::process::Command::new("sh");
    let environment: Vec<_> = home
        .command(&[])
        .get_envs()
        .map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned)))
        .collect();
    command.args(["-c", script, env!("CARGO_BIN_EXE_pplx")]).env_clear().current_dir(home.path());
    command.envs(environment.into_iter().filter_map(|(name, value)| Some((name, value?))));
    let output = command.output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"Yes.\n"[..]), "{errors}");
    assert!(errors.starts_with("warning: ") && errors.contains("state.db"), "{errors}");
}
