//! What a client says and how it wants to be answered, whichever interface it speaks.

#[expect(clippy::module_inception, reason = "the folder is named after its main type")]
pub(crate) mod conversation;
pub(crate) mod formats;
pub(crate) mod functions;
pub(crate) mod json;
pub(crate) mod schema;
