//! README.md, CONTRIBUTING.md and the pages in doc/ say what the program does.
//!
//! `UPDATE=1 cargo test documentation` writes the output and the tables in them anew; read the difference before you
//! keep it.

mod fields;
mod made;
mod page;
mod shell;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use self::made::{Made, output};
use self::page::{Page, root};
use crate::support::{Home, Outcome};

const NOWHERE: &str = "http://127.0.0.1:9";

fn pplx(arguments: &[String]) -> Outcome {
    Home::at(NOWHERE).run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The command lines of the program on a page, in blocks of shell and in its prose.
fn command_lines(page: &Page) -> Vec<Vec<String>> {
    let typed = page.blocks_in("console").flat_map(str::lines).filter_map(|line| line.strip_prefix("$ "));
    let calls_pplx = |span: &&str| span.split(' ').any(|word| word == "pplx");
    let spans = page.spans.iter().map(String::as_str).filter(calls_pplx);
    let lines = page.blocks_in("sh").chain(typed).chain(spans).flat_map(shell::arguments);
    lines.filter(|arguments| !arguments.is_empty()).collect()
}

/// The program's help on these arguments: their options and values are read, and nothing is done.
fn help_on(arguments: &[String]) -> Outcome {
    let mut arguments = arguments.to_vec();
    let end = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
    arguments.insert(end, "--help".to_owned());
    pplx(&arguments)
}

/// Whether the arguments of a search go together, which help does not look at: it gets as far as its settings.
fn go_together(arguments: &[String]) -> bool {
    let home = Home::at(NOWHERE).settings("no-such-key = 1");
    let outcome = home.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    outcome.code == 2 && outcome.stderr.contains("unknown field `no-such-key`")
}

#[test]
fn every_command_line_is_one_that_the_program_takes() {
    let mut shown = BTreeSet::new();
    for page in Page::all() {
        for arguments in command_lines(&page) {
            let place = format!("{}: pplx {}", page.name(), arguments.join(" "));
            let command = arguments[0].as_str();
            let outcome = if command == "help" { pplx(&arguments) } else { help_on(&arguments) };
            assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{place}");
            let asks_for_help = arguments.iter().any(|word| word == "--help");
            assert!(command != "search" || asks_for_help || go_together(&arguments), "{place}");
            shown.insert(command.to_owned());
        }
    }
    let commands = commands();
    assert!(commands.is_subset(&shown), "no page shows {:?}", commands.difference(&shown));
}

/// The commands that `pplx --help` lists.
fn commands() -> BTreeSet<String> {
    let help = output("pplx --help");
    let (_, commands) = help.split_once("\nCommands:\n").unwrap();
    let (commands, _) = commands.split_once("\n\n").unwrap();
    let names = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The long options of the program, of all commands and of their subcommands.
fn options() -> BTreeSet<String> {
    let subcommands = ["threads list", "threads show", "threads export", "threads delete", "research get"]
        .map(str::to_owned);
    let commands = commands().into_iter().chain(subcommands).chain([String::new()]);
    let mut options = BTreeSet::new();
    for command in commands {
        let help = output(&format!("pplx {command} --help"));
        let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
        // A short name may stand before the long one.
        let words = lines.flat_map(|line| line.split([' ', ',']).take(3));
        options.extend(words.filter(|word| word.starts_with("--")).map(str::to_owned));
    }
    assert!(options.len() > 50, "{options:?}");
    options
}

#[test]
fn every_option_is_on_a_page_and_no_page_names_another() {
    let mut named = BTreeSet::from(["--help".to_owned(), "--version".to_owned()]);
    for page in Page::all() {
        let spans = page.spans.iter().filter(|span| span.starts_with('-'));
        let words = spans.flat_map(|span| span.split(' ')).map(str::to_owned);
        let words = words.chain(command_lines(&page).into_iter().flatten());
        named.extend(words.filter(|word| word.len() > 2 && word.starts_with("--")));
    }
    assert_eq!(named, options());
}

#[test]
fn output_and_tables_are_those_of_the_program() {
    let mut parts = 0;
    for page in Page::all() {
        let made = Made::from_page(&page.text);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(root().join(&page.path), &made.text).unwrap();
        } else {
            assert_eq!(page.text, made.text, "{} is stale: UPDATE=1 cargo test documentation", page.name());
        }
        parts += made.parts;
    }
    assert!(parts > 6, "only {parts} parts are made");
}

#[test]
fn the_readme_is_short_and_shows_what_its_first_command_prints() {
    let readme = Page::read("README.md");
    let length = readme.text.lines().count();
    assert!(length <= 130, "it has {length} lines");
    assert!(readme.text.lines().all(|line| line.chars().count() <= 170), "a line is too long");
    let first = readme.blocks_in("sh").next().unwrap().lines().next().unwrap();
    let (_, printed) = readme.blocks.iter().find(|(language, _)| language.is_empty()).unwrap();
    assert_eq!(&output(first), printed);
}

#[test]
fn the_readme_lists_all_commands() {
    let readme = Page::read("README.md");
    let listed = readme.names("Commands");
    let names: BTreeSet<String> =
        listed.iter().map(|name| name.strip_prefix("pplx ").unwrap().to_owned()).collect();
    assert_eq!(names, commands());
}

/// The keys that the program says there are, when it meets another one.
fn keys(table: &str) -> BTreeSet<String> {
    let home = Home::at(NOWHERE).settings(&format!("{table}no-such-key = 1"));
    let refusal = home.run(&["search", "--replay", "none", "q"]).stderr;
    let (_, keys) = refusal.split_once("expected one of ").unwrap();
    keys.split('`').skip(1).step_by(2).take_while(|key| !key.contains(' ')).map(str::to_owned).collect()
}

#[test]
fn the_keys_of_the_settings_are_those_of_the_program() {
    let page = Page::read("doc/settings-and-files.md");
    for (heading, table, least) in [("settings.toml", "", 20), ("The table [serve]", "[serve]\n", 5)] {
        let listed: BTreeSet<String> = page.names(heading).into_iter().collect();
        assert!(listed.len() > least, "{listed:?}");
        assert_eq!(listed, keys(table), "{heading}");
    }
}

#[test]
fn settings_on_the_pages_are_accepted() {
    let stream = root().join("tests/streams/herons.sse");
    let mut count = 0;
    for page in Page::all() {
        for toml in page.blocks_in("toml") {
            let outcome =
                Home::at(NOWHERE).settings(toml).run(&["search", "--replay", stream.to_str().unwrap(), "q"]);
            assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{}: {toml}", page.name());
            count += 1;
        }
        for json in page.blocks_in("json") {
            serde_json::from_str::<serde_json::Value>(json).unwrap();
            count += 1;
        }
    }
    assert!(count > 3, "only {count} blocks");
}

#[test]
fn links_lead_to_pages_headings_and_files_that_exist() {
    let pages = Page::all();
    let mut count = 0;
    for page in &pages {
        let folder = page.path.parent().unwrap();
        for link in page.links.iter().filter(|link| !link.contains("://")) {
            let (file, anchor) =
                link.split_once('#').map_or((link.as_str(), None), |(file, anchor)| (file, Some(anchor)));
            let target = if file.is_empty() { page.path.clone() } else { normal(&folder.join(file)) };
            let place = format!("{}: {link}", page.name());
            assert!(root().join(&target).exists(), "{place}");
            if let Some(anchor) = anchor {
                let target =
                    pages.iter().find(|page| page.path == target).unwrap_or_else(|| panic!("{place}"));
                assert!(target.anchors.iter().any(|known| known == anchor), "{place}: {:?}", target.anchors);
            }
            count += 1;
        }
    }
    assert!(count > 40, "only {count} links");
}

/// A path without steps upwards.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            normal.pop();
        } else {
            normal.push(part);
        }
    }
    normal
}

#[test]
fn the_readme_leads_to_every_page() {
    let readme = Page::read("README.md");
    let linked: BTreeSet<&Path> =
        readme.links.iter().filter_map(|link| link.split('#').next()).map(Path::new).collect();
    for page in Page::all().iter().filter(|page| page.path != readme.path) {
        assert!(linked.contains(page.path.as_path()), "{} is not linked", page.name());
    }
}

#[test]
fn files_of_the_repository_that_a_page_names_exist() {
    let folders = [
        ".ci/",
        ".github/",
        "benches/",
        "completions/",
        "doc/",
        "fuzz/",
        "integrations/",
        "packaging/",
        "skills/",
        "src/",
        "tests/",
    ];
    let mut count = 0;
    for page in Page::all() {
        let paths = page.spans.iter().filter(|span| folders.iter().any(|folder| span.starts_with(folder)));
        for path in paths.filter(|path| !path.contains(['*', ' ']) && !path.contains("NAME")) {
            assert!(root().join(path).exists(), "{}: {path}", page.name());
            count += 1;
        }
    }
    assert!(count > 10, "only {count} files");
}
