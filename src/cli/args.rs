//! The command line as it is typed: names, help and syntax. What the values mean together is settled elsewhere.

use std::path::PathBuf;

use chrono::NaiveDate;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

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
    /// Delete the stored session
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
    /// Serve searches to agents over the Model Context Protocol, on standard input and output
    Mcp(McpArgs),
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

#[derive(Debug, Args)]
#[command(
    override_usage = "pplx search [OPTIONS] <QUERY>...",
    after_help = "Examples:\n  pplx search \"who maintains ripgrep\"\n  pplx search -n 3 -r month rust async runtimes\n  \
                  pplx search -c \"and which of them is the oldest?\"\n  \
    git diff | pplx search \"what could this change break?\" -\n  pplx search --json \"latest stable rust\" | jq -r .answer\n  \
    pplx search -- --help me choose a shell"
)]
pub(super) struct SearchArgs {
    /// The question; several words are joined. `-` reads it from standard input, and a final `-` after words
    /// appends standard input
    #[arg(value_name = "QUERY")]
    pub(super) query: Vec<String>,

    #[command(flatten)]
    pub(super) ask: AskArgs,

    /// A file to go along with the question: an image, PDF, text or office file of up to 50 MB; may be given several
    /// times
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "replay", help_heading = "What is asked")]
    pub(super) attach: Vec<PathBuf>,

    /// Deep research: takes minutes, and ends in a report. What it costs is not lost with the connection
    #[arg(long, conflicts_with_all = ["replay", "attach"], help_heading = "What is asked")]
    pub(super) research: bool,

    #[command(flatten)]
    pub(super) api: ApiArgs,

    #[command(flatten)]
    pub(super) output: OutputArgs,

    /// Save the reply's exact bytes
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "replay", help_heading = "Limits and recordings")]
    pub(super) record: Option<PathBuf>,

    /// Answer from such a file, without network or login
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["continue_last", "thread"], help_heading = "Limits and recordings")]
    pub(super) replay: Option<PathBuf>,
}

/// What is asked, besides the question's text.
#[derive(Debug, Default, Args)]
pub(super) struct AskArgs {
    /// Only pages at most this old
    #[arg(short, long, value_enum, value_name = "AGE", help_heading = "What is asked")]
    pub(super) recency: Option<RecencyArg>,

    #[arg(help = "The model that should answer [default: pplx_pro_upgraded]")]
    #[arg(short, long, value_name = "ID", help_heading = "What is asked")]
    pub(super) model: Option<String>,

    /// Where to search: web, scholar, social and others; may be given several times [default: web]
    #[arg(short, long = "source", value_name = "NAME", help_heading = "What is asked")]
    pub(super) sources: Vec<String>,

    /// Text placed before the question, with a blank line between. The service has no place for instructions, so
    /// this is searched for, too
    #[arg(long, value_name = "TEXT", help_heading = "What is asked")]
    pub(super) system: Option<String>,

    /// Language of the answer, as a tag [default: en-US]
    #[arg(long, value_name = "TAG", help_heading = "What is asked")]
    pub(super) language: Option<String>,

    /// Your time zone, as an IANA name [default: the machine's]
    #[arg(long, value_name = "ZONE", help_heading = "What is asked")]
    pub(super) timezone: Option<String>,

    /// Keep the thread in the account's history instead of asking incognito
    #[arg(long, help_heading = "What is asked")]
    pub(super) save: bool,

    /// Follow up on the last answer
    #[arg(short, long = "continue", help_heading = "What is asked")]
    pub(super) continue_last: bool,

    /// Follow up on the answer with this id, which the answer's last lines and its JSON name
    #[arg(long, value_name = "ID", conflicts_with = "continue_last", help_heading = "What is asked")]
    pub(super) thread: Option<String>,
}

/// Who is asked, and what only the official API takes.
#[derive(Debug, Default, Args)]
pub(super) struct ApiArgs {
    /// Who is asked: web, your subscription, or api, the official API, which needs a key and costs money for each
    /// question [default: web]
    #[arg(
        long,
        value_enum,
        hide_possible_values = true,
        value_name = "NAME",
        help_heading = "What is asked"
    )]
    pub(super) provider: Option<ProviderArg>,

    /// How much work goes into the answer, instead of a model: fast and low answer in seconds, the others think and
    /// search longer, and cost more
    #[arg(
        long,
        value_enum,
        value_name = "LEVEL",
        conflicts_with = "model",
        help_heading = "With --provider api"
    )]
    pub(super) effort: Option<EffortArg>,

    /// Only pages of this host; up to 20 of them
    #[arg(long = "domain", value_name = "HOST", help_heading = "With --provider api")]
    pub(super) domains: Vec<String>,

    /// No pages of this host; up to 20 of them
    #[arg(
        long = "exclude-domain",
        value_name = "HOST",
        conflicts_with = "domains",
        help_heading = "With --provider api"
    )]
    pub(super) excluded_domains: Vec<String>,

    /// Only pages published on this day or later, such as 2026-01-31
    #[arg(long, value_name = "DATE", conflicts_with = "recency", help_heading = "With --provider api")]
    pub(super) after: Option<NaiveDate>,

    /// Only pages published before this day
    #[arg(long, value_name = "DATE", conflicts_with = "recency", help_heading = "With --provider api")]
    pub(super) before: Option<NaiveDate>,

    /// How much of each page is read
    #[arg(long, value_enum, value_name = "SIZE", help_heading = "With --provider api")]
    pub(super) context_size: Option<ContextSizeArg>,

    /// Where you are, as a country's two letters
    #[arg(long, value_name = "CODE", help_heading = "With --provider api")]
    pub(super) country: Option<String>,

    /// How many tokens the answer may have [default: 1024 in chat completions of sonar and sonar-pro, else more]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..), help_heading = "With --provider api")]
    pub(super) max_tokens: Option<u32>,

    /// Search only: list the sources, without an answer
    #[arg(long, conflicts_with_all = ["effort", "model", "system", "language", "max_tokens"], help_heading = "With --provider api")]
    pub(super) sources_only: bool,

    /// The interface to speak; auto uses chat completions until the account has only the Agent API [default: auto]
    #[arg(
        long,
        value_enum,
        hide_possible_values = true,
        value_name = "NAME",
        help_heading = "With --provider api"
    )]
    pub(super) api_dialect: Option<DialectArg>,
}

/// How a search is printed, and where to.
#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// How to print [default: pretty on a terminal, else report]
    #[arg(short, long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub(super) format: Option<FormatArg>,

    /// The same as --format json
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    pub(super) json: bool,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(super) output: Option<PathBuf>,

    /// Put the answer on the clipboard, too; over ssh, through the terminal where it takes that
    #[arg(long, help_heading = "Output")]
    pub(super) copy: bool,

    /// Open the source with this number in the browser, too
    #[arg(long, value_name = "NUMBER", help_heading = "Output")]
    pub(super) open: Option<usize>,

    #[command(flatten)]
    pub(super) print: PrintArgs,
}

/// What people set about printing, whatever the format, and how long an answer may take.
#[derive(Debug, Args)]
pub(super) struct PrintArgs {
    /// Print at most this many sources, those that the answer cites first
    #[arg(short = 'n', long, value_name = "COUNT", help_heading = "Output")]
    pub(super) limit: Option<usize>,

    /// On a terminal, print the answer when it is whole instead of as it comes
    #[arg(long, help_heading = "Output")]
    pub(super) no_stream: bool,

    /// Do not break lines longer than 700 bytes
    #[arg(long, help_heading = "Output")]
    pub(super) no_wrap: bool,

    /// When to use colour
    #[arg(long, value_enum, value_name = "WHEN", help_heading = "Output")]
    pub(super) color: Option<ColorArg>,

    /// Tell more on standard error: the steps of the search, and what was skipped in the reply
    #[arg(short, long, conflicts_with = "quiet", help_heading = "Output")]
    pub(super) verbose: bool,

    /// Tell nothing on standard error but errors
    #[arg(short, long, help_heading = "Output")]
    pub(super) quiet: bool,

    /// End when nothing arrives for so long; 0 for never [default: 60]
    #[arg(long, value_name = "SECONDS", help_heading = "Limits and recordings")]
    pub(super) idle_timeout: Option<u64>,

    /// End after so long with what has arrived; 0 for never [default: 110, on a terminal never]
    #[arg(long, value_name = "SECONDS", help_heading = "Limits and recordings")]
    pub(super) timeout: Option<u64>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "A line is a question, and each follows up on the answer before it. Lines that begin with a slash are commands;\n\
    /help lists them. Ctrl-C stops an answer, Ctrl-D leaves.\n\nExamples:\n  pplx chat\n  pplx chat -c -r week"
)]
pub(super) struct ChatArgs {
    #[command(flatten)]
    pub(super) ask: AskArgs,

    /// Who is asked: web, your subscription, is all there is here; it says so where settings.toml says otherwise
    #[arg(
        long,
        value_enum,
        hide_possible_values = true,
        value_name = "NAME",
        help_heading = "What is asked"
    )]
    pub(super) provider: Option<ProviderArg>,

    #[command(flatten)]
    pub(super) print: PrintArgs,
}

#[derive(Debug, Args)]
pub(super) struct ResearchArgs {
    #[command(subcommand)]
    pub(super) command: ResearchCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum ResearchCommand {
    /// Print a run of deep research, or wait for its end
    Get(Box<ResearchGetArgs>),
}

#[derive(Debug, Args)]
pub(super) struct ResearchGetArgs {
    /// The run, as it was named when it began
    pub(super) id: String,

    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Without options: the desktop app's session if there is one (macOS), else an e-mail address and the code \
    sent to it. Without a terminal, give --email and PPLX_OTP, or one of the other ways.\n\nExamples:\n  pplx login\n  \
    pplx login --email you@example.com\n  pbpaste | pplx login --browser\n  pplx login --with-token < token.txt"
)]
pub(super) struct LoginArgs {
    #[arg(help = "Have a code sent to this address (also: PPLX_EMAIL)")]
    #[arg(long, value_name = "ADDRESS", value_hint = ValueHint::EmailAddress)]
    pub(super) email: Option<String>,

    /// Paste a session from a browser: a request copied as cURL, a Cookie header, or the session cookie's value
    #[arg(long, group = "way")]
    pub(super) browser: bool,

    /// Read a token from standard input
    #[arg(long, group = "way")]
    pub(super) with_token: bool,

    /// Read a key of the official API from standard input, and store it beside the session
    #[arg(long, group = "way")]
    pub(super) api_key: bool,

    /// Import the session of oh-my-pi (`omp token perplexity`)
    #[arg(long, group = "way")]
    pub(super) from_omp: bool,

    /// Do not look for the desktop app's session
    #[arg(long)]
    pub(super) no_borrow: bool,
}

#[derive(Debug, Args)]
pub(super) struct LogoutArgs {}

#[derive(Debug, Args)]
#[command(
    after_help = "Only what was asked with --save, or in the browser, is saved. Without a command, the threads are listed."
)]
pub(super) struct ThreadsArgs {
    #[command(subcommand)]
    pub(super) command: Option<ThreadsCommand>,
}

#[derive(Debug, Subcommand)]
pub(super) enum ThreadsCommand {
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
pub(super) struct ModelsArgs {
    /// Print a JSON object
    #[arg(long)]
    pub(super) json: bool,

    /// Ask the service even if the last list is less than a day old
    #[arg(long)]
    pub(super) refresh: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The last step asks the service one short question, which counts as any other; --no-ask leaves it out.\n\
    Exit code 0 means that a search would work."
)]
pub(super) struct DoctorArgs {
    /// Print a JSON object
    #[arg(long)]
    pub(super) json: bool,

    /// Do not ask a question
    #[arg(long)]
    pub(super) no_ask: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Tools: pplx_search, pplx_research_start, pplx_research_get, pplx_usage. Questions are asked with the settings of \
    settings.toml, one at a time over all programs that serve. What is accepted by the service counts, even if the \
    client cancels it.\n\nExample, for clients with a JSON configuration:\n  \
    {\"mcpServers\": {\"pplx\": {\"command\": \"pplx\", \"args\": [\"mcp\"]}}}"
)]
pub(super) struct McpArgs {
    /// Answer each call within so long, with what has come, and an id for the rest [default: 55, for oh-my-pi 25]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(super) timeout: Option<u64>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Writes embedded files, without network; again to bring them up to date. A file that you have changed is left alone."
)]
pub(super) struct IntegrateArgs {
    /// Which one
    pub(super) agent: AgentArg,

    /// Show the files and where they would go; write nothing
    #[arg(long, conflicts_with = "remove")]
    pub(super) print: bool,

    /// Delete the files
    #[arg(long)]
    pub(super) remove: bool,
}

#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    /// Also ask the service: for the plan, and for what is left of it
    #[arg(long)]
    pub(super) online: bool,

    /// Print a JSON object
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RecencyArg {
    Hour,
    Day,
    Week,
    Month,
    Year,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum AgentArg {
    /// oh-my-pi: an extension with a tool, and a skill
    Omp,
    /// pi: the same
    Pi,
    /// Claude Code: a skill
    Claude,
    /// Codex: a skill
    Codex,
    /// opencode: a skill
    Opencode,
    /// The folder where several agents look for skills
    Agents,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ProviderArg {
    /// Your subscription
    Web,
    /// The official API: needs a key, and costs money
    Api,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DialectArg {
    Auto,
    Agent,
    Chat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum EffortArg {
    Fast,
    Low,
    Medium,
    High,
    Xhigh,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ContextSizeArg {
    Low,
    Medium,
    High,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FormatArg {
    /// Answer, sources and meta data as text
    Report,
    /// The same for people: Markdown drawn, links to follow
    Pretty,
    /// The answer's text alone
    Answer,
    /// One JSON object
    Json,
    /// One JSON object a line, as things happen
    Ndjson,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ColorArg {
    Auto,
    Always,
    Never,
}
