//! Bytes in and out: the HTTP client, event streams, files of the public internet, messages to the user.

#[cfg(feature = "serve")]
pub mod fetch;
pub mod http;
#[cfg(feature = "serve")]
pub mod notify;
pub mod sse;
