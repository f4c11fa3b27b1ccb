//! What a client says and how it wants to be answered, whichever interface it speaks.

pub(crate) mod formats;
pub(crate) mod functions;
pub(crate) mod json;
pub(crate) mod schema;
pub(crate) mod turns;
