//! An answer on its way to a client, in whichever interface: what can be sent of it, and what it came to.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::task::Poll;

use uuid::Uuid;

use super::settled::{Settled, cleaned};
use crate::domain::answer::{Answer, SearchEvent, Source, Step, Thread};
use crate::domain::error::{Cut, Error};
use crate::provider::subscription::Search;
use crate::render::step;
use crate::serve::api_error::Refusal;
use crate::serve::conversation::formats::Format;
use crate::serve::conversation::functions::{Call, ModelReply, ToolSet};
use crate::serve::conversation::json::Broken;
use crate::serve::state::catalogue::Chosen;
use crate::serve::state::server_state::App;
use crate::serve::state::session::State;

/// What was agreed on with the client.
#[derive(Debug)]
pub(crate) struct Terms {
    pub(crate) asked: Chosen,
    pub(crate) format: Format,
    pub(crate) functions: Option<Arc<ToolSet>>,
    /// Nothing is sent before the answer is done.
    pub(crate) whole: bool,
    pub(crate) refuse_substitution: bool,
    /// How long the question was, in characters.
    pub(crate) sent: usize,
}

/// A piece of an answer.
#[derive(Debug)]
pub(crate) enum Piece {
    /// What the service does before it writes, a line each.
    Reasoning(String),
    /// Text that follows on what was sent.
    Text(String),
    Done(Box<Finished>),
}

/// What an answer came to.
#[derive(Debug, Default)]
pub(crate) struct Finished {
    /// The text, as the client has it.
    pub(crate) text: String,
    /// Calls of the client's functions, in place of a text.
    pub(crate) calls: Vec<Called>,
    pub(crate) reasoning: String,
    pub(crate) sources: Vec<Source>,
    /// Whether `[n]` in the text stands for a source.
    pub(crate) cites: bool,
    /// The model that was asked for, and the one that answered.
    pub(crate) asked: String,
    pub(crate) model: String,
    pub(crate) substituted: bool,
    pub(crate) notes: Vec<String>,
    /// The whole answer, where the service took back what had been sent.
    pub(crate) corrected: Option<String>,
    pub(crate) thread: Option<Thread>,
    pub(crate) usage: Usage,
}

/// A call of a function, with the id by which the client tells what it came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Called {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

impl Called {
    fn of(Call { name, arguments }: Call) -> Self {
        Self { id: format!("call_{}", Uuid::new_v4().simple()), name, arguments }
    }
}

/// Tokens, estimated at four characters each: the service counts none.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) input: usize,
    pub(crate) output: usize,
}

impl Usage {
    fn of(sent: usize, received: usize) -> Self {
        let tokens = |characters: usize| characters.div_ceil(4).max(1);
        Self { input: tokens(sent), output: tokens(received) }
    }

    pub(crate) fn total(self) -> usize {
        self.input + self.output
    }
}

/// An answer being read. Dropping it ends the upstream call.
#[derive(Debug)]
pub(crate) struct Reply {
    search: Search,
    terms: Terms,
    settled: Settled,
    told: HashSet<String>,
    reasoning: String,
    pieces: VecDeque<Result<Piece, Refusal>>,
    /// Some text was sent.
    has_begun: bool,
}

/// After how many reads the system is asked whether something has come for others.
const ASK_SYSTEM: usize = 16;
/// How many reads are sent together at most.
const TOGETHER: usize = 256;

impl Reply {
    pub(crate) fn new(search: Search, terms: Terms) -> Self {
        Self {
            search,
            terms,
            settled: Settled::default(),
            told: HashSet::new(),
            reasoning: String::new(),
            pieces: VecDeque::new(),
            has_begun: false,
        }
    }

    /// The model that answers, as far as the service has said; else the one that was asked for.
    pub(crate) fn model(&self) -> &str {
        self.search.model().unwrap_or(&self.terms.asked.id)
    }

    /// Everything up to the end.
    pub(crate) async fn whole(mut self, app: &App) -> Result<Box<Finished>, Refusal> {
        loop {
            if let Piece::Done(finished) = self.next(app).await? {
                return Ok(finished);
            }
        }
    }

    /// The next piece; [`Piece::Done`] is the last.
    pub(crate) async fn next(&mut self, app: &App) -> Result<Piece, Refusal> {
        loop {
            match self.pieces.pop_front() {
                Some(Ok(Piece::Text(text))) => return Ok(Piece::Text(self.with_more(text, app).await)),
                Some(piece) => return piece,
                None => self.read(app).await?,
            }
        }
    }

    /// A text, and what has arrived after it already: a frame for each word would cost more than the words. The first
    /// words wait for nothing, and none waits for many.
    async fn with_more(&mut self, mut text: String, app: &App) -> String {
        if !std::mem::replace(&mut self.has_begun, true) {
            return text;
        }
        // One after the other, so that what many have not read yet waits in the system's memory, not in ours.
        let _turn = app.turns.acquire().await;
        let mut reads = 0;
        pass().await;
        while reads < TOGETHER && self.search.read_available() {
            reads += 1;
            if reads % ASK_SYSTEM == 0 { tokio::task::yield_now().await } else { pass().await }
        }
        while let Some(event) = self.search.next_available() {
            self.take_or_finish(event, app);
        }
        while let Some(piece) = self.pieces.pop_front() {
            match piece {
                Ok(Piece::Text(more)) => text.push_str(&more),
                other => {
                    self.pieces.push_front(other);
                    break;
                }
            }
        }
        text
    }

    /// Reads what comes next. Can be dropped at any time.
    async fn read(&mut self, app: &App) -> Result<(), Refusal> {
        match self.search.next().await {
            Ok(Some(event)) => {
                self.take_or_finish(event, app);
                Ok(())
            }
            Ok(None) => Err(Error::Incomplete(Cut::EndOfBody).into()),
            Err(error) => {
                app.session.note(&error);
                Err(error.into())
            }
        }
    }

    fn take_or_finish(&mut self, event: SearchEvent, app: &App) {
        let taken = match event {
            SearchEvent::Done(answer) => {
                app.session.set(State::Valid);
                self.finish(*answer)
            }
            event => self.check_model(self.search.model()).map(|()| self.take(event)),
        };
        self.pieces.extend(taken.err().map(Err));
    }

    fn take(&mut self, event: SearchEvent) {
        match event {
            SearchEvent::Step(step) => self.tell(&step),
            SearchEvent::Text(change) if !self.terms.whole => {
                self.pieces.extend(self.settled.change(&change).map(Piece::Text).map(Ok));
            }
            _ => {}
        }
    }

    /// Tells a step once. Clients take reasoning that comes after text for another answer, so none does.
    fn tell(&mut self, step: &Step) {
        let line = step::phrase(step);
        if !matches!(step, Step::Writing) && self.settled.sent().is_empty() && self.told.insert(line.clone())
        {
            self.reasoning.push_str(&line);
            self.reasoning.push('\n');
            self.pieces.push_back(Ok(Piece::Reasoning(line + "\n")));
        }
    }

    fn is_substituted(&self, model: Option<&str>) -> bool {
        !self.terms.asked.is_auto && model.is_some_and(|model| model != self.terms.asked.id)
    }

    fn check_model(&self, model: Option<&str>) -> Result<(), Refusal> {
        if !self.terms.refuse_substitution || !self.is_substituted(model) {
            return Ok(());
        }
        let (asked, model) = (&self.terms.asked.id, model.unwrap_or_default());
        let message = format!("The service answers with the model '{model}' in place of '{asked}'.");
        Err(Refusal::reply("model_substituted", message).with_param("model"))
    }

    fn finish(&mut self, answer: Answer) -> Result<(), Refusal> {
        self.check_model(answer.model.as_deref())?;
        // Pages alone are an answer of their own; one that was begun and left blank is none.
        if answer.text.trim().is_empty() && (answer.sources.is_empty() || self.search.has_answer()) {
            return Err(Error::NoResults.into());
        }
        let (rest, calls, corrected) = self.rest(&answer.text)?;
        let before = std::mem::take(&mut self.settled).into_sent();
        let text = before + &rest;
        let written = text.chars().count() + calls.iter().map(|call| call.arguments.len()).sum::<usize>();
        if !rest.is_empty() {
            self.pieces.push_back(Ok(Piece::Text(rest)));
        }
        let asked = self.terms.asked.id.clone();
        self.pieces.push_back(Ok(Piece::Done(Box::new(Finished {
            usage: Usage::of(self.terms.sent, written),
            substituted: self.is_substituted(answer.model.as_deref()),
            model: answer.model.unwrap_or_else(|| asked.clone()),
            reasoning: std::mem::take(&mut self.reasoning),
            sources: answer.sources,
            notes: answer.notes,
            thread: answer.thread,
            cites: !self.terms.format.is_json(),
            asked,
            text,
            calls,
            corrected,
        }))));
        Ok(())
    }

    /// What is left to send of the final text: the text itself, or calls; and the corrected text where it is not what
    /// was sent.
    fn rest(&self, answer: &str) -> Result<Rest, Refusal> {
        let format = &self.terms.format;
        if let Some(functions) = &self.terms.functions {
            return match with_marks_or_without(answer, |text| functions.read(text)).map_err(broken_call)? {
                ModelReply::Message(text) => {
                    format.read(&cleaned(&text)).map(without_calls).map_err(broken_json)
                }
                ModelReply::Calls(calls) => {
                    Ok((String::new(), calls.into_iter().map(Called::of).collect(), None))
                }
            };
        }
        if format.is_json() {
            let text = with_marks_or_without(answer, |text| format.read(text));
            return text.map(without_calls).map_err(broken_json);
        }
        if self.terms.whole {
            return Ok(without_calls(cleaned(answer)));
        }
        if let Some(rest) = self.settled.finish(answer) {
            return Ok(without_calls(rest));
        }
        let corrected = cleaned(answer);
        Ok((format!("{CORRECTION}{corrected}"), Vec::new(), Some(corrected)))
    }
}

/// Lets the other tasks have a turn: the one that reads the connection may have more. A yield of the runtime's own
/// would ask the system, too, which costs more than all of this.
async fn pass() {
    let mut passed = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut passed, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Text, calls, and the corrected text.
type Rest = (String, Vec<Called>, Option<String>);

fn without_calls(text: String) -> Rest {
    (text, Vec::new(), None)
}

/// Reads an answer as it is, since what looks like a mark may belong to it; else without marks.
fn with_marks_or_without<T>(answer: &str, read: impl Fn(&str) -> Result<T, Broken>) -> Result<T, Broken> {
    read(answer).or_else(|broken| read(&cleaned(answer)).map_err(|_| broken))
}

/// What stands between a text that the service took back, and the one in its place.
const CORRECTION: &str = "\n\n---\n\n*The service has corrected its answer. The whole of it:*\n\n";

fn broken_call(Broken(reason): Broken) -> Refusal {
    Refusal::reply("tool_protocol_error", reason)
}

fn broken_json(Broken(reason): Broken) -> Refusal {
    Refusal::reply("invalid_json", reason)
}
