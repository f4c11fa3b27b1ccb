//! A result as a message, a hint, an exit code and a record.

pub mod failure;
