use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll};

use axum::http::Response as Reply;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use reqwest::Body;

use super::*;

/// A network with scripted addresses of names and replies of addresses. An unknown name never resolves.
#[derive(Default)]
struct FakeNetwork {
    names: HashMap<&'static str, Vec<&'static str>>,
    replies: Mutex<HashMap<&'static str, Reply<Body>>>,
    requests: Mutex<Vec<String>>,
}

impl Network for FakeNetwork {
    async fn look_up(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let Some(addresses) = self.names.get(name) else { return std::future::pending().await };
        Ok(addresses.iter().map(|address| address.parse().unwrap()).collect())
    }

    async fn get(&self, url: &Url, addresses: &[IpAddr]) -> Result<Response> {
        let addresses: Vec<_> = addresses.iter().map(ToString::to_string).collect();
        self.requests.lock().unwrap().push(format!("{url} at {}", addresses.join(" ")));
        let reply = self.replies.lock().unwrap().remove(url.as_str());
        Ok(reply.unwrap_or_else(|| panic!("{url} was asked")).into())
    }
}

impl FakeNetwork {
    fn with_names(names: &[(&'static str, &[&'static str])]) -> Self {
        let names = names.iter().map(|(name, addresses)| (*name, addresses.to_vec())).collect();
        Self { names, ..Self::default() }
    }

    fn replying(self, url: &'static str, reply: Reply<Body>) -> Self {
        self.replies.lock().unwrap().insert(url, reply);
        self
    }

    async fn fetch(&self, address: &str) -> std::result::Result<Fetched, String> {
        fetch_within(FETCH_TIMEOUT, self, address, 10).await.map_err(|error| error.to_string())
    }
}

struct Chunks {
    chunks: VecDeque<&'static [u8]>,
    /// The announced length.
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

/// The neighbours of both ends of every special network, and some addresses in use.
const PUBLIC: &str = "
    1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
    168.63.129.15 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255
    192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255
    198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255
    ::ffff:1.1.1.1 64:ff9b::1.1.1.1 2000::1 2001:200::1 2001:4860:4860::8888 2001:db7:ffff::1
    2001:db9::1 2003::1 2606:4700:4700::1111 2a00:1450::5eff:1 3ffe::1 3fff:1000::1
";

/// Both ends of every special network, and some that are known from attacks.
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
    for good in ["https://x.example/a?b", "HTTPS://X.example:443", "https://1.1.1.1/", "https://[2606::1]/"] {
        assert!(checked_url(good).is_ok(), "{good}");
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
        assert!(checked_url(bad).is_err(), "{bad}");
    }
}

#[test]
fn an_error_keeps_the_address_to_itself() {
    assert!(checked_url("data:secret").unwrap_err().to_string().starts_with("Could not attach the file: "));
    for bad in ["http://u:secret@x.example/secret?secret#secret", "https://u:secret@x.example", "secret"] {
        let error = checked_url(bad).unwrap_err().to_string();
        assert!(!error.contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn a_file_comes_with_its_type_and_name() {
    let reply = file("0123456789", &[("content-type", "image/png; x=y")]);
    let network = FakeNetwork::with_names(&[("x.example", &["1.1.1.1", "2606::1"])])
        .replying("https://x.example/a/b%20c.png?q", reply);
    let fetched = network.fetch("https://X.example:443/a/b%20c.png?q").await.unwrap();
    assert_eq!(fetched.content_type.as_deref(), Some("image/png; x=y"));
    assert_eq!(fetched.name.as_deref(), Some("b c.png"));
    assert_eq!(fetched.bytes, b"0123456789");
    assert_eq!(*network.requests.lock().unwrap(), ["https://x.example/a/b%20c.png?q at 1.1.1.1 2606::1"]);
}

#[tokio::test]
async fn a_host_that_is_not_public_is_never_asked() {
    let network = FakeNetwork::with_names(&[
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
        let error = network.fetch(&format!("https://{host}/")).await.unwrap_err();
        assert!(error.contains(reason), "{host}: {error}");
    }
    assert!(network.requests.lock().unwrap().is_empty());
}

#[tokio::test]
async fn three_redirects_are_followed() {
    let chain = || {
        FakeNetwork::with_names(&[("x.example", &["1.1.1.1"]), ("y.example", &["1.0.0.1"])])
            .replying("https://x.example/1", redirect("2"))
            .replying("https://x.example/2", redirect("https://y.example/3"))
            .replying("https://y.example/3", redirect("//x.example/4.pdf"))
    };
    let network = chain().replying("https://x.example/4.pdf", file("x", &[]));
    assert_eq!(network.fetch("https://x.example/1").await.unwrap().name.as_deref(), Some("4.pdf"));
    assert_eq!(network.requests.lock().unwrap()[2], "https://y.example/3 at 1.0.0.1");
    let network = chain().replying("https://x.example/4.pdf", redirect("/5"));
    assert!(network.fetch("https://x.example/1").await.unwrap_err().contains("more than 3 times"));
    assert_eq!(network.requests.lock().unwrap().len(), 4);
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
        let network = FakeNetwork::with_names(&[
            ("x.example", &["1.1.1.1"]),
            ("local.example", &["1.1.1.1", "10.0.0.1"]),
        ])
        .replying("https://x.example/a", redirect(location));
        network.fetch("https://x.example/a").await.unwrap_err();
        assert_eq!(network.requests.lock().unwrap().len(), 1, "{location}");
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
        let network =
            FakeNetwork::with_names(&[("x.example", &["1.1.1.1"])]).replying("https://x.example/a", reply);
        let error = network.fetch("https://x.example/a").await.unwrap_err();
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
        let network = FakeNetwork::with_names(&[("x.example", &["1.1.1.1"])])
            .replying("https://x.example/", file(body, &[]));
        let fetched = network.fetch("https://x.example/").await;
        assert_eq!(fetched.as_ref().map(|file| file.bytes.len()).ok(), fits.then_some(10));
        assert!(fits || fetched.unwrap_err().contains("larger than 10 bytes"));
    }
}

#[tokio::test]
async fn a_length_that_is_too_large_is_enough() {
    let body = Chunks { chunks: VecDeque::new(), length: SizeHint::with_exact(11) };
    let network = FakeNetwork::with_names(&[("x.example", &["1.1.1.1"])])
        .replying("https://x.example/", file(Body::wrap(body), &[]));
    assert!(network.fetch("https://x.example/").await.unwrap_err().contains("larger than 10 bytes"));
}

#[tokio::test(start_paused = true)]
async fn a_file_has_half_a_minute() {
    let before = tokio::time::Instant::now();
    let error = FakeNetwork::default().fetch("https://slow.example/secret").await.unwrap_err();
    assert_eq!(error, "Could not attach slow.example: it took longer than 30 seconds.");
    assert_eq!(before.elapsed().as_secs(), 30);
}

#[tokio::test]
async fn the_client_connects_to_what_was_checked() {
    for host in ["pinned.example", "pinned.example.", "Pinned.Example", "bücher.example"] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = checked_url(&format!("https://{host}/")).unwrap();
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
    again.args(["net::fetch::tests::the_client_connects_to_what_was_checked", "--exact"]);
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
    let error = client(&url, &["127.0.0.1:1".parse().unwrap()]).unwrap().get(url).send().await.unwrap_err();
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
    let long = Url::parse(&format!("https://x.example/{}", "x".repeat(MAX_FILE_NAME + 1))).unwrap();
    assert_eq!(file_name(&long), None);
}

#[test]
fn a_server_can_wait_for_it_on_any_thread() {
    fn check(_: impl Send) {}
    check(public_file("https://x.example/", 1));
}
