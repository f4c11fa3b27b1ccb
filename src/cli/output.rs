//! What commands print besides a search: JSON documents, failures, files.

use std::path::Path;

use serde::Serialize;

use crate::domain::answer::Payer;
use crate::outcome::failure::Failure;
use crate::render::{Format, Paint, Problem, Style, renderer, write_document};
use crate::state::overwrite;
use crate::terminal::io::Io;

/// Prints the JSON document of a command that is no search.
pub(super) fn document(document: &impl Serialize, io: &mut Io) -> Result<(), Failure> {
    write_document(document, io.out())?;
    Ok(io.out().flush()?)
}

/// An error is one line on standard error, then one with what to do.
pub(super) fn problem(problem: &Problem, io: &mut Io) {
    io.report(&problem.message);
    if let Some(hint) = &problem.hint {
        io.report_as("hint", hint);
    }
}

/// Prints a failure from before a search as the JSON document that was asked for, too.
pub(super) fn failure_document(failure: Failure, io: &mut Io) -> Failure {
    let Some(problem) = failure.problem() else { return failure };
    let style = Style {
        limit: None,
        wrap: false,
        screen: None,
        width: 80,
        paint: Paint::default(),
        now: 0,
        payer: Payer::default(),
    };
    let printed = renderer(Format::Json, style).problem(&problem, None, io.out());
    match printed.and_then(|()| io.out().flush()) {
        Ok(()) => failure,
        Err(error) => error.into(),
    }
}

/// Writes a text to a file of the user's.
pub(super) fn save(text: &str, file: &Path) -> Result<(), Failure> {
    overwrite::save(text, file).map_err(|error| {
        Failure::usage(format!("Could not write {}: {error}.", file.display()), "name another file")
    })
}
