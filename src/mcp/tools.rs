//! The tools that are offered: names, descriptions and schemas. They stand in the prompt of every session, so they are
//! few and short, and always in this order.

use std::sync::Arc;

use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

pub(super) const SEARCH: &str = "pplx_search";
pub(super) const RESEARCH_START: &str = "pplx_research_start";
pub(super) const RESEARCH_GET: &str = "pplx_research_get";
pub(super) const USAGE: &str = "pplx_usage";

/// How many sources a result lists at most.
pub(super) const MOST_SOURCES: u64 = 50;
/// How long one call waits for a run at most, in seconds.
pub(super) const LONGEST_WAIT: u64 = 300;
/// The names of ages.
pub(super) const AGES: [&str; 5] = ["hour", "day", "week", "month", "year"];

/// All of them.
pub(super) fn all() -> Vec<Tool> {
    vec![
        tool(
            SEARCH,
            "Search the web with Perplexity",
            "Searches the web and answers with numbered sources. Takes 5 to 50 seconds.",
            &json!({
                "query": { "type": "string", "description": "The question, as one would ask a person" },
                "recency": { "type": "string", "enum": AGES, "description": "Only pages at most this old" },
                "sources": { "type": "array", "items": { "type": "string" },
                             "description": "Where to search: web (default), scholar, social" },
                "limit": { "type": "integer", "minimum": 1, "maximum": MOST_SOURCES,
                           "description": "How many sources to list (default 10)" },
                "model": { "type": "string", "description": "Another model than the usual one, by its id" },
            }),
            &["query"],
            &answer_schema(),
        ),
        tool(
            RESEARCH_START,
            "Start deep research",
            "Starts research that takes minutes and counts against a small quota. Returns an id at once.",
            &json!({ "query": { "type": "string", "description": "What to find out, in full sentences" } }),
            &["query"],
            &object(
                &json!({ "id": { "type": "string" }, "status": { "type": "string" } }),
                &["id", "status"],
            ),
        ),
        tool(
            RESEARCH_GET,
            "Fetch research or the rest of an answer",
            "Fetches started research, or an answer that was partial or cut, by its id.",
            &json!({
                "id": { "type": "string", "description": "The id that was returned" },
                "wait": { "type": "integer", "minimum": 0, "maximum": LONGEST_WAIT,
                          "description": "Seconds to wait for the end (default 20)" },
                "offset": { "type": "integer", "minimum": 0,
                            "description": "Byte of the answer to go on from, where it was cut" },
            }),
            &["id"],
            &answer_schema(),
        ),
        tool(
            USAGE,
            "Show plan and limits",
            "Shows the account's plan and what is left of its limits.",
            &json!({}),
            &[],
            &object(
                &json!({
                    "plan": { "type": ["string", "null"] },
                    "limits": { "type": "array", "items": { "type": "object" } },
                }),
                &["plan", "limits"],
            ),
        ),
    ]
}

fn answer_schema() -> Value {
    let nullable = json!({ "type": ["string", "null"] });
    let source = object(
        &json!({
            "numbers": { "type": "array", "items": { "type": "integer" } },
            "url": { "type": "string" }, "title": { "type": "string" }, "snippet": nullable, "date": nullable,
        }),
        &["numbers", "url", "title"],
    );
    object(
        &json!({
            "answer": { "type": "string" },
            "sources": { "type": "array", "items": source },
            "model": nullable,
            "partial": { "type": "boolean" },
            "thread": nullable,
            "id": nullable,
            "next_offset": { "type": ["integer", "null"] },
            "notes": { "type": "array", "items": { "type": "string" } },
        }),
        &["answer", "sources", "partial"],
    )
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

fn tool(
    name: &'static str,
    title: &str,
    description: &'static str,
    properties: &Value,
    required: &[&str],
    output: &Value,
) -> Tool {
    let mut input = object(properties, required);
    if let Some(input) = input.as_object_mut() {
        input.insert("additionalProperties".to_owned(), false.into());
    }
    // Starting research costs a run of the quota; everything else only looks.
    let hints = ToolAnnotations::with_title(title)
        .read_only(name != RESEARCH_START)
        .destructive(false)
        .open_world(true);
    let mut tool = Tool::new(name, description, schema(&input))
        .with_title(title)
        .with_raw_output_schema(schema(output))
        .with_annotations(hints);
    let mut meta = MetaObject::default();
    meta.insert("anthropic/maxResultSizeChars".to_owned(), super::tool_result::MAX.into());
    tool.meta = Some(meta);
    tool
}

fn schema(value: &Value) -> Arc<JsonObject> {
    Arc::new(value.as_object().cloned().unwrap_or_default())
}
