//! `settings.toml`, beside the store.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::cli::args::{ColorArg, ContextSizeArg, DialectArg, EffortArg, FormatArg, ProviderArg, RecencyArg};
use crate::outcome::failure::Failure;
use crate::state::env::Environment;

/// Its content: the keys are the long options of `pplx search`. What one provider does not have is meant for the
/// other.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct File {
    pub(crate) recency: Option<RecencyArg>,
    pub(crate) limit: Option<usize>,
    pub(crate) model: Option<String>,
    pub(crate) source: Option<Vec<String>>,
    pub(crate) system: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) timezone: Option<String>,
    pub(crate) save: Option<bool>,
    pub(crate) format: Option<FormatArg>,
    pub(crate) no_stream: Option<bool>,
    pub(crate) no_wrap: Option<bool>,
    pub(crate) color: Option<ColorArg>,
    pub(crate) idle_timeout: Option<u64>,
    pub(crate) timeout: Option<u64>,
    pub(crate) provider: Option<ProviderArg>,
    pub(crate) api_dialect: Option<DialectArg>,
    pub(crate) effort: Option<EffortArg>,
    pub(crate) domain: Option<Vec<String>>,
    pub(crate) exclude_domain: Option<Vec<String>>,
    pub(crate) context_size: Option<ContextSizeArg>,
    pub(crate) country: Option<String>,
    pub(crate) max_tokens: Option<NonZeroU32>,
    serve: Option<ServeFile>,
}

/// The table `[serve]`: the long options of `pplx serve`, and the aliases as a table of their own.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ServeFile {
    pub(crate) listen: Option<SocketAddr>,
    pub(crate) key_file: Option<PathBuf>,
    pub(crate) alias: BTreeMap<String, String>,
    pub(crate) allow_origin: Vec<String>,
    pub(crate) allow_host: Vec<String>,
    pub(crate) experimental_tools: bool,
    pub(crate) refuse_substitution: bool,
    pub(crate) notify: Option<String>,
}

/// What `settings.toml` says about `pplx serve`.
pub(crate) fn serve_file(env: &Environment) -> Result<ServeFile, Failure> {
    Ok(read_file(env)?.serve.unwrap_or_default())
}

/// Whether `settings.toml` can be used, if it is there.
pub(crate) fn check_file(env: &Environment) -> Result<(), Failure> {
    read_file(env).map(drop)
}

pub(crate) fn read_file(env: &Environment) -> Result<File, Failure> {
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
