//! An answer on its way to a client: text that can be sent for good, and what the answer came to.

pub(crate) mod citations;
mod code;
pub(crate) mod reply;
mod settled;
