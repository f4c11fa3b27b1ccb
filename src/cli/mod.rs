//! The command line: what is typed, what is printed, and how the program ends.

mod args;
mod failure;
mod generated;
mod help;
mod login;
mod logout;
mod query;
mod search;
mod settings;
mod signals;
mod status;
mod usage;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use self::args::{Cli, Command};
use self::failure::Failure;
use crate::env::Environment;
use crate::io::Io;
use crate::render::{Format, Problem, Style, renderer};

/// Runs the program on the arguments of this process.
pub fn main() -> ExitCode {
    let env = Environment::of_process();
    let mut io = Io::of_process(&env);
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let result = match Cli::try_parse_from(&arguments) {
        Ok(cli) => run(cli.command, &env, &mut io),
        Err(error) => usage::answer(&error, &arguments, &mut io),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(problem) = failure.problem() {
                tell(&problem, false, &mut io);
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(command: Command, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    match command {
        Command::Search(args) => block_on(search::run(*args, env, io)),
        Command::Login(args) => block_on(login::run(args, env, io)),
        Command::Logout(_) => logout::run(env, io),
        Command::Status(args) => block_on(status::run(&args, env, io)),
        Command::Completions { shell } => generated::completions(shell, io),
        Command::Man => generated::man(io),
        Command::Help { topic } => help::run(topic.as_deref(), io),
    }
}

/// One thread is enough, and several would wake each other for every chunk.
fn block_on(work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(work);
    // A name that is still being resolved must not hold up the end.
    runtime.shutdown_background();
    result
}

/// An error is one line on standard error, then one with what to do.
fn tell(problem: &Problem, without_hint: bool, io: &mut Io) {
    io.tell(&problem.message);
    if let Some(hint) = problem.hint.as_ref().filter(|_| !without_hint) {
        io.tell_as("hint", hint);
    }
}

/// Prints a failure from before the search as the JSON document that was asked for, too.
fn in_json(failure: Failure, io: &mut Io) -> Failure {
    let Some(problem) = failure.problem() else { return failure };
    let style = Style { limit: None, wrap: false, screen: None, now: 0 };
    if let Err(error) =
        renderer(Format::Json, style).problem(&problem, None, io.out()).and_then(|()| io.out().flush())
    {
        return error.into();
    }
    failure
}
