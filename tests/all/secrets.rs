//! Secrets stay out of every output, whatever goes wrong.

use crate::support::{ASK, Home, Outcome, Reply, Server, answered};

/// Long enough that pieces of it can be looked for.
const TOKEN: &str =
    "eyJhbGciOiJub25lIn0.eyJzdWIiOiJzZWNyZXQtb3duZXIiLCJleHAiOjQxMDI0NDQ4MDB9.c2VjcmV0LXNpZ25hdHVyZS0wMQ";
const CLEARANCE: &str = "CLEARANCE-SECRET-01";
const CODE: &str = "987654";

/// Checks that no output has a secret or 12 characters of one.
#[track_caller]
fn is_silent(outcome: &Outcome) {
    assert_ne!(outcome.code, 2, "nothing was tried: {outcome:?}");
    let output = format!("{}{}", outcome.stdout, outcome.stderr);
    for secret in [TOKEN, CLEARANCE] {
        for start in 0..=secret.len() - 12 {
            let piece = &secret[start..start + 12];
            assert!(!output.contains(piece), "{piece} in {outcome:?}");
        }
    }
    assert!(!output.contains(CODE), "{outcome:?}");
    assert!(!output.contains("panicked"), "{outcome:?}");
}

fn home(server: &Server) -> Home {
    Home::new(server).env("RUST_LOG", "trace").env("RUST_BACKTRACE", "full")
}

fn cookies() -> String {
    format!("cf_clearance={CLEARANCE}; __Secure-next-auth.session-token={TOKEN}")
}

#[test]
fn searches_tell_no_secret_whatever_the_service_echoes() {
    let echo = format!("bad session {TOKEN} with {CLEARANCE}");
    let json = |status: u16| Reply::status(status).header("Content-Type", "application/json");
    let failed = format!(
        "data: {{\"status\":\"FAILED\",\"error_code\":\"{TOKEN}\",\"error_message\":\"{echo}\"}}\n\n"
    );
    for reply in [
        Reply::stream(answered("Yes.")),
        json(401).body(&format!("{{\"detail\":\"{echo}\"}}")),
        json(400).body(&format!("{{\"detail\":\"{echo}\"}}")),
        Reply::status(418).body(&echo),
        json(403).body(&format!("{{\"error_code\":\"QUOTA {echo}\"}}")),
        json(200).body(&format!("{{\"error\":\"{echo}\"}}")),
        Reply::status(302).header("Location", &format!("https://x.example/?t={TOKEN}")),
        Reply::stream(failed),
        Reply::stream(format!("data: {{\"broken\": {TOKEN}\n\n")),
        Reply::stream("data: x\n\n").cut(),
    ] {
        for format in ["report", "json", "ndjson"] {
            let server = Server::start([(ASK, vec![reply.clone()])]);
            let home = home(&server).env("PPLX_COOKIES", cookies());
            is_silent(&home.run(&["search", "-v", "-f", format, "q"]));
        }
    }
}

#[test]
fn a_recording_holds_no_credential() {
    let server = Server::answering(Reply::stream(answered("Yes.")).header("Set-Cookie", &cookies()));
    let home = home(&server).env("PPLX_COOKIES", cookies());
    is_silent(&home.run(&["search", "--record", "kept.sse", "q"]));
    let recorded = std::fs::read_to_string(home.path().join("kept.sse")).unwrap();
    assert_eq!(recorded.as_bytes(), answered("Yes."));
    assert!(!recorded.contains("CLEARANCE") && !recorded.contains("eyJ"));
}

#[test]
fn logins_tell_no_secret() {
    let server = Server::start([
        (
            "GET /api/auth/csrf",
            vec![Reply::json(r#"{"csrfToken":"c"}"#).header("Set-Cookie", &format!("a={CLEARANCE}"))],
        ),
        ("POST /api/auth/signin-email", vec![Reply::json("{}")]),
        ("POST /api/auth/signin-otp", vec![Reply::json(&format!("{{\"token\":\"{TOKEN}\"}}"))]),
        ("GET /api/auth/session", vec![Reply::status(500).body(TOKEN)]),
    ]);
    let logged_in = home(&server).env("PPLX_OTP", CODE);
    let outcome = logged_in.run(&["login", "--email", "user@example.com"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    is_silent(&outcome);
    is_silent(&logged_in.run(&["status"]));
    is_silent(&logged_in.run(&["status", "--json"]));

    let server = Server::start([
        ("GET /api/auth/csrf", vec![Reply::json(r#"{"csrfToken":"c"}"#)]),
        ("POST /api/auth/signin-email", vec![Reply::json("{}")]),
        (
            "POST /api/auth/signin-otp",
            vec![Reply::status(401).body(&format!("{{\"text\":\"{CODE} is wrong\"}}"))],
        ),
    ]);
    is_silent(&home(&server).env("PPLX_OTP", CODE).run(&["login", "--email", "user@example.com"]));

    let server = Server::start([]);
    for paste in [
        cookies(),
        format!("{} \u{1}", cookies()),
        format!("curl -H 'cookie: {}", cookies()),
        format!("{TOKEN} {TOKEN}"),
    ] {
        let broken = home(&server).stdin(&paste);
        is_silent(&broken.run(&["login", "--browser"]));
        is_silent(&home(&server).stdin(&paste).run(&["login", "--with-token"]));
    }
    for content in [
        format!("{{\"access\": \"{TOKEN}\", "),
        format!("{{\"access\":\"{TOKEN} x\"}}"),
        format!("{{\"access\":\"{TOKEN}\",\"type\":\"{TOKEN}\"}}"),
    ] {
        let broken = home(&server);
        broken.write_auth(&content);
        is_silent(&broken.run(&["search", "q"]));
        is_silent(&broken.run(&["status", "--json"]));
    }
}

#[test]
fn a_session_that_no_header_can_hold_is_refused_without_being_shown() {
    let server = Server::start([]);
    for (name, value) in
        [("PPLX_TOKEN", format!("{TOKEN}\u{7F}")), ("PPLX_COOKIES", format!("{}\r\nx: y", cookies()))]
    {
        let outcome = home(&server).env(name, value).run(&["search", "q"]);
        assert_eq!(outcome.code, 4, "{outcome:?}");
        is_silent(&outcome);
    }
}

#[test]
fn a_password_of_the_proxy_is_not_shown() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut buffer = [0; 4096];
            let _ = std::io::Read::read(&mut stream, &mut buffer);
            let _ = std::io::Write::write_all(
                &mut stream,
                b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
            );
        }
    });
    let home = Home::at("https://service.invalid")
        .env("PPLX_TOKEN", TOKEN)
        .env("HTTPS_PROXY", format!("http://user:p%40ss-word@{address}"));
    let outcome = home.run(&["search", "-v", "q"]);
    assert_eq!(outcome.code, 6, "{outcome:?}");
    assert!(outcome.stderr.contains(&format!("The proxy {address} ")), "{outcome:?}");
    assert!(!outcome.stderr.contains("p@ss") && !outcome.stderr.contains("p%40ss"), "{outcome:?}");
    is_silent(&outcome);
}
