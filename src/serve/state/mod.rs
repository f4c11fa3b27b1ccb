//! What all requests share: in memory, on the disk, and about the account behind the server.

pub(crate) mod access;
mod background;
pub(crate) mod catalogue;
pub(crate) mod quota;
pub(crate) mod responses;
pub(crate) mod server_state;
pub(crate) mod session;
pub(crate) mod threads;
