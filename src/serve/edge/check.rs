//! `pplx serve --check`: whether the server that should be running does, and can answer.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use serde_json::Value;
use url::Url;

use crate::domain::error::Error;
use crate::net::http;
use crate::outcome::failure::Failure;
use crate::serve::settings::Settings;
use crate::terminal::io::Io;

/// How long the server may take to say how it is.
const LIMIT: Duration = Duration::from_secs(5);

/// One line if all is well; else why not.
pub(crate) async fn run(settings: &Settings, io: &mut Io) -> Result<(), Failure> {
    let address = reachable(settings.listen);
    let answer = http::get(&health_url(address)?, LIMIT).await?;
    let health: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    let session = health.pointer("/session/state").and_then(Value::as_str);
    match session {
        Some("valid" | "unknown") => {
            Ok(io.say(&format!("http://{address}: ok, session {}", session.unwrap_or_default()))?)
        }
        Some("missing") => Err(Error::NotAuthenticated.into()),
        Some(_) => Err(Error::NotAccepted.into()),
        None => Err(Error::Unexpected { path: format!("http://{address}/health") }.into()),
    }
}

/// An address that stands for all of a machine's is reached by its own.
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
