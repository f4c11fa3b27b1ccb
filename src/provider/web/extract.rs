//! The answer and the results in the field `text`, the service's older form.
//!
//! `text` is a sentence, or JSON: a log of steps or an object, with the answer inside encoded as JSON once more
//! (fixture `tests/streams/answer-in-text.sse`). JSON of any other shape is taken as the answer itself.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::lenient::{object, objects, text, texts};
use super::wire::WebResult;

/// The content of `text`.
#[derive(Debug, Default)]
pub(super) struct FromText {
    /// The answer; `None` for a log of steps without one.
    pub(super) answer: Option<String>,
    pub(super) results: Vec<WebResult>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Step {
    #[serde(deserialize_with = "text")]
    step_type: Option<String>,
    #[serde(deserialize_with = "object")]
    content: Option<StepContent>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct StepContent {
    #[serde(deserialize_with = "text")]
    answer: Option<String>,
    #[serde(deserialize_with = "objects")]
    web_results: Option<Vec<WebResult>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AnswerObject {
    #[serde(deserialize_with = "text")]
    answer: Option<String>,
    #[serde(deserialize_with = "texts")]
    chunks: Option<Vec<String>>,
    #[serde(deserialize_with = "objects")]
    structured_answer: Option<Vec<AnswerSegment>>,
    #[serde(deserialize_with = "objects")]
    web_results: Option<Vec<WebResult>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AnswerSegment {
    #[serde(deserialize_with = "text")]
    text: Option<String>,
    #[serde(deserialize_with = "texts")]
    chunks: Option<Vec<String>>,
}

/// Reads `text`.
pub(super) fn from_text(text: &str) -> FromText {
    match text.trim_start().bytes().next() {
        Some(b'[') => from_steps(text),
        Some(b'{') => from_object(text),
        _ => None,
    }
    .unwrap_or_else(|| FromText { answer: Some(text.to_owned()), results: Vec::new() })
}

/// Whether `text` is prose instead of JSON, so that it can be an error message.
pub(super) fn is_sentence(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && serde_json::from_str::<IgnoredAny>(text).is_err()
}

fn from_steps(text: &str) -> Option<FromText> {
    let raw: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    let steps: Vec<Step> = raw.iter().filter_map(|step| serde_json::from_str(step.get()).ok()).collect();
    if steps.is_empty() || steps.len() < raw.len() || steps.iter().any(|step| step.step_type.is_none()) {
        return None;
    }
    let mut found = FromText::default();
    for step in steps {
        let content = step.content.unwrap_or_default();
        if let Some(answer) = content.answer {
            let inner = from_text(&answer);
            found.answer = inner.answer;
            found.results = if inner.results.is_empty() { found.results } else { inner.results };
        } else {
            found.results.extend(content.web_results.unwrap_or_default());
        }
    }
    Some(found)
}

fn from_object(text: &str) -> Option<FromText> {
    let object: AnswerObject = serde_json::from_str(text).ok()?;
    let structured =
        object.structured_answer.map(|segments| segments.into_iter().map(AnswerSegment::joined).collect());
    let candidates = [object.answer, object.chunks.map(|chunks| chunks.concat()), structured];
    let answer = candidates.into_iter().flatten().find(|answer: &String| !answer.trim().is_empty())?;
    Some(FromText { answer: Some(answer), results: object.web_results.unwrap_or_default() })
}

impl AnswerSegment {
    fn joined(self) -> String {
        self.text.or_else(|| self.chunks.map(|chunks| chunks.concat())).unwrap_or_default()
    }
}

/// Whether an error code is about a limit or a quota, so that asking again at once does not help.
pub(super) fn is_about_limits(code: &str) -> bool {
    let code = code.to_ascii_lowercase();
    ["limit", "quota", "too_many", "exhausted"].iter().any(|word| code.contains(word))
}

/// The reason in a JSON error body, in any of the known shapes.
pub(super) fn error_reason(body: &str) -> Option<String> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Body {
        #[serde(deserialize_with = "text")]
        message: Option<String>,
        #[serde(deserialize_with = "text")]
        error_message: Option<String>,
        #[serde(deserialize_with = "text")]
        detail: Option<String>,
        #[serde(deserialize_with = "text")]
        error: Option<String>,
        #[serde(deserialize_with = "text")]
        text: Option<String>,
        #[serde(deserialize_with = "text")]
        error_code: Option<String>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Nested {
        #[serde(deserialize_with = "object")]
        detail: Option<Body>,
        #[serde(deserialize_with = "object")]
        error: Option<Body>,
    }
    impl Body {
        fn reason(self) -> Option<String> {
            let found =
                [self.message, self.error_message, self.detail, self.error, self.text, self.error_code];
            found.into_iter().flatten().find(|text| !text.trim().is_empty())
        }
    }
    let nested: Nested = serde_json::from_str(body).ok()?;
    let inner = [nested.detail, nested.error].into_iter().flatten().find_map(Body::reason);
    inner.or_else(|| serde_json::from_str::<Body>(body).ok()?.reason())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_itself() {
        let found = from_text("Just a sentence.");
        assert_eq!(found.answer.as_deref(), Some("Just a sentence."));
        assert!(is_sentence("Just a sentence.") && !is_sentence("[1]") && !is_sentence("  "));
    }

    #[test]
    fn only_a_positive_match_is_unwrapped() {
        for text in ["[1, 2]", "{\"a\": 1}", "[broken", "[]", "{\"answer\": \" \"}"] {
            assert_eq!(from_text(text).answer.as_deref(), Some(text));
        }
    }

    #[test]
    fn a_log_without_an_answer_is_no_answer() {
        let found = from_text(
            r#"[{"step_type":"SEARCH_RESULTS","content":{"web_results":[{"url":"https://a.example"}]}}]"#,
        );
        assert_eq!((found.answer, found.results.len()), (None, 1));
    }

    #[test]
    fn segments_join() {
        let found = from_text(r#"{"structured_answer":[{"text":"One "},{"chunks":["two","."]}]}"#);
        assert_eq!(found.answer.as_deref(), Some("One two."));
    }

    #[test]
    fn reasons_are_found_in_the_usual_shapes() {
        for body in [
            r#"{"detail":"x"}"#,
            r#"{"error":{"message":"x"}}"#,
            r#"{"detail":{"error":"x"}}"#,
            r#"{"text":"x"}"#,
        ] {
            assert_eq!(error_reason(body).as_deref(), Some("x"), "{body}");
        }
        assert_eq!(error_reason("<html>"), None);
    }
}
