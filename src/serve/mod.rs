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

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;

pub(crate) use self::settings::Options;
use self::settings::Settings;
use self::state::server_state::App;
use crate::auth::Store;
use crate::outcome::failure::Failure;
use crate::state::env::Environment;
use crate::terminal::io::Io;
use crate::terminal::signals::Signals;

/// How often the list of models is looked at again.
const MODELS_INTERVAL: Duration = Duration::from_secs(24 * 3600);
/// How soon again where it could not be fetched: there may have been no session yet, or no network.
const MODELS_AGAIN: Duration = Duration::from_secs(300);
/// How soon state that could not be had is tried again.
const STATE_AGAIN: Duration = Duration::from_secs(5);
/// How often it is looked whether background answers have ended.
const GLANCE: Duration = Duration::from_millis(100);

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
    let (listener, address) = bind(settings.listen).await?;
    let mut signals = Signals::install()?;
    let app = App::new(&settings, env)?;
    let (mounted, stop_mounted) = mounted.map(|mounted| (mounted.router, mounted.stop)).unzip();
    let router = edge::routes::router(&app, mounted);
    io.print(&format!("http://{address}"))?;
    io.out().flush()?;
    look_after(&app);
    tokio::spawn(begin_responses(Arc::clone(&app), chrono::Utc::now().timestamp()));
    let stop = || {
        log::event("stopping", "answers that are on their way are finished; a second signal ends them");
        if let Some(stop) = stop_mounted {
            stop();
        }
    };
    edge::listen::until_signal(listener, router, &mut signals, stop).await;
    while app.responses.is_busy() {
        tokio::time::sleep(GLANCE).await;
    }
    Ok(())
}

async fn bind(listen: SocketAddr) -> Result<(TcpListener, SocketAddr), Failure> {
    let bound = match TcpListener::bind(listen).await {
        Ok(listener) => listener.local_addr().map(|address| (listener, address)),
        Err(error) => Err(error),
    };
    bound.map_err(|error| {
        let hint = "name another --listen; port 0 picks a free one";
        Failure::usage(format!("Could not listen on {listen}: {error}."), hint)
    })
}

/// Settles what an earlier server left, as soon as the database can be had.
async fn begin_responses(app: Arc<App>, started: i64) {
    // The first try comes before any request; a later one must leave the answers to those alone.
    let mut before = started + 1;
    while let Err(error) = app.responses.begin(before).await {
        before = started;
        log::event("state", &error.to_string());
        tokio::time::sleep(STATE_AGAIN).await;
    }
}

/// What goes on beside the requests, none of which costs a question.
fn look_after(app: &Arc<App>) {
    tokio::spawn(state::session::watch(Arc::clone(app)));
    let app = Arc::clone(app);
    tokio::spawn(async move {
        loop {
            let pause = match app.renew_models().await {
                Ok(()) => MODELS_INTERVAL,
                Err(error) => {
                    log::event("models", &error.to_string());
                    MODELS_AGAIN
                }
            };
            app.renew_quota_soon();
            tokio::time::sleep(pause).await;
        }
    });
}
