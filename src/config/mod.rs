//! What a question is really asked with: what was said where it was asked, the environment, `settings.toml`, and
//! defaults, in that order.

pub mod api;
pub mod file;
pub mod model_note;
pub mod program;
pub mod question;
pub mod reception;
