//! What is asked, and how the answer is printed.

use std::path::PathBuf;

use chrono::NaiveDate;
use clap::{Args, Subcommand, ValueHint};

use crate::config::file::ColorChoice;
use crate::domain::request::{ContextSize, Effort, Recency};
use crate::provider::{Dialect, ProviderName};
use crate::render::Format;

#[derive(Debug, Args)]
#[command(
    override_usage = "pplx search [OPTIONS] <QUERY>...",
    after_help = "Examples:\n  pplx search \"who maintains ripgrep\"\n  pplx search -n 3 -r month rust async runtimes\n  \
                  pplx search -c \"and which of them is the oldest?\"\n  \
    git diff | pplx search \"what could this change break?\" -\n  pplx search --json \"latest stable rust\" | jq -r .answer\n  \
    pplx search -- --help me choose a shell"
)]
pub(in crate::cli) struct SearchArgs {
    /// The question; several words are joined. `-` reads it from standard input, and a final `-` after words
    /// appends standard input
    #[arg(value_name = "QUERY")]
    pub(in crate::cli) query: Vec<String>,

    #[command(flatten)]
    pub(in crate::cli) ask: AskArgs,

    /// A file to go along with the question: an image, PDF, text or office file of up to 50 MB; may be given several
    /// times
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "replay", help_heading = "What is asked")]
    pub(in crate::cli) attach: Vec<PathBuf>,

    /// Deep research: takes minutes, and ends in a report. What it costs is not lost with the connection
    #[arg(long, conflicts_with_all = ["replay", "attach"], help_heading = "What is asked")]
    pub(in crate::cli) research: bool,

    #[command(flatten)]
    pub(in crate::cli) api: ApiArgs,

    #[command(flatten)]
    pub(in crate::cli) output: OutputArgs,

    /// Save the reply's exact bytes
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "replay", help_heading = "Limits and recordings")]
    pub(in crate::cli) record: Option<PathBuf>,

    /// Answer from such a file, without network or login
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["continue_last", "thread"], help_heading = "Limits and recordings")]
    pub(in crate::cli) replay: Option<PathBuf>,
}

/// What is asked, besides the question's text.
#[derive(Debug, Default, Args)]
pub(in crate::cli) struct AskArgs {
    /// Only pages at most this old
    #[arg(short, long, value_enum, value_name = "AGE", help_heading = "What is asked")]
    pub(in crate::cli) recency: Option<Recency>,

    #[arg(help = "The model that should answer [default: pplx_pro_upgraded]")]
    #[arg(short, long, value_name = "ID", help_heading = "What is asked")]
    pub(in crate::cli) model: Option<String>,

    /// Where to search: web, scholar, social and others; may be given several times [default: web]
    #[arg(short, long = "source", value_name = "NAME", help_heading = "What is asked")]
    pub(in crate::cli) sources: Vec<String>,

    /// Text placed before the question, with a blank line between. The service has no place for instructions, so
    /// this is searched for, too
    #[arg(long, value_name = "TEXT", help_heading = "What is asked")]
    pub(in crate::cli) system: Option<String>,

    /// Language of the answer, as a tag [default: en-US]
    #[arg(long, value_name = "TAG", help_heading = "What is asked")]
    pub(in crate::cli) language: Option<String>,

    /// Your time zone, as an IANA name [default: the machine's]
    #[arg(long, value_name = "ZONE", help_heading = "What is asked")]
    pub(in crate::cli) timezone: Option<String>,

    /// Keep the thread in the account's history instead of asking incognito
    #[arg(long, help_heading = "What is asked")]
    pub(in crate::cli) save: bool,

    /// Follow up on the last answer
    #[arg(short, long = "continue", help_heading = "What is asked")]
    pub(in crate::cli) continue_last: bool,

    /// Follow up on the answer with this id, which the answer's last lines and its JSON name
    #[arg(long, value_name = "ID", conflicts_with = "continue_last", help_heading = "What is asked")]
    pub(in crate::cli) thread: Option<String>,
}

/// Who is asked, and what only the official API takes.
#[derive(Debug, Default, Args)]
pub(in crate::cli) struct ApiArgs {
    /// Who is asked: web, your subscription, or api, the official API, which needs a key and costs money for each
    /// question [default: web]
    #[arg(
        long,
        value_enum,
        hide_possible_values = true,
        value_name = "NAME",
        help_heading = "What is asked"
    )]
    pub(in crate::cli) provider: Option<ProviderName>,

    /// How much work goes into the answer, instead of a model: fast and low answer in seconds, the others think and
    /// search longer, and cost more
    #[arg(
        long,
        value_enum,
        value_name = "LEVEL",
        conflicts_with = "model",
        help_heading = "With --provider api"
    )]
    pub(in crate::cli) effort: Option<Effort>,

    /// Only pages of this host; up to 20 of them
    #[arg(long = "domain", value_name = "HOST", help_heading = "With --provider api")]
    pub(in crate::cli) domains: Vec<String>,

    /// No pages of this host; up to 20 of them
    #[arg(
        long = "exclude-domain",
        value_name = "HOST",
        conflicts_with = "domains",
        help_heading = "With --provider api"
    )]
    pub(in crate::cli) excluded_domains: Vec<String>,

    /// Only pages published on this day or later, such as 2026-01-31
    #[arg(long, value_name = "DATE", conflicts_with = "recency", help_heading = "With --provider api")]
    pub(in crate::cli) after: Option<NaiveDate>,

    /// Only pages published before this day
    #[arg(long, value_name = "DATE", conflicts_with = "recency", help_heading = "With --provider api")]
    pub(in crate::cli) before: Option<NaiveDate>,

    /// How much of each page is read
    #[arg(long, value_enum, value_name = "SIZE", help_heading = "With --provider api")]
    pub(in crate::cli) context_size: Option<ContextSize>,

    /// Where you are, as a country's two letters
    #[arg(long, value_name = "CODE", help_heading = "With --provider api")]
    pub(in crate::cli) country: Option<String>,

    /// How many tokens the answer may have [default: 1024 in chat completions of sonar and sonar-pro, else more]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..), help_heading = "With --provider api")]
    pub(in crate::cli) max_tokens: Option<u32>,

    /// Search only: list the sources, without an answer
    #[arg(long, conflicts_with_all = ["effort", "model", "system", "language", "max_tokens"], help_heading = "With --provider api")]
    pub(in crate::cli) sources_only: bool,

    /// The interface to speak; auto uses chat completions until the account has only the Agent API [default: auto]
    #[arg(
        long,
        value_enum,
        hide_possible_values = true,
        value_name = "NAME",
        help_heading = "With --provider api"
    )]
    pub(in crate::cli) api_dialect: Option<Dialect>,
}

/// How a search is printed, and where to.
#[derive(Debug, Args)]
pub(in crate::cli) struct OutputArgs {
    /// How to print [default: pretty on a terminal, else report]
    #[arg(short, long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub(in crate::cli) format: Option<Format>,

    /// The same as --format json
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    pub(in crate::cli) json: bool,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(in crate::cli) output: Option<PathBuf>,

    /// Put the answer on the clipboard, too; over ssh, through the terminal where it takes that
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) copy: bool,

    /// Open the source with this number in the browser, too
    #[arg(long, value_name = "NUMBER", help_heading = "Output")]
    pub(in crate::cli) open: Option<usize>,

    #[command(flatten)]
    pub(in crate::cli) print: PrintArgs,
}

/// What people set about printing, whatever the format, and how long an answer may take.
#[derive(Debug, Args)]
pub(in crate::cli) struct PrintArgs {
    /// Print at most this many sources, those that the answer cites first
    #[arg(short = 'n', long, value_name = "COUNT", help_heading = "Output")]
    pub(in crate::cli) limit: Option<usize>,

    /// On a terminal, print the answer when it is whole instead of as it comes
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) no_stream: bool,

    /// Do not break lines longer than 700 bytes
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) no_wrap: bool,

    /// When to use colour
    #[arg(long, value_enum, value_name = "WHEN", help_heading = "Output")]
    pub(in crate::cli) color: Option<ColorChoice>,

    /// Tell more on standard error: the steps of the search, and what was skipped in the reply
    #[arg(short, long, conflicts_with = "quiet", help_heading = "Output")]
    pub(in crate::cli) verbose: bool,

    /// Tell nothing on standard error but errors
    #[arg(short, long, help_heading = "Output")]
    pub(in crate::cli) quiet: bool,

    /// End when nothing arrives for so long; 0 for never [default: 60]
    #[arg(long, value_name = "SECONDS", help_heading = "Limits and recordings")]
    pub(in crate::cli) idle_timeout: Option<u64>,

    /// End after so long with what has arrived; 0 for never [default: 110, on a terminal never]
    #[arg(long, value_name = "SECONDS", help_heading = "Limits and recordings")]
    pub(in crate::cli) timeout: Option<u64>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "A line is a question, and each follows up on the answer before it. Lines that begin with a slash are commands;\n\
    /help lists them. Ctrl-C stops an answer, Ctrl-D leaves.\n\nExamples:\n  pplx chat\n  pplx chat -c -r week"
)]
pub(in crate::cli) struct ChatArgs {
    #[command(flatten)]
    pub(in crate::cli) ask: AskArgs,

    /// Who is asked: web, your subscription, is all there is here; it says so where settings.toml says otherwise
    #[arg(
        long,
        value_enum,
        hide_possible_values = true,
        value_name = "NAME",
        help_heading = "What is asked"
    )]
    pub(in crate::cli) provider: Option<ProviderName>,

    #[command(flatten)]
    pub(in crate::cli) print: PrintArgs,
}
#[derive(Debug, Args)]
pub(in crate::cli) struct ResearchArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: ResearchCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ResearchCommand {
    /// Print a run of deep research, or wait for its end
    Get(Box<ResearchGetArgs>),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ResearchGetArgs {
    /// The run, as it was named when it began
    pub(in crate::cli) id: String,

    #[command(flatten)]
    pub(in crate::cli) output: OutputArgs,
}
