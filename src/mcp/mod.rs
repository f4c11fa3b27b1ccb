//! `pplx mcp`: searches for agents, over the Model Context Protocol on standard input and output.
//!
//! The protocol is the official library's, in both of its eras. Nothing is looked for before a tool is called: no
//! session, no network, no file.

mod answer_content;
mod arguments;
mod progress;
mod registry;
mod running;
mod schema;
mod server;
mod stdio;
mod tool_result;
mod tools;

use std::time::Duration;

use rmcp::ServiceExt;
use tokio::sync::watch;

pub(crate) use self::server::Server;
use crate::cli::args::McpArgs;
use crate::outcome::failure::Failure;
use crate::render::text::one_line;
use crate::state::env::Environment;
use crate::terminal::io::Io;

/// How long after the end of the input answers may still be written.
const LAST_WORDS: Duration = Duration::from_millis(300);

async fn over(mut ended: watch::Receiver<bool>) {
    // Nobody tells of the end who is not there any more, which is an end, too.
    let _ = ended.wait_for(|ended| *ended).await;
    tokio::time::sleep(LAST_WORDS).await;
}

/// Serves until standard input ends. Standard output carries nothing but the protocol.
pub(crate) async fn run(args: &McpArgs, env: Environment, io: &mut Io) -> Result<(), Failure> {
    let (ending, ended) = watch::channel(false);
    let server = Server::new(env, args.timeout, ended.clone());
    let input = stdio::input(ending);
    match server.serve((input, tokio::io::stdout())).await {
        Ok(service) => {
            tokio::select! {
                _ = service.waiting() => {}
                // What can be answered at once still is; calls that are on their way have nobody to answer to.
                () = over(ended) => {}
            }
        }
        // Input that ends before anything was asked is an end like any other.
        Err(error) => io.tell(&one_line(&error.to_string())),
    }
    Ok(())
}
