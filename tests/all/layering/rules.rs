//! Who may name whom, as data, and what breaks it.

use std::collections::{BTreeMap, BTreeSet};

use super::tree::{Arrow, Target, Tree};

/// A name, and those that it goes with.
pub type Row = (&'static str, &'static [&'static str]);

/// The rules of a source tree. Folders and files are named by their paths under `src`.
pub struct Rules {
    /// A folder of `src`, and the folders that it may name.
    pub folders: &'static [Row],
    /// A folder, and the only files outside it that may name it.
    pub only_from: &'static [Row],
    /// A folder whose own folders have an order: each may name those after it. Files directly in it may be named by
    /// all of them and name none.
    pub ordered: &'static [Row],
    /// A folder of commands, which may not name one another, and the modules in it that they share.
    pub commands: &'static [Row],
    /// A command that may name another: which, and that other.
    pub command_pairs: &'static [(&'static str, &'static str)],
    /// A library, and the files or folders that may name it.
    pub libraries: &'static [Row],
    /// Folders in which files or folders name one another in a circle. Elsewhere none may.
    pub with_circles: &'static [&'static str],
}

/// Everything in a tree that breaks the rules, a sentence each.
pub fn faults(tree: &Tree, rules: &Rules) -> BTreeSet<String> {
    let arrows = tree.arrows();
    let mut faults: BTreeSet<String> = tree.files().filter_map(|file| without_a_row(file, rules)).collect();
    let circles =
        circles(&arrows).into_iter().filter(|(folder, _)| !rules.with_circles.contains(&folder.as_str()));
    faults.extend(circles.map(|(folder, parts)| format!("{folder}/: {} are a circle", parts.join(", "))));
    let mut known = BTreeSet::new();
    for arrow in &arrows {
        // The first line in a file is enough.
        if known.insert((&arrow.file, &arrow.to)) {
            let found = faults_of(arrow, rules).into_iter();
            faults.extend(found.map(|fault| format!("{}:{}: {fault}", arrow.file, arrow.line)));
        }
    }
    faults
}

/// The rules that speak of nothing that is in the tree: a slip of the pen, or what was left from an earlier tree.
pub fn idle_rules(tree: &Tree, rules: &Rules) -> Vec<String> {
    let is_there = |folder: &str, name: &str| tree.files().any(|file| part(folder, file) == Some(name));
    let no_folder = |(folder, _): &&Row| !is_there("", folder);
    let folders =
        rules.folders.iter().filter(no_folder).map(|(folder, _)| format!("there is no folder {folder}"));
    let parts = rules.ordered.iter().chain(rules.commands);
    let parts = parts.flat_map(|(folder, parts)| parts.iter().map(move |part| (*folder, *part)));
    let parts = parts.filter(|(folder, part)| !is_there(folder, part));
    let parts = parts.map(|(folder, part)| format!("there is no {folder}/{part}"));
    let files = rules.only_from.iter().flat_map(|(_, files)| files.iter());
    let files = files.filter(|file| !tree.files().any(|known| known == **file));
    let files = files.map(|file| format!("there is no {file}"));
    let arrows = tree.arrows();
    let is_named = |name: &str| arrows.iter().any(|arrow| arrow.to == Target::Library(name.to_owned()));
    let libraries = rules.libraries.iter().filter(|(name, _)| !is_named(name));
    let libraries = libraries.map(|(name, _)| format!("no file names {name}"));
    folders.chain(parts).chain(files).chain(libraries).collect()
}

fn faults_of(arrow: &Arrow, rules: &Rules) -> Vec<String> {
    match &arrow.to {
        Target::Library(name) => library_out_of_place(&arrow.file, name, rules).into_iter().collect(),
        Target::Module(to) => {
            let to = to.join("/");
            let found = [
                upward(&arrow.file, &to, rules).or_else(|| from_elsewhere(&arrow.file, &to, rules)),
                out_of_order(&arrow.file, &to, rules),
                between_commands(&arrow.file, &to, rules),
            ];
            found.into_iter().flatten().collect()
        }
    }
}

fn library_out_of_place(file: &str, library: &str, rules: &Rules) -> Option<String> {
    let places = find(rules.libraries, library)?;
    let allowed = places.iter().any(|place| file.starts_with(place));
    (!allowed).then(|| format!("the library {library} is named here"))
}

/// The part of `folder` that a path lies in: the folder or file directly in it, without `.rs`. The root of `src` is the
/// folder `""`.
fn part<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    let inner = match folder {
        "" => path,
        folder => path.strip_prefix(folder)?.strip_prefix('/')?,
    };
    Some(inner.split('/').next().unwrap_or_default().trim_end_matches(".rs")).filter(|part| !part.is_empty())
}

fn find(rows: &'static [Row], name: &str) -> Option<&'static [&'static str]> {
    rows.iter().find(|(known, _)| *known == name).map(|(_, others)| *others)
}

fn without_a_row(file: &str, rules: &Rules) -> Option<String> {
    let top = part("", file)?;
    if find(rules.folders, top).is_none() {
        return Some(format!("{file}: the rules do not know {top}"));
    }
    rules.ordered.iter().find_map(|(folder, order)| {
        let inner = part(folder, file)?;
        let is_file = !file.strip_prefix(folder)?.trim_start_matches('/').contains('/');
        (!is_file && !order.contains(&inner))
            .then(|| format!("{file}: the rules do not know {folder}/{inner}"))
    })
}

fn upward(file: &str, to: &str, rules: &Rules) -> Option<String> {
    let from = part("", file)?;
    let allowed = find(rules.folders, from)?;
    let to = part("", to).unwrap_or("lib");
    (from != to && !allowed.contains(&to)).then(|| format!("{from} names {to}"))
}

fn from_elsewhere(file: &str, to: &str, rules: &Rules) -> Option<String> {
    let folder = part("", to)?;
    let allowed = find(rules.only_from, folder)?;
    let is_allowed = part("", file) == Some(folder) || allowed.contains(&file);
    (!is_allowed).then(|| format!("{folder} may be named from {} alone", allowed.join(", ")))
}

fn out_of_order(file: &str, to: &str, rules: &Rules) -> Option<String> {
    rules.ordered.iter().find_map(|(folder, order)| {
        let (from, to) = (part(folder, file)?, part(folder, to)?);
        // A module's own file may name all that it is made of.
        if from == to || from == "mod" {
            return None;
        }
        let place = |part: &str| order.iter().position(|known| *known == part);
        match (place(from), place(to)) {
            (_, None) => None,
            (Some(from), Some(to)) if from < to => None,
            _ => Some(format!("{folder}/{from} names {folder}/{to}")),
        }
    })
}

fn between_commands(file: &str, to: &str, rules: &Rules) -> Option<String> {
    rules.commands.iter().find_map(|(folder, shared)| {
        let (from, to) = (part(folder, file)?, part(folder, to)?);
        let allowed =
            from == to || from == "mod" || shared.contains(&to) || rules.command_pairs.contains(&(from, to));
        (!allowed).then(|| format!("{folder}/{from} names {folder}/{to}"))
    })
}

/// The circles in each folder: parts of it that name one another, directly or through others. To name the folder itself
/// is to name none of its parts, so that `mod.rs`, which makes known what they hold, is in no circle.
fn circles(arrows: &BTreeSet<Arrow>) -> Vec<(String, Vec<String>)> {
    let mut folders: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
    for arrow in arrows {
        let Target::Module(to) = &arrow.to else { continue };
        let to = to.join("/");
        for folder in folders_around(&arrow.file) {
            let (Some(from), Some(to)) = (part(&folder, &arrow.file), part(&folder, &to)) else { continue };
            if from != to {
                folders.entry(folder).or_default().insert((from.to_owned(), to.to_owned()));
            }
        }
    }
    let all = folders.into_iter().flat_map(|(folder, arrows)| {
        strongly_connected(&arrows).into_iter().map(move |circle| (folder.clone(), circle))
    });
    all.collect()
}

fn folders_around(file: &str) -> impl Iterator<Item = String> {
    let ends = file.match_indices('/').map(|(at, _)| at);
    std::iter::once(0).chain(ends).map(|end| file[..end].to_owned())
}

/// The groups in which each reaches every other.
fn strongly_connected(arrows: &BTreeSet<(String, String)>) -> BTreeSet<Vec<String>> {
    let names: BTreeSet<&str> = arrows.iter().map(|(from, _)| from.as_str()).collect();
    let below: BTreeMap<&str, BTreeSet<&str>> =
        names.iter().map(|name| (*name, reached_from(name, arrows))).collect();
    let reaches = |from: &str, to: &str| below.get(from).is_some_and(|names| names.contains(to));
    let group = |name: &&str| -> Vec<String> {
        let others = names.iter().filter(|other| reaches(name, other) && reaches(other, name));
        others.map(|other| (*other).to_owned()).collect()
    };
    names.iter().map(group).filter(|group| !group.is_empty()).collect()
}

fn reached_from<'a>(start: &'a str, arrows: &'a BTreeSet<(String, String)>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![start];
    while let Some(from) = open.pop() {
        let next = arrows.iter().filter(|(name, _)| name == from).map(|(_, to)| to.as_str());
        open.extend(next.filter(|to| reached.insert(*to)));
    }
    reached
}
