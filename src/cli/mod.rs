//! The command line: what is typed, what is printed, and how the program ends.

mod args;
mod chat;
mod completions;
mod doctor;
mod hand_on;
mod help;
mod integrate;
mod login;
mod logout;
mod man;
#[cfg(feature = "mcp")]
mod mcp;
mod models;
mod output;
mod printer;
mod progress;
mod query;
mod search;
#[cfg(feature = "serve")]
mod serve;
mod settings;
mod status;
mod stop;
mod threads;
mod topics;
mod usage;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use self::args::{Cli, Command};
use crate::outcome::failure::Failure;
use crate::state::env::Environment;
use crate::terminal::io::Io;

/// Runs the program on the arguments of this process.
pub fn main() -> ExitCode {
    let env = Environment::from_process();
    let mut io = Io::from_process(&env);
    let arguments: Vec<OsString> = std::env::args_os().collect();
    match Cli::try_parse_from(&arguments) {
        Ok(cli) => block_on(async move { end(run(cli.command, env, &mut io).await, &mut io) }),
        Err(error) => end(usage::answer(&error, &arguments, &mut io), &mut io),
    }
}

async fn run(command: Command, env: Environment, io: &mut Io) -> Result<(), Failure> {
    match command {
        Command::Search(args) => Box::pin(search::run(*args, &env, io)).await,
        Command::Chat(args) => Box::pin(chat::run(*args, &env, io)).await,
        Command::Login(args) => Box::pin(login::run(args, &env, io)).await,
        Command::Logout(_) => logout::run(&env, io),
        Command::Status(args) => Box::pin(status::run(&args, &env, io)).await,
        Command::Research(args) => Box::pin(search::run_research(args, &env, io)).await,
        Command::Threads(args) => Box::pin(threads::run(args, &env, io)).await,
        Command::Models(args) => Box::pin(models::run(&args, &env, io)).await,
        Command::Doctor(args) => Box::pin(doctor::run(&args, &env, io)).await,
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => Box::pin(mcp::run(&args, env, io)).await,
        #[cfg(feature = "serve")]
        Command::Serve(args) => Box::pin(serve::run(args, env, io)).await,
        Command::Integrate(args) => integrate::run(&args, &env, io),
        Command::Completions { shell } => completions::run(shell, &env, io).await,
        Command::Man => man::run(io),
        Command::Help { topic } => help::run(topic.as_deref(), io),
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
        output::problem(&problem, io);
    }
    ExitCode::from(failure.exit_code())
}
