//! What both interfaces let a client ask for in the same way.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue};
use serde_json::Value;

use super::fields::Fields;
use crate::serve::api_error::Refusal;
use crate::serve::conversation::functions::ToolSet;
use crate::serve::state::catalogue::{AUTO, Chosen};
use crate::serve::state::server_state::App;

/// The strengths of reasoning that OpenAI's interfaces know. The service has a variant that reasons, or not.
const EFFORTS: [&str; 7] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/// Whether the variant of the model that reasons first is wanted: by `reasoning_effort`, `reasoning.effort` or
/// `thinking`.
fn thinking(fields: &Fields) -> Result<bool, Refusal> {
    let nested = fields.object("reasoning")?.and_then(|reasoning| reasoning.get("effort"));
    let effort = match nested.filter(|effort| !effort.is_null()) {
        Some(effort) => Some(known_effort(effort)?),
        None => fields.one_of("reasoning_effort", &EFFORTS)?,
    };
    let thinking = match fields.get("thinking") {
        None => false,
        Some(Value::Bool(wanted)) => *wanted,
        Some(Value::Object(options)) => options.get("type").is_some_and(|kind| kind == "enabled"),
        Some(_) => return Err(Refusal::bad("thinking", "'thinking' must be true or false.")),
    };
    Ok(thinking || effort.is_some_and(|effort| !matches!(effort, "none" | "minimal")))
}

fn known_effort(effort: &Value) -> Result<&str, Refusal> {
    let known = effort.as_str().filter(|effort| EFFORTS.contains(effort));
    known.ok_or_else(|| {
        Refusal::bad("reasoning", format!("'reasoning.effort' must be one of {}.", EFFORTS.join(", ")))
    })
}

/// Whether another model may not answer: by the header `x-pplx-substitution: refuse`, or for the whole server.
pub(crate) fn no_substitution(headers: &HeaderMap, app: &App) -> bool {
    let asked = headers.get("x-pplx-substitution").and_then(|value| value.to_str().ok());
    match asked {
        Some(asked) => asked.eq_ignore_ascii_case("refuse"),
        None => app.refuse_substitution,
    }
}

/// Parameters that change how an answer is sampled or how long it is. The service has none of them; clients send them
/// unasked, so they are named in a header and harm nothing.
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

/// Names in a response's header those of them that were given.
pub(crate) fn tell_ignored(fields: &Fields, headers: &mut HeaderMap) {
    let given: Vec<&str> = IGNORED.into_iter().filter(|name| fields.get(name).is_some()).collect();
    if let Some(value) = HeaderValue::from_str(&given.join(", ")).ok().filter(|value| !value.is_empty()) {
        headers.insert("x-pplx-ignored", value);
    }
}

/// The model that is asked for, with reasoning first if that is asked for, too.
pub(crate) fn model(fields: &Fields, app: &App) -> Result<Chosen, Refusal> {
    app.catalogue.choose(fields.text("model")?.unwrap_or(AUTO), thinking(fields)?)
}

/// The functions that the model may call, where the server was started with them.
pub(crate) fn functions(fields: &Fields, app: &App) -> Result<Option<Arc<ToolSet>>, Refusal> {
    let parallel = fields.flag("parallel_tool_calls")?;
    let functions = ToolSet::from_request(fields.get("tools"), fields.get("tool_choice"), parallel)?;
    if functions.is_none() || app.experimental_tools {
        return Ok(functions.map(Arc::new));
    }
    let message = "Function tools are not supported: the service cannot call functions. A bridge by prompt can be \
        switched on with `pplx serve --experimental-tools`. Web search is always on.";
    Err(Refusal::bad("tools", message))
}
