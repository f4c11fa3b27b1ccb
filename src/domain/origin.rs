//! Where a credential was found. Every refusal names it, because the remedy depends on it.

use std::fmt;
use std::path::PathBuf;

/// Where a credential was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The environment variable of this name.
    Environment(&'static str),
    /// The store, at this path.
    Store(PathBuf),
    /// The settings of Perplexity's desktop app.
    Desktop,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment(name) => write!(f, "the environment variable {name}"),
            Self::Store(path) => write!(f, "{}", path.display()),
            Self::Desktop => f.write_str("the Perplexity desktop app"),
        }
    }
}
