//! A result as a message, a hint, an exit code and a record.

pub mod exit_codes;
pub mod failure;
pub mod remember;
pub mod usage;
