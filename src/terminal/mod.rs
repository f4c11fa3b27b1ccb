//! A person's end of the pipe: standard streams, the terminal's modes, lines with editing, signals.

pub mod io;
pub mod line_editor;
mod line_history;
pub mod signals;
pub mod tty;
