//! What is for agents.

use clap::Args;

use super::values::AgentArg;

#[derive(Debug, Args)]
#[command(
    after_help = "Tools: pplx_search, pplx_research_start, pplx_research_get, pplx_usage. Questions are asked with the settings of \
    settings.toml, one at a time over all programs that serve. What is accepted by the service counts, even if the \
    client cancels it.\n\nExample, for clients with a JSON configuration:\n  \
    {\"mcpServers\": {\"pplx\": {\"command\": \"pplx\", \"args\": [\"mcp\"]}}}"
)]
pub(crate) struct McpArgs {
    /// Answer each call within so long, with what has come, and an id for the rest [default: 55, for oh-my-pi 25]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: Option<u64>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Writes embedded files, without network; again to bring them up to date. A file that you have changed is left alone."
)]
pub(crate) struct IntegrateArgs {
    /// Which one
    pub(crate) agent: AgentArg,

    /// Show the files and where they would go; write nothing
    #[arg(long, conflicts_with = "remove")]
    pub(crate) print: bool,

    /// Delete the files
    #[arg(long)]
    pub(crate) remove: bool,
}
