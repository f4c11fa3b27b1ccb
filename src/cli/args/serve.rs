//! `pplx serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueHint};

#[derive(Debug, Args)]
#[command(
    after_help = "The first line of the output is the address. Interfaces: /v1/chat/completions, /v1/responses, /v1/files, /v1/models, \
    /mcp, /health, and a page to chat at /. The key is read from PPLX_SERVE_KEY or --key-file; without one the server \
    answers on loopback only, to anyone on this machine. The options can also stand in the table [serve] of \
    settings.toml.\n\nExamples:\n  pplx serve\n  PPLX_SERVE_KEY=… pplx serve --listen 127.0.0.1:0\n  pplx serve --alias \
    gpt-4o=gpt56_terra --allow-origin https://chat.example\n  pplx serve --check"
)]
pub(in crate::cli) struct ServeArgs {
    /// Address and port to listen on; port 0 picks a free one [default: 127.0.0.1:8892]
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(in crate::cli) listen: Option<SocketAddr>,

    /// Read the key that clients must send from this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::cli) key_file: Option<PathBuf>,

    /// Another name for a model; repeatable
    #[arg(long, value_name = "NAME=MODEL", value_parser = alias)]
    pub(in crate::cli) alias: Vec<(String, String)>,

    /// Let web pages of this origin call the server; repeatable
    #[arg(long, value_name = "ORIGIN")]
    pub(in crate::cli) allow_origin: Vec<String>,

    /// A host name by which the server is called, besides localhost and addresses; repeatable
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) allow_host: Vec<String>,

    /// Let models call the client's functions, by a prompt: unreliable, and every deviation is an error
    #[arg(long)]
    pub(in crate::cli) experimental_tools: bool,

    /// Fail where another model answers than the one that was asked for
    #[arg(long)]
    pub(in crate::cli) refuse_substitution: bool,

    /// Where a message is posted when the session ends: a topic of ntfy, or any webhook
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(in crate::cli) notify: Option<String>,

    /// Ask the running server whether all is well, and exit
    #[arg(long)]
    pub(in crate::cli) check: bool,
}

fn alias(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').map(|(name, model)| (name.trim(), model.trim()));
    match pair {
        Some((name, model)) if !name.is_empty() && !model.is_empty() => {
            Ok((name.to_owned(), model.to_owned()))
        }
        _ => Err("it has the form NAME=MODEL".to_owned()),
    }
}
