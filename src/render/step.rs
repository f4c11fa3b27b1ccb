//! The steps of the service, in words.

use crate::domain::answer::Step;

/// A step as one line.
pub fn phrase(step: &Step) -> String {
    match step {
        Step::Searching(queries) => format!("Searching: {}", queries.join(" | ")),
        Step::Reading(1) => "Reading 1 source".to_owned(),
        Step::Reading(pages) => format!("Reading {pages} sources"),
        Step::Thinking => "Thinking".to_owned(),
        Step::Writing => "Writing".to_owned(),
    }
}
