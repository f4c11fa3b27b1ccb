//! The process environment as a value, so that every rule about it is tested on every platform.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::domain::error::{Error, Result};

/// The variables of the process, and the facts about the platform that our rules depend on.
#[derive(Clone)]
pub struct Environment {
    variables: HashMap<OsString, OsString>,
    /// Windows keeps settings elsewhere.
    windows: bool,
    /// The home directory of the password database, where `HOME` is not set.
    home: Option<PathBuf>,
}

impl std::fmt::Debug for Environment {
    /// Names no variable: several hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment").field("windows", &self.windows).finish_non_exhaustive()
    }
}

impl Environment {
    /// The environment of this process.
    pub fn from_process() -> Self {
        Self { variables: std::env::vars_os().collect(), windows: cfg!(windows), home: dirs::home_dir() }
    }

    /// An environment of exactly these variables.
    pub fn from_variables(variables: &[(&str, &str)]) -> Self {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { variables, windows: false, home: None }
    }

    /// The same on Windows.
    #[must_use]
    pub fn on_windows(mut self) -> Self {
        self.windows = true;
        self
    }

    /// A variable that is set and not empty.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// The same as text; bytes that are no UTF-8 are replaced.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(|value| value.to_string_lossy().into_owned())
    }

    /// Whether a switch is on: set to anything but `0`.
    pub fn switch(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value != "0")
    }

    /// The folder of the store and the settings: `PPLX_CONFIG_DIR`, else `pplx` in `$XDG_CONFIG_HOME`, in
    /// `~/.config` (macOS, too), or in `%APPDATA%` on Windows. A relative XDG value is invalid and counts as unset.
    pub fn config_dir(&self) -> Result<PathBuf> {
        if let Some(dir) = self.get("PPLX_CONFIG_DIR") {
            return Ok(dir.into());
        }
        let home = || self.home().map(|home| home.join(".config"));
        let appdata = || self.get("APPDATA").filter(|_| self.windows).map(PathBuf::from);
        let base = self.absolute("XDG_CONFIG_HOME").or_else(appdata).or_else(home);
        base.map(|base| base.join("pplx")).ok_or(Error::NoConfigDir)
    }
}

impl Environment {
    /// The folder of what is kept between runs and can be done without: `pplx` in `$XDG_STATE_HOME`, in
    /// `~/.local/state` (macOS, too), or in `%LOCALAPPDATA%` on Windows.
    pub fn state_dir(&self) -> Result<PathBuf> {
        let appdata = || self.get("LOCALAPPDATA").filter(|_| self.windows).map(PathBuf::from);
        let home = || self.home().map(|home| home.join(".local/state"));
        let base = self.absolute("XDG_STATE_HOME").or_else(appdata).or_else(home);
        base.map(|base| base.join("pplx")).ok_or(Error::NoConfigDir)
    }

    fn absolute(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(Path::new).filter(|path| path.is_absolute()).map(Path::to_owned)
    }

    /// The user's home folder.
    pub fn home(&self) -> Option<PathBuf> {
        self.absolute("HOME").or_else(|| self.home.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    fn dir(variables: &[(&str, &str)]) -> Option<PathBuf> {
        Environment::from_variables(variables).config_dir().ok()
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_for_odd_environments() {
        type Row<'a> = (&'a [(&'a str, &'a str)], Option<&'a str>);
        let table: &[Row<'_>] = &[
            (&[("HOME", "/home/u")], Some("/home/u/.config/pplx")),
            (&[("XDG_CONFIG_HOME", ""), ("HOME", "/home/u")], Some("/home/u/.config/pplx")),
            (&[("XDG_CONFIG_HOME", "/x y/ü"), ("HOME", "/home/u")], Some("/x y/ü/pplx")),
            (&[("XDG_CONFIG_HOME", "relative/dir"), ("HOME", "/home/u")], Some("/home/u/.config/pplx")),
            (&[("XDG_CONFIG_HOME", "/x")], Some("/x/pplx")),
            (&[("PPLX_CONFIG_DIR", "/own"), ("XDG_CONFIG_HOME", "/x")], Some("/own")),
            (&[], None),
            (&[("HOME", "")], None),
        ];
        for (variables, expected) in table {
            assert_eq!(dir(variables), expected.map(PathBuf::from), "{variables:?}");
        }
    }

    #[test]
    fn windows_keeps_it_in_appdata() {
        let env = Environment::from_variables(&[("APPDATA", "C:\\Users\\u\\AppData")]).on_windows();
        assert!(env.config_dir().unwrap().starts_with("C:\\Users\\u\\AppData"));
    }

    #[test]
    fn a_switch_is_off_when_empty_or_zero() {
        let env = Environment::from_variables(&[("A", "1"), ("B", "0"), ("C", ""), ("D", "yes")]);
        assert_eq!(["A", "B", "C", "D", "E"].map(|name| env.switch(name)), [true, false, false, true, false]);
    }
}
