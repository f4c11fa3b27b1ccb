//! What is for agents.

use clap::Args;

use super::values::Agent;

#[cfg(feature = "mcp")]
#[derive(Debug, Args)]
#[command(
    after_help = "Tools: pplx_search, pplx_research_start, pplx_research_get, pplx_usage. Questions are asked with the settings of \
    settings.toml, one at a time over all programs that serve. What is accepted by the service counts, even if the \
    client cancels it.\n\nExample, for clients with a JSON configuration:\n  \
    {\"mcpServers\": {\"pplx\": {\"command\": \"pplx\", \"args\": [\"mcp\"]}}}"
)]
pub(in crate::cli) struct McpArgs {
    /// Answer each call within so long, with what has come, and an id for the rest [default: 55, for oh-my-pi 25]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(in crate::cli) timeout: Option<u64>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Writes embedded files, without network; again to bring them up to date. A file that you have changed is left alone."
)]
pub(in crate::cli) struct IntegrateArgs {
    /// Which one
    pub(in crate::cli) agent: Agent,

    /// Show the files and where they would go; write nothing
    #[arg(long, conflicts_with = "remove")]
    pub(in crate::cli) print: bool,

    /// Delete the files
    #[arg(long)]
    pub(in crate::cli) remove: bool,
}
