//! The parameters that both interfaces have in common.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue};
use serde_json::Value;

use super::fields::Fields;
use crate::serve::api_error::ApiError;
use crate::serve::conversation::functions::ToolSet;
use crate::serve::state::catalogue::{AUTO, ModelChoice};
use crate::serve::state::server_state::ServerState;

/// The efforts of OpenAI's interfaces. The service only has models with a variant that reasons, or without.
const EFFORTS: [&str; 7] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/// Whether the request chooses the variant of the model that reasons first: by `reasoning_effort`, `reasoning.effort`
/// or `thinking`.
fn wants_reasoning(fields: &Fields) -> Result<bool, ApiError> {
    let nested = fields.object("reasoning")?.and_then(|reasoning| reasoning.get("effort"));
    let effort = match nested.filter(|effort| !effort.is_null()) {
        Some(effort) => Some(known_effort(effort)?),
        None => fields.one_of("reasoning_effort", &EFFORTS)?,
    };
    let thinking = match fields.get("thinking") {
        None => false,
        Some(Value::Bool(is_on)) => *is_on,
        Some(Value::Object(options)) => options.get("type").is_some_and(|kind| kind == "enabled"),
        Some(_) => return Err(ApiError::invalid("thinking", "'thinking' must be true or false.")),
    };
    Ok(thinking || effort.is_some_and(|effort| !matches!(effort, "none" | "minimal")))
}

fn known_effort(effort: &Value) -> Result<&str, ApiError> {
    let known = effort.as_str().filter(|effort| EFFORTS.contains(effort));
    known.ok_or_else(|| {
        ApiError::invalid("reasoning", format!("'reasoning.effort' must be one of {}.", EFFORTS.join(", ")))
    })
}

/// Whether no other model may answer: by the header `x-pplx-substitution: refuse`, else by the setting of the server.
pub(crate) fn refuses_substitution(headers: &HeaderMap, server: &ServerState) -> bool {
    let header = headers.get("x-pplx-substitution").and_then(|value| value.to_str().ok());
    match header {
        Some(header) => header.eq_ignore_ascii_case("refuse"),
        None => server.refuse_substitution,
    }
}

/// Parameters that change how an answer is sampled or how long it is. The service has none of them; clients send them
/// by themselves, so they are no error, and named in a header.
const IGNORED: [&str; 10] = [
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "stop",
    "logit_bias",
];

/// Adds the header that names those of them that the request has.
pub(crate) fn add_ignored_header(fields: &Fields, headers: &mut HeaderMap) {
    let given: Vec<&str> = IGNORED.into_iter().filter(|name| fields.get(name).is_some()).collect();
    if let Some(value) = HeaderValue::from_str(&given.join(", ")).ok().filter(|value| !value.is_empty()) {
        headers.insert("x-pplx-ignored", value);
    }
}

/// The model that the request names.
pub(crate) fn model(fields: &Fields, server: &ServerState) -> Result<ModelChoice, ApiError> {
    server.catalogue.choose(fields.text("model")?.unwrap_or(AUTO), wants_reasoning(fields)?)
}

/// The functions that the model may call, where the server was started with them.
pub(crate) fn functions(fields: &Fields, server: &ServerState) -> Result<Option<Arc<ToolSet>>, ApiError> {
    let parallel = fields.flag("parallel_tool_calls")?;
    let functions = ToolSet::from_request(fields.get("tools"), fields.get("tool_choice"), parallel)?;
    if functions.is_none() || server.experimental_tools {
        return Ok(functions.map(Arc::new));
    }
    let message = "Function tools are not supported: the service cannot call functions. A bridge by prompt can be \
        switched on with `pplx serve --experimental-tools`. Web search is always on.";
    Err(ApiError::invalid("tools", message))
}
