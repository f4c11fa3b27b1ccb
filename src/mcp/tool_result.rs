//! The result of a tool: text for the model, and the same as structured content for programs. Both are short enough
//! for every client; the rest of a long answer is fetched from where it was cut.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::{Deserialize, Serialize};

use super::answer_content::{AnswerContent, AnswerDetails};
use crate::domain::answer::{Answer, Payer};
use crate::outcome::failure::Failure;
use crate::render::text::sanitize;
use crate::render::{Format, Paint, Problem, Style, renderer};

/// The longest text of a result, in bytes. Clients cut what is longer, some in the middle.
pub(super) const MAX_TEXT: usize = 20_000;
/// How much of it what stands below the answer may take.
const MAX_TAIL: usize = 8_000;
/// How much of it the remarks on a cut or partial answer may take: two sentences with an id of at most 100 bytes.
const MAX_REMARKS: usize = 500;
/// How many sources are listed unless the call says so.
pub(super) const DEFAULT_SOURCES: usize = 10;

/// An answer, what has arrived of one, or a failure. It is saved in the database in this form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ToolResult {
    /// The answer's full text.
    answer: String,
    /// What stands below the answer: its sources and what else is known, as text.
    tail: String,
    /// The same for programs.
    structured: AnswerDetails,
    /// Why there is no answer, or no more of it.
    problem: Option<String>,
}

impl ToolResult {
    /// With at most `limit` sources.
    pub(super) fn from_answer(answer: &Answer, limit: usize) -> Self {
        let (limit, tail) = tail(answer, limit);
        let structured = AnswerDetails::from_answer(answer, limit);
        Self { answer: sanitize(answer.text.trim()).into_owned(), tail, structured, problem: None }
    }

    /// With what had arrived of the answer.
    pub(super) fn from_failure(failure: &Failure, received: Option<&Answer>) -> Self {
        let problem = match failure.problem() {
            Some(Problem { message, hint: Some(hint), .. }) => format!("{message}\nhint: {hint}"),
            Some(Problem { message, hint: None, .. }) => message,
            None => "Failed.".to_owned(),
        };
        let received = received.filter(|answer| !answer.text.trim().is_empty()).cloned().unwrap_or_default();
        Self { problem: Some(problem), ..Self::from_answer(&received, DEFAULT_SOURCES) }
    }

    /// What had arrived when the program that asked ended.
    pub(super) fn interrupted(self) -> Self {
        let problem = "The program that asked ended before the answer did.\nhint: ask again".to_owned();
        Self { problem: Some(problem), ..self }
    }

    /// Whether any text of the answer has arrived.
    pub(super) fn has_text(&self) -> bool {
        !self.answer.is_empty()
    }

    pub(super) fn is_failure(&self) -> bool {
        self.problem.is_some()
    }

    /// Whether the answer does not fit into one result.
    pub(super) fn is_long(&self) -> bool {
        self.answer.len() > self.room()
    }

    /// How much of the answer fits into one result, in bytes.
    fn room(&self) -> usize {
        MAX_TEXT - MAX_REMARKS - self.tail.len()
    }

    /// The answer from byte `offset` on, as far as it fits. `id` is what more of it can be fetched by.
    pub(super) fn to_call_result(&self, id: Option<&str>, offset: usize) -> CallToolResult {
        if let Some(problem) = &self.problem {
            return self.to_error(problem);
        }
        let start = char_boundary(&self.answer, offset.min(self.answer.len()));
        let rest = self.answer.get(start..).unwrap_or_default();
        let piece = rest.get(..piece_end(rest, self.room())).unwrap_or_default();
        let next_offset = (piece.len() < rest.len()).then_some(start + piece.len());
        let text = if piece.is_empty() { "(No answer text yet.)" } else { piece };
        let parts = std::iter::once(text.to_owned())
            .chain(id.into_iter().flat_map(|id| self.remarks(id, next_offset)))
            .chain([self.tail.clone()]);
        let text = parts.collect::<Vec<_>>().join("\n\n");
        success(text, &AnswerContent { answer: piece, id, next_offset, details: &self.structured })
    }

    /// How the rest of a partial or cut answer is fetched.
    fn remarks(&self, id: &str, next_offset: Option<usize>) -> impl Iterator<Item = String> {
        let partial = self.structured.partial.then(|| {
            format!("(This is what had come in time. pplx_research_get with the id {id} fetches the rest.)")
        });
        let cut = next_offset.map(|next| {
            let length = self.answer.len();
            format!("(Cut at byte {next} of {length}. pplx_research_get with the id {id} and the offset {next} goes on.)")
        });
        partial.into_iter().chain(cut)
    }

    /// What had arrived comes with it: it may be enough.
    fn to_error(&self, problem: &str) -> CallToolResult {
        if self.answer.is_empty() {
            return error(problem);
        }
        let end = piece_end(&self.answer, self.room().saturating_sub(problem.len()));
        let received = self.answer.get(..end).unwrap_or_default();
        error(&format!("{problem}\n\nWhat had come until then:\n\n{received}\n\n{}", self.tail))
    }
}

/// A result with text, and with the same for programs.
pub(super) fn success(text: String, structured: &impl Serialize) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = serde_json::to_value(structured).ok();
    result
}

/// A result that says what went wrong.
pub(super) fn error(text: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// What a report has below the answer, and how many sources there was room for: at most `limit`.
fn tail(answer: &Answer, mut limit: usize) -> (usize, String) {
    let below = Answer { sources_only: true, ..answer.clone() };
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

/// Where a piece of at most `room` bytes ends: at the end of a paragraph, else of a line, else of a word.
fn piece_end(text: &str, room: usize) -> usize {
    let Some(head) =
        text.get(..char_boundary(text, room.min(text.len()))).filter(|head| head.len() < text.len())
    else {
        return text.len();
    };
    let end = ["\n\n", "\n", " "].iter().find_map(|mark| head.rfind(mark).filter(|end| *end > room / 2));
    end.unwrap_or(head.len())
}

/// The last byte up to `at` where a character begins.
fn char_boundary(text: &str, at: usize) -> usize {
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
        let result = ToolResult::from_answer(&answer, 10);
        assert!(result.is_long());
        let (mut offset, mut pieces) = (0, String::new());
        loop {
            let piece = result.to_call_result(Some("id-1"), offset);
            assert!(text(&piece).len() < MAX_TEXT);
            let structured = piece.structured_content.clone().unwrap();
            pieces += structured["answer"].as_str().unwrap();
            match structured["next_offset"].as_u64() {
                Some(next) => offset = usize::try_from(next).unwrap(),
                None => break,
            }
            assert!(text(&piece).contains(&format!("the offset {offset} goes on")));
        }
        assert_eq!(pieces, whole.trim());
        let failure = Failure::usage("p".repeat(900), "ask again");
        let failed = ToolResult::from_failure(&failure, Some(&answer));
        assert!(text(&failed.to_call_result(None, 0)).len() < MAX_TEXT);
        assert!(!text(&result.to_call_result(None, usize::MAX)).is_empty());
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
        let result = ToolResult::from_answer(&answer, 50).to_call_result(None, 0);
        assert!(text(&result).len() < MAX_TEXT && text(&result).starts_with("A.\n\n## Sources\n"));
        assert!(text(&result).contains("more not shown"));
    }
}
