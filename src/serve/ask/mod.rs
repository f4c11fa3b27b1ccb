//! A question on its way to the service.

pub(crate) mod attachments;
mod decode;
pub(crate) mod question;
