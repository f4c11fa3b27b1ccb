//! `ARCHITECTURE.md` lists the folders that there are.

use std::collections::BTreeSet;

/// The folders that a text lists: each line, or row of a table, that begins with a name and a slash.
pub fn listed_folders(text: &str) -> BTreeSet<String> {
    let folder = |line: &str| {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || "|│├└─-*`".contains(c));
        let (name, _) = line.split_once('/')?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        is_name.then(|| name.to_owned())
    };
    text.lines().filter_map(folder).collect()
}

/// What is wrong with a text that should list all of `top`, the folders of `src`, and nothing that is no folder;
/// `others` are folders that it may list as well.
pub fn wrong_folders(text: &str, top: &BTreeSet<String>, others: &BTreeSet<String>) -> Vec<String> {
    let listed = listed_folders(text);
    let missing = top.difference(&listed).map(|name| format!("{name}/ is not listed"));
    let known = |name: &&String| top.contains(*name) || others.contains(*name);
    let unknown =
        listed.iter().filter(|name| !known(name)).map(|name| format!("{name}/ is listed, and not there"));
    missing.chain(unknown).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn rows_and_branches_of_a_tree_are_read() {
    let text = "# The tree\n\n```\nsrc/\n  domain/   what is asked\n├── net/  bytes and/or events\n│   └── inner_one/\n```\n\
                | folder | is |\n|---|---|\n| `render/` | text |\n- `cli/`: commands\nNo folder/ here, nor in http://x\n";
    assert_eq!(listed_folders(text), set(&["src", "domain", "net", "inner_one", "render", "cli"]));
}

#[test]
fn a_folder_that_is_missing_or_gone_is_found() {
    let (top, others) = (set(&["cli", "net"]), set(&["src", "web"]));
    assert_eq!(wrong_folders("src/\ncli/\nnet/\nweb/", &top, &others), Vec::<String>::new());
    assert_eq!(
        wrong_folders("cli/\nold/", &top, &others),
        ["net/ is not listed", "old/ is listed, and not there"]
    );
}
