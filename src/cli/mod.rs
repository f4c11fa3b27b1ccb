//! The command line: what is typed, what is printed, and how the program ends.

pub(crate) mod args;
mod chat;
mod completions;
mod doctor;
mod hand_on;
mod help;
mod integrate;
mod login;
mod logout;
mod models;
mod printer;
pub(crate) mod progress;
mod query;
mod search;
pub(crate) mod settings;
pub(crate) mod status;
mod stop;
mod threads;
mod usage;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use serde::Serialize;

use self::args::{Cli, Command};
use crate::auth::Store;
use crate::domain::answer::Payer;
use crate::outcome::failure::Failure;
use crate::render::{Format, Paint, Problem, Style, renderer, write_document};
use crate::state::env::Environment;
use crate::terminal::io::Io;
use crate::{mcp, serve};

/// Runs the program on the arguments of this process.
pub fn main() -> ExitCode {
    let env = Environment::of_process();
    let mut io = Io::of_process(&env);
    let arguments: Vec<OsString> = std::env::args_os().collect();
    match Cli::try_parse_from(&arguments) {
        Ok(cli) => run(cli.command, env, io),
        Err(error) => end(usage::answer(&error, &arguments, &mut io), &mut io),
    }
}

fn run(command: Command, env: Environment, mut io: Io) -> ExitCode {
    match command {
        Command::Search(args) => {
            block_on(async move { end(search::run(*args, &env, &mut io).await, &mut io) })
        }
        Command::Chat(args) => block_on(async move { end(chat::run(*args, &env, &mut io).await, &mut io) }),
        Command::Login(args) => block_on(async move { end(login::run(args, &env, &mut io).await, &mut io) }),
        Command::Status(args) => {
            block_on(async move { end(status::run(&args, &env, &mut io).await, &mut io) })
        }
        Command::Doctor(args) => {
            block_on(async move { end(doctor::run(&args, &env, &mut io).await, &mut io) })
        }
        Command::Mcp(args) => block_on(async move { end(mcp::run(&args, env, &mut io).await, &mut io) }),
        Command::Serve(args) => block_on(async move { end(serve::run(args, env, &mut io).await, &mut io) }),
        Command::Research(args) => {
            block_on(async move { end(search::run_research(args, &env, &mut io).await, &mut io) })
        }
        Command::Threads(args) => {
            block_on(async move { end(threads::run(args, &env, &mut io).await, &mut io) })
        }
        Command::Models(args) => {
            block_on(async move { end(models::run(&args, &env, &mut io).await, &mut io) })
        }
        Command::Logout(_) => end(logout::run(&env, &mut io), &mut io),
        Command::Integrate(args) => end(integrate::run(&args, &env, &mut io), &mut io),
        Command::Completions { shell } => {
            block_on(async move { end(completions::completions(shell, &env, &mut io).await, &mut io) })
        }
        Command::Man => end(completions::man(&mut io), &mut io),
        Command::Help { topic } => end(help::run(topic.as_deref(), &mut io), &mut io),
    }
}

/// Runs `work` on one thread: several would wake each other for every chunk. It is a task beside those of the HTTP
/// client, because what `block_on` itself waits for is looked at only together with the system's events.
fn block_on(work: impl Future<Output = ExitCode> + Send + 'static) -> ExitCode {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return ExitCode::FAILURE;
    };
    let code = runtime.block_on(runtime.spawn(work)).unwrap_or(ExitCode::FAILURE);
    // A name that is still being resolved must not hold up the end.
    runtime.shutdown_background();
    code
}

/// The exit code of a command, once what there is to say about a failure is said.
fn end(result: Result<(), Failure>, io: &mut Io) -> ExitCode {
    let Err(failure) = result else { return ExitCode::SUCCESS };
    if let Some(problem) = failure.problem() {
        tell(&problem, io);
    }
    ExitCode::from(failure.exit_code())
}

/// An error is one line on standard error, then one with what to do.
fn tell(problem: &Problem, io: &mut Io) {
    io.tell(&problem.message);
    if let Some(hint) = &problem.hint {
        io.tell_as("hint", hint);
    }
}

/// Makes the store private, and says so where it was not.
pub(crate) fn private_store(env: &Environment) -> Option<String> {
    // A store that cannot be looked at is reported when it is read.
    Store::of(env).and_then(|store| store.tighten()).ok().flatten()
}

/// Prints the JSON document of a command that is no search.
fn say_json(document: &impl Serialize, io: &mut Io) -> Result<(), Failure> {
    write_document(document, io.out())?;
    Ok(io.out().flush()?)
}

/// Prints a failure from before the search as the JSON document that was asked for, too.
fn in_json(failure: Failure, io: &mut Io) -> Failure {
    let Some(problem) = failure.problem() else { return failure };
    let style = Style {
        limit: None,
        wrap: false,
        screen: None,
        width: 80,
        paint: Paint::default(),
        now: 0,
        payer: Payer::default(),
    };
    if let Err(error) =
        renderer(Format::Json, style).problem(&problem, None, io.out()).and_then(|()| io.out().flush())
    {
        return error.into();
    }
    failure
}
