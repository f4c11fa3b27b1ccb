//! The settings of the server: option, environment, the table `[serve]` of `settings.toml`, default, in that order.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use url::Url;

use crate::auth::Secret;
use crate::config::file::{ServeTable, SettingsFile};
use crate::outcome::failure::Failure;
use crate::state::env::Environment;

/// Where it listens by default.
const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8892);
/// The shortest key that may guard a server others can reach, in characters.
const SHORTEST_KEY: usize = 16;

/// What is said where the server is started. What is not is as `settings.toml` has it.
pub(crate) struct Options {
    pub(crate) listen: Option<SocketAddr>,
    pub(crate) key_file: Option<PathBuf>,
    /// Other names of models, and the models.
    pub(crate) aliases: Vec<(String, String)>,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) experimental_tools: bool,
    pub(crate) refuse_substitution: bool,
    pub(crate) notify: Option<String>,
}

#[derive(Debug)]
pub(super) struct Settings {
    pub(super) listen: SocketAddr,
    pub(super) key: Option<Secret>,
    pub(super) aliases: BTreeMap<String, String>,
    pub(super) origins: Vec<String>,
    pub(super) hosts: Vec<String>,
    pub(super) experimental_tools: bool,
    pub(super) refuse_substitution: bool,
    pub(super) notify: Option<NotifyUrl>,
}

/// Where the user is notified that the session has ended. Whoever knows its topic can read and write there, so `Debug`
/// does not show it.
#[derive(Clone)]
pub(super) struct NotifyUrl(Url);

impl NotifyUrl {
    /// The address itself: to post to, for nothing else.
    pub(super) fn expose(&self) -> &Url {
        &self.0
    }
}

impl fmt::Debug for NotifyUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NotifyUrl([redacted])")
    }
}

impl Settings {
    pub(super) fn resolve(options: Options, env: &Environment) -> Result<Self, Failure> {
        let file = SettingsFile::read(env)?.serve.unwrap_or_default();
        let listen = options.listen.or(file.listen).unwrap_or(LISTEN);
        let key_file = options.key_file.or(file.key_file.clone());
        let key = match env.text("PPLX_SERVE_KEY") {
            Some(key) => Some(checked_key(&key, "PPLX_SERVE_KEY")?),
            None => key_file.map(|path| read_key(&path)).transpose()?,
        };
        check_exposure(listen, key.as_ref())?;
        let ServeTable { alias, allow_origin, allow_host, .. } = file;
        Ok(Self {
            listen,
            key,
            aliases: alias.into_iter().chain(options.aliases).collect(),
            origins: origins(allow_origin.into_iter().chain(options.allowed_origins))?,
            hosts: allow_host
                .into_iter()
                .chain(options.allowed_hosts)
                .map(|host| host.to_ascii_lowercase())
                .collect(),
            experimental_tools: options.experimental_tools || file.experimental_tools,
            refuse_substitution: options.refuse_substitution || file.refuse_substitution,
            notify: options.notify.or(file.notify).map(|text| notify_url(&text)).transpose()?,
        })
    }
}

/// Whoever can reach the server uses the user's subscription, so others need a key.
fn check_exposure(listen: SocketAddr, key: Option<&Secret>) -> Result<(), Failure> {
    if listen.ip().is_loopback() {
        return Ok(());
    }
    let hint = "put a long random key into PPLX_SERVE_KEY, or listen on 127.0.0.1";
    match key {
        None => Err(Failure::usage(format!("Others can reach {listen}, and there is no key."), hint)),
        Some(key) if key.expose().chars().count() < SHORTEST_KEY => {
            let message =
                format!("Others can reach {listen}, and the key has less than {SHORTEST_KEY} characters.");
            Err(Failure::usage(message, hint))
        }
        Some(_) => Ok(()),
    }
}

fn read_key(path: &Path) -> Result<Secret, Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        Failure::usage(
            format!("Could not read {}: {error}.", path.display()),
            "name another file for --key-file",
        )
    })?;
    checked_key(&text, &path.display().to_string())
}

/// A key that a header can hold.
fn checked_key(text: &str, place: &str) -> Result<Secret, Failure> {
    let key = text.trim();
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        let message = format!("{place} holds no usable key.");
        return Err(Failure::usage(
            message,
            "a key is one line of letters, digits and signs, without blanks",
        ));
    }
    Ok(Secret::new(key))
}

/// Origins as browsers send them.
fn origins(texts: impl Iterator<Item = String>) -> Result<Vec<String>, Failure> {
    texts
        .map(|text| {
            let origin = Url::parse(&text).ok().map(|url| url.origin()).filter(url::Origin::is_tuple);
            origin.map(|origin| origin.ascii_serialization()).ok_or_else(|| {
                let hint = "an origin is a scheme, a host and a port: https://chat.example";
                Failure::usage(format!("{text:?} is no origin."), hint)
            })
        })
        .collect()
}

pub(super) fn notify_url(text: &str) -> Result<NotifyUrl, Failure> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.map(NotifyUrl).ok_or_else(|| {
        Failure::usage("The address for --notify is not usable.", "it is an http or https address")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_goes_without_a_key() {
        let key = |text: &str| Some(Secret::new(text));
        let check = |address: &str, key: Option<Secret>| {
            check_exposure(address.parse().unwrap(), key.as_ref()).is_ok()
        };
        assert!(check("127.0.0.1:1", None) && check("[::1]:1", None));
        assert!(!check("0.0.0.0:1", None) && !check("[::]:1", None) && !check("192.0.2.1:1", key("short")));
        assert!(check("0.0.0.0:1", key("0123456789abcdef")));
    }

    #[test]
    fn neither_key_nor_topic_shows_in_debug() {
        let settings = Settings {
            listen: LISTEN,
            key: Some(Secret::new("key-of-the-test")),
            aliases: BTreeMap::new(),
            origins: Vec::new(),
            hosts: Vec::new(),
            experimental_tools: false,
            refuse_substitution: false,
            notify: Some(notify_url("https://ntfy.example/topic-of-the-test").unwrap()),
        };
        let text = format!("{settings:?}");
        assert!(text.contains("notify: Some(NotifyUrl("), "{text}");
        assert!(!text.contains("key-of-the-test") && !text.contains("topic-of-the-test"), "{text}");
    }

    #[test]
    fn a_key_is_one_word() {
        assert_eq!(checked_key(" k-1\n", "x").unwrap().expose(), "k-1");
        assert!(
            checked_key("a b", "x").is_err()
                && checked_key("", "x").is_err()
                && checked_key("ü", "x").is_err()
        );
    }
}
