//! `pplx login`, `logout` and `status` from end to end.

use std::fs;

use crate::support::{ASK, Home, Reply, Server, TOKEN, TOKEN_EXPIRES, answered};

const CSRF: &str = "GET /api/auth/csrf";
const EMAIL: &str = "POST /api/auth/signin-email";
const OTP: &str = "POST /api/auth/signin-otp";
const TOTP: &str = "POST /api/auth/totp/challenge-verify";
const SESSION: &str = "GET /api/auth/session";
const ADDRESS: &str = "user@example.com";
/// Encrypted, as the web's sessions are.
const JWE: &str = "eyJhbGciOiJkaXIifQ..aXZpdml2.Y2lwaGVydGV4dA.dGFndGFn";

fn bad() -> Reply {
    Reply::status(401).body(r#"{"text":"Bad OTP code"}"#)
}

/// A sign-in that demands the cookies of each step in the next, and ends with `last`.
fn sign_in(last: Vec<Reply>) -> Vec<(&'static str, Vec<Reply>)> {
    let csrf = Reply::json(r#"{"csrfToken":"c0ffee"}"#)
        .header("Set-Cookie", "next-auth.csrf-token=c0ffee%7Cabc; Path=/; HttpOnly; Secure")
        .header("Set-Cookie", "pplx.visitor-id=v-0001; Path=/");
    let email = Reply::json(r#"{"success":true}"#)
        .header("Set-Cookie", "next-auth.pending=p-77; Path=/")
        .requires("next-auth.csrf-token=c0ffee%7Cabc", bad())
        .requires("pplx.visitor-id=v-0001", bad())
        .requires("\"csrfToken\":\"c0ffee\"", bad());
    vec![(CSRF, vec![csrf]), (EMAIL, vec![email]), (OTP, last)]
}

fn known() -> Reply {
    Reply::json(r#"{"user":{"email":"user@example.com"},"expires":"2100-01-01T00:00:00.000Z"}"#)
}

fn with_check(mut script: Vec<(&'static str, Vec<Reply>)>) -> Server {
    script.push((SESSION, vec![known()]));
    Server::start(script)
}

fn token_reply() -> Reply {
    Reply::json(&format!("{{\"token\":\"{TOKEN}\"}}"))
        .requires("next-auth.csrf-token=c0ffee%7Cabc", bad())
        .requires("next-auth.pending=p-77", bad())
        .requires("\"otp\":\"123456\"", bad())
}

#[test]
fn a_code_logs_in_with_one_cookie_jar_for_all_calls() {
    for code in ["123456\n", " 123 456 \n"] {
        let server = with_check(sign_in(vec![token_reply()]));
        let home = Home::new(&server).stdin(code);
        let outcome = home.run(&["login", "--email", ADDRESS]);
        let path = home.auth();
        outcome.is(
            0,
            &format!("Logged in as {ADDRESS} with the e-mail code. It is stored in {}.\n", path.display()),
            "",
        );
        assert_eq!(
            home.stored(),
            serde_json::json!({"type": "oauth", "access": TOKEN, "expires": TOKEN_EXPIRES, "email": ADDRESS})
        );
        let requests = server.requests();
        for request in &requests {
            assert_eq!(request.header("user-agent"), Some("Perplexity/641 CFNetwork/1568 Darwin/25.2.0"));
            assert_eq!(request.header("x-app-apiversion"), Some("2.18"));
        }
        assert_eq!(requests[1].json(), serde_json::json!({"email": ADDRESS, "csrfToken": "c0ffee"}));
        assert_eq!(
            requests[2].json(),
            serde_json::json!({"email": ADDRESS, "csrfToken": "c0ffee", "otp": "123456"})
        );
        let session = requests[3].header("cookie");
        assert_eq!(session, Some(format!("__Secure-next-auth.session-token={TOKEN}").as_str()));
    }
}

#[test]
fn address_and_code_may_come_from_the_environment_or_from_lines() {
    let server = with_check(sign_in(vec![token_reply()]));
    let home = Home::new(&server).env("PPLX_EMAIL", ADDRESS).env("PPLX_OTP", "123456");
    assert_eq!(home.run(&["login"]).code, 0);
    let server = with_check(sign_in(vec![token_reply()]));
    let home = Home::new(&server).stdin(format!("{ADDRESS}\n123456\n"));
    assert_eq!(home.run(&["login"]).code, 0);
    assert_eq!(home.stored()["email"], ADDRESS);
}

#[test]
fn a_wrong_code_says_so_and_leaves_the_stored_session() {
    let server = Server::start(sign_in(vec![token_reply()]));
    let home = Home::new(&server).env("PPLX_OTP", "000000");
    home.store("old.session.token", TOKEN_EXPIRES);
    let outcome = home.run(&["login", "--email", ADDRESS]);
    outcome.is(
        4,
        "",
        "Login failed: Bad OTP code.\nhint: run `pplx login` again, or `pplx login --browser`\n",
    );
    assert_eq!(home.stored()["access"], "old.session.token");
}

#[test]
fn the_token_may_be_in_other_places() {
    let cookie = "__Secure-next-auth.session-token";
    for reply in [
        Reply::json(&format!("{{\"status\":\"success\",\"challenge_token\":\"{TOKEN}\"}}")),
        Reply::json("{}").header("Set-Cookie", &format!("{cookie}={TOKEN}; Path=/; Secure; HttpOnly")),
        Reply::json("{\"token\":null}")
            .header("Set-Cookie", &format!("{cookie}.1={}; Path=/", &TOKEN[30..]))
            .header("Set-Cookie", &format!("{cookie}.0={}; Path=/", &TOKEN[..30])),
    ] {
        let server = with_check(sign_in(vec![reply]));
        let home = Home::new(&server).env("PPLX_OTP", "1");
        let outcome = home.run(&["login", "--email", ADDRESS]);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert_eq!(home.stored()["access"], TOKEN);
    }
}

#[test]
fn a_reply_without_a_token_stores_nothing() {
    for (reply, reason) in [
        (r#"{"token":""}"#, "did not include a token"),
        (r#"{"ok":1}"#, "did not include a token"),
        (r#"{"status":"pending","challenge_token":"chal"}"#, "pending"),
        ("<html>", "did not include a token"),
        (r#"{"token":"two words"}"#, "unusable token"),
    ] {
        let server = Server::start(sign_in(vec![Reply::json(reply)]));
        let home = Home::new(&server).env("PPLX_OTP", "1");
        let outcome = home.run(&["login", "--email", ADDRESS]);
        assert_eq!(outcome.code, 4, "{outcome:?}");
        assert!(outcome.stderr.contains(reason), "{outcome:?}");
        assert!(!home.auth().exists());
    }
}

#[test]
fn an_authenticator_is_asked_for_its_code() {
    let challenge =
        || Reply::json(r#"{"status":"totp_challenge_required","challenge_token":"chal-01","token":null}"#);
    let verify = Reply::json("{}")
        .header("Set-Cookie", &format!("__Secure-next-auth.session-token={TOKEN}; Path=/"))
        .requires("next-auth.pending=p-77", bad())
        .requires("\"token\":\"chal-01\"", bad())
        .requires("\"code\":\"654321\"", bad());
    let mut script = sign_in(vec![challenge()]);
    script.push((TOTP, vec![verify]));
    let server = with_check(script);
    let home = Home::new(&server).stdin("123456\n654321\n");
    let outcome = home.run(&["login", "--email", ADDRESS]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(home.stored()["access"], TOKEN);

    let server = Server::start(sign_in(vec![challenge()]));
    let home = Home::new(&server).stdin("123456\n");
    let outcome = home.run(&["login", "--email", ADDRESS]);
    assert_eq!(outcome.code, 4, "{outcome:?}");
    assert!(
        outcome.stderr.starts_with("Login failed: this account also wants the code of an authenticator app."),
        "{outcome:?}"
    );
    assert!(!home.auth().exists());
}

#[test]
fn a_challenge_for_browsers_offers_another_way() {
    let page = Reply::status(403).header("Content-Type", "text/html").body("<title>Just a moment...</title>");
    let server = Server::start([(CSRF, vec![page])]);
    let outcome = Home::new(&server).env("PPLX_OTP", "1").run(&["login", "--email", ADDRESS]);
    assert_eq!(outcome.code, 7, "{outcome:?}");
    assert!(outcome.stderr.contains("pplx login --browser"), "{outcome:?}");
}

#[test]
fn a_pasted_request_logs_in_and_its_cookies_are_sent() {
    let cookies = format!(
        "pplx.flag=a!b'c; __Secure-next-auth.session-token={TOKEN}; cf_clearance=x=y=; theme=\"dark\""
    );
    let quoted = cookies.replace('!', "\\u0021").replace('\'', "\\'").replace('"', "\\\"");
    let paste = format!(
        "curl 'https://www.perplexity.ai/rest/sse/perplexity_ask' \\\n  -H 'accept: text/event-stream' \\\n  -H $'cookie: {quoted}' \\\n  \
         --data-raw $'{{\"query_str\":\"it\\'s -b fake=1\"}}' \\\n  --compressed\n"
    );
    let server = Server::start([(SESSION, vec![known()]), (ASK, vec![Reply::stream(answered("Yes."))])]);
    let home = Home::new(&server).stdin(paste);
    let outcome = home.run(&["login", "--browser"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(
        (home.stored()["access"].as_str(), home.stored()["cookies"].as_str()),
        (Some(TOKEN), Some(cookies.as_str()))
    );
    assert_eq!(home.stored()["email"], ADDRESS);
    assert_eq!(home.run(&["search", "q"]).code, 0);
    assert_eq!(server.requests()[1].header("cookie"), Some(cookies.as_str()));
}

#[test]
fn what_is_missing_in_a_paste_is_explained() {
    let server = Server::start([]);
    for (paste, reason) in [
        ("", "Nothing was pasted."),
        ("curl 'https://x.example'", "sends no cookies"),
        ("a=1; b=2", "is missing"),
    ] {
        let home = Home::new(&server).stdin(paste);
        let outcome = home.run(&["login", "--browser"]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (4, ""), "{outcome:?}");
        assert!(outcome.stderr.contains(reason) && outcome.stderr.contains("\nhint: "), "{outcome:?}");
        assert!(!home.auth().exists());
    }
}

#[test]
fn a_token_on_standard_input_is_stored_without_its_dressing() {
    for text in
        [TOKEN.to_owned(), format!("Bearer {TOKEN}\n"), format!("\"{TOKEN}\""), TOKEN.replace('.', "%2E")]
    {
        let server = Server::start([(SESSION, vec![known()])]);
        let home = Home::new(&server).stdin(&text);
        assert_eq!(home.run(&["login", "--with-token"]).code, 0);
        assert_eq!(
            (home.stored()["access"].as_str(), home.stored()["expires"].as_i64()),
            (Some(TOKEN), Some(TOKEN_EXPIRES))
        );
    }
    for text in ["", "  ", "undefined", "(null)", "<your token>", "two words", "two\nlines"] {
        let server = Server::start([]);
        let home = Home::new(&server).stdin(text);
        let outcome = home.run(&["login", "--with-token"]);
        assert_eq!(outcome.code, 4, "{text:?} {outcome:?}");
        assert!(!home.auth().exists());
    }
}

#[test]
fn an_encrypted_token_has_no_expiry_that_we_know() {
    let server = Server::start([(SESSION, vec![known()]), (ASK, vec![Reply::stream(answered("Hi."))])]);
    let home = Home::new(&server).stdin(JWE);
    assert_eq!(home.run(&["login", "--with-token"]).code, 0);
    assert_eq!(home.stored(), serde_json::json!({"type": "oauth", "access": JWE, "email": ADDRESS}));
    // A guess that another program noted beside it does not stop it.
    home.store(JWE, 1_577_836_800_000);
    home.run(&["search", "-f", "answer", "q"]).is(0, "Hi.\n", "");
}

#[test]
fn the_session_is_stored_whatever_the_service_says_of_it() {
    for (reply, word) in [
        (Reply::json("{}"), "the service does not know it"),
        (Reply::status(500), "could not be asked about it: The service is not available"),
        (
            Reply::status(403).header("Content-Type", "text/html").body("<title>Just a moment...</title>"),
            "blocked",
        ),
    ] {
        let server = Server::start([(SESSION, vec![reply])]);
        let home = Home::new(&server).stdin(TOKEN);
        let outcome = home.run(&["login", "--with-token"]);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{outcome:?}");
        assert!(outcome.stdout.contains(word), "{outcome:?}");
        assert_eq!(home.stored()["access"], TOKEN);
    }
}

#[test]
fn a_login_that_would_not_be_used_is_refused() {
    let server = Server::start([]);
    for name in ["PPLX_TOKEN", "PPLX_COOKIES", "PERPLEXITY_COOKIES"] {
        let home = Home::new(&server).env(name, TOKEN).stdin(TOKEN);
        let outcome = home.run(&["login", "--with-token"]);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.contains(&format!("unset {name}")), "{outcome:?}");
        assert!(!home.auth().exists());
    }
}

#[test]
fn without_a_terminal_nothing_hangs() {
    let server = Server::start([]);
    let home = Home::new(&server);
    for args in [&["login"][..], &["login", "--email", ADDRESS]] {
        let outcome = home.run(args);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{outcome:?}");
        assert!(outcome.stderr.contains("PPLX_EMAIL") && outcome.stderr.contains("--browser"), "{outcome:?}");
        assert!(outcome.took.as_secs() < 2);
    }
    let mut silent = home
        .command(&["login"])
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let started = std::time::Instant::now();
    let stdin = silent.stdin.take();
    assert_eq!(silent.wait().unwrap().code(), Some(2));
    assert!(started.elapsed().as_secs() < 7);
    drop(stdin);
}

#[test]
fn an_address_that_is_none_is_refused() {
    let server = Server::start([]);
    let outcome = Home::new(&server).run(&["login", "--email", "nobody"]);
    outcome.is(2, "", "\"nobody\" is not an e-mail address.\nhint: pplx login --email you@example.com\n");
}

#[test]
fn logout_says_whether_there_was_a_session() {
    let server = Server::start([]);
    let home = Home::logged_in(&server);
    home.run(&["logout"]).is(0, &format!("Logged out: {} is deleted.\n", home.auth().display()), "");
    assert!(!home.auth().exists());
    home.run(&["logout"]).is(0, "There was no stored session.\n", "");
    let outcome = Home::new(&server).env("PPLX_TOKEN", TOKEN).run(&["logout"]);
    outcome.is(
        0,
        "There was no stored session.\n",
        "warning: the environment variable PPLX_TOKEN is still set and is used for searches\n",
    );
}

#[test]
fn status_shows_account_origin_and_end() {
    let server = Server::start([]);
    let home = Home::new(&server);
    home.run(&["status"]).is(4, "", "Not authenticated.\nhint: run `pplx login`\n");
    assert_eq!(home.run(&["status", "--json"]).json()["logged_in"], false);
    assert_eq!(home.run(&["status", "--json"]).code, 4);
    home.write_auth(&format!(
        "{{\"type\":\"oauth\",\"access\":\"{TOKEN}\",\"expires\":{TOKEN_EXPIRES},\"email\":\"{ADDRESS}\"}}"
    ));
    let path = home.auth().display().to_string();
    home.run(&["status"]).is(
        0,
        &format!("Logged in\nAccount: {ADDRESS}\nOrigin: {path}\nValid until: 2099-12-31 23:55 UTC\n"),
        "",
    );
    let json = home.run(&["status", "--json"]).json();
    let expected = serde_json::json!({"version": 1, "logged_in": true, "email": ADDRESS, "origin": path, "expires": TOKEN_EXPIRES, "plan": null, "limits": null, "api_key": null, "error": null});
    assert_eq!(json, expected);
    home.store(JWE, 0);
    assert!(home.run(&["status"]).stdout.contains("Valid until: the service decides"));
    let outcome = Home::new(&server).env("PPLX_TOKEN", TOKEN).run(&["status"]);
    assert!(outcome.stdout.contains("Origin: the environment variable PPLX_TOKEN"), "{outcome:?}");
}

#[test]
fn a_session_whose_time_is_over_is_not_sent() {
    let server = Server::start([]);
    let home = Home::new(&server);
    home.store(TOKEN, 1000);
    let outcome = home.run(&["search", "q"]);
    outcome.is(
        4,
        "",
        &format!("The session from {} has expired.\nhint: run `pplx login`\n", home.auth().display()),
    );
    assert_eq!(home.run(&["status"]).code, 4);
    assert!(home.auth().exists(), "it is not cleared");
    let past = "eyJhbGciOiJub25lIn0.eyJleHAiOjE1Nzc4MzY4MDB9.bm8";
    let outcome = Home::new(&server).env("PPLX_TOKEN", past).run(&["search", "q"]);
    assert_eq!(outcome.code, 4);
    assert!(outcome.stderr.contains("unset PPLX_TOKEN"), "{outcome:?}");
}

#[test]
fn a_store_that_cannot_be_used_is_named() {
    let server = Server::start([]);
    for content in [
        "",
        "{",
        "[]",
        "null",
        "{\"access\":\"\"}",
        "{\"access\":7}",
        "{\"type\":\"api_key\",\"access\":\"k\"}",
        "{\"access\":\"a b\"}",
    ] {
        let home = Home::new(&server);
        home.write_auth(content);
        let outcome = home.run(&["search", "q"]);
        assert_eq!(outcome.code, 4, "{content}: {outcome:?}");
        assert!(
            outcome.stderr.contains("auth.json does not hold a usable session: "),
            "{content}: {outcome:?}"
        );
        assert!(outcome.stderr.ends_with("hint: run `pplx logout`, then `pplx login`\n"), "{outcome:?}");
        assert_eq!(fs::read_to_string(home.auth()).unwrap(), content, "nothing is lost");
        assert_eq!(home.run(&["logout"]).code, 0);
    }
}

#[test]
fn the_environment_wins_over_the_store_and_nothing_changes_silently() {
    let other = "other.session.token";
    for (name, value, sent) in [
        ("PPLX_TOKEN", other.to_owned(), format!("__Secure-next-auth.session-token={other}")),
        (
            "PPLX_TOKEN",
            format!("Cookie: __Secure-next-auth.session-token={other}; Path=/"),
            format!("__Secure-next-auth.session-token={other}"),
        ),
        (
            "PPLX_COOKIES",
            format!("a=1; __Secure-next-auth.session-token={other}"),
            format!("a=1; __Secure-next-auth.session-token={other}"),
        ),
        (
            "PERPLEXITY_COOKIES",
            format!("next-auth.session-token={other}"),
            format!("__Secure-next-auth.session-token={other}; next-auth.session-token={other}"),
        ),
        ("PPLX_TOKEN", String::new(), format!("__Secure-next-auth.session-token={TOKEN}")),
    ] {
        let server = Server::answering(Reply::stream(answered("Yes.")));
        let home = Home::logged_in(&server).env(name, value);
        assert_eq!(home.run(&["search", "q"]).code, 0);
        assert_eq!(server.request().header("cookie"), Some(sent.as_str()));
    }
    for (name, value) in
        [("PPLX_TOKEN", "  "), ("PPLX_TOKEN", "undefined"), ("PPLX_TOKEN", "a\nb"), ("PPLX_COOKIES", "a=1")]
    {
        let server = Server::start([]);
        let outcome = Home::logged_in(&server).env(name, value).run(&["search", "q"]);
        assert_eq!(outcome.code, 4, "{outcome:?}");
        assert!(
            outcome.stderr.starts_with(&format!("the environment variable {name} does not hold")),
            "{outcome:?}"
        );
    }
}

#[test]
fn a_refusal_clears_the_store_only_if_it_still_holds_what_was_refused() {
    let refuse = || Reply::status(401).header("Content-Type", "application/json").body("{}");
    let server = Server::answering(refuse());
    let home = Home::logged_in(&server);
    let outcome = home.run(&["search", "q"]);
    assert_eq!(outcome.code, 4);
    assert!(
        outcome.stderr.contains(&format!("refused the session from {}", home.auth().display())),
        "{outcome:?}"
    );
    assert!(!home.auth().exists());

    let server = Server::answering(
        Reply::status(401).pause(400).header("Content-Type", "application/json").body("{}"),
    );
    let home = Home::logged_in(&server);
    let child = home.start(&["search", "q"]);
    server.wait_for_request();
    home.store("newer.session.token", TOKEN_EXPIRES);
    assert_eq!(crate::support::command::finish(child).code, 4);
    assert_eq!(home.stored()["access"], "newer.session.token");

    let server = Server::answering(refuse());
    let home = Home::logged_in(&server).env("PPLX_TOKEN", "from.the.environment");
    let outcome = home.run(&["search", "q"]);
    assert!(outcome.stderr.contains("unset PPLX_TOKEN"), "{outcome:?}");
    assert_eq!(home.stored()["access"], TOKEN, "the store is not touched");
}

#[test]
fn a_rotated_session_replaces_the_stored_one_but_never_a_newer_one() {
    let rotating = |to: &str| {
        Reply::events()
            .header("Set-Cookie", &format!("__Secure-next-auth.session-token={to}; Path=/; Secure; HttpOnly"))
    };
    let server = Server::start([(
        ASK,
        vec![rotating("second.session.token").write(answered("Yes.")), Reply::stream(answered("Yes."))],
    )]);
    let home = Home::new(&server);
    home.write_auth(&format!(
        "{{\"access\":\"{TOKEN}\",\"expires\":{TOKEN_EXPIRES},\"email\":\"{ADDRESS}\"}}"
    ));
    assert_eq!(home.run(&["search", "q"]).code, 0);
    let mut stored = home.stored();
    let lasts = stored["expires"].take().as_i64().unwrap() - chrono::Utc::now().timestamp_millis();
    assert!((3_500_000..=3_600_000).contains(&lasts), "a token that cannot be read has an hour: {lasts}");
    assert_eq!(
        stored,
        serde_json::json!({"type": "oauth", "access": "second.session.token", "expires": null, "email": ADDRESS})
    );
    assert_eq!(home.run(&["search", "q"]).code, 0);
    assert_eq!(server.requests()[1].header("authorization"), Some("Bearer second.session.token"));

    // A slow reply to the old session arrives after another process has stored a newer one.
    let server = Server::answering(
        Reply::events()
            .header("Set-Cookie", "__Secure-next-auth.session-token=late.session.token")
            .write(answered("Yes.")),
    );
    let home = Home::logged_in(&server).env("PPLX_TOKEN", TOKEN);
    home.store("newer.session.token", TOKEN_EXPIRES);
    assert_eq!(home.run(&["search", "q"]).code, 0);
    assert_eq!(
        home.stored()["access"],
        "newer.session.token",
        "a session from the environment is not ours to keep"
    );

    let server = Server::answering(
        Reply::status(401)
            .header("Content-Type", "application/json")
            .header("Set-Cookie", "__Secure-next-auth.session-token=; Max-Age=0")
            .body("{}"),
    );
    let home = Home::logged_in(&server);
    assert_eq!(home.run(&["search", "q"]).code, 4);
    assert!(!home.auth().exists(), "an emptied cookie is no rotation");
}

#[test]
fn a_rotation_that_comes_late_does_not_undo_a_newer_login() {
    let slow = Reply::delayed(400)
        .header("Set-Cookie", "__Secure-next-auth.session-token=late.session.token")
        .write(answered("Yes."));
    let server = Server::answering(slow);
    let home = Home::logged_in(&server);
    let child = home.start(&["search", "q"]);
    server.wait_for_request();
    home.store("newer.session.token", TOKEN_EXPIRES);
    assert_eq!(crate::support::command::finish(child).code, 0);
    assert_eq!(home.stored()["access"], "newer.session.token");
}

#[test]
fn of_two_programs_that_are_told_of_new_sessions_the_first_to_be_told_is_believed() {
    let rotating = |reply: Reply, to: &str| {
        reply.header("Set-Cookie", &format!("__Secure-next-auth.session-token={to}")).write(answered("Yes."))
    };
    let slow = rotating(Reply::delayed(500), "slow.session.token");
    let quick = rotating(Reply::events(), "quick.session.token");
    let server = Server::start([(ASK, vec![slow, quick, Reply::stream(answered("Yes."))])]);
    let home = Home::logged_in(&server);
    let waiting = home.start(&["search", "q"]);
    server.wait_for_request();
    assert_eq!(home.run(&["search", "q"]).code, 0);
    assert_eq!(crate::support::command::finish(waiting).code, 0);
    assert_eq!(home.run(&["search", "q"]).code, 0);
    assert_eq!(server.requests()[2].header("authorization"), Some("Bearer quick.session.token"));
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Logs in under an open umask.
    fn log_in(home: &Home) -> crate::support::Outcome {
        let program = home.command(&[]).get_program().to_str().unwrap().to_owned();
        let mut shell = std::process::Command::new("sh");
        shell.arg("-c").arg(format!("umask 000; exec {program} login --with-token")).env_clear();
        shell.envs(home.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
        let stdio = std::process::Stdio::piped;
        let mut child = shell.stdin(stdio()).stdout(stdio()).stderr(stdio()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), TOKEN.as_bytes()).unwrap();
        crate::support::command::finish(child)
    }

    fn checked() -> Server {
        Server::start([(SESSION, vec![known()])])
    }

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn the_file_is_for_its_owner_alone_whatever_was_there() {
        let server = checked();
        let home = Home::new(&server);
        assert_eq!(log_in(&home).code, 0);
        assert_eq!((mode(&home.auth()), mode(home.auth().parent().unwrap())), (0o600, 0o700));
        assert_eq!(names(home.auth().parent().unwrap()), ["auth.json"], "nothing is left over");

        for (file, folder) in [(0o644, 0o755), (0o400, 0o700), (0o666, 0o777)] {
            let server = checked();
            let home = Home::new(&server);
            home.store("old.session.token", 0);
            set_mode(&home.auth(), file);
            set_mode(home.auth().parent().unwrap(), folder);
            let outcome = log_in(&home);
            assert_eq!(outcome.code, 0, "{outcome:?}");
            assert_eq!((mode(&home.auth()), home.stored()["access"].as_str()), (0o600, Some(TOKEN)));
            assert_eq!(mode(home.auth().parent().unwrap()) & 0o022, 0);
            assert_eq!(outcome.stderr.contains("was open to other users"), file != 0o400, "{outcome:?}");
        }
    }

    #[test]
    fn a_search_tightens_an_open_store_and_says_so() {
        let server = Server::answering(Reply::stream(answered("Yes.")));
        let home = Home::logged_in(&server);
        set_mode(&home.auth(), 0o644);
        let outcome = home.run(&["search", "-f", "answer", "q"]);
        outcome.is(
            0,
            "Yes.\n",
            &format!("warning: {} was open to other users; it is private now\n", home.auth().display()),
        );
        assert_eq!(mode(&home.auth()), 0o600);
    }

    #[test]
    fn what_a_killed_run_left_is_removed() {
        let server = checked();
        let home = Home::new(&server);
        home.store("old.session.token", 0);
        fs::write(home.auth().with_file_name(".pplx-dead"), "half").unwrap();
        assert_eq!(log_in(&home).code, 0);
        assert_eq!(names(home.auth().parent().unwrap()), ["auth.json"]);
    }

    #[test]
    fn a_link_stays_a_link_and_its_target_is_written() {
        for existing in [true, false] {
            let server = checked();
            let home = Home::new(&server);
            let target = home.path().join("dotfiles/pplx.json");
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::create_dir_all(home.auth().parent().unwrap()).unwrap();
            if existing {
                fs::write(&target, "{\"access\":\"old.session.token\"}").unwrap();
                set_mode(&target, 0o644);
            }
            symlink(&target, home.auth()).unwrap();
            let outcome = log_in(&home);
            assert_eq!(outcome.code, 0, "{outcome:?}");
            assert!(fs::symlink_metadata(home.auth()).unwrap().is_symlink());
            assert_eq!((mode(&target), home.stored()["access"].as_str()), (0o600, Some(TOKEN)));
            assert_eq!(home.run(&["logout"]).code, 0);
            assert!(!target.exists() && fs::symlink_metadata(home.auth()).is_err());
        }
    }

    #[test]
    fn a_link_that_leads_nowhere_or_may_be_planted_is_refused() {
        let server = Server::start([]);
        let home = Home::new(&server).stdin(TOKEN);
        fs::create_dir_all(home.auth().parent().unwrap()).unwrap();
        symlink(home.auth(), home.auth()).unwrap();
        let outcome = home.run(&["login", "--with-token"]);
        assert_eq!(outcome.code, 1, "{outcome:?}");
        assert!(outcome.stderr.contains("auth.json"), "{outcome:?}");
        fs::remove_file(home.auth()).unwrap();

        let target = home.path().join("somebody-elses");
        fs::write(&target, "theirs").unwrap();
        symlink(&target, home.auth()).unwrap();
        set_mode(home.auth().parent().unwrap(), 0o777);
        let outcome = home.run(&["login", "--with-token"]);
        assert_eq!(outcome.code, 1, "{outcome:?}");
        assert!(outcome.stderr.contains("other users may write"), "{outcome:?}");
        assert_eq!(fs::read_to_string(&target).unwrap(), "theirs");
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named_before_a_code_is_asked_for() {
        let server = Server::start([]);
        let home = Home::new(&server).env("XDG_CONFIG_HOME", "/dev/null/here").env("PPLX_OTP", "1");
        let outcome = home.run(&["login", "--email", ADDRESS]);
        assert_eq!(outcome.code, 1, "{outcome:?}");
        assert!(outcome.stderr.contains("/dev/null/here/pplx"), "{outcome:?}");
        let server = Server::answering(Reply::stream(answered("Yes.")));
        let home = Home::new(&server).env("XDG_CONFIG_HOME", "/dev/null/here").env("PPLX_TOKEN", TOKEN);
        home.run(&["search", "-f", "answer", "q"]).is(0, "Yes.\n", "");
    }

    #[test]
    fn fifty_logins_at_once_leave_one_whole_file() {
        let server = Server::start([(SESSION, vec![known(); 50])]);
        let home = Home::new(&server);
        let tokens: Vec<String> = (0..50).map(|n| format!("writer.number{n}.{}", "x".repeat(2000))).collect();
        let mut children: Vec<_> = tokens
            .iter()
            .map(|token| {
                let mut command = home.command(&["login", "--with-token"]);
                let stdio = std::process::Stdio::piped;
                let mut child = command.stdin(stdio()).stdout(stdio()).stderr(stdio()).spawn().unwrap();
                std::io::Write::write_all(&mut child.stdin.take().unwrap(), token.as_bytes()).unwrap();
                child
            })
            .collect();
        // Readers never see half a file meanwhile.
        let mut reads = 0;
        while children.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
            match fs::read_to_string(home.auth()) {
                Ok(text) => {
                    let stored: serde_json::Value = serde_json::from_str(&text).unwrap();
                    assert!(tokens.iter().any(|token| stored["access"] == token.as_str()));
                    reads += 1;
                }
                Err(error) => assert_eq!((error.kind(), reads), (std::io::ErrorKind::NotFound, 0)),
            }
        }
        assert!(reads > 0, "nothing was read while there were writers");
        for child in children {
            assert_eq!(crate::support::command::finish(child).code, 0);
        }
        assert!(tokens.iter().any(|token| home.stored()["access"] == token.as_str()));
        assert_eq!(names(home.auth().parent().unwrap()), ["auth.json"]);
    }

    #[test]
    fn the_desktop_app_is_asked_and_only_a_token_counts() {
        let server = checked();
        let home = Home::new(&server)
            .without("PPLX_AUTH_NO_BORROW")
            .program("defaults", &format!("[ \"$*\" = 'read ai.perplexity.mac authToken' ] && echo {TOKEN}"));
        let outcome = home.run(&["login"]);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert!(outcome.stdout.contains("with the desktop app's session"), "{outcome:?}");
        assert_eq!(home.stored()["access"], TOKEN);

        let server = Server::start([]);
        for script in [
            "echo '(null)'".to_owned(),
            "echo 'The domain/default pair of (ai.perplexity.mac, authToken) does not exist' >&2; exit 1"
                .to_owned(),
            "echo".to_owned(),
            "sleep 60".to_owned(),
            format!("echo {TOKEN}; exit 1"),
            format!("echo {TOKEN}; echo {TOKEN}"),
            "echo one two three".to_owned(),
        ] {
            let home = Home::new(&server).without("PPLX_AUTH_NO_BORROW").program("defaults", &script);
            let outcome = home.run(&["login"]);
            assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{script}: {outcome:?}");
            assert_eq!(outcome.stderr.lines().count(), 2, "{script}: {outcome:?}");
            assert!(
                !outcome.stderr.contains("domain") && outcome.took.as_secs() < 5,
                "{script}: {outcome:?}"
            );
            assert!(!home.auth().exists());
        }
    }

    #[test]
    fn the_desktop_app_is_left_alone_where_that_is_asked() {
        let server = Server::start([]);
        for (name, value, started) in [
            ("PPLX_AUTH_NO_BORROW", "1", false),
            ("PI_AUTH_NO_BORROW", "1", false),
            ("PPLX_AUTH_NO_BORROW", "0", true),
            ("PPLX_AUTH_NO_BORROW", "", true),
        ] {
            let home = Home::new(&server)
                .without("PPLX_AUTH_NO_BORROW")
                .env(name, value)
                .program("defaults", "touch started; exit 1");
            assert_eq!(home.run(&["search", "q"]).code, 4);
            assert_eq!(home.path().join("started").exists(), started, "{name}={value}");
        }
        let home =
            Home::new(&server).without("PPLX_AUTH_NO_BORROW").program("defaults", "touch started; exit 1");
        assert_eq!(home.run(&["login", "--no-borrow"]).code, 2);
        assert!(!home.path().join("started").exists());
    }

    #[test]
    fn after_expiry_or_refusal_the_desktop_app_is_tried_once() {
        let other = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhcHAifQ.bm8tc2lnbmF0dXJl";
        let app = |server: &Server| {
            Home::new(server).without("PPLX_AUTH_NO_BORROW").program("defaults", &format!("echo {other}"))
        };
        let server = Server::answering(Reply::stream(answered("From the app.")));
        let home = app(&server);
        home.store(TOKEN, 1000);
        home.run(&["search", "-f", "answer", "q"]).is(0, "From the app.\n", "");
        assert_eq!(server.request().header("authorization"), Some(format!("Bearer {other}").as_str()));

        let refuse = || Reply::status(401).header("Content-Type", "application/json").body("{}");
        let server = Server::start([(ASK, vec![refuse(), Reply::stream(answered("From the app."))])]);
        let home = app(&server);
        home.store(TOKEN, TOKEN_EXPIRES);
        home.run(&["search", "-f", "answer", "q"]).is(0, "From the app.\n", "");
        assert!(!home.auth().exists());

        let server = Server::start([(ASK, vec![refuse(), refuse()])]);
        let home = app(&server);
        home.store(TOKEN, TOKEN_EXPIRES);
        let outcome = home.run(&["search", "q"]);
        assert_eq!(outcome.code, 4);
        assert!(outcome.stderr.contains("the Perplexity desktop app"), "{outcome:?}");
    }

    #[test]
    fn omp_is_asked_through_its_own_command() {
        let server = checked();
        let home =
            Home::new(&server).program("omp", &format!("[ \"$*\" = 'token perplexity' ] && echo {TOKEN}"));
        assert_eq!(home.run(&["login", "--from-omp"]).code, 0);
        assert_eq!(home.stored()["access"], TOKEN);

        let server = Server::start([]);
        for (script, reason) in [
            (
                "echo 'No active credential found for provider \"perplexity\".' >&2; exit 1",
                "No active credential found",
            ),
            ("echo pplx-0123456789", "an API key, perhaps"),
            ("exit 3", "without saying why"),
        ] {
            let home = Home::new(&server).program("omp", script);
            let outcome = home.run(&["login", "--from-omp"]);
            assert_eq!(outcome.code, 4, "{outcome:?}");
            assert!(outcome.stderr.contains(reason), "{outcome:?}");
            assert!(!outcome.stderr.contains("0123456789"), "a key is not repeated");
        }
        let outcome = Home::new(&server).env("PATH", "/nowhere").run(&["login", "--from-omp"]);
        assert!(outcome.stderr.contains("not installed"), "{outcome:?}");
    }
}
