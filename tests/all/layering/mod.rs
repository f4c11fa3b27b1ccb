//! Who may name whom: the direction of dependencies, read off the paths in the source.

mod architecture;
mod paths;
mod planted;
mod rules;
mod table;
mod tokens;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};

use rules::{Rules, faults, idle_rules};
use tree::Tree;

/// The files under `src`, each with its path from there and its text.
fn sources() -> Vec<(String, String)> {
    fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    let name = |path: &PathBuf| path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
    files.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn modules_and_libraries_are_named_where_the_rules_allow_it() {
    let sources = sources();
    let tree = Tree::read(sources.iter().map(|(file, text)| (file.as_str(), text.as_str())));
    let faults = faults(&tree, &TODAY);
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn every_rule_is_about_something_that_is_there() {
    let sources = sources();
    let tree = Tree::read(sources.iter().map(|(file, text)| (file.as_str(), text.as_str())));
    assert_eq!(idle_rules(&tree, &TODAY), Vec::<String>::new());
}

/// The rules of the tree as it is.
const TODAY: Rules = Rules {
    folders: &MAY_NAME,
    only_from: &[],
    ordered: &[],
    commands: &[],
    command_pairs: &[],
    libraries: &MAY_USE,
    with_circles: &["cli/mcp", "cli/serve", "cli/serve/responses"],
};

const MAY_NAME: [rules::Row; 26] = [
    ("answer", &[]),
    ("error", &["origin"]),
    ("env", &["error"]),
    ("fetch", &["error", "http"]),
    ("http", &["env", "error"]),
    ("notify", &["error", "http"]),
    ("io", &["env"]),
    ("origin", &[]),
    ("overwrite", &[]),
    ("request", &["answer"]),
    ("sse", &[]),
    ("terminal", &[]),
    ("private", &[]),
    ("line_editor", &["env", "private", "terminal"]),
    ("attachment", &["error"]),
    ("models", &["env", "error", "private"]),
    ("integrations", &["env", "error", "private"]),
    ("jobs", &["env", "error", "private"]),
    ("queue", &["env", "error", "private"]),
    ("history", &["answer", "env", "error", "private"]),
    ("auth", &["env", "error", "http", "origin", "private"]),
    (
        "provider",
        &[
            "answer",
            "attachment",
            "auth",
            "env",
            "error",
            "http",
            "models",
            "overwrite",
            "private",
            "request",
            "sse",
        ],
    ),
    ("render", &["answer"]),
    (
        "cli",
        &[
            "answer",
            "attachment",
            "auth",
            "env",
            "error",
            "fetch",
            "history",
            "http",
            "integrations",
            "io",
            "jobs",
            "line_editor",
            "models",
            "notify",
            "origin",
            "overwrite",
            "private",
            "provider",
            "queue",
            "render",
            "request",
            "terminal",
        ],
    ),
    ("main", &["cli"]),
    ("lib", &["answer", "error", "request"]),
];
const MAY_USE: [rules::Row; 12] = [
    ("axum", &["cli/serve/", "fetch/tests.rs"]),
    ("hyper", &["cli/serve/listen.rs"]),
    ("jsonschema", &["cli/serve/schema.rs"]),
    ("rusqlite", &["cli/serve/responses/store.rs"]),
    ("tower_http", &["cli/serve/routes.rs"]),
    ("clap", &["cli/"]),
    ("http_body", &["fetch/tests.rs", "provider/"]),
    ("reqwest", &["http.rs", "fetch.rs", "fetch/tests.rs", "auth/endpoint.rs", "provider/"]),
    ("rustix", &["private.rs", "io.rs", "terminal.rs"]),
    ("rmcp", &["cli/mcp/", "cli/serve/mcp.rs"]),
    ("rustyline", &["line_editor.rs"]),
    ("toml", &["cli/settings/"]),
];
