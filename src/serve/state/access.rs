//! Who may ask, by the name under which the server is called, the page that calls it, and the key.
//!
//! Without the first two rules any page on the internet could ask with the user's subscription: all it needs is a name
//! of its own that resolves to 127.0.0.1.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderValue, Uri, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use subtle::ConstantTimeEq;
use url::Url;

use crate::auth::Secret;
use crate::serve::api_error::ApiError;
use crate::serve::settings::Settings;

/// The rules of the server.
#[derive(Debug)]
pub(crate) struct Access {
    key: Option<Secret>,
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Access {
    pub(crate) fn from_settings(settings: &Settings) -> Self {
        Self { key: settings.key.clone(), hosts: settings.hosts.clone(), origins: settings.origins.clone() }
    }

    pub(crate) fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// Checks the name by which the server is called, and the page that calls it, if one does.
    pub(crate) fn check_caller(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), ApiError> {
        let host = called_host(uri, headers).unwrap_or_default();
        if !self.is_known_host(without_port(&host)) {
            let message = "The server is not known by this host name; --allow-host adds one.";
            return Err(ApiError::forbidden("host_not_allowed", message));
        }
        let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
        let is_own_page = origin.to_str().ok().and_then(authority).is_some_and(|caller| caller == host);
        if is_own_page || self.allows_origin(origin) {
            return Ok(());
        }
        let message = "Pages of this origin may not call the server; --allow-origin adds one.";
        Err(ApiError::forbidden("origin_not_allowed", message))
    }

    /// Whether the server may be called by this name. An address may: nobody else can make it lead here.
    fn is_known_host(&self, name: &str) -> bool {
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        bare.parse::<IpAddr>().is_ok()
            || name == "localhost"
            || name.ends_with(".localhost")
            || self.hosts.iter().any(|host| host == name || host == "*")
    }

    /// Whether pages of an origin may read the answers. Those of this machine may only where a key is needed as well.
    pub(crate) fn allows_origin(&self, origin: &HeaderValue) -> bool {
        let Ok(text) = origin.to_str() else { return false };
        if self.origins.iter().any(|known| known == text) {
            return true;
        }
        let Ok(url) = Url::parse(text) else { return false };
        self.key.is_some() && matches!(url.scheme(), "http" | "https") && crate::net::http::is_loopback(&url)
    }

    /// Checks the key: `Authorization: Bearer KEY`, the bare key, or the password of `Basic`.
    pub(crate) fn check_key(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let Some(key) = &self.key else { return Ok(()) };
        let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let sent = sent.and_then(sent_key).ok_or_else(ApiError::wrong_key)?;
        if is_equal(&sent, key.expose()) { Ok(()) } else { Err(ApiError::wrong_key()) }
    }

    /// Whether `text` is the key.
    pub(crate) fn is_key(&self, text: &str) -> bool {
        self.key.as_ref().is_some_and(|key| is_equal(text, key.expose()))
    }
}

/// Compares in constant time, so that nobody can guess a key letter by letter.
fn is_equal(a: &str, b: &str) -> bool {
    a.as_bytes().ct_eq(b.as_bytes()).into()
}

fn sent_key(authorization: &str) -> Option<String> {
    let (scheme, rest) = authorization.trim().split_once(' ').unwrap_or(("", authorization.trim()));
    let rest = rest.trim();
    match scheme.to_ascii_lowercase().as_str() {
        "" | "bearer" => Some(rest.to_owned()),
        "basic" => {
            let pair = String::from_utf8(STANDARD.decode(rest).ok()?).ok()?;
            pair.split_once(':').map(|(_, password)| password.to_owned())
        }
        _ => None,
    }
}

fn called_host(uri: &Uri, headers: &HeaderMap) -> Option<String> {
    let named = headers.get(header::HOST).and_then(|value| value.to_str().ok());
    named.or_else(|| uri.authority().map(axum::http::uri::Authority::as_str)).map(str::to_ascii_lowercase)
}

/// A host without its port.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => name,
        _ => host,
    }
}

/// Host and port of an origin, as in a `Host` header.
fn authority(origin: &str) -> Option<String> {
    origin.split_once("://").map(|(_, authority)| authority.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(key: Option<&str>) -> Access {
        Access {
            key: key.map(Secret::new),
            hosts: vec!["pplx.example".to_owned()],
            origins: vec!["https://chat.example".to_owned()],
        }
    }

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&str, &str)| {
            (axum::http::HeaderName::try_from(*name).unwrap(), HeaderValue::from_str(value).unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn foreign_names_and_pages_are_refused() {
        let access = access(None);
        let check =
            |pairs: &[(&str, &str)]| access.check_caller(&Uri::from_static("/"), &headers(pairs)).is_ok();
        for host in [
            "127.0.0.1:8892",
            "localhost",
            "LOCALHOST:1",
            "[::1]:8892",
            "[::1]",
            "192.0.2.7",
            "pplx.example:80",
        ] {
            assert!(check(&[("host", host)]), "{host}");
        }
        for host in ["evil.example", "127.0.0.1.evil.example:8892", "localhost.evil.example", ""] {
            assert!(!check(&[("host", host)]), "{host}");
        }
        let page = |origin| check(&[("host", "127.0.0.1:8892"), ("origin", origin)]);
        assert!(page("http://127.0.0.1:8892") && page("https://chat.example"));
        for origin in ["https://evil.example", "null", "http://localhost:3000", "http://127.0.0.1:1"] {
            assert!(!page(origin), "{origin}");
        }
    }

    #[test]
    fn pages_of_this_machine_need_the_key_to_be_there() {
        let origin = HeaderValue::from_static("http://localhost:3000");
        assert!(access(Some("k")).allows_origin(&origin) && !access(None).allows_origin(&origin));
        assert!(!access(Some("k")).allows_origin(&HeaderValue::from_static("http://localhost.evil.example")));
    }

    #[test]
    fn the_key_comes_in_one_of_three_ways() {
        let access = access(Some("secret"));
        for (value, ok) in [
            ("Bearer secret", true),
            ("bearer  secret", true),
            ("secret", true),
            ("Basic dXNlcjpzZWNyZXQ=", true),
            ("Basic x", false),
            ("Bearer secretx", false),
            ("Bearer secre", false),
            ("Digest secret", false),
            ("", false),
        ] {
            assert_eq!(access.check_key(&headers(&[("authorization", value)])).is_ok(), ok, "{value}");
        }
        assert!(access.check_key(&headers(&[])).is_err());
    }
}
