//! Who may name whom: the direction of dependencies, read off the `use crate::` lines.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A module, and the modules of the crate that it may name.
const MAY_NAME: [(&str, &[&str]); 25] = [
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
    ("lib", &["answer", "error", "request"]),
];

/// A library, and the files (or folders) that may name it.
const MAY_USE: [(&str, &[&str]); 11] = [
    ("axum", &["cli/serve/", "fetch/tests.rs"]),
    ("hyper", &["cli/serve/listen.rs"]),
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

fn sources() -> Vec<(String, String)> {
    fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { collect(&path, files) } else { files.push(path) }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    let name = |path: &PathBuf| path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
    files
        .iter()
        .map(|path| (name(path), fs::read_to_string(path).unwrap()))
        .filter(|(name, _)| name != "main.rs")
        .collect()
}

/// The code of a file, without its tests.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split("#[cfg(test)]")
        .next()
        .unwrap_or_default()
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
}

/// The modules of the crate that a line names.
fn named(line: &str) -> BTreeSet<String> {
    let module = |rest: &str| {
        rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default().to_owned()
    };
    let names = line.split("crate::").skip(1).map(module);
    // Types named from the crate's root are those of the leaves.
    names.filter(|name| name.starts_with(|c: char| c.is_lowercase())).collect()
}

#[test]
fn modules_name_only_those_below_them() {
    for (file, text) in sources() {
        let module = file.split('/').next().unwrap().trim_end_matches(".rs");
        let (_, allowed) = MAY_NAME
            .iter()
            .find(|(name, _)| *name == module)
            .unwrap_or_else(|| panic!("{file} has no place"));
        for line in code(&text) {
            for name in named(line) {
                let own = name == module;
                assert!(own || allowed.contains(&name.as_str()), "{file} names {name}: {line}");
            }
        }
    }
}

#[test]
fn libraries_stay_where_they_belong() {
    for (file, text) in sources() {
        for (library, places) in MAY_USE {
            let used = code(&text).any(|line| {
                line.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == library)
                    && line.contains(&format!("{library}::"))
            });
            let allowed = places.iter().any(|place| file.starts_with(place));
            assert!(!used || allowed, "{file} names {library}");
        }
    }
}
