//! `pplx mcp`: searches for agents, over the Model Context Protocol on standard input and output.
//!
//! The official library speaks the protocol, in the versions with a handshake and in those without. Before a tool is
//! called, nothing is looked for: no session, no network, no file.

mod answer_content;
mod arguments;
#[cfg(feature = "serve")]
pub(crate) mod http;
mod progress;
mod registry;
mod running_search;
mod schema;
mod server;
mod stdio;
mod tool_call;
mod tool_result;
mod tools;

use std::time::Duration;

use rmcp::ServiceExt;
use tokio::sync::watch;

pub(crate) use self::server::Server;
use crate::outcome::failure::Failure;
use crate::render::text::one_line;
use crate::state::env::Environment;
use crate::terminal::io::Io;

/// How long results may still be written after the end of the input.
const WRITE_GRACE: Duration = Duration::from_millis(300);

/// Serves until standard input ends. `timeout` is how long a call may take, in seconds. Standard output carries nothing but the protocol.
pub(crate) async fn run(timeout: Option<u64>, env: Environment, io: &mut Io) -> Result<(), Failure> {
    let (set_ended, input_ended) = watch::channel(false);
    let server = Server::new(env, timeout, input_ended.clone());
    let input = stdio::input(set_ended);
    match server.serve((input, tokio::io::stdout())).await {
        Ok(service) => {
            tokio::select! {
                _ = service.waiting() => {}
                // What can be answered at once still is; nobody waits for calls that take longer.
                () = input_is_over(input_ended) => {}
            }
        }
        // Input that ends before the handshake is an end like any other.
        Err(error) => io.report(&one_line(&error.to_string())),
    }
    Ok(())
}

async fn input_is_over(mut input_ended: watch::Receiver<bool>) {
    // The reader of the input is gone: that is its end, too.
    let _ = input_ended.wait_for(|ended| *ended).await;
    tokio::time::sleep(WRITE_GRACE).await;
}
