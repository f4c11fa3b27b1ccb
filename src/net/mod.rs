//! Bytes in and out: the HTTP client, event streams, files of the public internet, messages to the user.

pub mod fetch;
pub mod http;
pub mod notify;
pub mod sse;
