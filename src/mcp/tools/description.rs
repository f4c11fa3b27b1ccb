//! How a tool is described to clients.

use std::sync::Arc;

use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use schemars::JsonSchema;

use crate::mcp::schema;
use crate::mcp::tool_result::MAX_TEXT;

/// A tool that takes `I`, gives `O`, and only reads.
pub(super) fn describe<I: JsonSchema, O: JsonSchema>(
    name: &'static str,
    title: &str,
    description: &'static str,
) -> Tool {
    let hints = ToolAnnotations::with_title(title).read_only(true).destructive(false).open_world(true);
    let mut meta = MetaObject::default();
    meta.insert("anthropic/maxResultSizeChars".to_owned(), MAX_TEXT.into());
    let mut tool = Tool::new(name, description, schema::for_input::<I>())
        .with_title(title)
        .with_raw_output_schema(Arc::new(schema::for_output::<O>()))
        .with_annotations(hints);
    tool.meta = Some(meta);
    tool
}
