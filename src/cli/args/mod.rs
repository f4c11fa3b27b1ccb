//! The command line as it is typed: names, help and syntax. What the values mean together is settled elsewhere.

mod account;
mod agents;
mod search;
#[cfg(feature = "serve")]
mod serve;
mod values;

use clap::{Parser, Subcommand};
use clap_complete::Shell;

pub(super) use self::account::{
    DoctorArgs, LoginArgs, LogoutArgs, ModelsArgs, StatusArgs, ThreadsArgs, ThreadsCommand,
};
pub(super) use self::agents::IntegrateArgs;
#[cfg(feature = "mcp")]
pub(super) use self::agents::McpArgs;
pub(super) use self::search::{
    ApiArgs, AskArgs, ChatArgs, OutputArgs, ResearchArgs, ResearchCommand, ResearchGetArgs, SearchArgs,
};
#[cfg(feature = "serve")]
pub(super) use self::serve::ServeArgs;
pub(super) use self::values::Agent;

/// Search with Perplexity from the terminal, through your own subscription.
#[derive(Debug, Parser)]
#[command(
    name = "pplx",
    bin_name = "pplx",
    version = concat!(env!("CARGO_PKG_VERSION"), " (unofficial; searches through your Perplexity subscription)"),
    disable_help_subcommand = true,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "Examples:\n  pplx login\n  pplx search \"who maintains ripgrep\"\n  pplx search -r week -f answer \"rust release notes\" | less\n\n\
        See also: `pplx help exit-codes`, `pplx help environment`."
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Ask, and print the sourced answer
    Search(Box<SearchArgs>),
    /// Talk, line by line: each question follows up on the answer before it
    Chat(Box<ChatArgs>),
    /// Log in: with the desktop app's session, or an e-mail address and a code
    Login(LoginArgs),
    /// Delete what is stored: the session, and an API key with it
    Logout(LogoutArgs),
    /// Show who is logged in, from where and until when; exit code 4 when no search would work
    Status(StatusArgs),
    /// Fetch a run of deep research
    Research(ResearchArgs),
    /// List, show, export and delete the threads that the account has saved
    Threads(ThreadsArgs),
    /// List the models that can be asked
    Models(ModelsArgs),
    /// Check step by step what a search needs, and say what is missing
    Doctor(DoctorArgs),
    #[cfg(feature = "mcp")]
    /// Serve searches to agents over the Model Context Protocol, on standard input and output
    Mcp(McpArgs),
    #[cfg(feature = "serve")]
    /// Serve the subscription to clients of OpenAI's API, on this machine
    Serve(ServeArgs),
    /// Tell a coding agent about this program: write its extension or skill
    Integrate(IntegrateArgs),
    /// Print a completion script
    Completions {
        /// The shell to complete for
        shell: Shell,
    },
    /// Print the manual page
    Man,
    /// Explain a command or a topic
    Help {
        /// A command, `exit-codes` or `environment`
        topic: Option<String>,
    },
}
