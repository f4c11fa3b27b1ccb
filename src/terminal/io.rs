//! The process's standard streams, and what is known about them. All output goes through here.

use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::sync::mpsc;
use std::time::Duration;

use crate::state::env::Environment;

/// Where a command reads and writes.
pub struct Io {
    out: Box<dyn Write + Send>,
    err: Box<dyn Write + Send>,
    /// Standard input is a terminal.
    pub stdin_is_terminal: bool,
    /// Standard output is a terminal.
    pub stdout_is_terminal: bool,
    /// Standard error is a terminal.
    pub stderr_is_terminal: bool,
    /// The terminal takes cursor movements.
    pub moves_cursor: bool,
    /// Whether the words that introduce lines on standard error are emphasised.
    pub emphasis: bool,
}

impl std::fmt::Debug for Io {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Io").field("stdout_is_terminal", &self.stdout_is_terminal).finish_non_exhaustive()
    }
}

impl Io {
    /// The streams of this process.
    pub fn from_process(env: &Environment) -> Self {
        let stderr_is_terminal = io::stderr().is_terminal();
        let moves_cursor = cfg!(windows) || env.get("TERM").is_some_and(|term| term != "dumb");
        Self {
            out: Box::new(BufWriter::with_capacity(64 << 10, io::stdout())),
            err: Box::new(io::stderr()),
            stdin_is_terminal: io::stdin().is_terminal(),
            stdout_is_terminal: io::stdout().is_terminal(),
            stderr_is_terminal,
            moves_cursor,
            emphasis: env.switch("CLICOLOR_FORCE")
                || (stderr_is_terminal && moves_cursor && env.get("NO_COLOR").is_none()),
        }
    }

    /// Standard output.
    pub fn out(&mut self) -> &mut dyn Write {
        &mut *self.out
    }

    /// Writes a line of a command's result to standard output.
    pub fn print(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{line}")?;
        self.out.flush()
    }

    /// Writes a line about the run to standard error. A closed standard error is no failure.
    pub fn report(&mut self, line: &str) {
        let _ = writeln!(self.err, "{line}");
    }

    /// The same, introduced by a word: `hint`, `warning`.
    pub fn report_as(&mut self, word: &str, line: &str) {
        if self.emphasis {
            self.report(&format!("\x1B[1m{word}:\x1B[0m {line}"));
        } else {
            self.report(&format!("{word}: {line}"));
        }
    }

    /// Writes a prompt to standard error, without a new line.
    pub fn prompt(&mut self, question: &str) {
        let _ = write!(self.err, "{question}");
        let _ = self.err.flush();
    }

    /// Sends a control sequence to the terminal on standard error.
    pub fn send_to_terminal(&mut self, sequence: &str) {
        let _ = write!(self.err, "{sequence}");
        let _ = self.err.flush();
    }

    /// Whether a person can be prompted.
    pub fn can_prompt(&self) -> bool {
        self.stdin_is_terminal && self.stderr_is_terminal
    }

    /// All of standard input, up to one byte more than `limit`.
    pub fn read_all(&mut self, limit: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        io::stdin().lock().take(limit as u64 + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// A line of standard input, waiting at most so long; `None` at its end or when nothing came.
    pub fn read_line(&mut self, limit: Option<Duration>) -> Option<String> {
        let (sender, receiver) = mpsc::channel();
        // Reading cannot be interrupted, so a thread does it; the end of the process ends it, too.
        std::thread::spawn(move || {
            let mut line = String::new();
            let read = io::stdin().read_line(&mut line).is_ok_and(|length| length > 0);
            // Nobody may be waiting any more.
            let _ = sender.send(read.then_some(line));
        });
        match limit {
            Some(limit) => receiver.recv_timeout(limit).ok().flatten(),
            None => receiver.recv().ok().flatten(),
        }
    }
}

/// Whether standard output is a pipe whose reader is gone.
#[cfg(unix)]
pub fn stdout_is_closed() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let stdout = io::stdout();
    let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
    let at_once = Timespec::default();
    let looked = poll(&mut watched, Some(&at_once));
    looked.is_ok() && watched.iter().any(|watched| watched.revents().contains(PollFlags::ERR))
}

/// Elsewhere that shows only at the next write.
#[cfg(not(unix))]
pub fn stdout_is_closed() -> bool {
    false
}
