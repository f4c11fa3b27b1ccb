//! The tools that are offered, always in this order. They stand in the prompt of every session, so they are few and
//! short.

mod description;
pub(super) mod research;
pub(super) mod search;
pub(super) mod usage;

use rmcp::model::Tool;

/// All tools, as clients see them.
pub(super) fn all() -> Vec<Tool> {
    vec![search::tool(), research::start_tool(), research::get_tool(), usage::tool()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn schemas() -> Vec<(String, Value, Value)> {
        let schemas = |tool: Tool| {
            let tool = serde_json::to_value(tool).unwrap();
            (tool["name"].to_string(), tool["inputSchema"].clone(), tool["outputSchema"].clone())
        };
        all().into_iter().map(schemas).collect()
    }

    #[test]
    fn clients_get_schemas_without_keywords_that_some_do_not_know() {
        for (name, input, output) in schemas() {
            for schema in [&input, &output] {
                assert!(schema["type"] == "object" && schema["properties"].is_object(), "{name}: {schema}");
                for keyword in ["$schema", "$defs", "$ref", "format", "anyOf", "default"] {
                    assert!(!schema.to_string().contains(&format!("\"{keyword}\":")), "{name}: {schema}");
                }
                assert_eq!((&schema["title"], &schema["description"]), (&Value::Null, &Value::Null));
            }
            assert!(!input.to_string().contains("null"), "{name}: {input}");
            assert_eq!(input["additionalProperties"], false, "{name}");
        }
    }

    #[test]
    fn a_search_is_described_by_its_arguments() {
        let (_, input, output) = schemas().remove(0);
        let expected = json!({
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "The question, as one would ask a person" },
                "recency": { "type": "string", "enum": ["hour", "day", "week", "month", "year"],
                             "description": "Only pages at most this old" },
                "sources": { "type": "array", "items": { "type": "string" },
                             "description": "Where to search: web (default), scholar, social" },
                "limit": { "type": "integer", "minimum": 1, "maximum": 50,
                           "description": "How many sources to list (default 10)" },
                "model": { "type": "string", "description": "Another model than the usual one, by its id" },
            },
            "required": ["query"],
            "additionalProperties": false,
        });
        assert_eq!(input, expected);
        assert_eq!(output["properties"]["thread"], json!({ "type": ["string", "null"] }));
        assert_eq!(
            output["properties"]["sources"]["items"]["properties"]["url"],
            json!({ "type": "string" })
        );
    }
}
