//! `pplx mcp`: searches for agents, over the Model Context Protocol on standard input and output.
//!
//! The protocol is the official library's, in both of its eras. Nothing is looked for before a tool is called: no
//! session, no network, no file.

mod arguments;
mod call;
mod outcome;
mod server;
mod tools;
mod transport;

use rmcp::ServiceExt;
use tokio::sync::watch;

use self::server::Server;
use super::args::McpArgs;
use super::failure::Failure;
use crate::env::Environment;
use crate::io::Io;
use crate::render::text::one_line;

/// Serves until standard input ends. Standard output carries nothing but the protocol.
pub(super) async fn run(args: &McpArgs, env: Environment, io: &mut Io) -> Result<(), Failure> {
    let (ending, ended) = watch::channel(false);
    let server = Server::new(env, args.timeout, ended);
    let input = transport::input(ending);
    match server.serve((input, tokio::io::stdout())).await {
        Ok(service) => drop(service.waiting().await),
        // Input that ends before anything was asked is an end like any other.
        Err(error) => io.tell(&one_line(&error.to_string())),
    }
    Ok(())
}
