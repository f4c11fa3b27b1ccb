//! What a call answers with: text that is complete by itself, and the same for programs. Both are short enough for
//! every client; the rest of a long answer is fetched from where it was cut.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::{Deserialize, Serialize};

use super::answer_content::{AnswerContent, AnswerDetails};
use crate::domain::answer::{Answer, Payer};
use crate::render::text::sanitize;
use crate::render::{Format, Paint, Problem, Style, renderer};

/// The longest text of a result, in bytes. Clients cut what is longer, some in the middle.
pub(super) const MAX: usize = 20_000;
/// The most of it that is for what stands below the answer.
const MAX_TAIL: usize = 8_000;
/// What is said about a cut or partial answer is shorter, in bytes: two sentences with an id of at most 100.
const MAX_REMARKS: usize = 500;
/// How many sources are listed unless another number is asked for.
pub(super) const SOURCES: usize = 10;

/// What there is of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Outcome {
    /// The answer's text, whole.
    answer: String,
    /// Sources and what else is known, as text.
    tail: String,
    /// All but the answer's text, for programs.
    structured: AnswerDetails,
    /// Why there is no more of it.
    problem: Option<String>,
}

impl Outcome {
    /// An answer, or what has come of one, with at most `limit` sources.
    pub(super) fn of(answer: &Answer, limit: usize) -> Self {
        let (limit, tail) = tail(answer, limit);
        let structured = AnswerDetails::from_answer(answer, limit);
        Self { answer: sanitize(answer.text.trim()).into_owned(), tail, structured, problem: None }
    }

    /// A failure, with what had come before it.
    pub(super) fn failed(problem: &Problem, received: Option<&Answer>) -> Self {
        let answer = received.cloned().unwrap_or_default();
        let hint = problem.hint.as_deref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
        Self { problem: Some(format!("{}{hint}", problem.message)), ..Self::of(&answer, SOURCES) }
    }

    /// The same, of a question that nobody is asking any more.
    pub(super) fn interrupted(self) -> Self {
        let problem = "The program that asked ended before the answer did.\nhint: ask again".to_owned();
        Self { problem: Some(problem), ..self }
    }

    /// Whether there is any of the answer.
    pub(super) fn has_text(&self) -> bool {
        !self.answer.is_empty()
    }

    /// Whether it tells of a failure.
    pub(super) fn is_failure(&self) -> bool {
        self.problem.is_some()
    }

    /// Whether it does not fit into one result.
    pub(super) fn is_long(&self) -> bool {
        self.answer.len() > self.room()
    }

    /// How much of the answer fits into one result, in bytes.
    fn room(&self) -> usize {
        MAX - MAX_REMARKS - self.tail.len()
    }

    /// As the result of a call. `id` is the name under which more can be fetched.
    pub(super) fn result(&self, id: Option<&str>, offset: usize) -> CallToolResult {
        if let Some(problem) = &self.problem {
            return self.failure(problem);
        }
        let start = boundary(&self.answer, offset.min(self.answer.len()));
        let rest = self.answer.get(start..).unwrap_or_default();
        let room = self.room();
        let end = if rest.len() <= room { rest.len() } else { at_paragraph(rest, room) };
        let shown = rest.get(..end).unwrap_or_default();
        let next = (end < rest.len()).then_some(start + end);
        let partial = self.structured.partial;
        let late = id.filter(|_| partial).map(|id| {
            format!("(This is what had come in time. pplx_research_get with the id {id} fetches the rest.)")
        });
        let cut = next.zip(id).map(|(next, id)| {
            let whole = self.answer.len();
            format!("(Cut at byte {next} of {whole}. pplx_research_get with the id {id} and the offset {next} goes on.)")
        });
        let shown_text = if shown.is_empty() { "(No answer text yet.)" } else { shown };
        let parts = [Some(shown_text.to_owned()), late, cut, Some(self.tail.clone())];
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n");
        let structured = AnswerContent { answer: shown, id, next_offset: next, details: &self.structured };
        success(text, &structured)
    }

    /// What had come is told, too: it may be enough.
    fn failure(&self, problem: &str) -> CallToolResult {
        if self.answer.is_empty() {
            return error(problem);
        }
        let end = at_paragraph(&self.answer, self.room().saturating_sub(problem.len()));
        let received = self.answer.get(..end).unwrap_or_default();
        error(&format!("{problem}\n\nWhat had come until then:\n\n{received}\n\n{}", self.tail))
    }
}

/// A result that is good.
pub(super) fn success(text: String, structured: &impl Serialize) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = serde_json::to_value(structured).ok();
    result
}

/// A result that a model sees as a failure.
pub(super) fn error(text: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Everything below the answer, as the report has it, with as many sources as there is room for.
fn tail(answer: &Answer, limit: usize) -> (usize, String) {
    let below = Answer { sources_only: true, ..answer.clone() };
    let mut limit = limit;
    loop {
        let style = Style {
            limit: Some(limit),
            wrap: true,
            screen: None,
            width: 80,
            paint: Paint::default(),
            now: chrono::Utc::now().timestamp(),
            payer: Payer::Subscription,
        };
        let mut text = Vec::new();
        // Writing to memory cannot fail.
        let _ = renderer(Format::Report, style).answer(&below, &mut text);
        if text.len() <= MAX_TAIL || limit == 0 {
            text.truncate(MAX_TAIL);
            return (limit, String::from_utf8_lossy(&text).trim_end().to_owned());
        }
        limit /= 2;
    }
}

/// The last end of a paragraph within `room` bytes, else of a line, else of a word.
fn at_paragraph(text: &str, room: usize) -> usize {
    let Some(head) = text.get(..boundary(text, room.min(text.len()))).filter(|head| head.len() < text.len())
    else {
        return text.len();
    };
    let end = ["\n\n", "\n", " "].iter().find_map(|mark| head.rfind(mark).filter(|end| *end > room / 2));
    end.unwrap_or(head.len())
}

/// The next byte at or before `at` where a character begins.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::answer::Source;

    fn text(result: &CallToolResult) -> String {
        serde_json::to_value(result).unwrap()["content"][0]["text"].as_str().unwrap().to_owned()
    }

    #[test]
    fn a_long_answer_comes_in_pieces_that_add_up() {
        let whole: String = (0..4000)
            .flat_map(|n| {
                [
                    "Sentence number ".to_owned(),
                    n.to_string(),
                    if n % 9 == 0 { " é.\n\n" } else { " é. " }.to_owned(),
                ]
            })
            .collect();
        let answer = Answer { text: whole.clone(), complete: true, ..Answer::default() };
        let outcome = Outcome::of(&answer, 10);
        assert!(outcome.is_long());
        let (mut offset, mut pieces) = (0, String::new());
        loop {
            let result = outcome.result(Some("id-1"), offset);
            assert!(text(&result).len() < MAX);
            let structured = result.structured_content.clone().unwrap();
            pieces += structured["answer"].as_str().unwrap();
            match structured["next_offset"].as_u64() {
                Some(next) => offset = usize::try_from(next).unwrap(),
                None => break,
            }
            assert!(text(&result).contains(&format!("the offset {offset} goes on")));
        }
        assert_eq!(pieces, whole.trim());
        let problem = Problem { kind: "failed", code: None, message: "p".repeat(900), hint: None };
        assert!(text(&Outcome::failed(&problem, Some(&answer)).result(None, 0)).len() < MAX);
        assert!(!text(&outcome.result(None, usize::MAX)).is_empty());
    }

    #[test]
    fn many_sources_leave_room_for_the_answer() {
        let source = |n: usize| Source {
            numbers: vec![n],
            title: "T".repeat(200),
            url: format!("https://a.example/{n}"),
            snippet: Some("s".repeat(900)),
            date: None,
        };
        let answer = Answer {
            text: "A.".to_owned(),
            sources: (1..=50).map(source).collect(),
            complete: true,
            ..Answer::default()
        };
        let outcome = Outcome::of(&answer, 50);
        let result = outcome.result(None, 0);
        assert!(text(&result).len() < MAX && text(&result).starts_with("A.\n\n## Sources\n"));
        assert!(text(&result).contains("more not shown"));
    }
}
