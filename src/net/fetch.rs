//! Files of the public internet. Whoever names an address may mean one that only this machine can reach, so every host
//! is looked up first, and is connected to where it was found only if it is nowhere but in public.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use reqwest::header::{self, HeaderName};
use reqwest::{Client, ClientBuilder, Response};
use url::{Host, Url};

use super::http;
use crate::domain::error::{Error, Result};

/// How long a file may take, with all redirects.
const LIMIT: Duration = Duration::from_secs(30);
/// How long a connection may take to be made.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// How many redirects are followed.
const MAX_REDIRECTS: usize = 3;
/// The only port that is connected to.
const PORT: u16 = 443;
/// The longest name of a file, in bytes.
const MAX_NAME: usize = 255;
/// What an error calls a file whose host is not known.
const NAMELESS: &str = "the file";
/// By what name hosts know us.
const AGENT: &str = concat!("pplx/", env!("CARGO_PKG_VERSION"));

/// A file that has been fetched.
#[derive(Debug)]
pub struct Fetched {
    /// What its host says that it is: the header as it came.
    pub content_type: Option<String>,
    /// The last segment of its address, if it can be the name of a file.
    pub name: Option<String>,
    /// What it holds; it may be empty.
    pub bytes: Vec<u8>,
}

/// Gets the file at a public https address, of at most `limit` bytes.
///
/// Every failure is an [`Error::Attachment`] that names no more of the address than its host: the rest may be secret.
pub async fn public_file(address: &str, limit: usize) -> Result<Fetched> {
    within(LIMIT, &Internet, address, limit).await
}

/// What is asked of the network.
trait Network {
    /// All addresses of a host's name.
    fn look_up(&self, name: &str) -> impl Future<Output = io::Result<Vec<IpAddr>>> + Send;

    /// The reply from a host, which is looked for at `addresses` and nowhere else.
    fn get(&self, url: &Url, addresses: &[IpAddr]) -> impl Future<Output = Result<Response>> + Send;
}

struct Internet;

impl Network for Internet {
    async fn look_up(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, PORT)).await?.map(|address| address.ip()).collect())
    }

    async fn get(&self, url: &Url, addresses: &[IpAddr]) -> Result<Response> {
        let at: Vec<_> = addresses.iter().map(|address| SocketAddr::new(*address, PORT)).collect();
        let request = client(url, &at)?.get(url.clone()).header(header::ACCEPT_ENCODING, "identity");
        request.send().await.map_err(|error| refused(url, &http::innermost(&error)))
    }
}

async fn within(time: Duration, network: &impl Network, address: &str, limit: usize) -> Result<Fetched> {
    let url = checked(address)?;
    let late = refused(&url, &format!("it took longer than {} seconds", time.as_secs()));
    tokio::time::timeout(time, fetch(network, url, limit)).await.unwrap_or(Err(late))
}

async fn fetch(network: &impl Network, mut url: Url, limit: usize) -> Result<Fetched> {
    for _ in 0..=MAX_REDIRECTS {
        let addresses = public_addresses(network, &url).await?;
        let response = network.get(&url, &addresses).await?;
        match redirected(&url, &response)? {
            Some(next) => url = next,
            None => return received(&url, response, limit).await,
        }
    }
    Err(refused(&url, &format!("it is redirected more than {MAX_REDIRECTS} times")))
}

/// The address, if it is one that may be asked for: https, on the usual port, with no credentials.
fn checked(address: &str) -> Result<Url> {
    let url = Url::parse(address).map_err(|error| Error::Attachment {
        // What cannot be read may hold a password anywhere.
        name: NAMELESS.to_owned(),
        reason: format!("its address is not usable ({error})"),
    })?;
    if url.scheme() != "https" {
        return Err(refused(&url, "its address must begin with https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused(&url, "its address must not hold a user name or a password"));
    }
    if url.port_or_known_default() != Some(PORT) {
        return Err(refused(&url, "its address must not name a port other than 443"));
    }
    Ok(url)
}

/// Where the host of a checked address is. One address that is not public is enough to refuse them all.
async fn public_addresses(network: &impl Network, url: &Url) -> Result<Vec<IpAddr>> {
    let addresses = match url.host() {
        Some(Host::Ipv4(address)) => vec![address.into()],
        Some(Host::Ipv6(address)) => vec![address.into()],
        Some(Host::Domain(name)) => network
            .look_up(name)
            .await
            .map_err(|error| refused(url, &format!("its host cannot be looked up ({error})")))?,
        None => Vec::new(),
    };
    if addresses.is_empty() {
        return Err(refused(url, "its host has no address"));
    }
    if !addresses.iter().copied().all(is_public) {
        return Err(refused(url, "its host is not on the public internet"));
    }
    Ok(addresses)
}

/// Where a reply leads on to; `None` if it is one to keep.
fn redirected(url: &Url, response: &Response) -> Result<Option<Url>> {
    let status = response.status().as_u16();
    if response.status().is_success() {
        return Ok(None);
    }
    if !matches!(status, 301 | 302 | 303 | 307 | 308) {
        return Err(refused(url, &format!("its host answered HTTP {status}")));
    }
    let location = text(response, &header::LOCATION).ok_or_else(|| {
        refused(url, &format!("its host answered HTTP {status} without saying where it is"))
    })?;
    next(url, &location).map(Some)
}

/// Where a redirect from `url` leads, if that may be asked for.
fn next(url: &Url, location: &str) -> Result<Url> {
    let joined =
        url.join(location).map_err(|_| refused(url, "it is redirected to something that is no address"))?;
    checked(joined.as_str())
}

/// Reads the body, and no more of it than `limit` bytes allow.
async fn received(url: &Url, mut response: Response, limit: usize) -> Result<Fetched> {
    let too_large = || refused(url, &format!("it is larger than {}", size(limit)));
    if text(&response, &header::CONTENT_ENCODING)
        .is_some_and(|coding| !coding.eq_ignore_ascii_case("identity"))
    {
        return Err(refused(url, "its host sends it compressed, unasked"));
    }
    if response.content_length().is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let content_type = text(&response, &header::CONTENT_TYPE);
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| refused(url, &http::innermost(&error)))? {
        if bytes.len() + chunk.len() > limit {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Fetched { content_type, name: file_name(url), bytes })
}

/// The client that finds the host of `url` at `addresses` only. It has no cookies and knows no compression: neither is
/// compiled in.
fn client(url: &Url, addresses: &[SocketAddr]) -> Result<Client> {
    // A second call finds the provider installed, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = || pinned(url, addresses);
    let built =
        builder().build().or_else(|_| builder().tls_backend_preconfigured(http::bundled_roots()).build());
    built.map_err(|error| refused(url, &http::innermost(&error)))
}

fn pinned(url: &Url, addresses: &[SocketAddr]) -> ClientBuilder {
    Client::builder()
        .resolve_to_addrs(url.host_str().unwrap_or_default(), addresses)
        .no_proxy()
        .https_only(true)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .user_agent(AGENT)
        .connect_timeout(CONNECT_LIMIT)
}

/// The last segment of an address, if it can be the name of a file.
fn file_name(url: &Url) -> Option<String> {
    let segment = url.path_segments()?.next_back()?;
    let name = percent_decode_str(segment).decode_utf8().ok()?.into_owned();
    let is_whole = !name.contains(['/', '\\']) && !name.contains(char::is_control);
    let is_file = !matches!(name.as_str(), "" | "." | "..") && name.len() <= MAX_NAME;
    (is_whole && is_file).then_some(name)
}

fn text(response: &Response, name: &HeaderName) -> Option<String> {
    response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

fn size(bytes: usize) -> String {
    if bytes < 1 << 20 { format!("{bytes} bytes") } else { format!("{} MB", bytes >> 20) }
}

fn refused(url: &Url, reason: &str) -> Error {
    let host = Some(http::host_of(url)).filter(|host| !host.is_empty());
    Error::Attachment { name: host.unwrap_or_else(|| NAMELESS.to_owned()), reason: reason.to_owned() }
}

/// The networks of IPv4 that are not the public internet, each with how many bits of an address name it.
const SPECIAL_V4: [(Ipv4Addr, u32); 16] = [
    // This network, private ones, and this machine.
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // A provider's own (CGNAT), and one link's.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    // For protocols, and for the retired relays of 6to4.
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    // For documentation and benchmarks.
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    // Multicast, and what is reserved.
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
    // A machine at Azure finds the one that it runs on here.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
];

/// The networks of IPv6 within [`PUBLIC_V6`] that are not the public internet.
const SPECIAL_V6: [(Ipv6Addr, u32); 4] = [
    // For protocols, with Teredo and benchmarks among them.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    // For documentation.
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
    // 6to4: tunnels to an IPv4 address.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
];

/// All that is handed out of IPv6 for the public internet.
const PUBLIC_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Whether an address means the same machine to everybody, by the registries of special addresses (RFC 6890, as they
/// are today).
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => embedded(address).map_or_else(|| is_public_v6(address), is_public_v4),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let is_in =
        |(network, bits): (Ipv4Addr, u32)| (address.to_bits() ^ network.to_bits()).leading_zeros() >= bits;
    !SPECIAL_V4.into_iter().any(is_in)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let is_in =
        |(network, bits): (Ipv6Addr, u32)| (address.to_bits() ^ network.to_bits()).leading_zeros() >= bits;
    // ISATAP: whatever the network, what follows is an IPv4 address behind it.
    let is_tunnel = matches!(address.segments(), [_, _, _, _, 0 | 0x0200, 0x5efe, ..]);
    is_in(PUBLIC_V6) && !is_tunnel && !SPECIAL_V6.into_iter().any(is_in)
}

/// The IPv4 address that is really connected to: of a mapped one, or behind the well-known prefix of NAT64.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => {
            let [.., a, b, c, d] = address.octets();
            Some(Ipv4Addr::new(a, b, c, d))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
