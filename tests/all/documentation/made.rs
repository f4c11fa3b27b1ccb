//! The parts of a page that are made by running the program: its output in `console` blocks, and tables of its help.

use std::fmt::Write as _;
use std::process::Stdio;

use super::page::root;
use super::shell;
use crate::support::Home;
use crate::support::command::finish;

/// What opens a table that is made, before the command, and what closes it.
const OPENS: &str = "<!-- made from: ";
const CLOSES: &str = "<!-- end -->";

/// A page as it should be.
#[derive(Debug, Default)]
pub struct Made {
    pub text: String,
    /// How many parts of it were made.
    pub parts: usize,
}

impl Made {
    pub fn from_page(page: &str) -> Self {
        let mut made = Self::default();
        let mut lines = page.lines().peekable();
        let mut in_console = false;
        while let Some(line) = lines.next() {
            made.push(line);
            if line.starts_with("```") {
                in_console = line == "```console";
            }
            if let Some(command) = line.strip_prefix(OPENS).and_then(|line| line.strip_suffix(" -->")) {
                made.part(&table(command));
                while lines.next_if(|line| *line != CLOSES).is_some() {}
            } else if let Some(command) = line.strip_prefix("$ ").filter(|_| in_console) {
                made.part(&output(command));
                while lines.next_if(|line| !line.starts_with("$ ") && *line != "```").is_some() {}
            }
        }
        made
    }

    fn part(&mut self, text: &str) {
        self.parts += 1;
        text.lines().for_each(|line| self.push(line));
    }

    fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// What a command prints, in the folder of the repository, to somebody who has not logged in.
pub fn output(command: &str) -> String {
    let arguments = shell::arguments(command);
    let [arguments] = &arguments[..] else { panic!("not one command of ours: {command}") };
    let home = Home::at("http://127.0.0.1:9");
    let mut pplx = home.command(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    pplx.current_dir(root()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let outcome = finish(pplx.spawn().unwrap());
    outcome.stdout + &outcome.stderr
}

/// A topic of the program's help as a Markdown table.
fn table(command: &str) -> String {
    let help = output(command);
    let rows = match command {
        "pplx help exit-codes" => exit_codes(&help),
        "pplx help environment" => variables(&help),
        other => panic!("no table is made from {other:?}"),
    };
    assert!(rows.lines().count() > 5, "{command}: {help}");
    rows
}

/// Lines of a code, the kind that JSON names, and what it means.
fn exit_codes(help: &str) -> String {
    let mut table = String::from("| code | kind | means |\n|---|---|---|\n");
    for line in help.lines().filter(|line| line.starts_with("  ")) {
        let (code, rest) = line.trim().split_once("  ").unwrap();
        // The code 0 has no kind, so that a blank stands in its place.
        let (kind, meaning) = rest.split_once(' ').unwrap();
        let kind = if kind.is_empty() { String::new() } else { format!("`{kind}`") };
        writeln!(table, "| {code} | {kind} | {} |", meaning.trim()).unwrap();
    }
    table
}

/// Lines of names, each followed by a line that says what they are.
fn variables(help: &str) -> String {
    let mut table = String::from("| variable | is |\n|---|---|\n");
    let mut lines = help.lines().filter(|line| line.starts_with("  "));
    while let (Some(names), Some(meaning)) = (lines.next(), lines.next()) {
        let names = names.trim().replace(", ", "`, `");
        writeln!(table, "| `{names}` | {} |", meaning.trim()).unwrap();
    }
    table
}
