//! `pplx serve`: the subscription behind the interfaces of OpenAI's API.

mod api_error;
mod ask;
mod conversation;
mod dialect;
mod edge;
mod log;
mod settings;
mod settle;
mod state;

use axum::Router;

pub(crate) use self::settings::Options;
use self::settings::Settings;
use self::state::server_state::ServerState;
use crate::auth::Store;
use crate::outcome::failure::Failure;
use crate::state::env::Environment;
use crate::terminal::io::Io;
use crate::terminal::signals::Signals;

/// Something that is served beside the interfaces, with the same guard: at `/mcp`.
pub(crate) struct Mounted {
    pub(crate) router: Router,
    /// Ends what would keep its connections open.
    pub(crate) stop: Box<dyn FnOnce() + Send>,
}

/// Asks the server that should be running how it is.
pub(crate) async fn check(options: Options, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    edge::check::run(&Settings::resolve(options, env)?, io).await
}

/// Serves until a signal comes, then until the answers that are on their way are finished.
pub(crate) async fn run(
    options: Options,
    mounted: Option<Mounted>,
    env: Environment,
    io: &mut Io,
) -> Result<(), Failure> {
    let settings = Settings::resolve(options, &env)?;
    if let Some(warning) = Store::tighten_for(&env) {
        io.report_as("warning", &warning);
    }
    let (listener, address) = edge::listen::bind(settings.listen).await?;
    let mut signals = Signals::install()?;
    let server = ServerState::new(&settings, env)?;
    let (mounted, stop_mounted) = mounted.map(|mounted| (mounted.router, mounted.stop)).unzip();
    let router = edge::routes::router(&server, mounted);
    io.print(&format!("http://{address}"))?;
    io.out().flush()?;
    edge::upkeep::start(&server);
    let stop = || {
        log::event("stopping", "answers that are on their way are finished; a second signal ends them");
        if let Some(stop) = stop_mounted {
            stop();
        }
    };
    edge::listen::until_signal(listener, router, &mut signals, stop).await;
    server.background.wait().await;
    Ok(())
}
