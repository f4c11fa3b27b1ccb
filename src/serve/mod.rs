//! `pplx serve`: the subscription behind the interfaces of OpenAI's API.

mod api_error;
mod ask;
mod conversation;
mod dialect;
mod edge;
mod log;
mod mcp;
mod settings;
mod settle;
mod state;

use self::mcp::Mcp;
use self::settings::Settings;
use self::state::server_state::ServerState;
use crate::cli::args::ServeArgs;
use crate::outcome::failure::Failure;
use crate::state::env::Environment;
use crate::terminal::io::Io;
use crate::terminal::signals::Signals;

/// Serves until a signal comes, or asks a server that runs how it is.
pub(crate) async fn run(args: ServeArgs, env: Environment, io: &mut Io) -> Result<(), Failure> {
    let only_checks = args.check;
    let settings = Settings::resolve(args, &env)?;
    if only_checks {
        return edge::check::run(&settings, io).await;
    }
    if let Some(warning) = crate::cli::private_store(&env) {
        io.tell_as("warning", &warning);
    }
    let (listener, address) = edge::listen::bind(settings.listen).await?;
    let mut signals = Signals::install()?;
    let server = ServerState::new(&settings, env.clone())?;
    let mcp = Mcp::new(env);
    let router = edge::routes::router(&server, &mcp);
    io.say(&format!("http://{address}"))?;
    io.out().flush()?;
    edge::upkeep::start(&server);
    let stop = || {
        log::event("stopping", "answers that are on their way are finished; a second signal ends them");
        mcp.stop();
    };
    edge::listen::until_signal(listener, router, &mut signals, stop).await;
    server.background.wait().await;
    Ok(())
}
