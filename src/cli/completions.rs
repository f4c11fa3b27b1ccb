//! `pplx completions` and `pplx man`: generated from the definitions of the arguments.

use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory};
use clap_complete::Shell;

use super::args::Cli;
use crate::domain::models::Models;
use crate::outcome::failure::Failure;
use crate::state::env::Environment;
use crate::state::{Answers, Database, ModelList};
use crate::terminal::io::Io;

/// The places to search that are known; the service takes others, too.
pub(crate) const SOURCES: [&str; 4] = ["web", "scholar", "social", "edgar"];

/// Prints the completion script of a shell. It knows the models and the threads that are known now.
pub(crate) async fn completions(shell: Shell, env: &Environment, io: &mut Io) -> Result<(), Failure> {
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

/// Prints the manual page of the program, with a section for each command.
pub(crate) fn man(io: &mut Io) -> Result<(), Failure> {
    let command = Cli::command();
    let page = clap_mangen::Man::new(command.clone()).source(concat!("pplx ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_subcommands_section(&mut text)?;
    for subcommand in command.get_subcommands() {
        let name = format!("pplx {}", subcommand.get_name());
        let section =
            clap_mangen::Man::new(subcommand.clone().bin_name(name.clone()).display_name(name.clone()));
        text.extend(format!(".SH \"{}\"\n", name.to_uppercase()).into_bytes());
        let mut options = Vec::new();
        section.render_options_section(&mut options)?;
        let options = String::from_utf8_lossy(&options).replace(".SH OPTIONS\n", "");
        let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
        text.extend(format!("{about}\n{options}").into_bytes());
    }
    for topic in super::help::TOPICS {
        text.extend(roff_section(topic.name, &(topic.text)()).into_bytes());
    }
    io.out().write_all(&text)?;
    Ok(io.out().flush()?)
}

/// A section whose lines stay as they are.
fn roff_section(name: &str, text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace("\n.", "\n\\&.").replace('-', "\\-");
    format!(".SH \"{}\"\n.nf\n{text}\n.fi\n", name.to_uppercase().replace('-', " "))
}
