//! What a client sends, in whichever interface: its conversation, its functions, and the format of the answer.

pub(crate) mod formats;
pub(crate) mod functions;
pub(crate) mod json;
pub(crate) mod schema;
pub(crate) mod turns;
