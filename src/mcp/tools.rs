//! The tools that are offered: names, descriptions and schemas. They stand in the prompt of every session, so they are
//! few and short, and always in this order.

use std::sync::Arc;

use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer_content::AnswerContent;
use super::schema;
use crate::domain::request::Recency;

pub(super) const SEARCH: &str = "pplx_search";
pub(super) const RESEARCH_START: &str = "pplx_research_start";
pub(super) const RESEARCH_GET: &str = "pplx_research_get";
pub(super) const USAGE: &str = "pplx_usage";

/// The arguments of a search.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchArguments {
    /// The question, as one would ask a person
    pub(super) query: String,
    /// Only pages at most this old
    pub(super) recency: Option<Age>,
    /// Where to search: web (default), scholar, social
    pub(super) sources: Option<Vec<String>>,
    /// How many sources to list (default 10)
    #[schemars(range(min = 1, max = 50))]
    pub(super) limit: Option<usize>,
    /// Another model than the usual one, by its id
    pub(super) model: Option<String>,
}

/// How old a page may be.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Age {
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl From<Age> for Recency {
    fn from(age: Age) -> Self {
        match age {
            Age::Hour => Self::Hour,
            Age::Day => Self::Day,
            Age::Week => Self::Week,
            Age::Month => Self::Month,
            Age::Year => Self::Year,
        }
    }
}

/// The arguments of a start of research.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ResearchStartArguments {
    /// What to find out, in full sentences
    pub(super) query: String,
}

/// The arguments by which research, or the rest of an answer, is fetched.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ResearchGetArguments {
    /// The id that was returned
    pub(super) id: String,
    /// Seconds to wait for the end (default 20)
    #[schemars(range(min = 0, max = 300))]
    pub(super) wait: Option<u64>,
    /// Byte of the answer to go on from, where it was cut
    pub(super) offset: Option<usize>,
}

/// A tool that takes none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoArguments {}

/// What research that has begun gives to programs.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ResearchStarted<'a> {
    pub(super) id: &'a str,
    pub(super) status: &'a str,
}

/// What plan and limits give to programs.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is needed: `status::usage` writes the document")]
struct UsageContent {
    plan: Option<String>,
    limits: Vec<LimitContent>,
}

/// One limit.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "as above")]
struct LimitContent {
    kind: String,
    available: Option<bool>,
    remaining: Option<i64>,
}

/// All of them.
pub(super) fn all() -> Vec<Tool> {
    vec![
        tool::<SearchArguments, AnswerContent<'_>>(
            SEARCH,
            "Search the web with Perplexity",
            "Searches the web and answers with numbered sources. Takes 5 to 50 seconds.",
        ),
        tool::<ResearchStartArguments, ResearchStarted<'_>>(
            RESEARCH_START,
            "Start deep research",
            "Starts research that takes minutes and counts against a small quota. Returns an id at once.",
        ),
        tool::<ResearchGetArguments, AnswerContent<'_>>(
            RESEARCH_GET,
            "Fetch research or the rest of an answer",
            "Fetches started research, or an answer that was partial or cut, by its id.",
        ),
        tool::<NoArguments, UsageContent>(
            USAGE,
            "Show plan and limits",
            "Shows the account's plan and what is left of its limits.",
        ),
    ]
}

/// A tool that takes `I` and gives `O`.
fn tool<I: JsonSchema, O: JsonSchema>(name: &'static str, title: &str, description: &'static str) -> Tool {
    // Starting research costs a run of the quota; everything else only looks.
    let hints = ToolAnnotations::with_title(title)
        .read_only(name != RESEARCH_START)
        .destructive(false)
        .open_world(true);
    let mut tool = Tool::new(name, description, schema::for_input::<I>())
        .with_title(title)
        .with_raw_output_schema(Arc::new(schema::for_output::<O>()))
        .with_annotations(hints);
    let mut meta = MetaObject::default();
    meta.insert("anthropic/maxResultSizeChars".to_owned(), super::tool_result::MAX.into());
    tool.meta = Some(meta);
    tool
}
