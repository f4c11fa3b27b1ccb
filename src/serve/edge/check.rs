//! `pplx serve --check`: whether a server is running and can answer.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use serde_json::Value;
use url::Url;

use crate::domain::error::Error;
use crate::net::http;
use crate::outcome::failure::Failure;
use crate::serve::settings::Settings;
use crate::terminal::io::Io;

/// How long the server may take to report its health.
const LIMIT: Duration = Duration::from_secs(5);

/// Prints one line if the server can answer; else the error says why not.
pub(crate) async fn run(settings: &Settings, io: &mut Io) -> Result<(), Failure> {
    let address = reachable(settings.listen);
    let response = http::get(&health_url(address)?, LIMIT).await?;
    let health: Value = serde_json::from_str(&response.body).unwrap_or_default();
    let session = health.pointer("/session/state").and_then(Value::as_str);
    match session {
        Some("valid" | "unknown") => {
            Ok(io.print(&format!("http://{address}: ok, session {}", session.unwrap_or_default()))?)
        }
        Some("missing") => Err(Error::NotAuthenticated.into()),
        Some(_) => Err(Error::NotAccepted.into()),
        None => Err(Error::Unexpected { path: format!("http://{address}/health") }.into()),
    }
}

/// A server that listens on all addresses is reached by the loopback address.
fn reachable(listen: SocketAddr) -> SocketAddr {
    match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), listen.port()),
        IpAddr::V6(ip) if ip.is_unspecified() => SocketAddr::new(Ipv6Addr::LOCALHOST.into(), listen.port()),
        _ => listen,
    }
}

fn health_url(address: SocketAddr) -> Result<Url, Failure> {
    Url::parse(&format!("http://{address}/health"))
        .map_err(|_| Failure::usage(format!("{address} is no address to ask."), "name another --listen"))
}
