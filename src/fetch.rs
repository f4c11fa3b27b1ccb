//! Files of the public internet. Whoever names an address may mean one that only this machine can reach, so every host
//! is looked up first, and is connected to where it was found only if it is nowhere but in public.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use reqwest::header::{self, HeaderName};
use reqwest::{Client, ClientBuilder, Response};
use url::{Host, Url};

use crate::error::{Error, Result};
use crate::http;

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
mod tests {
    use std::collections::{HashMap, VecDeque};
    use std::pin::Pin;
    use std::sync::Mutex;
    use std::task::{Context, Poll};

    use axum::http::Response as Reply;
    use bytes::Bytes;
    use http_body::{Frame, SizeHint};
    use reqwest::Body;

    use super::*;

    /// A network of names that lead to addresses, and of addresses that have replies.
    #[derive(Default)]
    struct Fake {
        names: HashMap<&'static str, Vec<&'static str>>,
        replies: Mutex<HashMap<&'static str, Reply<Body>>>,
        asked: Mutex<Vec<String>>,
    }

    impl Network for Fake {
        async fn look_up(&self, name: &str) -> io::Result<Vec<IpAddr>> {
            let Some(addresses) = self.names.get(name) else { return std::future::pending().await };
            Ok(addresses.iter().map(|address| address.parse().unwrap()).collect())
        }

        async fn get(&self, url: &Url, addresses: &[IpAddr]) -> Result<Response> {
            let addresses: Vec<_> = addresses.iter().map(ToString::to_string).collect();
            self.asked.lock().unwrap().push(format!("{url} at {}", addresses.join(" ")));
            let reply = self.replies.lock().unwrap().remove(url.as_str());
            Ok(reply.unwrap_or_else(|| panic!("{url} was asked")).into())
        }
    }

    impl Fake {
        fn with(names: &[(&'static str, &[&'static str])]) -> Self {
            let names = names.iter().map(|(name, addresses)| (*name, addresses.to_vec())).collect();
            Self { names, ..Self::default() }
        }

        fn replying(self, url: &'static str, reply: Reply<Body>) -> Self {
            self.replies.lock().unwrap().insert(url, reply);
            self
        }

        async fn fetch(&self, address: &str) -> std::result::Result<Fetched, String> {
            within(LIMIT, self, address, 10).await.map_err(|error| error.to_string())
        }
    }

    struct Chunks {
        chunks: VecDeque<&'static [u8]>,
        /// The length that is announced.
        length: SizeHint,
    }

    impl http_body::Body for Chunks {
        type Data = Bytes;
        type Error = io::Error;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<io::Result<Frame<Self::Data>>>> {
            Poll::Ready(self.chunks.pop_front().map(|chunk| Ok(Frame::data(Bytes::from_static(chunk)))))
        }

        fn size_hint(&self) -> SizeHint {
            self.length
        }
    }

    fn file(body: impl Into<Body>, headers: &[(&str, &str)]) -> Reply<Body> {
        let reply = headers.iter().fold(Reply::builder(), |reply, (name, value)| reply.header(*name, *value));
        reply.body(body.into()).unwrap()
    }

    fn status(status: u16, headers: &[(&str, &str)]) -> Reply<Body> {
        let mut reply = file("", headers);
        *reply.status_mut() = status.try_into().unwrap();
        reply
    }

    fn redirect(location: &str) -> Reply<Body> {
        status(302, &[("location", location)])
    }

    /// One beside each end of every special network, and some that are in use.
    const PUBLIC: &str = "
        1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
        168.63.129.15 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255
        192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255
        198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255
        ::ffff:1.1.1.1 64:ff9b::1.1.1.1 2000::1 2001:200::1 2001:4860:4860::8888 2001:db7:ffff::1
        2001:db9::1 2003::1 2606:4700:4700::1111 2a00:1450::5eff:1 3ffe::1 3fff:1000::1
    ";

    /// Both ends of every special network, and some that attacks are known for.
    const SPECIAL: &str = "
        0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255
        127.0.0.1 127.255.255.255 168.63.129.16 169.254.0.0 169.254.169.254 169.254.255.255
        172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.192 192.0.0.255 192.0.2.1 192.88.99.1
        192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1
        239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::7f00:1 ::8.8.8.8 ::ffff:0.0.0.0
        ::ffff:10.0.0.1 ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:100.64.0.1 ::ffff:0:127.0.0.1
        64:ff9b::10.0.0.1 64:ff9b::127.0.0.1 64:ff9b:0:0:0:1:808:808 64:ff9b:1::1 64:ff9b:1::8.8.8.8
        100::1 100:0:0:1::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1
        2001:20::1 2001:1ff:ffff::1 2001:db8::1 2001:db8:ffff::1 2002::1 2002:7f00:1::1
        2002:a00:1::1 2002:808:808::1 2606:4700::5efe:a00:1 2606:4700::200:5efe:a00:1 3fff::1
        3fff:fff::1 4000::1 5f00::1 fc00::1 fd00:ec2::254 fdff::1 fe80::1 febf::1 fec0::1 ff02::1
        ff0e::1
    ";

    #[test]
    fn addresses_that_only_some_can_reach_are_not_public() {
        for (addresses, expected) in [(PUBLIC, true), (SPECIAL, false)] {
            for address in addresses.split_whitespace() {
                assert_eq!(is_public(address.parse().unwrap()), expected, "{address}");
            }
        }
    }

    #[test]
    fn addresses_are_https_on_the_usual_port_without_credentials() {
        for good in
            ["https://x.example/a?b", "HTTPS://X.example:443", "https://1.1.1.1/", "https://[2606::1]/"]
        {
            assert!(checked(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "x.example/a",
            "//x.example/a",
            "http://x.example/",
            "http://x.example:443/",
            "wss://x.example/",
            "ftp://x.example/",
            "file:///etc/passwd",
            "data:text/plain,x",
            "https://",
            "https://x.example:80/",
            "https://x.example:8443/",
            "https://u@x.example/",
            "https://u:p@x.example/",
            "https://:p@x.example/",
            "https://x.example:443:1/",
        ] {
            assert!(checked(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_error_keeps_the_address_to_itself() {
        assert!(checked("data:secret").unwrap_err().to_string().starts_with("Could not attach the file: "));
        for bad in ["http://u:secret@x.example/secret?secret#secret", "https://u:secret@x.example", "secret"]
        {
            let error = checked(bad).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[tokio::test]
    async fn a_file_comes_with_its_type_and_name() {
        let reply = file("0123456789", &[("content-type", "image/png; x=y")]);
        let fake = Fake::with(&[("x.example", &["1.1.1.1", "2606::1"])])
            .replying("https://x.example/a/b%20c.png?q", reply);
        let fetched = fake.fetch("https://X.example:443/a/b%20c.png?q").await.unwrap();
        assert_eq!(fetched.content_type.as_deref(), Some("image/png; x=y"));
        assert_eq!(fetched.name.as_deref(), Some("b c.png"));
        assert_eq!(fetched.bytes, b"0123456789");
        assert_eq!(*fake.asked.lock().unwrap(), ["https://x.example/a/b%20c.png?q at 1.1.1.1 2606::1"]);
    }

    #[tokio::test]
    async fn a_host_that_is_not_public_is_never_asked() {
        let fake = Fake::with(&[
            ("local.example", &["127.0.0.1"]),
            ("mixed.example", &["1.1.1.1", "10.0.0.1"]),
            ("mapped.example", &["::ffff:127.0.0.1"]),
            ("none.example", &[]),
        ]);
        for (host, reason) in [
            ("local.example", "not on the public internet"),
            ("mixed.example", "not on the public internet"),
            ("mapped.example", "not on the public internet"),
            ("none.example", "no address"),
            ("127.0.0.1", "not on the public internet"),
            ("0x7f.1", "not on the public internet"),
            ("2130706433", "not on the public internet"),
            ("[::1]", "not on the public internet"),
            ("[::ffff:169.254.169.254]", "not on the public internet"),
        ] {
            let error = fake.fetch(&format!("https://{host}/")).await.unwrap_err();
            assert!(error.contains(reason), "{host}: {error}");
        }
        assert!(fake.asked.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn three_redirects_are_followed() {
        let chain = || {
            Fake::with(&[("x.example", &["1.1.1.1"]), ("y.example", &["1.0.0.1"])])
                .replying("https://x.example/1", redirect("2"))
                .replying("https://x.example/2", redirect("https://y.example/3"))
                .replying("https://y.example/3", redirect("//x.example/4.pdf"))
        };
        let fake = chain().replying("https://x.example/4.pdf", file("x", &[]));
        assert_eq!(fake.fetch("https://x.example/1").await.unwrap().name.as_deref(), Some("4.pdf"));
        assert_eq!(fake.asked.lock().unwrap()[2], "https://y.example/3 at 1.0.0.1");
        let fake = chain().replying("https://x.example/4.pdf", redirect("/5"));
        assert!(fake.fetch("https://x.example/1").await.unwrap_err().contains("more than 3 times"));
        assert_eq!(fake.asked.lock().unwrap().len(), 4);
    }

    #[tokio::test]
    async fn a_redirect_is_checked_like_the_first_address() {
        for location in [
            "http://x.example/",
            "https://127.0.0.1/",
            "https://[::1]/",
            "https://local.example/",
            "https://x.example:8443/",
            "https://u:p@x.example/",
            "//169.254.169.254/latest",
            "file:///etc/passwd",
            "https://",
        ] {
            let fake =
                Fake::with(&[("x.example", &["1.1.1.1"]), ("local.example", &["1.1.1.1", "10.0.0.1"])])
                    .replying("https://x.example/a", redirect(location));
            fake.fetch("https://x.example/a").await.unwrap_err();
            assert_eq!(fake.asked.lock().unwrap().len(), 1, "{location}");
        }
    }

    #[tokio::test]
    async fn only_a_reply_with_a_file_is_one() {
        for (reply, reason) in [
            (status(404, &[]), "HTTP 404"),
            (status(302, &[]), "without saying where"),
            (status(304, &[("location", "/b")]), "HTTP 304"),
            (file("x", &[("content-encoding", "gzip")]), "compressed"),
        ] {
            let fake = Fake::with(&[("x.example", &["1.1.1.1"])]).replying("https://x.example/a", reply);
            let error = fake.fetch("https://x.example/a").await.unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[tokio::test]
    async fn a_file_is_bounded_by_its_length_and_while_it_comes() {
        let chunks = |chunks: &[&'static [u8]]| {
            Body::wrap(Chunks { chunks: chunks.iter().copied().collect(), length: SizeHint::default() })
        };
        for (body, fits) in [
            (Body::from("0123456789"), true),
            (Body::from("0123456789a"), false),
            (chunks(&[b"01234", b"56789"]), true),
            (chunks(&[b"01234", b"56789", b"a"]), false),
        ] {
            let fake =
                Fake::with(&[("x.example", &["1.1.1.1"])]).replying("https://x.example/", file(body, &[]));
            let fetched = fake.fetch("https://x.example/").await;
            assert_eq!(fetched.as_ref().map(|file| file.bytes.len()).ok(), fits.then_some(10));
            assert!(fits || fetched.unwrap_err().contains("larger than 10 bytes"));
        }
    }

    #[tokio::test]
    async fn a_length_that_is_too_large_is_enough() {
        let body = Chunks { chunks: VecDeque::new(), length: SizeHint::with_exact(11) };
        let fake = Fake::with(&[("x.example", &["1.1.1.1"])])
            .replying("https://x.example/", file(Body::wrap(body), &[]));
        assert!(fake.fetch("https://x.example/").await.unwrap_err().contains("larger than 10 bytes"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_file_has_half_a_minute() {
        let before = tokio::time::Instant::now();
        let error = Fake::default().fetch("https://slow.example/secret").await.unwrap_err();
        assert_eq!(error, "Could not attach slow.example: it took longer than 30 seconds.");
        assert_eq!(before.elapsed().as_secs(), 30);
    }

    #[tokio::test]
    async fn the_client_connects_to_what_was_checked() {
        for host in ["pinned.example", "pinned.example.", "Pinned.Example", "bücher.example"] {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = checked(&format!("https://{host}/")).unwrap();
            let client = client(&url, &[listener.local_addr().unwrap()]).unwrap();
            tokio::select! {
                accepted = listener.accept() => drop(accepted.unwrap()),
                reply = client.get(url).send() => panic!("{host}: {reply:?}"),
            }
        }
    }

    #[test]
    fn the_client_goes_through_no_proxy() {
        let this = std::env::current_exe().unwrap();
        let mut again = std::process::Command::new(this);
        again.args(["fetch::tests::the_client_connects_to_what_was_checked", "--exact"]);
        for variable in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
            again.env(variable, "http://127.0.0.1:1");
        }
        let output = again.env_remove("NO_PROXY").env_remove("no_proxy").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
    }

    #[tokio::test]
    async fn the_client_speaks_nothing_but_https() {
        let url = Url::parse("http://x.example/").unwrap();
        let error =
            client(&url, &["127.0.0.1:1".parse().unwrap()]).unwrap().get(url).send().await.unwrap_err();
        assert!(error.is_builder(), "{error:?}");
    }

    #[test]
    fn the_name_is_the_last_segment_if_it_can_be_one() {
        for (path, name) in [
            ("a/b.pdf?c/d#e/f", Some("b.pdf")),
            ("%C3%BCber%20uns.md", Some("über uns.md")),
            ("", None),
            ("a/", None),
            ("a%2Fb", None),
            ("a%5Cb", None),
            ("a%0Ab", None),
            ("%FF", None),
        ] {
            let url = Url::parse(&format!("https://x.example/{path}")).unwrap();
            assert_eq!(file_name(&url).as_deref(), name, "{path}");
        }
        let long = Url::parse(&format!("https://x.example/{}", "x".repeat(MAX_NAME + 1))).unwrap();
        assert_eq!(file_name(&long), None);
    }

    #[test]
    fn a_server_can_wait_for_it_on_any_thread() {
        fn check(_: impl Send) {}
        check(public_file("https://x.example/", 1));
    }
}
