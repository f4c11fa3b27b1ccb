//! The interfaces of OpenAI's API: requests are read, answers are written.

pub(crate) mod chat;
mod content;
mod events;
mod extras;
pub(crate) mod fields;
pub(crate) mod files;
mod options;
mod parameters;
pub(crate) mod responses;
