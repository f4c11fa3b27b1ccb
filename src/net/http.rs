//! The HTTP client: base addresses, certificates and time limits. It follows no redirect, asks for no compression
//! (which would buffer streams) and retries nothing by itself.

use std::sync::OnceLock;
use std::time::Duration;

use hyper_util::client::proxy::matcher::Matcher;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode};
use url::{Host, Url};

use crate::domain::error::{Error, Result};
use crate::state::env::Environment;

/// How long a call that is not a question may take.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(30);
/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// How often a shared HTTP/2 connection is pinged while replies are open, so that a dead one is noticed.
const PING_INTERVAL: Duration = Duration::from_secs(20);
/// How long the reply to a ping may take.
const PING_TIMEOUT: Duration = Duration::from_secs(20);

/// How much of the body [`get`] reads, in bytes.
const MAX_TEXT: usize = 64 << 10;

/// The version of the service's interface that requests name.
pub const API_VERSION: &str = "2.18";

/// The address of the subscription's service.
pub const WEB_HOST: &str = "https://www.perplexity.ai";

/// The base address of the service: `PPLX_BASE_URL`, else its own host.
///
/// `PPLX_BASE_URL` must be https, or http on loopback, so that a session is never sent in clear text.
pub fn web_base(env: &Environment) -> Result<Url> {
    base_url("PPLX_BASE_URL", &env.text("PPLX_BASE_URL").unwrap_or_else(|| WEB_HOST.to_owned()))
}

/// The address of the official API.
pub const API_HOST: &str = "https://api.perplexity.ai";

/// The base address of the official API: `PERPLEXITY_BASE_URL`, under the same rule, else its own host.
pub fn api_base(env: &Environment) -> Result<Url> {
    base_url("PERPLEXITY_BASE_URL", &env.text("PERPLEXITY_BASE_URL").unwrap_or_else(|| API_HOST.to_owned()))
}

fn base_url(variable: &'static str, text: &str) -> Result<Url> {
    let refuse = |reason: &str| Error::BaseUrl { variable, reason: reason.to_owned() };
    let url = Url::parse(text.trim()).map_err(|error| refuse(&error.to_string()))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse("it must not hold a user name or a password"));
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        "http" => Err(refuse("http is allowed on loopback only; use https")),
        _ => Err(refuse("it must be an https address")),
    }
}

/// The address of `path` (without a leading slash) below `base`.
pub fn endpoint(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    let prefix = base.path().trim_end_matches('/');
    url.set_path(&format!("{prefix}/{path}"));
    url.set_query(None);
    url.set_fragment(None);
    url
}

/// `text` as one segment of a path. `.` and `..` are escaped twice, because a URL resolves them escaped once, too.
pub fn segment(text: &str) -> String {
    let escaped = utf8_percent_encode(text, NON_ALPHANUMERIC).to_string().replace("%2D", "-");
    if matches!(text, "." | "..") { escaped.replace('%', "%25") } else { escaped }
}

/// The host, with the port where the address names one.
pub fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// Whether the host is a loopback address or `localhost`.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The client for `base`, shared by the process so that connections are used again. Plain http (loopback) bypasses
/// the system's proxy. The first https client takes 3 ms to load the platform's certificates, so call this only to send
/// a request.
pub fn client(base: &Url) -> Result<Client> {
    static SECURE: OnceLock<Client> = OnceLock::new();
    static PLAIN: OnceLock<Client> = OnceLock::new();
    let shared = if base.scheme() == "http" { &PLAIN } else { &SECURE };
    match shared.get() {
        Some(client) => Ok(client.clone()),
        None => build(base).map(|client| shared.get_or_init(|| client).clone()),
    }
}

fn build(base: &Url) -> Result<Client> {
    let builder = || {
        Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .http2_keep_alive_interval(PING_INTERVAL)
            .http2_keep_alive_timeout(PING_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
    };
    // This fails where a provider is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let built = if base.scheme() == "http" {
        // An idle connection keeps the buffer of its last reply; on loopback a new connection costs less than that.
        builder().no_proxy().tls_certs_only([]).pool_max_idle_per_host(0).build()
    } else {
        builder().build().or_else(|_| builder().tls_backend_preconfigured(bundled_roots()).build())
    };
    built.map_err(|error| connect_error(base, &error))
}

/// Mozilla's root certificates, for a machine without its own.
pub(crate) fn bundled_roots() -> rustls::ClientConfig {
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()
}

/// Gets a small text within `limit`, such as the health of a running `pplx serve`.
pub async fn get(url: &Url, limit: Duration) -> Result<TextReply> {
    let request = client(url)?.get(url.clone()).timeout(limit);
    let response = request.send().await.map_err(|error| connect_error(url, &error))?;
    TextReply::read(response, MAX_TEXT).await
}

/// The headers that Perplexity's own app sends.
pub fn app_headers() -> HeaderMap {
    HeaderMap::from_iter([
        (header::USER_AGENT, HeaderValue::from_static("Perplexity/641 CFNetwork/1568 Darwin/25.2.0")),
        (HeaderName::from_static("x-app-apiversion"), HeaderValue::from_static(API_VERSION)),
    ])
}

/// A header value that stays out of debug output; `None` for text that no header can hold.
pub fn secret_header(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_bytes(text.as_bytes()).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The `Set-Cookie` headers of a reply.
pub fn set_cookies(response: &Response) -> impl Iterator<Item = &str> {
    let cookies = response.headers().get_all(header::SET_COOKIE).iter();
    cookies.filter_map(|cookie| std::str::from_utf8(cookie.as_bytes()).ok())
}

/// A reply that is read as text, with the headers that errors need.
#[derive(Debug)]
pub struct TextReply {
    /// The reply's status.
    pub status: StatusCode,
    /// The body, as far as it was read.
    pub body: String,
    /// The `Retry-After` header.
    pub retry_after: Option<String>,
    /// The `Location` header.
    pub location: Option<String>,
    content_type: String,
    is_marked_challenge: bool,
}

impl TextReply {
    /// Reads at most `limit` bytes of the body.
    pub async fn read(mut response: Response, limit: usize) -> Result<Self> {
        let text =
            |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let mut reply = Self {
            status: response.status(),
            body: String::new(),
            retry_after: text("retry-after"),
            location: text("location"),
            content_type: text("content-type").unwrap_or_default().to_ascii_lowercase(),
            is_marked_challenge: text("cf-mitigated")
                .is_some_and(|value| value.eq_ignore_ascii_case("challenge")),
        };
        let mut body = Vec::new();
        let url = response.url().clone();
        while body.len() < limit
            && let Some(chunk) = response.chunk().await.map_err(|error| connect_error(&url, &error))?
        {
            body.extend_from_slice(&chunk);
        }
        body.truncate(limit);
        reply.body = String::from_utf8_lossy(&body).into_owned();
        Ok(reply)
    }

    /// Whether the body is JSON, by its `Content-Type` or its first character.
    pub fn is_json(&self) -> bool {
        self.content_type.contains("json") || self.body.trim_start().starts_with(['{', '['])
    }

    /// Whether Cloudflare answered with a challenge for a browser. The `server` header is no sign of it: good
    /// replies name Cloudflare, too.
    pub fn is_challenge(&self) -> bool {
        const MARKS: [&str; 5] = [
            "_cf_chl_opt",
            "/cdn-cgi/challenge-platform",
            "/cdn-cgi/styles/challenges.css",
            "Just a moment...",
            "Enable JavaScript and cookies to continue",
        ];
        let refused = matches!(self.status.as_u16(), 401 | 403 | 429 | 503);
        self.is_marked_challenge
            || (refused && !self.is_json() && MARKS.iter().any(|mark| self.body.contains(mark)))
    }
}

/// An error from before the status line of a reply, with its innermost cause.
pub fn connect_error(url: &Url, error: &reqwest::Error) -> Error {
    let reason = innermost(error);
    match proxy_for(url) {
        Some(proxy) if error.is_connect() => Error::Proxy { proxy, reason },
        _ => Error::Connect { host: host_of(url), reason },
    }
}

/// The text of the innermost cause. The outer ones only repeat that a request failed, and its address.
pub fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// The proxy that the system sets for `url`, without user name and password; `None` for plain http, which is loopback.
pub fn proxy_for(url: &Url) -> Option<String> {
    let uri = url.as_str().parse().ok()?;
    let proxy = Matcher::from_system().intercept(&uri).filter(|_| url.scheme() != "http")?;
    let authority = proxy.uri().authority()?.as_str();
    Some(authority.rsplit_once('@').map_or(authority, |(_, address)| address).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_is_https_or_http_on_loopback() {
        for good in ["https://x.example", "http://127.0.0.1:1", "http://[::1]:1", "http://localhost:1/prefix"]
        {
            assert!(base_url("V", good).is_ok(), "{good}");
        }
        for bad in [
            "http://x.example",
            "http://127.0.0.1.x.example",
            "ftp://localhost",
            "x",
            "https://u:p@x.example",
        ] {
            assert!(base_url("V", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_segment_never_leads_elsewhere() {
        let base = Url::parse("https://x.example/prefix").unwrap();
        for text in ["..", ".", "a/b", "?q", "#f", "a b", "é"] {
            let url = endpoint(&base, &format!("run/{}", segment(text)));
            assert!(url.as_str().starts_with("https://x.example/prefix/run/"), "{url}");
            assert_eq!(
                (url.path_segments().unwrap().count(), url.query(), url.fragment()),
                (3, None, None),
                "{text}"
            );
        }
        assert_eq!(segment("run-1"), "run-1");
    }

    #[test]
    fn endpoints_keep_the_prefix_of_the_base() {
        let base = Url::parse("https://x.example/prefix/?q#f").unwrap();
        assert_eq!(endpoint(&base, "a/b").as_str(), "https://x.example/prefix/a/b");
    }
}
