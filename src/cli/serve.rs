//! `pplx serve`.

use super::args::ServeArgs;
use crate::outcome::failure::Failure;
use crate::serve::{self, Mounted, Options};
use crate::state::env::Environment;
use crate::terminal::io::Io;

/// Serves until a signal comes, or asks a server that runs how it is.
pub(super) async fn run(args: ServeArgs, env: Environment, io: &mut Io) -> Result<(), Failure> {
    let checks = args.check;
    let options = options(args);
    if checks {
        return serve::check(options, &env, io).await;
    }
    let agents = agents(&env);
    serve::run(options, agents, env, io).await
}

fn options(args: ServeArgs) -> Options {
    Options {
        listen: args.listen,
        key_file: args.key_file,
        aliases: args.alias,
        allowed_origins: args.allow_origin,
        allowed_hosts: args.allow_host,
        experimental_tools: args.experimental_tools,
        refuse_substitution: args.refuse_substitution,
        notify: args.notify,
    }
}

/// The tools of `pplx mcp`, which the server mounts at `/mcp`.
#[cfg(feature = "mcp")]
#[expect(clippy::unnecessary_wraps, reason = "without the feature there are none")]
fn agents(env: &Environment) -> Option<Mounted> {
    let endpoint = crate::mcp::http::HttpEndpoint::new(env.clone());
    Some(Mounted { router: endpoint.router(), stop: Box::new(move || endpoint.stop()) })
}

#[cfg(not(feature = "mcp"))]
fn agents(_: &Environment) -> Option<Mounted> {
    None
}
