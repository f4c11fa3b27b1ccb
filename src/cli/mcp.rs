//! `pplx mcp`.

use super::args::McpArgs;
use crate::mcp;
use crate::outcome::failure::Failure;
use crate::state::env::Environment;
use crate::terminal::io::Io;

/// Serves agents until standard input ends.
pub(super) async fn run(args: &McpArgs, env: Environment, io: &mut Io) -> Result<(), Failure> {
    mcp::run(args.timeout, env, io).await
}
