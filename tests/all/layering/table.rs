//! The rules of this crate.

use super::rules::Rules;

pub const RULES: Rules = Rules {
    folders: &[
        ("main", &["cli"]),
        ("lib", &["domain"]),
        ("domain", &[]),
        ("state", &["domain"]),
        ("net", &["domain", "state"]),
        ("auth", &["net", "state", "domain"]),
        ("provider", &["auth", "net", "state", "domain"]),
        ("render", &["domain"]),
        ("terminal", &["domain", "state", "render"]),
        ("config", &["provider", "auth", "net", "state", "render", "domain"]),
        ("outcome", &["config", "provider", "auth", "net", "state", "render", "terminal", "domain"]),
        ("mcp", BELOW_FRONT_ENDS),
        ("serve", BELOW_FRONT_ENDS),
        (
            "cli",
            &[
                "mcp", "serve", "outcome", "config", "provider", "auth", "net", "state", "render",
                "terminal", "domain",
            ],
        ),
    ],
    only_from: &[("mcp", &["cli/mod.rs", "cli/mcp.rs"]), ("serve", &["cli/mod.rs", "cli/serve.rs"])],
    ordered: &[("serve", &["edge", "dialect", "ask", "settle", "state", "conversation"])],
    commands: &[("cli", &["args", "output", "printer", "query", "stop"])],
    command_pairs: &[("chat", "search")],
    libraries: &[
        ("axum", &["serve/"]),
        (
            "clap",
            &["cli/args/", "cli/chat/", "cli/completions.rs", "cli/help.rs", "cli/mod.rs", "cli/usage.rs"],
        ),
        ("clap_complete", &["cli/completions.rs"]),
        ("clap_mangen", &["cli/completions.rs"]),
        ("http_body", &["provider/"]),
        ("hyper", &["serve/"]),
        ("reqwest", &["auth/endpoint.rs", "net/", "provider/"]),
        ("rmcp", &["mcp/"]),
        ("rusqlite", &["state/"]),
        ("rustix", &["state/", "terminal/"]),
        ("rustyline", &["terminal/line_editor.rs"]),
        ("schemars", &["mcp/"]),
        ("toml", &["config/"]),
        ("tower_http", &["serve/"]),
    ],
    with_circles: &[],
};

const BELOW_FRONT_ENDS: &[&str] =
    &["outcome", "config", "provider", "auth", "net", "state", "render", "terminal", "domain"];
