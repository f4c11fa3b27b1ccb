//! The account: logging in and out, its threads and models, and whether all is well.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

#[derive(Debug, Args)]
#[command(
    after_help = "Without options: the desktop app's session if there is one (macOS), else an e-mail address and the code \
    sent to it. Without a terminal, give --email and PPLX_OTP, or one of the other ways.\n\nExamples:\n  pplx login\n  \
    pplx login --email you@example.com\n  pbpaste | pplx login --browser\n  pplx login --with-token < token.txt"
)]
pub(in crate::cli) struct LoginArgs {
    #[arg(help = "Have a code sent to this address (also: PPLX_EMAIL)")]
    #[arg(long, value_name = "ADDRESS", value_hint = ValueHint::EmailAddress)]
    pub(in crate::cli) email: Option<String>,

    /// Paste a session from a browser: a request copied as cURL, a Cookie header, or the session cookie's value
    #[arg(long, group = "way")]
    pub(in crate::cli) browser: bool,

    /// Read a token from standard input
    #[arg(long, group = "way")]
    pub(in crate::cli) with_token: bool,

    /// Read a key of the official API from standard input, and store it beside the session
    #[arg(long, group = "way")]
    pub(in crate::cli) api_key: bool,

    /// Import the session of oh-my-pi (`omp token perplexity`)
    #[arg(long, group = "way")]
    pub(in crate::cli) from_omp: bool,

    /// Do not look for the desktop app's session
    #[arg(long)]
    pub(in crate::cli) no_borrow: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct LogoutArgs {}

#[derive(Debug, Args)]
#[command(
    after_help = "Only what was asked with --save, or in the browser, is saved. Without a command, the threads are listed."
)]
pub(in crate::cli) struct ThreadsArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<ThreadsCommand>,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ThreadsCommand {
    /// List the threads, the newest first
    List {
        /// How many
        #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 20)]
        count: usize,
        /// Only those that match
        #[arg(long, value_name = "WORDS")]
        search: Option<String>,
        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print a thread, as Markdown or JSON
    Show {
        /// The thread, as the list names it
        thread: String,
        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Write a thread to a file
    Export {
        /// The thread, as the list names it
        thread: String,
        /// The file
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Write a JSON object instead of Markdown
        #[arg(long)]
        json: bool,
    },
    /// Delete a thread
    Delete {
        /// The thread, as the list names it
        thread: String,
    },
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ModelsArgs {
    /// Print a JSON object
    #[arg(long)]
    pub(in crate::cli) json: bool,

    /// Ask the service even if the last list is less than a day old
    #[arg(long)]
    pub(in crate::cli) refresh: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The last step asks the service one short question, which counts as any other; --no-ask leaves it out.\n\
    Exit code 0 means that a search would work."
)]
pub(in crate::cli) struct DoctorArgs {
    /// Print a JSON object
    #[arg(long)]
    pub(in crate::cli) json: bool,

    /// Do not ask a question
    #[arg(long)]
    pub(in crate::cli) no_ask: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct StatusArgs {
    /// Also ask the service: for the plan, and for what is left of it
    #[arg(long)]
    pub(in crate::cli) online: bool,

    /// Print a JSON object
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
