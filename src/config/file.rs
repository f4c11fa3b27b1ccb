//! `settings.toml`, beside the store.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use serde::de::{Deserialize, Deserializer, Error as _};

use crate::domain::choice::Choice;
use crate::domain::error::{Error, Result};
use crate::domain::request::{ContextSize, Effort, Recency};
use crate::provider::{Dialect, ProviderName};
use crate::render::Format;
use crate::state::env::Environment;

/// The content: the keys are the long options of `pplx search`. What one provider does not have is meant for the other.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each is the option of its name")]
pub struct SettingsFile {
    #[serde(deserialize_with = "choice")]
    pub recency: Option<Recency>,
    pub limit: Option<usize>,
    pub model: Option<String>,
    pub source: Option<Vec<String>>,
    pub system: Option<String>,
    pub language: Option<String>,
    pub timezone: Option<String>,
    pub save: Option<bool>,
    #[serde(deserialize_with = "choice")]
    pub format: Option<Format>,
    pub no_stream: Option<bool>,
    pub no_wrap: Option<bool>,
    #[serde(deserialize_with = "choice")]
    pub color: Option<ColorChoice>,
    pub idle_timeout: Option<u64>,
    pub timeout: Option<u64>,
    #[serde(deserialize_with = "choice")]
    pub provider: Option<ProviderName>,
    #[serde(deserialize_with = "choice")]
    pub api_dialect: Option<Dialect>,
    #[serde(deserialize_with = "choice")]
    pub effort: Option<Effort>,
    pub domain: Option<Vec<String>>,
    pub exclude_domain: Option<Vec<String>>,
    #[serde(deserialize_with = "choice")]
    pub context_size: Option<ContextSize>,
    pub country: Option<String>,
    pub max_tokens: Option<NonZeroU32>,
    /// The table `[serve]`.
    pub serve: Option<ServeTable>,
}

/// When output is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorChoice {
    /// Where it is seen on a terminal that has colours.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Choice for ColorChoice {
    const ALL: &'static [Self] = &[Self::Auto, Self::Always, Self::Never];

    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}

/// The table `[serve]`: the long options of `pplx serve`, and the aliases as a table of their own.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each is the option of its name")]
pub struct ServeTable {
    pub listen: Option<SocketAddr>,
    pub key_file: Option<PathBuf>,
    pub alias: BTreeMap<String, String>,
    pub allow_origin: Vec<String>,
    pub allow_host: Vec<String>,
    pub experimental_tools: bool,
    pub refuse_substitution: bool,
    pub notify: Option<String>,
}

impl SettingsFile {
    /// The user's file; an empty one where there is none. [`Error::Usage`] names the file and the line that cannot be
    /// used.
    pub fn read(env: &Environment) -> Result<Self> {
        let Ok(path) = env.config_dir().map(|dir| dir.join("settings.toml")) else {
            return Ok(Self::default());
        };
        match fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text).map_err(|error| unusable(&path, &text, &error)),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Ok(Self::default())
            }
            Err(error) => {
                let message = format!("Could not read {}: {error}.", path.display());
                Err(Error::usage(message, "check its permissions"))
            }
        }
    }

    /// Whether it chooses the official API.
    pub fn chooses_api(&self) -> bool {
        self.provider == Some(ProviderName::Api)
    }
}

/// A value by its name.
fn choice<'de, D: Deserializer<'de>, T: Choice>(from: D) -> std::result::Result<Option<T>, D::Error> {
    let name = String::deserialize(from)?;
    let unknown = || D::Error::custom(format!("unknown value `{name}`, expected one of {}", T::names()));
    T::from_name(&name).map(Some).ok_or_else(unknown)
}

fn unusable(path: &Path, text: &str, error: &toml::de::Error) -> Error {
    let line = error
        .span()
        .and_then(|span| text.get(..span.start))
        .map_or(1, |before| before.matches('\n').count() + 1);
    let message = format!("{}, line {line}: {}.", path.display(), error.message());
    Error::usage(message, "its keys are the long options of `pplx search --help`")
}
