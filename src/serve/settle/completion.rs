//! A completed answer.

use uuid::Uuid;

use crate::domain::answer::{Source, Thread};
use crate::serve::conversation::functions::Call;

/// A completed answer.
#[derive(Debug, Default)]
pub(crate) struct Completion {
    /// The text, as the client has it.
    pub(crate) text: String,
    /// Calls of the client's functions, in place of a text.
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) reasoning: String,
    pub(crate) sources: Vec<Source>,
    /// Whether `[n]` in the text refers to a source.
    pub(crate) has_citations: bool,
    pub(crate) requested_model: String,
    /// The model that answered.
    pub(crate) model: String,
    /// Another model answered than the one that the client named.
    pub(crate) substituted: bool,
    pub(crate) notes: Vec<String>,
    /// The complete answer, where the service changed text that had been sent.
    pub(crate) corrected: Option<String>,
    pub(crate) thread: Option<Thread>,
    pub(crate) usage: Usage,
}

/// A call of a function, with the id that its result will carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

impl ToolCall {
    pub(super) fn new(Call { name, arguments }: Call) -> Self {
        Self { id: format!("call_{}", Uuid::new_v4().simple()), name, arguments }
    }
}

/// Numbers of tokens, estimated at four characters each: the service reports none.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) input: usize,
    pub(crate) output: usize,
}

impl Usage {
    /// From the numbers of characters.
    pub(super) fn estimate(question: usize, answer: usize) -> Self {
        let tokens = |characters: usize| characters.div_ceil(4).max(1);
        Self { input: tokens(question), output: tokens(answer) }
    }

    pub(crate) fn total(self) -> usize {
        self.input + self.output
    }
}
