//! Why the official API refused.

use crate::domain::origin::Origin;

/// An error that the official API answered with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ApiRefusal {
    /// The API's own sentence, or the status where it gave none.
    pub message: String,
    /// What it is about.
    pub why: Why,
    /// More that the reply says: the parameter that is wrong, when to ask again.
    pub detail: Option<String>,
    /// Where the key was found.
    pub origin: Origin,
}

/// What an error of the official API is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Something in the request.
    Request,
    /// The key.
    Key,
    /// The account's credits are used up.
    Credits,
    /// Too many requests.
    Rate,
    /// This interface is retired for the account; the other one is not.
    Retired,
    /// The edge in front of the API wants proof of a browser.
    Blocked,
    /// The API, or a gateway in front of it.
    Service,
    /// Anything else.
    Other,
}
