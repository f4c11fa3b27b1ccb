//! A question on its way to the service.

pub(crate) mod attachments;
mod inputs;
pub(crate) mod question;
