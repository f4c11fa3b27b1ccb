//! The terminal's mode, and reading input that must not be echoed.

use std::io;

/// Reads hidden input: up to the end of the line, or with `several_lines` up to an empty line. `None` when the user
/// pressed Ctrl-C. The terminal is left as it was found.
///
/// A pasted cookie header is longer than the 4,095 bytes of a line that terminals take in their usual mode, so the
/// input is read character by character.
#[cfg(unix)]
pub fn read_hidden(several_lines: bool) -> io::Result<Option<String>> {
    use std::io::Read;

    let _mode = unix::Unbuffered::enter()?;
    let mut text = Vec::new();
    for byte in io::stdin().lock().bytes() {
        match byte? {
            0x03 => return Ok(None),
            0x04 => break,
            0x08 | 0x7F => drop(text.pop()),
            b'\r' | b'\n' => {
                let line_is_empty = text.last().is_none_or(|last| *last == b'\n');
                if !several_lines || (line_is_empty && !text.is_empty()) {
                    break;
                }
                text.push(b'\n');
            }
            byte => text.push(byte),
        }
    }
    Ok(Some(String::from_utf8_lossy(&text).into_owned()))
}

/// The same where terminals have no such limit.
#[cfg(not(unix))]
pub fn read_hidden(several_lines: bool) -> io::Result<Option<String>> {
    let mut text = String::new();
    loop {
        let line = rpassword::read_password()?;
        if !several_lines || (line.is_empty() && !text.is_empty()) {
            text.push_str(&line);
            return Ok(Some(text));
        }
        text.push_str(&line);
        text.push('\n');
    }
}

#[cfg(unix)]
pub use unix::Mode;

#[cfg(unix)]
mod unix {
    use std::io;

    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

    /// The mode of standard input's terminal, to be restored later.
    #[derive(Debug)]
    pub struct Mode(Option<Termios>);

    impl Mode {
        /// The mode as it is now; none where standard input is no terminal.
        pub fn current() -> Self {
            Self(tcgetattr(io::stdin()).ok())
        }

        /// Sets the terminal back to it.
        pub fn restore(&self) {
            if let Some(mode) = &self.0 {
                // A terminal that is gone needs no mode.
                let _ = tcsetattr(io::stdin(), OptionalActions::Now, mode);
            }
        }
    }

    /// Standard input without echo, lines and signals, until dropped.
    pub(crate) struct Unbuffered(Mode);

    impl Unbuffered {
        pub(crate) fn enter() -> io::Result<Self> {
            let mut mode = tcgetattr(io::stdin())?;
            let before = Mode(Some(mode.clone()));
            mode.local_modes -= LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
            tcsetattr(io::stdin(), OptionalActions::Now, &mode)?;
            Ok(Self(before))
        }
    }

    impl Drop for Unbuffered {
        fn drop(&mut self) {
            self.0.restore();
        }
    }
}

/// The same where the console has no modes that would outlive the program's own.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct Mode;

#[cfg(not(unix))]
impl Mode {
    /// As it is now.
    pub fn current() -> Self {
        Self
    }

    /// Nothing is to be done.
    pub fn restore(&self) {}
}
