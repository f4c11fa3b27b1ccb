//! The JSON Schemas that clients get, made from the types of what a tool takes and gives. They stand in the prompt of
//! every session, and some clients know a few keywords only: so they say what is needed and no more.

use rmcp::model::JsonObject;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

/// What a tool takes.
pub(super) fn for_input<T: JsonSchema>() -> JsonObject {
    let settings = settings().with_transform(RecursiveTransform(remove_null));
    let mut schema = generate::<T>(settings);
    // The tool has a description of its own.
    schema.remove("description");
    // Some clients refuse a tool without them.
    schema.entry("properties").or_insert_with(|| json!({}));
    schema.entry("required").or_insert_with(|| json!([]));
    schema
}

/// What a tool gives.
pub(super) fn for_output<T: JsonSchema>() -> JsonObject {
    generate::<T>(settings().for_serialize().with_transform(RecursiveTransform(remove_description)))
}

/// No reference and no name of a type.
fn settings() -> SchemaSettings {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    settings.with_transform(RecursiveTransform(remove_names))
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> JsonObject {
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    std::mem::take(schema.ensure_object())
}

/// Formats like `uint32` are not in the standard.
fn remove_names(schema: &mut Schema) {
    schema.remove("title");
    schema.remove("format");
}

fn remove_description(schema: &mut Schema) {
    schema.remove("description");
}

/// An argument that may be null may as well be absent, which is all that a client must know.
fn remove_null(schema: &mut Schema) {
    if let Some(Value::Array(choices)) = schema.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
    if let Some(types) = schema.get_mut("type") {
        let named = types.as_array().and_then(|types| types.iter().find(|name| *name != "null"));
        if let Some(named) = named.cloned() {
            *types = named;
        }
    }
}
