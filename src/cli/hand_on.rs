//! What an answer is handed on to: the clipboard and the browser.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use url::Url;

use crate::domain::answer::Answer;
use crate::outcome::failure::Failure;
use crate::state::env::Environment;
use crate::terminal::io::Io;

/// How long a clipboard's program may take.
const LIMIT: Duration = Duration::from_secs(3);

/// What to do with an answer besides printing it.
#[derive(Debug, Clone, Default)]
pub(crate) struct HandOn {
    /// Put its text on the clipboard.
    pub(crate) copy: bool,
    /// Open the source with this number.
    pub(crate) open: Option<usize>,
}

impl HandOn {
    pub(crate) async fn run(&self, answer: &Answer, env: &Environment, io: &mut Io) -> Result<(), Failure> {
        let failed = |what: &str, why| Failure::HandOn(format!("{what}: {why}."));
        let copied = if self.copy { copy(&answer.text, env, io).await } else { Ok(()) };
        let opened = self.open.map_or(Ok(()), |number| open_source(answer, number));
        copied.map_err(|why| failed("Could not copy the answer", why))?;
        opened.map_err(|why| failed("Could not open the source", why))
    }
}

/// A program that takes the clipboard's new content from its standard input.
type Clipboard = (&'static str, &'static [&'static str]);

/// The clipboard of the machine that the user sits at: over ssh only the terminal reaches it.
async fn copy(text: &str, env: &Environment, io: &mut Io) -> Result<(), String> {
    for (program, args) in clipboards(env) {
        match fill(program, args, text).await {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            filled => return filled.map_err(|error| format!("{program}: {error}")),
        }
    }
    if !(io.stderr_is_terminal && io.moves_cursor) {
        return Err("there is no clipboard here; wl-copy, xclip or xsel would reach one".to_owned());
    }
    io.send_to_terminal(&format!("\x1B]52;c;{}\x07", STANDARD.encode(text)));
    Ok(())
}

fn clipboards(env: &Environment) -> Vec<Clipboard> {
    if env.get("SSH_CONNECTION").is_some() || env.get("SSH_TTY").is_some() {
        return Vec::new();
    }
    if cfg!(target_os = "macos") {
        return vec![("pbcopy", &[])];
    }
    if cfg!(windows) {
        return vec![("clip", &[])];
    }
    let mut found: Vec<Clipboard> = Vec::new();
    if env.get("WAYLAND_DISPLAY").is_some() {
        found.push(("wl-copy", &[]));
    }
    if env.get("DISPLAY").is_some() {
        found.push(("xclip", &["-selection", "clipboard"]));
        found.push(("xsel", &["--clipboard", "--input"]));
    }
    found
}

async fn fill(program: &str, args: &[&str], text: &str) -> io::Result<()> {
    // Some of them stay to serve the clipboard, and would keep a pipe of ours open.
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn()?;
    let filled = async {
        if let Some(mut input) = child.stdin.take() {
            input.write_all(&encoded(text)).await?;
        }
        child.wait().await
    };
    let status = tokio::time::timeout(LIMIT, filled).await.map_err(|_| io::ErrorKind::TimedOut)??;
    if status.success() { Ok(()) } else { Err(io::Error::other(status.to_string())) }
}

/// Windows' `clip` takes UTF-16 with its mark, and anything else in the console's old code page.
fn encoded(text: &str) -> Vec<u8> {
    if cfg!(windows) {
        let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
        return units.flat_map(u16::to_le_bytes).collect();
    }
    text.as_bytes().to_vec()
}

fn open_source(answer: &Answer, number: usize) -> Result<(), String> {
    let source = answer.sources.iter().find(|source| source.numbers.contains(&number));
    let source = source.ok_or_else(|| format!("the answer has no source [{number}]"))?;
    // The service chooses the address. A browser is for pages, not for files or programs.
    let page = Url::parse(&source.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let page = page.ok_or("its address is not one of the web")?;
    start_browser(page.as_str()).map_err(|error| error.to_string())
}

/// Starts the first of the system's ways to open a page that exists, and does not wait for it.
fn start_browser(page: &str) -> io::Result<()> {
    let mut missing = io::ErrorKind::NotFound.into();
    for mut command in open::commands(page) {
        match command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn() {
            Ok(_) => return Ok(()),
            Err(error) => missing = error,
        }
    }
    Err(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_ssh_only_the_terminal_reaches_the_clipboard() {
        let here = Environment::from_variables(&[("DISPLAY", ":0"), ("WAYLAND_DISPLAY", "wayland-0")]);
        assert!(!clipboards(&here).is_empty());
        let there =
            Environment::from_variables(&[("DISPLAY", ":0"), ("SSH_CONNECTION", "192.0.2.1 1 192.0.2.2 22")]);
        assert!(clipboards(&there).is_empty());
    }
}
