//! Lines from the terminal, with editing, completion and a history that outlives the run.

use std::io;
use std::sync::mpsc;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, Helper};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::line_history::{LIMIT, LineHistory};
use super::tty::Mode;
use crate::state::env::Environment;

/// What the user did at the prompt.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// Typed something, perhaps over several lines.
    Typed(String),
    /// Discarded the line: Ctrl-C.
    Interrupted,
    /// Ended the input: Ctrl-D.
    End,
}

/// Reads lines in a thread of its own, so that signals can be waited for at the same time.
#[derive(Debug)]
pub struct LineEditor {
    /// Each message requests a line.
    requests: mpsc::Sender<()>,
    lines: UnboundedReceiver<io::Result<Line>>,
    /// A line was requested and has not come yet.
    waits: bool,
    /// Restored when the prompt is left in the middle of a line.
    mode: Mode,
}

impl LineEditor {
    /// An editor with this prompt. A beginning of one of the `candidates` is completed to it.
    pub fn start(prompt: &'static str, candidates: Vec<String>, env: &Environment) -> Self {
        let mode = Mode::current();
        let (requests, requested) = mpsc::channel();
        let (sender, lines) = unbounded_channel();
        // Without a folder for it, the history ends with the run.
        let history = env.state_dir().ok().and_then(|dir| LineHistory::open(dir.join("chat-history")));
        std::thread::spawn(move || read_lines(prompt, Candidates(candidates), history, &requested, &sender));
        Self { requests, lines, waits: false, mode }
    }

    /// The next line. May be dropped and called again: the line that was begun goes on.
    pub async fn next(&mut self) -> io::Result<Line> {
        if !self.waits {
            // The thread ends only by a failure, which the other channel brings.
            let _ = self.requests.send(());
            self.waits = true;
        }
        let line = self.lines.recv().await;
        self.waits = false;
        line.unwrap_or(Ok(Line::End))
    }

    /// Leaves the prompt in the middle of a line. The thread still waits for a key, so no line may be requested afterwards.
    pub fn leave(&mut self) {
        self.mode.restore();
    }
}

fn read_lines(
    prompt: &str,
    candidates: Candidates,
    history: Option<LineHistory>,
    requested: &mpsc::Receiver<()>,
    lines: &UnboundedSender<io::Result<Line>>,
) {
    let mut prompt_editor = match Prompt::new(candidates, history) {
        Ok(prompt_editor) => prompt_editor,
        Err(error) => return drop(lines.send(Err(io_error(error)))),
    };
    while requested.recv().is_ok() && lines.send(prompt_editor.read(prompt)).is_ok() {}
}

/// The editor, and where its history is kept.
struct Prompt {
    editor: Editor<Candidates, MemHistory>,
    history: Option<LineHistory>,
}

impl Prompt {
    fn new(candidates: Candidates, history: Option<LineHistory>) -> rustyline::Result<Self> {
        let config = Config::builder()
            .max_history_size(LIMIT)?
            .history_ignore_space(true)
            .completion_type(rustyline::CompletionType::List);
        let config = config.build();
        let lines = MemHistory::with_config(&config);
        let mut editor = Editor::with_history(config, lines)?;
        editor.set_helper(Some(candidates));
        for line in history.iter().flat_map(LineHistory::lines) {
            editor.add_history_entry(line)?;
        }
        Ok(Self { editor, history })
    }

    fn read(&mut self, prompt: &str) -> io::Result<Line> {
        match self.editor.readline(prompt) {
            Ok(line) => {
                self.keep(&line);
                Ok(Line::Typed(line))
            }
            Err(ReadlineError::Interrupted) => Ok(Line::Interrupted),
            Err(ReadlineError::Eof) => Ok(Line::End),
            Err(error) => Err(io_error(error)),
        }
    }

    /// Written at once, because the run may end by a signal.
    fn keep(&mut self, line: &str) {
        let added = self.editor.add_history_entry(line).unwrap_or_default();
        if let (true, Some(history)) = (added, &self.history) {
            // A full disk must not keep anybody from asking.
            let _ = history.append(line);
        }
    }
}

fn io_error(error: ReadlineError) -> io::Error {
    match error {
        ReadlineError::Io(error) => error,
        error => io::Error::other(error),
    }
}

/// Whole lines to complete to.
struct Candidates(Vec<String>);

impl Completer for Candidates {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let begun = line.get(..at).unwrap_or_default();
        let fits = |candidate: &&String| !begun.is_empty() && candidate.starts_with(begun);
        Ok((0, self.0.iter().filter(fits).cloned().collect()))
    }
}

impl Hinter for Candidates {
    type Hint = String;
}
impl Highlighter for Candidates {}
impl Validator for Candidates {}
impl Helper for Candidates {}
