//! The Agent API: the body of a request, a whole reply, and a reply that streams. It refuses fields that it does not
//! know, so nothing is sent that was not asked for.

mod reply;
mod request;
mod stream;

pub(super) use reply::{end, failed, whole};
pub(super) use request::{body, notes};
pub(super) use stream::{Event, Stream};
