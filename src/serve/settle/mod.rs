//! An answer on its way to a client: text that can be sent for good, and what the answer came to.

pub(crate) mod answer_stream;
mod batch;
pub(crate) mod citations;
mod code;
pub(crate) mod completion;
mod settled_text;
