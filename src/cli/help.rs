//! `pplx help`: commands, and topics that belong to no single command.

use clap::CommandFactory;

use super::args::Cli;
use super::topics::TOPICS;
use crate::outcome::failure::Failure;
use crate::terminal::io::Io;

/// Prints the help of a command or a topic.
pub(super) fn run(topic: Option<&str>, io: &mut Io) -> Result<(), Failure> {
    let mut command = Cli::command();
    command.build();
    let text = match topic {
        None => command.render_long_help().to_string(),
        Some(name) => match TOPICS.iter().find(|topic| topic.name == name) {
            Some(topic) => (topic.text)(),
            None => match command.find_subcommand_mut(name) {
                Some(subcommand) => subcommand.render_long_help().to_string(),
                None => return Err(unknown(name)),
            },
        },
    };
    Ok(io.print(text.trim_end())?)
}

fn unknown(name: &str) -> Failure {
    let topics: Vec<&str> = TOPICS.iter().map(|topic| topic.name).collect();
    Failure::usage(
        format!("There is no help on {name:?}."),
        format!("topics: {}; or a command of `pplx --help`", topics.join(", ")),
    )
}
