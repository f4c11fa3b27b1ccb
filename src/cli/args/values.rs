//! The values that are chosen from a few, as clap knows them. Their names stand with their types.

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::config::file::ColorChoice;
use crate::domain::choice::Choice;
use crate::domain::request::{ContextSize, Effort, Recency};
use crate::provider::{Dialect, ProviderName};
use crate::render::Format;

/// An agent that can be told about this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Agent {
    /// oh-my-pi: an extension with a tool, and a skill
    Omp,
    /// pi: the same
    Pi,
    /// Claude Code: a skill
    Claude,
    /// Codex: a skill
    Codex,
    /// opencode: a skill
    Opencode,
    /// The folder where several agents look for skills
    Agents,
}

/// Makes a [`Choice`] a value of an option, with a line of help for some.
macro_rules! value_of_option {
    ($type:ty $(, $choice:path => $help:literal)*) => {
        impl ValueEnum for $type {
            fn value_variants<'a>() -> &'a [Self] {
                Self::ALL
            }

            fn to_possible_value(&self) -> Option<PossibleValue> {
                let value = PossibleValue::new(self.name());
                Some(match self {
                    $($choice => value.help($help),)*
                    #[allow(unreachable_patterns, reason = "every value may have a line of help")]
                    _ => value,
                })
            }
        }
    };
}

value_of_option!(Recency);
value_of_option!(Effort);
value_of_option!(ContextSize);
value_of_option!(Dialect);
value_of_option!(ColorChoice);
value_of_option!(
    ProviderName,
    ProviderName::Web => "Your subscription",
    ProviderName::Api => "The official API: needs a key, and costs money"
);
value_of_option!(
    Format,
    Format::Report => "Answer, sources and meta data as text",
    Format::Pretty => "The same for people: Markdown drawn, links to follow",
    Format::Answer => "The answer's text alone",
    Format::Json => "One JSON object",
    Format::Ndjson => "One JSON object a line, as things happen"
);
