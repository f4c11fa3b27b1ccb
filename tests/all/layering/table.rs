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
    only_from: &[("mcp", &["cli/mcp.rs", "cli/serve.rs"]), ("serve", &["cli/serve.rs"])],
    ordered: &[("serve", &["edge", "dialect", "ask", "settle", "state", "conversation"])],
    commands: &[(
        "cli",
        &["args", "hand_on", "output", "printer", "progress", "query", "settings", "stop", "topics"],
    )],
    command_pairs: &[("chat", "search")],
    libraries: &[
        ("axum", &["mcp/http.rs", "serve/"]),
        (
            "clap",
            &["cli/args/", "cli/completions.rs", "cli/help.rs", "cli/man.rs", "cli/mod.rs", "cli/usage.rs"],
        ),
        ("clap_complete", &["cli/args/mod.rs", "cli/completions.rs"]),
        ("clap_mangen", &["cli/man.rs"]),
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
