//! What a response is asked for with.

use axum::http::HeaderMap;
use serde_json::{Map, Value, json};

use super::super::content;
use super::super::fields::Fields;
use super::super::options;
use super::calls;
use super::items;
use super::object::Draft;
use crate::domain::answer::Thread;
use crate::serve::api_error::Refusal;
use crate::serve::ask::question::Question;
use crate::serve::conversation::formats::Format;
use crate::serve::conversation::functions;
use crate::serve::conversation::turns::{Conversation, Role};
use crate::serve::dialect::parameters;
use crate::serve::settle::completion::Finished;
use crate::serve::state::responses::{Said, Stored};
use crate::serve::state::server_state::App;

/// A request that can be asked.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) question: Question,
    pub(super) streams: bool,
    pub(super) background: bool,
    pub(super) store: bool,
    /// The items that it came with.
    input: Vec<Value>,
    /// What was said up to the question, without instructions.
    said: Said,
    /// The fields of the request that the response repeats.
    echo: Map<String, Value>,
}

/// Fields that a response repeats, and what they are unless they are given. The service has nothing like most of them.
const ECHOED: [(&str, &str); 17] = [
    ("background", "false"),
    ("instructions", "null"),
    ("max_output_tokens", "null"),
    ("max_tool_calls", "null"),
    ("metadata", "{}"),
    ("parallel_tool_calls", "true"),
    ("previous_response_id", "null"),
    ("prompt_cache_key", "null"),
    ("safety_identifier", "null"),
    ("service_tier", "\"default\""),
    ("store", "true"),
    ("temperature", "1.0"),
    ("tool_choice", "\"auto\""),
    ("tools", "[]"),
    ("top_p", "1.0"),
    ("truncation", "\"disabled\""),
    ("user", "null"),
];

impl Request {
    pub(super) async fn of(fields: &Fields, headers: &HeaderMap, app: &App) -> Result<Self, Refusal> {
        let (streams, background) = (flag(fields, "stream")?, flag(fields, "background")?);
        let store = fields.flag("store")?.unwrap_or(true);
        if background && (streams || !store) {
            return Err(Refusal::bad("background", "'background' needs 'store', and goes without 'stream'."));
        }
        if fields.get("conversation").is_some() {
            return Err(Refusal::bad(
                "conversation",
                "Conversations are not supported; use 'previous_response_id'.",
            ));
        }
        let functions = parameters::functions(fields, app)?;
        let format = fields.object("text")?.and_then(|text| text.get("format"));
        let format = Format::parse(format, "text.format")?;
        let instructions = instructions(fields)?;
        let Before { said, goes_on_in, output } = before(fields, instructions.as_deref(), app).await?;
        let mut conversation = Conversation::after(said.system, said.turns, said.files);
        let known = (conversation.turns.len(), conversation.system.len());
        let input = items::read(fields.get("input"), &mut conversation)?;
        conversation.check("input")?;
        calls::check(&output, &input)?;
        let said = Said {
            instructions: instructions.clone(),
            system: conversation.system.clone(),
            turns: conversation.turns.clone(),
            files: conversation.files.iter().filter(|file| !file.is_data()).cloned().collect(),
        };
        // The thread goes on with one question, and with nothing else that is new.
        let goes_on = (conversation.turns.len(), conversation.system.len()) == (known.0 + 1, known.1)
            && said.turns.last().is_some_and(|turn| turn.role == Role::User);
        conversation.system.splice(0..0, instructions);
        let model = parameters::model(fields, app)?;
        let options = options::read(fields)?;
        let echo = echo(fields)?;
        let thread = match goes_on_in.filter(|_| goes_on) {
            Some(id) => app.responses.take_thread(&id).await?,
            None => None,
        };
        let question = Question {
            model,
            conversation,
            thread,
            options,
            format,
            functions,
            whole: !streams,
            refuse_substitution: parameters::no_substitution(headers, app),
            param: "input",
        };
        Ok(Self { question, streams, background, store, input, said, echo })
    }

    /// The response that answers this request.
    pub(super) fn draft(&self) -> Draft {
        Draft::new(self.question.model.id.clone(), self.echo.clone(), &self.question.format)
    }

    /// Keeps what is being answered, so that its id is known from the first event on.
    pub(super) async fn keep_draft(&self, draft: &Draft, app: &App) -> Result<(), Refusal> {
        self.put(draft, draft.document("in_progress"), self.said.clone(), None, app).await
    }

    /// Keeps an answer that was not kept before.
    pub(super) async fn keep(
        &self,
        draft: &Draft,
        document: &Value,
        finished: &Finished,
        app: &App,
    ) -> Result<(), Refusal> {
        let (said, thread) = self.end(finished);
        self.put(draft, document.clone(), said, thread, app).await
    }

    /// Keeps how an answer ended that is kept already.
    pub(super) async fn keep_end(
        &self,
        draft: &Draft,
        document: Value,
        finished: Option<&Finished>,
        app: &App,
    ) -> Result<(), Refusal> {
        if !self.store {
            return Ok(());
        }
        app.responses.end(&draft.id, document, finished.map(|finished| self.end(finished))).await
    }

    async fn put(
        &self,
        draft: &Draft,
        document: Value,
        said: Said,
        thread: Option<Thread>,
        app: &App,
    ) -> Result<(), Refusal> {
        if !self.store {
            return Ok(());
        }
        let (id, created, input) = (draft.id.clone(), draft.created, self.input.clone());
        app.responses.put(Stored { id, created, document, input, said, thread }).await
    }

    /// What was said with the answer, and where that goes on.
    fn end(&self, finished: &Finished) -> (Said, Option<Thread>) {
        let mut conversation = Conversation::after(Vec::new(), self.said.turns.clone(), Vec::new());
        conversation.say(Role::Assistant, finished.text.clone());
        for call in &finished.calls {
            conversation.note_call(functions::call_text(&call.name, &call.arguments, &call.id));
        }
        let thread = finished.thread.clone().filter(|_| finished.calls.is_empty());
        (Said { turns: conversation.turns, ..self.said.clone() }, thread)
    }
}

fn flag(fields: &Fields, name: &str) -> Result<bool, Refusal> {
    Ok(fields.flag(name)?.unwrap_or(false))
}

fn instructions(fields: &Fields) -> Result<Option<String>, Refusal> {
    let Some(given) = fields.get("instructions") else { return Ok(None) };
    let text = match given {
        Value::Array(items) => {
            let contents = items.iter().map(|item| item.get("content").unwrap_or(item));
            let texts: Result<Vec<String>, Refusal> = contents
                .map(|content| content::read(content, "instructions").map(|content| content.text))
                .collect();
            texts?.join("\n\n")
        }
        other => content::read(other, "instructions")?.text,
    };
    Ok(Some(text))
}

/// What a response follows on.
#[derive(Debug, Default)]
struct Before {
    said: Said,
    /// The response whose thread knows it: only with the same instructions, which are not inherited.
    goes_on_in: Option<String>,
    /// The items of the last answer.
    output: Vec<Value>,
}

async fn before(fields: &Fields, instructions: Option<&str>, app: &App) -> Result<Before, Refusal> {
    let Some(id) = fields.text("previous_response_id")? else { return Ok(Before::default()) };
    let stored = app.responses.get(id).await?.ok_or_else(|| {
        let message = format!("There is no stored response '{id}'.");
        Refusal::missing("previous_response_not_found", message).with_param("previous_response_id")
    })?;
    if stored.text("status") != Some("completed") {
        let message = format!("The response '{id}' is not completed, so nothing can follow on it.");
        return Err(Refusal::bad("previous_response_id", message));
    }
    let same = stored.said.instructions.as_deref() == instructions;
    let output = stored.document.get("output").and_then(Value::as_array).cloned().unwrap_or_default();
    let goes_on_in = (same && stored.thread.is_some()).then_some(stored.id);
    Ok(Before { said: stored.said, goes_on_in, output })
}

fn echo(fields: &Fields) -> Result<Map<String, Value>, Refusal> {
    let mut echo = Map::new();
    for (name, usual) in ECHOED {
        let given = fields.get(name).cloned();
        let value = given.map_or_else(|| serde_json::from_str(usual), Ok).unwrap_or(Value::Null);
        echo.insert(name.to_owned(), value);
    }
    let text = fields
        .object("text")?
        .cloned()
        .map_or_else(|| json!({ "format": { "type": "text" } }), Value::Object);
    echo.insert("text".to_owned(), text);
    let reasoning = fields.object("reasoning")?.cloned().unwrap_or_default();
    let reasoned = |name: &str| reasoning.get(name).cloned().unwrap_or(Value::Null);
    let reasoning = json!({ "effort": reasoned("effort"), "summary": reasoned("summary") });
    echo.insert("reasoning".to_owned(), reasoning);
    Ok(echo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_repeated_has_the_usual_values() {
        let fields = Fields(Map::from_iter([("temperature".to_owned(), json!(0.3))]));
        let echo = echo(&fields).unwrap();
        assert_eq!(echo["temperature"], 0.3);
        assert_eq!(echo["tool_choice"], "auto");
        assert_eq!(echo["metadata"], json!({}));
        assert_eq!(echo["text"]["format"]["type"], "text");
    }
}
