//! A question on its way to the service.

pub(crate) mod inputs;
pub(crate) mod question;
