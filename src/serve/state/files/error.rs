//! Why a file is not stored, found or deleted.

use axum::http::StatusCode;

use crate::domain::error::Error;
use crate::serve::api_error::ApiError;

/// Why a file is not stored, or not deleted.
#[derive(Debug)]
pub(crate) enum FileError {
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

pub(crate) fn file_too_large(message: String) -> ApiError {
    ApiError::with_status(StatusCode::PAYLOAD_TOO_LARGE, "file_too_large", message).with_param("file")
}

pub(crate) fn file_not_found(id: &str) -> ApiError {
    ApiError::not_found("file_not_found", format!("There is no file '{id}'."))
}

impl From<FileError> for ApiError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Invalid { param, message } => Self::invalid(param, message),
            FileError::TooLarge(message) => file_too_large(message),
            FileError::Io(error) => error.into(),
        }
    }
}
