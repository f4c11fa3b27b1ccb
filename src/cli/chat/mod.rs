//! `pplx chat`.

mod command;

use std::ops::ControlFlow;
use std::path::Path;

use self::command::{Age, Command, Input};
use super::args::ChatArgs;
use super::output;
use super::search;
use super::settings::{self, AnswerFrom, OutputSettings, Settings};
use crate::auth;
use crate::config::model_note::model_note;
use crate::config::question::{FollowUp, Question};
use crate::domain::answer::Exchange;
use crate::domain::models::Models;
use crate::outcome::failure::Failure;
use crate::render::exchanges;
use crate::state::env::Environment;
use crate::state::{Database, ModelList};
use crate::terminal::io::Io;
use crate::terminal::line_editor::{Line, LineEditor};
use crate::terminal::signals::{Signal, Signals};

/// A conversation: what its questions have in common, and what was said.
struct Chat {
    /// Without its text. Its thread is that of the last whole answer.
    question: Question,
    output: OutputSettings,
    signals: Signals,
    exchanges: Vec<Exchange>,
}

/// Answers line after line, until there is none.
pub(super) async fn run(args: ChatArgs, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    require_terminal(io)?;
    let (question, output) = settings::for_chat(args, env, io)?;
    auth::resolve(env).await?;
    let mut chat = Chat { question, output, signals: Signals::install()?, exchanges: Vec::new() };
    chat.greet(env, io).await;
    let mut editor = LineEditor::start("> ", command::candidates(&known_models(env).await), env);
    loop {
        match chat.line(&mut editor, io).await? {
            Line::Typed(line) => {
                if chat.turn(&line, env, io).await?.is_break() {
                    return Ok(());
                }
            }
            Line::Interrupted => io.report("Ctrl-D leaves."),
            Line::End => return Ok(()),
        }
    }
}

/// The models that Tab completes.
async fn known_models(env: &Environment) -> Models {
    match Database::for_user(env) {
        Ok(database) => ModelList::new(database).known().await,
        Err(_) => Models::built_in(),
    }
}

/// A program that left standard input open would wait for ever.
fn require_terminal(io: &Io) -> Result<(), Failure> {
    if io.stdin_is_terminal && io.stdout_is_terminal {
        return Ok(());
    }
    let hint = "`pplx search -c \"…\"` follows up on the last answer";
    Err(Failure::usage("A chat needs a terminal for its input and output.", hint))
}

impl Chat {
    async fn greet(&self, env: &Environment, io: &mut Io) {
        search::warn(&self.question, self.output.quiet, env, io).await;
        if !self.output.quiet {
            let model = &self.question.request.model;
            io.report(&format!("Asking {model}. /help lists the commands, Ctrl-D leaves."));
        }
    }

    /// The next line, unless a signal ends the program first.
    async fn line(&mut self, editor: &mut LineEditor, io: &mut Io) -> Result<Line, Failure> {
        loop {
            // A signal that came before the line must not stop the answer to it.
            let signal = tokio::select! {
                biased;
                signal = self.signals.next() => signal,
                line = editor.next() => return line.map_err(|error| {
                    Failure::usage(format!("Could not read from the terminal: {error}."), "try `pplx search -c`")
                }),
            };
            self.signals.forget();
            if signal != Signal::Interrupt {
                editor.leave();
                // Where the editor wrote: pasted text comes unmarked again, and what is told begins on a line of its own.
                io.print(if io.moves_cursor { "\x1B[?2004l" } else { "" })?;
                return Err(Failure::Signal(signal));
            }
        }
    }

    /// Does what a line says. What fails is told, and the conversation goes on.
    async fn turn(&mut self, line: &str, env: &Environment, io: &mut Io) -> Result<ControlFlow<()>, Failure> {
        let done = match command::read(line) {
            Ok(Input::Nothing) => Ok(ControlFlow::Continue(())),
            Ok(Input::Question(query)) => self.ask(query, env, io).await,
            Ok(Input::Command(command)) => self.obey(command, env, io).await,
            Err(failure) => Err(failure),
        };
        match done {
            Err(failure) if !ends(&failure) => {
                if let Some(problem) = failure.problem() {
                    output::problem(&problem, io);
                }
                Ok(ControlFlow::Continue(()))
            }
            done => done,
        }
    }

    async fn ask(
        &mut self,
        query: String,
        env: &Environment,
        io: &mut Io,
    ) -> Result<ControlFlow<()>, Failure> {
        let question = self.question.clone().with_query(query.clone())?;
        let settings =
            Settings { answer_from: AnswerFrom::Question(Box::new(question)), output: self.output.now() };
        let answered = search::answer(&settings, &mut self.signals, env, io).await;
        self.signals.forget();
        let answer = *answered?;
        // An answer without a handle leaves the last one that had one.
        if answer.thread.is_some() {
            self.question.request.thread.clone_from(&answer.thread);
            self.question.follow_up = FollowUp::Nothing;
        }
        self.exchanges.push(Exchange { query, answer });
        io.print("")?;
        Ok(ControlFlow::Continue(()))
    }

    async fn obey(
        &mut self,
        command: Command,
        env: &Environment,
        io: &mut Io,
    ) -> Result<ControlFlow<()>, Failure> {
        let request = &mut self.question.request;
        match command {
            Command::Help => io.report(command::help().trim_end()),
            Command::Quit => return Ok(ControlFlow::Break(())),
            Command::New => {
                request.thread = None;
                self.question.follow_up = FollowUp::Nothing;
                io.report("The next question begins a new thread.");
            }
            Command::Model(model) => {
                if let Some(model) = model {
                    if let Some(note) = model_note(&model, env).await {
                        io.report_as("note", &note);
                    }
                    request.model = model;
                }
                io.report(&format!("Asking {}.", request.model));
            }
            Command::Recency(age) => {
                request.recency = match age {
                    None => request.recency,
                    Some(Age::Any) => None,
                    Some(Age::AtMost(recency)) => Some(recency),
                };
                io.report(&format!("Searching pages {}.", command::pages(request.recency)));
            }
            Command::Source(sources) => {
                if !sources.is_empty() {
                    request.sources = sources;
                }
                io.report(&format!("Searching {}.", request.sources.join(", ")));
            }
            Command::Save(file) => {
                self.save(&command::expanded(&file, env))?;
                io.report(&format!("Saved to {file}."));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn save(&self, file: &Path) -> Result<(), Failure> {
        if self.exchanges.is_empty() {
            return Err(Failure::usage("There is nothing to save yet.", "ask something first"));
        }
        output::save(&exchanges::markdown(&self.exchanges, chrono::Utc::now().timestamp()), file)
    }
}

/// The conversation cannot go on.
fn ends(failure: &Failure) -> bool {
    matches!(failure, Failure::Output(_)) || matches!(failure.exit_code(), 129 | 143)
}
