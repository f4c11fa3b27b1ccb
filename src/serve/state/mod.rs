//! What the server holds: in memory, on disk, and about the account behind it.

pub(crate) mod access;
mod background;
pub(crate) mod catalogue;
pub(crate) mod files;
pub(crate) mod quota;
pub(crate) mod responses;
pub(crate) mod server_state;
pub(crate) mod session;
pub(crate) mod threads;
