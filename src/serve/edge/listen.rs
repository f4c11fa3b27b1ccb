//! Connections: what they may take, and how they end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutStream;

use crate::outcome::failure::Failure;
use crate::terminal::signals::Signals;

/// How many connections there may be at once; further ones wait.
const MAX_CONNECTIONS: usize = 1024;
/// How long the head of a request may take, which is also how long a connection may be idle.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a client may read nothing of what is sent.
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);
/// How long to wait after the system could not accept a connection.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);

pub(crate) async fn bind(listen: SocketAddr) -> Result<(TcpListener, SocketAddr), Failure> {
    let bound = match TcpListener::bind(listen).await {
        Ok(listener) => listener.local_addr().map(|address| (listener, address)),
        Err(error) => Err(error),
    };
    bound.map_err(|error| {
        let hint = "name another --listen; port 0 picks a free one";
        Failure::usage(format!("Could not listen on {listen}: {error}."), hint)
    })
}

/// Serves until a signal comes, then until the answers that are on their way have ended.
pub(crate) async fn until_signal(
    listener: TcpListener,
    router: Router,
    signals: &mut Signals,
    stop: impl FnOnce(),
) {
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut signal = std::pin::pin!(signals.next());
    loop {
        tokio::select! {
            _ = &mut signal => break,
            (stream, place) = accept(&listener, &places) => serve(stream, place, router.clone(), &graceful),
        }
    }
    drop(listener);
    stop();
    graceful.shutdown().await;
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> (TcpStream, Option<OwnedSemaphorePermit>) {
    let place = Arc::clone(places).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            // Too many files are open: one that is closed makes room.
            Err(_) => tokio::time::sleep(ACCEPT_RETRY).await,
        }
    }
}

fn serve(
    stream: TcpStream,
    place: Option<OwnedSemaphorePermit>,
    router: Router,
    graceful: &GracefulShutdown,
) {
    // Small frames must not wait for each other.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_TIMEOUT));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(router));
    let watched = graceful.watch(connection);
    tokio::spawn(async move {
        // How a connection ends concerns its client alone.
        let _ = watched.await;
        drop(place);
    });
}
