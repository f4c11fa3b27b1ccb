//! Text that must not reach any output.

use secrecy::{ExposeSecret, SecretString};

/// A token or a cookie header. It has a redacting `Debug`, no `Display` and no `Serialize`, and is wiped when
/// dropped.
#[derive(Debug, Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// Wraps `text`.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into().into())
    }

    /// The text itself: for a request header and the store, for nothing else.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// `text` without any occurrence of this secret. For text from the network, which may echo what it got.
    pub fn redact(&self, text: &str) -> String {
        text.replace(self.expose(), "[redacted]")
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

impl Eq for Secret {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_nothing() {
        assert!(!format!("{:?}", Secret::new("hush-hush")).contains("hush"));
    }

    #[test]
    fn an_echo_is_redacted() {
        assert_eq!(Secret::new("hush").redact("bad token hush!"), "bad token [redacted]!");
    }
}
