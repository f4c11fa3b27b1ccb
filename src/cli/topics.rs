//! Help that belongs to no single command. `pplx help`, the manual page and the documentation show it.

use std::fmt::Write as _;

use crate::outcome::exit_codes::EXIT_CODES;

/// A topic of `pplx help`.
pub(super) struct Topic {
    pub(super) name: &'static str,
    pub(super) text: fn() -> String,
}

/// All of them.
pub(super) const TOPICS: [Topic; 2] =
    [Topic { name: "exit-codes", text: exit_codes }, Topic { name: "environment", text: environment }];

fn exit_codes() -> String {
    let mut text = String::from("Exit codes, and the kind that JSON errors name:\n\n");
    for (code, kind, meaning) in EXIT_CODES {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {code:>3}  {kind:<12} {meaning}");
    }
    text.push_str("\nA reader that closes the pipe early (`pplx search … | head`) ends the run with 0.");
    text
}

fn environment() -> String {
    let mut text = String::from("Environment variables:\n\n");
    for (names, meaning) in VARIABLES {
        let _ = writeln!(text, "  {names}\n      {meaning}");
    }
    text.push_str("\nAn option wins over its variable, a variable over settings.toml. An empty variable counts as unset.");
    text
}

const VARIABLES: [(&str, &str); 20] = [
    ("PPLX_TOKEN", "the session token to use instead of the stored session"),
    ("PPLX_COOKIES, PERPLEXITY_COOKIES", "a browser's Cookie header to use instead of the stored session"),
    ("PPLX_EMAIL, PPLX_OTP", "address and code for `pplx login`"),
    ("PERPLEXITY_API_KEY", "the key of the official API, used with --provider api only"),
    ("PPLX_MODEL", "the model to ask, as --model"),
    ("PPLX_FORMAT", "the output format, as --format"),
    ("PPLX_AUTH_NO_BORROW, PI_AUTH_NO_BORROW", "1: never look for the desktop app's session"),
    ("PPLX_CONFIG_DIR", "the folder of auth.json and settings.toml"),
    (
        "XDG_CONFIG_HOME, HOME, APPDATA",
        "where that folder is otherwise: pplx in the first, .config/pplx in the second",
    ),
    (
        "XDG_STATE_HOME, LOCALAPPDATA",
        "where what pplx keeps between runs is: pplx in it, or .local/state/pplx in the home folder",
    ),
    ("NO_COLOR, CLICOLOR_FORCE, TERM", "never or always use colour; dumb: never move the cursor"),
    (
        "HTTPS_PROXY, ALL_PROXY, NO_PROXY",
        "the proxy (http, https, socks5, socks5h), and what is reached without it",
    ),
    ("SSL_CERT_FILE, SSL_CERT_DIR", "certificates to trust instead of the system's"),
    (
        "DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION, SSH_TTY",
        "where --copy finds the clipboard: on this machine, or through the terminal",
    ),
    (
        "PI_CODING_AGENT_DIR, CLAUDE_CONFIG_DIR",
        "where `pplx integrate` writes for oh-my-pi, pi and Claude Code",
    ),
    ("PPLX_SERVE_KEY", "the key that clients of `pplx serve` must send"),
    ("TZ", "the time zone that is sent, where it names one"),
    ("PPLX_BASE_URL", "another address of the service: https, or http on loopback (reached without a proxy)"),
    ("PERPLEXITY_BASE_URL", "another address of the official API, such as a gateway's, by the same rule"),
    (
        "RUST_BACKTRACE, RUST_LOG",
        "without effect: the only log is that of `pplx serve`, which they do not change",
    ),
];
