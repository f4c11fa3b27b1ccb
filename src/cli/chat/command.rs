//! What a line of a chat says.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::domain::choice::Choice;
use crate::domain::models::Models;
use crate::domain::request::{Recency, SOURCES};
use crate::outcome::failure::Failure;
use crate::state::env::Environment;

/// A line, read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Input {
    Nothing,
    Question(String),
    Command(Command),
}

/// What is not asked of the service. Without a value, the settings say what they are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command {
    Model(Option<String>),
    Recency(Option<Age>),
    Source(Vec<String>),
    New,
    Save(String),
    Help,
    Quit,
}

/// How old pages may be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Age {
    Any,
    AtMost(Recency),
}

const COMMANDS: [(&str, &str); 7] = [
    ("/model [ID]", "the model that answers from now on"),
    ("/recency [AGE]", "how old pages may be: hour, day, week, month, year or any"),
    ("/source [NAME]...", "where to search: web, scholar, social and others"),
    ("/new", "begin a new thread"),
    ("/save FILE", "write all questions answered so far to a file, as Markdown"),
    ("/help", "this list"),
    ("/quit", "leave, as Ctrl-D does"),
];

/// What `/help` says.
pub(super) fn help() -> String {
    let mut text = String::new();
    for (command, meaning) in COMMANDS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {command:<18} {meaning}");
    }
    text.push_str(
        "Ctrl-C stops an answer. A question may be pasted in several lines. The up arrow\n\
        finds old lines; those that begin with a blank are not kept.",
    );
    text
}

/// Reads a line. Only a lone word after the slash is a command: a path may begin a question.
pub(super) fn read(line: &str) -> Result<Input, Failure> {
    let line = line.trim();
    let Some(command) = line.strip_prefix('/') else {
        return Ok(if line.is_empty() { Input::Nothing } else { Input::Question(line.to_owned()) });
    };
    let (name, value) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_lowercase()) {
        return Ok(Input::Question(line.to_owned()));
    }
    let value = value.trim();
    let given = || Some(value.to_owned()).filter(|value| !value.is_empty());
    Ok(Input::Command(match name {
        "model" => Command::Model(given()),
        "recency" => Command::Recency(given().map(|age| named_age(&age)).transpose()?),
        "source" => Command::Source(
            value.split([' ', ',']).filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        ),
        "new" => Command::New,
        "save" => Command::Save(given().ok_or_else(|| usage("/save needs the name of a file."))?),
        "help" => Command::Help,
        "quit" | "exit" => Command::Quit,
        name => return Err(usage(&format!("There is no command /{name}; nothing was asked."))),
    }))
}

fn usage(message: &str) -> Failure {
    Failure::usage(message, "/help lists the commands")
}

fn named_age(name: &str) -> Result<Age, Failure> {
    if name == "any" {
        return Ok(Age::Any);
    }
    let age = Recency::from_name(&name.to_lowercase());
    age.map(Age::AtMost).ok_or_else(|| usage(&format!("{name:?} is no age.")))
}

/// Which pages are searched, in words.
pub(super) fn pages(recency: Option<Recency>) -> &'static str {
    match recency {
        None => "of any age",
        Some(Recency::Hour) => "of the last hour",
        Some(Recency::Day) => "of the last day",
        Some(Recency::Week) => "of the last week",
        Some(Recency::Month) => "of the last month",
        Some(Recency::Year) => "of the last year",
    }
}

/// A path as a shell would read it: `~/` is the home folder.
pub(super) fn expanded(file: &str, env: &Environment) -> PathBuf {
    match (file.strip_prefix("~/"), env.home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => file.into(),
    }
}

/// What a beginning is completed to.
pub(super) fn candidates(models: &Models) -> Vec<String> {
    let ages = Recency::ALL.iter().map(|age| age.name()).chain(["any"]);
    let commands = COMMANDS.iter().map(|(command, _)| match command.split_once(' ') {
        Some((name, _)) => format!("{name} "),
        None => (*command).to_owned(),
    });
    commands
        .chain(models.choices().map(|model| format!("/model {model}")))
        .chain(ages.map(|age| format!("/recency {age}")))
        .chain(SOURCES.iter().map(|source| format!("/source {source}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Command {
        match read(line) {
            Ok(Input::Command(command)) => command,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn lines_are_questions_unless_they_begin_with_a_slash_and_a_word() {
        for line in ["why?", "/etc/fstab: what is it", "/", "// in C", "/2 of them"] {
            assert_eq!(read(line).unwrap(), Input::Question(line.to_owned()));
        }
        assert_eq!(read(" \n ").unwrap(), Input::Nothing);
        assert_eq!(read(" two\nlines \n").unwrap(), Input::Question("two\nlines".to_owned()));
    }

    #[test]
    fn commands_with_and_without_values() {
        assert_eq!(command("/model"), Command::Model(None));
        assert_eq!(command("/model  sonar "), Command::Model(Some("sonar".to_owned())));
        assert_eq!(command("/recency"), Command::Recency(None));
        assert_eq!(command("/recency any"), Command::Recency(Some(Age::Any)));
        assert_eq!(command("/recency Week"), Command::Recency(Some(Age::AtMost(Recency::Week))));
        assert_eq!(
            command("/source web, scholar"),
            Command::Source(vec!["web".to_owned(), "scholar".to_owned()])
        );
        assert_eq!(command("/save my notes.md"), Command::Save("my notes.md".to_owned()));
        assert_eq!([command("/quit"), command("/exit")], [Command::Quit, Command::Quit]);
    }

    #[test]
    fn what_is_no_command_is_not_asked() {
        for line in ["/modle x", "/recency fortnight", "/save"] {
            assert_eq!(read(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn the_home_folder_is_found() {
        let env = Environment::from_variables(&[("HOME", "/home/u")]);
        assert_eq!(expanded("~/a.md", &env), PathBuf::from("/home/u/a.md"));
        assert_eq!(expanded("~a.md", &env), PathBuf::from("~a.md"));
    }
}
