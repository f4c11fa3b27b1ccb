//! `pplx completions`: generated from the definitions of the arguments.

use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory};
use clap_complete::Shell;

use super::args::Cli;
use crate::domain::models::Models;
use crate::domain::request::SOURCES;
use crate::outcome::failure::Failure;
use crate::state::env::Environment;
use crate::state::{Answers, Database, ModelList};
use crate::terminal::io::Io;

/// Prints the completion script of a shell. It knows the models and the threads that are known now.
pub(crate) async fn run(shell: Shell, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut completable(env).await, "pplx", &mut script);
    io.out().write_all(&script)?;
    Ok(io.out().flush()?)
}

/// The arguments, with the values that can be suggested for them.
async fn completable(env: &Environment) -> Command {
    // What cannot be read is reported where it is needed.
    let (models, threads) = match Database::for_user(env) {
        Ok(database) => (
            ModelList::new(database.clone()).known().await,
            Answers::new(database).ids().await.unwrap_or_default(),
        ),
        Err(_) => (Models::built_in(), Vec::new()),
    };
    let models = words(models.choices());
    let threads = words(threads.iter().map(String::as_str));
    let known = |command: Command| -> Command {
        command
            .mut_arg("model", |arg| arg.value_parser(PossibleValuesParser::new(models.clone())))
            .mut_arg("sources", |arg| arg.value_parser(SOURCES))
            .mut_arg("thread", |arg| arg.value_parser(PossibleValuesParser::new(threads.clone())))
    };
    Cli::command().mut_subcommand("search", known).mut_subcommand("chat", known)
}

/// Those that are plain words: the service chose them, and a shell will run the script that holds them.
fn words<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    ids.filter(|id| !id.is_empty() && id.chars().all(is_plain)).map(str::to_owned).collect()
}
