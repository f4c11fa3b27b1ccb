//! Asking another program for a token.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

/// How long a program may take. Both that are run only read a setting.
const TIMEOUT: Duration = Duration::from_secs(3);

/// What a program printed.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) success: bool,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Why a program gave no output.
#[derive(Debug)]
pub(super) enum Failure {
    /// The program is not on PATH.
    NotFound,
    /// It could not be started, or did not end in time.
    Io(io::Error),
}

/// Runs `program` from PATH, without input.
pub(super) async fn output(program: &str, args: &[&str]) -> Result<Output, Failure> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let run = command.spawn()?.wait_with_output();
    let output =
        tokio::time::timeout(TIMEOUT, run).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    Ok(Output {
        success: output.status.success(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound { Self::NotFound } else { Self::Io(error) }
    }
}
