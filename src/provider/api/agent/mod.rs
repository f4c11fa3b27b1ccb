//! The Agent API: the body of a request, a reply in one object, and a reply that streams. The API refuses fields that
//! it does not know, so only options that are set are sent.

mod reply;
mod request;
mod stream;

pub(super) use reply::{has_failed, merge_last, read_reply};
pub(super) use request::{body, notes};
pub(super) use stream::{Effect, Stream};
