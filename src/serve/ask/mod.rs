//! Questions, and how the service is asked.

pub(crate) mod attachments;
mod decode;
pub(crate) mod question;
