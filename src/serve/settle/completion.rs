//! What an answer came to.

use uuid::Uuid;

use crate::domain::answer::{Source, Thread};
use crate::serve::conversation::functions::Call;

/// What an answer came to.
#[derive(Debug, Default)]
pub(crate) struct Finished {
    /// The text, as the client has it.
    pub(crate) text: String,
    /// Calls of the client's functions, in place of a text.
    pub(crate) calls: Vec<Called>,
    pub(crate) reasoning: String,
    pub(crate) sources: Vec<Source>,
    /// Whether `[n]` in the text stands for a source.
    pub(crate) cites: bool,
    /// The model that was asked for, and the one that answered.
    pub(crate) asked: String,
    pub(crate) model: String,
    pub(crate) substituted: bool,
    pub(crate) notes: Vec<String>,
    /// The whole answer, where the service took back what had been sent.
    pub(crate) corrected: Option<String>,
    pub(crate) thread: Option<Thread>,
    pub(crate) usage: Usage,
}

/// A call of a function, with the id by which the client tells what it came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Called {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

impl Called {
    pub(super) fn of(Call { name, arguments }: Call) -> Self {
        Self { id: format!("call_{}", Uuid::new_v4().simple()), name, arguments }
    }
}

/// Tokens, estimated at four characters each: the service counts none.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) input: usize,
    pub(crate) output: usize,
}

impl Usage {
    pub(super) fn of(sent: usize, received: usize) -> Self {
        let tokens = |characters: usize| characters.div_ceil(4).max(1);
        Self { input: tokens(sent), output: tokens(received) }
    }

    pub(crate) fn total(self) -> usize {
        self.input + self.output
    }
}
