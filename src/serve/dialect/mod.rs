//! The interfaces of OpenAI's API: how each is read, and how each answers.

pub(crate) mod chat;
mod content;
mod events;
mod extras;
pub(crate) mod fields;
pub(crate) mod files;
mod options;
mod parameters;
pub(crate) mod responses;
