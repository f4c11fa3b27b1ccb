//! What clap has to say: help and version, or a mistake in what was typed.

use std::ffi::OsString;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::args::Cli;
use crate::outcome::failure::Failure;
use crate::render::text::one_line;
use crate::terminal::io::Io;

/// Prints help, or turns a mistake into one line and a hint.
pub(super) fn answer(error: &clap::Error, arguments: &[OsString], io: &mut Io) -> Result<(), Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let styled = error.render();
            let text = if io.stdout_is_terminal && io.emphasis {
                styled.ansi().to_string()
            } else {
                styled.to_string()
            };
            io.out().write_all(text.as_bytes())?;
            Ok(io.out().flush()?)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            io.report(error.render().to_string().trim_end());
            Err(Failure::Silent(2))
        }
        ErrorKind::InvalidSubcommand => Err(unknown_command(error, arguments)),
        _ => Err(mistake(error, arguments)),
    }
}

/// A mistyped command is answered with the likely one, a bare question with the command that asks it.
fn unknown_command(error: &clap::Error, arguments: &[OsString]) -> Failure {
    let typed = context(error, ContextKind::InvalidSubcommand).unwrap_or_default();
    let words: Vec<String> =
        arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let question: Vec<&str> =
        words.iter().map(String::as_str).take_while(|word| !word.starts_with('-')).collect();
    let near = context(error, ContextKind::SuggestedSubcommand)
        .filter(|near| !typed.contains(char::is_whitespace) && (question.len() == 1 || takes_words(near)));
    let hint = match near {
        Some(near) => format!("did you mean: pplx {near}"),
        None => format!("did you mean: pplx search {}", quoted(&question.join(" "))),
    };
    Failure::usage(format!("There is no command {typed:?}."), hint)
}

/// Whether anything but options can follow a command.
fn takes_words(command: &str) -> bool {
    let cli = Cli::command();
    let found = cli.find_subcommand(command);
    found.is_some_and(|found| found.has_subcommands() || found.get_positionals().next().is_some())
}

/// The other mistakes: clap's own first line, and its tip or the help to read.
fn mistake(error: &clap::Error, arguments: &[OsString]) -> Failure {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n").map(one_line).filter(|paragraph| !paragraph.is_empty());
    let message = paragraphs.next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(&message).to_owned();
    let tip = paragraphs.find_map(|paragraph| paragraph.strip_prefix("tip: ").map(str::to_owned));
    let command = arguments.get(1).map(|word| word.to_string_lossy().into_owned());
    let help = match command.filter(|command| command.chars().all(|letter| letter.is_ascii_lowercase())) {
        Some(command) => format!("pplx {command} --help"),
        None => "pplx --help".to_owned(),
    };
    let mut message = message.trim_end_matches('.').to_owned();
    if let Some(first) = message.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    Failure::usage(format!("{message}."), tip.unwrap_or(help))
}

fn context(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.last().cloned(),
        _ => None,
    }
}

/// `text` as one word for a shell.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in one_line(text).chars() {
        if matches!(character, '"' | '\\' | '$' | '`') {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted + "\""
}
