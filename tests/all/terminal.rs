//! The program in a real terminal: what streams, what is coloured, and how prompts behave.

use std::process::Command;
use std::time::Duration;

use crate::support::terminal::Terminal;
use crate::support::{Home, Reply, Server, TOKEN, answered, pending};

fn on_terminal(home: Home, args: &[&str]) -> (Home, Terminal) {
    let home = home.env("TERM", "xterm-256color");
    let terminal = Terminal::start(home.command(args));
    (home, terminal)
}

#[test]
fn the_report_streams_as_it_comes() {
    let reply =
        Reply::events().write(pending(0, "The first words ")).pause(300).write(pending(1, "and the rest."));
    let server = Server::answering(reply.pause(200).write(answered("The first words and the rest.")));
    let (_home, terminal) = on_terminal(Home::logged_in(&server), &["search", "-f", "report", "q"]);
    terminal.wait_for("The first words ");
    assert!(!terminal.seen().contains("and the rest."), "it comes piece by piece");
    let (code, seen) = terminal.finish();
    assert_eq!(code, 0);
    assert_eq!(
        seen.replace("\r\n", "\n"),
        "## Answer\nThe first words and the rest.\n\n## Sources\n0 sources\n(no sources returned)\n\n## Meta\n\
         Provider: perplexity (oauth)\nModel: pplx_pro_upgraded\nThread: entry-1\n"
    );
}

#[test]
fn what_the_service_does_is_shown_until_the_answer_comes_drawn() {
    let plan = "data: {\"blocks\":[{\"intended_usage\":\"pro_search_steps\",\"plan_block\":{\"steps\":[{\"step_type\":\"SEARCH_WEB\",\
                \"search_web_content\":{\"queries\":[{\"query\":\"tide \u{1B}[31mtables\"}]}}]}}]}\n\n";
    let reply = Reply::events()
        .write(plan.replace('\u{1B}', "\\u001b"))
        .pause(700)
        .write(pending(0, "# Tides\n\nAt **noon**."));
    let server = Server::answering(reply.pause(100).write(answered("# Tides\n\nAt **noon**.")));
    let (_home, terminal) = on_terminal(Home::logged_in(&server), &["search", "q"]);
    terminal.wait_for("\r\x1B[KSearching: tide tables (0s)");
    let (code, seen) = terminal.finish();
    assert_eq!(code, 0);
    let (before, after) = seen.split_once("Tides").unwrap();
    assert!(
        before.ends_with("\r\x1B[K\x1B[1m\x1B[4m\x1B[32m"),
        "the line is gone before the answer: {before:?}"
    );
    assert!(
        after.contains("At \x1B[1mnoon\x1B[0m.") && !after.contains("Searching") && !seen.contains("[31m"),
        "{after:?}"
    );
    let mut screen = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
    screen.process(seen.as_bytes());
    let lines: Vec<String> = screen.screen().contents().lines().map(str::to_owned).collect();
    assert_eq!(
        lines,
        [
            "Tides",
            "",
            "At noon.",
            "",
            "0 sources",
            "",
            "perplexity (oauth) · pplx_pro_upgraded · thread entry-1"
        ]
    );
}

#[test]
fn a_pipe_for_standard_error_sees_no_progress() {
    let server = Server::answering(Reply::events().pause(1200).write(answered("Yes.")));
    let home = Home::logged_in(&server).env("TERM", "xterm");
    let mut command = Command::new("sh");
    let program = home.command(&[]).get_program().to_str().unwrap().to_owned();
    command.arg("-c").arg(format!("{program} search q 2>err.txt")).env_clear().current_dir(home.path());
    command.envs(home.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
    assert_eq!(Terminal::start(command).finish().0, 0);
    assert_eq!(std::fs::read_to_string(home.path().join("err.txt")).unwrap(), "");
}

#[test]
fn rewritten_text_is_redrawn_from_its_paragraph() {
    let reply = Reply::events().write(pending(0, "Kept.\n\nThe fare is 41.")).pause(100);
    let server = Server::answering(reply.write(answered("Kept.\n\nThe fare is 44.")));
    let (_home, terminal) = on_terminal(Home::logged_in(&server), &["search", "-f", "answer", "q"]);
    let (code, seen) = terminal.finish();
    assert_eq!((code, seen.as_str()), (0, "Kept.\r\n\r\nThe fare is 41.\r\x1B[JThe fare is 44.\r\n"));
}

#[test]
fn without_streaming_or_on_a_dumb_terminal_the_text_is_written_once() {
    for (args, term) in [(&["search", "--no-stream", "q"][..], "xterm"), (&["search", "q"], "dumb")] {
        let reply = Reply::events().write(pending(0, "The fare is 41.")).pause(100);
        let server = Server::answering(reply.write(answered("The fare is 44.")));
        let home = Home::logged_in(&server).env("TERM", term);
        let (code, seen) = Terminal::start(home.command(args)).finish();
        assert_eq!(code, 0);
        assert!(!seen.contains("41") && seen.matches("The fare is 44.").count() == 1, "{seen:?}");
        assert!(term != "dumb" || !seen.contains('\x1B'), "{seen:?}");
    }
}

#[test]
fn colour_is_used_on_a_terminal_only_and_not_when_that_is_asked() {
    let colours = |variables: &[(&str, &str)], args: &[&str]| {
        let server = Server::start([]);
        let mut home = Home::new(&server).env("TERM", "xterm-256color");
        for (name, value) in variables {
            home = home.env(name, value);
        }
        Terminal::start(home.command(args)).finish().1.contains("\x1B[")
    };
    assert!(colours(&[], &["search", "q"]));
    assert!(colours(&[("NO_COLOR", "")], &["search", "q"]), "empty is unset");
    assert!(colours(&[("NO_COLOR", "1")], &["search", "--color", "always", "q"]));
    for value in ["1", "0"] {
        assert!(!colours(&[("NO_COLOR", value)], &["search", "q"]));
    }
    assert!(!colours(&[("TERM", "dumb")], &["search", "q"]));
    assert!(!colours(&[], &["search", "--color", "never", "q"]));
    let server = Server::start([]);
    assert!(!Home::new(&server).run(&["search", "q"]).stderr.contains('\x1B'), "a pipe");
    assert!(Home::new(&server).env("CLICOLOR_FORCE", "1").run(&["search", "q"]).stderr.contains('\x1B'));
}

#[test]
fn ctrl_c_ends_a_streaming_answer_on_a_line_of_its_own() {
    let server = Server::answering(Reply::events().write(pending(0, "So far ")).hang());
    let (_home, terminal) = on_terminal(Home::logged_in(&server), &["search", "-f", "report", "q"]);
    terminal.wait_for("So far ");
    Command::new("kill").args(["-INT", &terminal.id().to_string()]).status().unwrap();
    let (code, seen) = terminal.finish();
    assert_eq!(code, 130);
    assert!(
        seen.contains("So far \r\n\r\n## Sources") && seen.ends_with("Note: Interrupted\r\nInterrupted.\r\n"),
        "{seen:?}"
    );
    assert!(server.wait_for_close(1, Duration::from_secs(1)));
}

#[test]
fn a_login_prompts_for_address_and_code() {
    let server = Server::start([
        ("GET /api/auth/csrf", vec![Reply::json(r#"{"csrfToken":"c"}"#)]),
        ("POST /api/auth/signin-email", vec![Reply::json("{}")]),
        ("POST /api/auth/signin-otp", vec![Reply::json(&format!("{{\"token\":\"{TOKEN}\"}}"))]),
        ("GET /api/auth/session", vec![Reply::json("{}")]),
    ]);
    let (home, mut terminal) = on_terminal(Home::new(&server), &["login"]);
    terminal.wait_for("E-mail address: ");
    terminal.type_in("user@example.com\n");
    terminal.wait_for("A code is on its way to user@example.com.");
    terminal.wait_for("Code: ");
    terminal.type_in("123 456\n");
    assert_eq!(terminal.finish().0, 0);
    assert_eq!(home.stored()["access"], TOKEN);
    assert_eq!(server.requests()[2].json()["otp"], "123456");
}

#[test]
fn a_paste_is_hidden_may_be_long_and_leaves_the_terminal_as_it_was() {
    let server = Server::start([("GET /api/auth/session", vec![Reply::json("{}")])]);
    let (home, mut terminal) = on_terminal(Home::new(&server), &["login", "--browser"]);
    terminal.wait_for("empty line:");
    wait_until(|| !terminal.echoes());
    let padding = "x".repeat(6000);
    terminal.type_in(&format!(
        "curl 'https://x.example' \\\n  -b 'pad={padding}; __Secure-next-auth.session-token={TOKEN}'\n\n"
    ));
    let (code, seen) = terminal.finish();
    assert_eq!(code, 0, "{seen:?}");
    assert!(!seen.contains("xxxx") && !seen.contains(TOKEN), "nothing is echoed");
    assert!(home.stored()["cookies"].as_str().unwrap().contains(&padding), "nothing is cut");
}

#[test]
fn ctrl_c_at_a_hidden_prompt_restores_the_echo() {
    let server = Server::start([]);
    let (home, mut terminal) = on_terminal(Home::new(&server), &["login", "--with-token"]);
    terminal.wait_for("Token");
    wait_until(|| !terminal.echoes());
    terminal.type_in("secret-part\x03");
    wait_until(|| terminal.echoes());
    let (code, seen) = terminal.finish();
    assert_eq!(code, 130, "{seen:?}");
    assert!(!seen.contains("secret") && !home.auth().exists());
}

fn wait_until(condition: impl Fn() -> bool) {
    for _ in 0..500 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("it does not become so");
}

#[test]
fn over_ssh_the_terminal_takes_the_copy() {
    let server = Server::answering(Reply::stream(answered("Zwölf.")));
    let home =
        Home::logged_in(&server).env("SSH_CONNECTION", "192.0.2.1 1 192.0.2.2 22").env("DISPLAY", ":0");
    let (_home, terminal) = on_terminal(home, &["search", "--copy", "-f", "answer", "q"]);
    let (code, seen) = terminal.finish();
    assert_eq!(code, 0);
    assert_eq!(seen.replace("\r\n", "\n"), "Zwölf.\n\x1B]52;c;WnfDtmxmLg==\x07");
}

#[test]
fn an_upload_is_shown_until_the_first_step() {
    let storage = Server::start([("POST /bucket", vec![Reply::delayed(1200)])]);
    let place = format!(
        "{{\"results\":{{\"x\":{{\"s3_bucket_url\":\"{}/bucket\",\"s3_object_url\":\"https://files.example/x\",\"fields\":{{}}}}}}}}",
        storage.url()
    );
    let server = Server::start([
        ("POST /rest/uploads/batch_create_upload_urls", vec![Reply::json(&place)]),
        (crate::support::ASK, vec![Reply::stream(answered("Seen."))]),
    ]);
    let home = Home::logged_in(&server);
    std::fs::write(home.path().join("picture.png"), vec![b'P'; 1_500_000]).unwrap();
    let (_home, terminal) = on_terminal(home, &["search", "--attach", "picture.png", "q"]);
    terminal.wait_for("Uploading ████████████████████ 100% of 1.5 MB (");
    let (code, seen) = terminal.finish();
    assert_eq!(code, 0);
    assert!(seen.contains("\r\x1B[KSeen."), "{seen:?}");
    assert!(storage.requests()[0].header("content-length").is_some(), "storages want to know the length");
    assert!(storage.requests()[0].body.len() > 1_500_000);
}
