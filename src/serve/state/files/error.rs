//! Why a file is not stored, found or deleted.

use axum::http::StatusCode;

use crate::domain::error::Error;
use crate::serve::api_error::Refusal;

/// Why a file is not stored, or not deleted.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The request is wrong (400).
    Invalid {
        /// The part of the form that is: `file` or `purpose`.
        param: &'static str,
        /// What is wrong with it, as a sentence.
        message: String,
    },
    /// The file, or the files together, would be too large (413). A sentence.
    TooLarge(String),
    /// The folder cannot be used (500).
    Io(Error),
}

pub(crate) fn too_large(message: String) -> Refusal {
    Refusal::request(StatusCode::PAYLOAD_TOO_LARGE, "file_too_large", message).with_param("file")
}

pub(crate) fn missing(id: &str) -> Refusal {
    Refusal::missing("file_not_found", format!("There is no file '{id}'."))
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Invalid { param, message } => Self::bad(param, message),
            Refused::TooLarge(message) => too_large(message),
            Refused::Io(error) => error.into(),
        }
    }
}
