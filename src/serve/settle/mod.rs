//! Answers, from the events of the service to text that is final and the completion.

pub(crate) mod answer_stream;
mod batch;
pub(crate) mod citations;
mod code;
pub(crate) mod completion;
mod settled_text;
