//! What ended a reply before its answer was complete.

use std::fmt;

use super::phrases::duration;

/// What ended a reply early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    /// The body ended.
    EndOfBody,
    /// The connection broke.
    Broken(String),
    /// Nothing arrived for so many seconds.
    Idle(u64),
    /// The time for the whole run, in seconds, ran out.
    Deadline(u64),
    /// An event was larger than the bound, in bytes.
    TooLarge(usize),
    /// The answer reached the number of tokens that it may have.
    Tokens,
    /// The service ended it, and gave a reason.
    Service(String),
    /// The user, or the system, ended the run.
    Interrupted,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EndOfBody => f.write_str("the reply ended in the middle"),
            Self::Broken(reason) => write!(f, "the connection broke ({reason})"),
            Self::Idle(limit) => write!(f, "nothing arrived for {}", duration(*limit)),
            Self::Deadline(limit) => write!(f, "the time limit of {} ran out", duration(*limit)),
            Self::TooLarge(limit) => write!(f, "an event in it is larger than {limit} bytes"),
            Self::Tokens => f.write_str("it reached the number of tokens that it may have"),
            Self::Service(reason) => write!(f, "the service ended it ({reason})"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}
