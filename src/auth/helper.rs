//! Asking another program for a token.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

/// How long a program may take. Both that are asked only read a setting.
const LIMIT: Duration = Duration::from_secs(3);

/// What a program printed.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) success: bool,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Why there is no output.
#[derive(Debug)]
pub(super) enum Failure {
    /// There is no such program on PATH.
    Missing,
    /// It was started and gave nothing in time, or could not be started.
    Broken(io::Error),
}

/// Runs `program` from PATH, without input.
pub(super) async fn output(program: &str, args: &[&str]) -> Result<Output, Failure> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let run = command.spawn().map_err(Failure::of)?.wait_with_output();
    let output = tokio::time::timeout(LIMIT, run)
        .await
        .map_err(|_| Failure::Broken(io::ErrorKind::TimedOut.into()))?;
    let output = output.map_err(Failure::of)?;
    Ok(Output {
        success: output.status.success(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

impl Failure {
    fn of(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound { Self::Missing } else { Self::Broken(error) }
    }
}
