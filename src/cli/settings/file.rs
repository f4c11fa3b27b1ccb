//! `settings.toml`, beside the store.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::cli::args::{ColorArg, ContextSizeArg, DialectArg, EffortArg, FormatArg, ProviderArg, RecencyArg};
use crate::cli::failure::Failure;
use crate::env::Environment;

/// Its content: the keys are the long options of `pplx search`. What one provider does not have is meant for the
/// other.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct File {
    pub(super) recency: Option<RecencyArg>,
    pub(super) limit: Option<usize>,
    pub(super) model: Option<String>,
    pub(super) source: Option<Vec<String>>,
    pub(super) system: Option<String>,
    pub(super) language: Option<String>,
    pub(super) timezone: Option<String>,
    pub(super) save: Option<bool>,
    pub(super) format: Option<FormatArg>,
    pub(super) no_stream: Option<bool>,
    pub(super) no_wrap: Option<bool>,
    pub(super) color: Option<ColorArg>,
    pub(super) idle_timeout: Option<u64>,
    pub(super) timeout: Option<u64>,
    pub(super) provider: Option<ProviderArg>,
    pub(super) api_dialect: Option<DialectArg>,
    pub(super) effort: Option<EffortArg>,
    pub(super) domain: Option<Vec<String>>,
    pub(super) exclude_domain: Option<Vec<String>>,
    pub(super) context_size: Option<ContextSizeArg>,
    pub(super) country: Option<String>,
    pub(super) max_tokens: Option<NonZeroU32>,
    serve: Option<ServeFile>,
}

/// The table `[serve]`: the long options of `pplx serve`, and the aliases as a table of their own.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(in super::super) struct ServeFile {
    pub(in super::super) listen: Option<SocketAddr>,
    pub(in super::super) key_file: Option<PathBuf>,
    pub(in super::super) alias: BTreeMap<String, String>,
    pub(in super::super) allow_origin: Vec<String>,
    pub(in super::super) allow_host: Vec<String>,
    pub(in super::super) experimental_tools: bool,
    pub(in super::super) refuse_substitution: bool,
    pub(in super::super) notify: Option<String>,
}

/// What `settings.toml` says about `pplx serve`.
pub(in super::super) fn serve_file(env: &Environment) -> Result<ServeFile, Failure> {
    Ok(read_file(env)?.serve.unwrap_or_default())
}

/// Whether `settings.toml` can be used, if it is there.
pub(in super::super) fn check_file(env: &Environment) -> Result<(), Failure> {
    read_file(env).map(drop)
}

pub(super) fn read_file(env: &Environment) -> Result<File, Failure> {
    let Ok(path) = env.config_dir().map(|dir| dir.join("settings.toml")) else { return Ok(File::default()) };
    match fs::read_to_string(&path) {
        Ok(text) => toml::from_str(&text).map_err(|error| unusable(&path, &text, &error)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(File::default())
        }
        Err(error) => Err(Failure::usage(
            format!("Could not read {}: {error}.", path.display()),
            "check its permissions",
        )),
    }
}

fn unusable(path: &Path, text: &str, error: &toml::de::Error) -> Failure {
    let line = error
        .span()
        .and_then(|span| text.get(..span.start))
        .map_or(1, |before| before.matches('\n').count() + 1);
    let message = format!("{}, line {line}: {}.", path.display(), error.message());
    Failure::usage(message, "its keys are the long options of `pplx search --help`")
}
