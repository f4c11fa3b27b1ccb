//! Who may name whom: the direction of dependencies, read off the paths in the source.

mod architecture;
mod paths;
mod planted;
mod rules;
mod table;
mod tokens;
mod tree;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use architecture::wrong_folders;
use rules::{faults, idle_rules};
use table::RULES;
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

fn tree(sources: &[(String, String)]) -> Tree {
    Tree::read(sources.iter().map(|(file, text)| (file.as_str(), text.as_str())))
}

#[test]
fn modules_and_libraries_are_named_where_the_rules_allow_it() {
    let sources = sources();
    let faults = faults(&tree(&sources), &RULES);
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn every_rule_is_about_something_that_is_there() {
    let sources = sources();
    assert_eq!(idle_rules(&tree(&sources), &RULES), Vec::<String>::new());
}

#[test]
fn the_architecture_lists_every_folder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let (mut top, mut others) = (BTreeSet::new(), BTreeSet::new());
    for (file, _) in sources() {
        let folders: Vec<&str> = file.rsplit_once('/').map_or("", |(folder, _)| folder).split('/').collect();
        top.extend(folders.first().map(|name| (*name).to_owned()));
        others.extend(folders.into_iter().map(str::to_owned));
    }
    top.remove("");
    let beside = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    others.extend(beside.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()));
    assert_eq!(wrong_folders(&text, &top, &others), Vec::<String>::new());
}
