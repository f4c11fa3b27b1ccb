//! Files of the public internet. An address may name a host that only this machine can reach, so every host is looked
//! up first, and the connection goes to the addresses found, only if all of them are public.

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
const FETCH_TIMEOUT: Duration = Duration::from_secs(30);
/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How many redirects are followed.
const MAX_REDIRECTS: usize = 3;
/// The only port that is used.
const HTTPS_PORT: u16 = 443;
/// The longest name of a file, in bytes.
const MAX_FILE_NAME: usize = 255;
/// What an error calls a file whose host is unknown.
const UNKNOWN_FILE: &str = "the file";
/// The `User-Agent` header.
const USER_AGENT: &str = concat!("pplx/", env!("CARGO_PKG_VERSION"));

/// A file that has been fetched.
#[derive(Debug)]
pub struct Fetched {
    /// The `Content-Type` header as it came.
    pub content_type: Option<String>,
    /// The last segment of the address, if it can be the name of a file.
    pub name: Option<String>,
    /// The content; it may be empty.
    pub bytes: Vec<u8>,
}

/// Gets the file at a public https address, of at most `limit` bytes.
///
/// Every failure is an [`Error::Attachment`] that names the host alone, because the rest of the address may be secret.
pub async fn public_file(address: &str, limit: usize) -> Result<Fetched> {
    fetch_within(FETCH_TIMEOUT, &Internet, address, limit).await
}

/// The network, which tests replace.
trait Network {
    /// All addresses of a host name.
    fn look_up(&self, name: &str) -> impl Future<Output = io::Result<Vec<IpAddr>>> + Send;

    /// The reply of the host, connected to at one of `addresses`.
    fn get(&self, url: &Url, addresses: &[IpAddr]) -> impl Future<Output = Result<Response>> + Send;
}

struct Internet;

impl Network for Internet {
    async fn look_up(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, HTTPS_PORT)).await?.map(|address| address.ip()).collect())
    }

    async fn get(&self, url: &Url, addresses: &[IpAddr]) -> Result<Response> {
        let addresses: Vec<_> =
            addresses.iter().map(|address| SocketAddr::new(*address, HTTPS_PORT)).collect();
        let request = client(url, &addresses)?.get(url.clone()).header(header::ACCEPT_ENCODING, "identity");
        request.send().await.map_err(|error| attachment_error(url, &http::innermost(&error)))
    }
}

async fn fetch_within(
    timeout: Duration,
    network: &impl Network,
    address: &str,
    limit: usize,
) -> Result<Fetched> {
    let url = checked_url(address)?;
    let timed_out = attachment_error(&url, &format!("it took longer than {} seconds", timeout.as_secs()));
    tokio::time::timeout(timeout, fetch(network, url, limit)).await.unwrap_or(Err(timed_out))
}

async fn fetch(network: &impl Network, mut url: Url, limit: usize) -> Result<Fetched> {
    for _ in 0..=MAX_REDIRECTS {
        let addresses = public_addresses(network, &url).await?;
        let response = network.get(&url, &addresses).await?;
        match redirect_target(&url, &response)? {
            Some(next) => url = next,
            None => return read_file(&url, response, limit).await,
        }
    }
    Err(attachment_error(&url, &format!("it is redirected more than {MAX_REDIRECTS} times")))
}

/// Parses an address that may be requested: https, on port 443, without user name and password.
fn checked_url(address: &str) -> Result<Url> {
    let url = Url::parse(address).map_err(|error| Error::Attachment {
        // An address that cannot be parsed may hold a password anywhere, so none of it is quoted.
        name: UNKNOWN_FILE.to_owned(),
        reason: format!("its address is not usable ({error})"),
    })?;
    if url.scheme() != "https" {
        return Err(attachment_error(&url, "its address must begin with https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(attachment_error(&url, "its address must not hold a user name or a password"));
    }
    if url.port_or_known_default() != Some(HTTPS_PORT) {
        return Err(attachment_error(&url, "its address must not name a port other than 443"));
    }
    Ok(url)
}

/// The addresses of the host. A single one that is not public refuses them all.
async fn public_addresses(network: &impl Network, url: &Url) -> Result<Vec<IpAddr>> {
    let addresses = match url.host() {
        Some(Host::Ipv4(address)) => vec![address.into()],
        Some(Host::Ipv6(address)) => vec![address.into()],
        Some(Host::Domain(name)) => network
            .look_up(name)
            .await
            .map_err(|error| attachment_error(url, &format!("its host cannot be looked up ({error})")))?,
        None => Vec::new(),
    };
    if addresses.is_empty() {
        return Err(attachment_error(url, "its host has no address"));
    }
    if !addresses.iter().copied().all(is_public) {
        return Err(attachment_error(url, "its host is not on the public internet"));
    }
    Ok(addresses)
}

/// The target of a redirect; `None` for a successful reply.
fn redirect_target(url: &Url, response: &Response) -> Result<Option<Url>> {
    let status = response.status().as_u16();
    if response.status().is_success() {
        return Ok(None);
    }
    if !matches!(status, 301 | 302 | 303 | 307 | 308) {
        return Err(attachment_error(url, &format!("its host answered HTTP {status}")));
    }
    let location = header_text(response, &header::LOCATION).ok_or_else(|| {
        attachment_error(url, &format!("its host answered HTTP {status} without saying where it is"))
    })?;
    checked_redirect(url, &location).map(Some)
}

/// The target of a redirect from `url`, checked like the first address.
fn checked_redirect(url: &Url, location: &str) -> Result<Url> {
    let joined = url
        .join(location)
        .map_err(|_| attachment_error(url, "it is redirected to something that is no address"))?;
    checked_url(joined.as_str())
}

/// Reads the body, which may hold at most `limit` bytes.
async fn read_file(url: &Url, mut response: Response, limit: usize) -> Result<Fetched> {
    let too_large = || attachment_error(url, &format!("it is larger than {}", size_text(limit)));
    if header_text(&response, &header::CONTENT_ENCODING)
        .is_some_and(|coding| !coding.eq_ignore_ascii_case("identity"))
    {
        return Err(attachment_error(url, "its host sends it compressed, unasked"));
    }
    if response.content_length().is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let content_type = header_text(&response, &header::CONTENT_TYPE);
    let mut bytes = Vec::new();
    while let Some(chunk) =
        response.chunk().await.map_err(|error| attachment_error(url, &http::innermost(&error)))?
    {
        if bytes.len() + chunk.len() > limit {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Fetched { content_type, name: file_name(url), bytes })
}

/// A client that connects to the host of `url` at `addresses` only. Cookies and compression are not compiled in.
fn client(url: &Url, addresses: &[SocketAddr]) -> Result<Client> {
    // This fails where a provider is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = || client_builder(url, addresses);
    let built =
        builder().build().or_else(|_| builder().tls_backend_preconfigured(http::bundled_roots()).build());
    built.map_err(|error| attachment_error(url, &http::innermost(&error)))
}

fn client_builder(url: &Url, addresses: &[SocketAddr]) -> ClientBuilder {
    Client::builder()
        .resolve_to_addrs(url.host_str().unwrap_or_default(), addresses)
        .no_proxy()
        .https_only(true)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .user_agent(USER_AGENT)
        .connect_timeout(CONNECT_TIMEOUT)
}

/// The last segment of an address, if it can be the name of a file.
fn file_name(url: &Url) -> Option<String> {
    let segment = url.path_segments()?.next_back()?;
    let name = percent_decode_str(segment).decode_utf8().ok()?.into_owned();
    let is_one_segment = !name.contains(['/', '\\']) && !name.contains(char::is_control);
    let is_file = !matches!(name.as_str(), "" | "." | "..") && name.len() <= MAX_FILE_NAME;
    (is_one_segment && is_file).then_some(name)
}

fn header_text(response: &Response, name: &HeaderName) -> Option<String> {
    response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

fn size_text(bytes: usize) -> String {
    if bytes < 1 << 20 { format!("{bytes} bytes") } else { format!("{} MB", bytes >> 20) }
}

fn attachment_error(url: &Url, reason: &str) -> Error {
    let host = Some(http::host_of(url)).filter(|host| !host.is_empty());
    Error::Attachment { name: host.unwrap_or_else(|| UNKNOWN_FILE.to_owned()), reason: reason.to_owned() }
}

/// The IPv4 networks that are not the public internet, each with the length of its prefix in bits.
const SPECIAL_V4: [(Ipv4Addr, u32); 16] = [
    // This network, private networks, and loopback.
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Carrier-grade NAT, and link-local addresses.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    // IETF protocols, and the retired relays of 6to4.
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    // Documentation and benchmarks.
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    // Multicast, and reserved addresses.
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
    // The platform services of Azure, as its virtual machines see them.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
];

/// The IPv6 networks within [`PUBLIC_V6`] that are not the public internet.
const SPECIAL_V6: [(Ipv6Addr, u32); 4] = [
    // IETF protocols, with Teredo and benchmarks among them.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    // Documentation.
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
    // 6to4: tunnels to an IPv4 address.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
];

/// The global unicast addresses of IPv6.
const PUBLIC_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Whether an address is on the public internet, by the IANA registries of special-purpose addresses (RFC 6890).
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => embedded_v4(address).map_or_else(|| is_public_v6(address), is_public_v4),
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
    // ISATAP: in any network, the last 32 bits are an IPv4 address behind a tunnel.
    let is_tunnel = matches!(address.segments(), [_, _, _, _, 0 | 0x0200, 0x5efe, ..]);
    is_in(PUBLIC_V6) && !is_tunnel && !SPECIAL_V6.into_iter().any(is_in)
}

/// The IPv4 address that is really connected to, of an IPv4-mapped address or one with the prefix of NAT64.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
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
