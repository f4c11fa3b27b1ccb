//! The Agent API: the body of a request, a whole reply, and a reply that streams. It refuses fields that it does not
//! know, so nothing is sent that was not asked for.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::gathered::{Gathered, filters, language, malformed, search_options, source, text, usage};
use crate::domain::answer::{Source, Step};
use crate::domain::choice::Choice;
use crate::domain::error::{Cut, Error, Result};
use crate::domain::request::{Effort, SearchRequest};

/// The least that an answer may have, in tokens.
const LEAST_TOKENS: u32 = 16;
/// What models that want a number get unless one is asked for.
const TOKENS: u32 = 8192;

/// Who answers: a level of effort, or a model.
enum Who<'a> {
    Effort(Effort),
    Model(&'a str),
}

fn who(request: &SearchRequest) -> Result<Who<'_>> {
    match (request.effort, request.model.as_str()) {
        (Some(effort), _) => Ok(Who::Effort(effort)),
        (None, model) if model.contains('/') => Ok(Who::Model(model)),
        (None, model) => former_model(model).map(Who::Effort).ok_or_else(|| {
            Error::ApiOption(format!(
                "The Agent API has no model {model:?}: name one as provider/model, or choose an --effort."
            ))
        }),
    }
}

/// The effort that took the place of a model of chat completions.
fn former_model(model: &str) -> Option<Effort> {
    match model {
        "sonar" => Some(Effort::Fast),
        "sonar-pro" => Some(Effort::Low),
        "sonar-reasoning-pro" | "sonar-reasoning" => Some(Effort::Medium),
        "sonar-deep-research" => Some(Effort::High),
        _ => None,
    }
}

/// What the reader should know about how it was asked. That the usual model has an effort in its place surprises
/// nobody.
pub(super) fn notes(request: &SearchRequest) -> Vec<String> {
    let former = former_model(&request.model).filter(|_| request.effort.is_none());
    let replaced = former.filter(|effort| *effort != Effort::Fast).map(|effort| {
        format!("the Agent API has no model {}; the effort {} answered instead", request.model, effort.name())
    });
    let system = request.system.is_some().then(|| {
        "the instructions took the place of the API's own; marks of citations may be missing".to_owned()
    });
    replaced.into_iter().chain(system).collect()
}

pub(super) fn body(request: &SearchRequest, stream: bool) -> Result<Value> {
    if request.max_tokens.is_some_and(|tokens| tokens < LEAST_TOKENS) {
        let message = format!("The Agent API gives an answer at least {LEAST_TOKENS} tokens (--max-tokens).");
        return Err(Error::ApiOption(message));
    }
    let who = who(request)?;
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| drop(body.insert(name.to_owned(), value));
    set("input", request.query.as_str().into());
    set("stream", stream.into());
    match who {
        Who::Effort(effort) => set("effort", effort.name().into()),
        Who::Model(model) => set("model", model.into()),
    }
    if let Some(tools) = tools(request, &who) {
        set("tools", tools);
    }
    if let Some(system) = &request.system {
        set("instructions", system.as_str().into());
    }
    if let Some(tag) = &request.language {
        set("language_preference", language(tag).into());
    }
    let wanted = matches!(who, Who::Model(model) if model.starts_with("anthropic/")).then_some(TOKENS);
    if let Some(tokens) = request.max_tokens.or(wanted) {
        set("max_output_tokens", tokens.into());
    }
    Ok(body.into())
}

/// A list of tools takes the place of the effort's own, so there is one only where it is needed: for a model, which
/// would answer from memory, and for filters, which stand in the tool. From a medium effort on, pages are fetched, too.
fn tools(request: &SearchRequest, who: &Who<'_>) -> Option<Value> {
    let mut search = search_options(request);
    let filters = filters(request);
    if !filters.is_empty() {
        search.insert("filters".to_owned(), filters.into());
    }
    let fetches = match who {
        Who::Effort(_) if search.is_empty() => return None,
        Who::Effort(effort) => *effort >= Effort::Medium,
        Who::Model(_) => false,
    };
    search.insert("type".to_owned(), "web_search".into());
    let mut tools = vec![Value::from(search)];
    tools.extend(fetches.then(|| json!({ "type": "fetch_url" })));
    Some(tools.into())
}

/// Reads a whole reply. A run that failed comes with a good status, too.
pub(super) fn whole(reply: &Value) -> Result<Gathered> {
    let output =
        reply.get("output").and_then(Value::as_array).ok_or_else(|| malformed("output is no list"))?;
    let messages: Vec<String> = output.iter().filter_map(message).collect();
    Ok(Gathered { text: messages.join("\n\n"), sources: pages(output), ..about(reply) })
}

/// What a reply says besides its output.
fn about(reply: &Value) -> Gathered {
    Gathered {
        model: text(reply.get("model")),
        id: text(reply.get("id")),
        usage: usage(reply),
        cut: cut(reply),
        over: true,
        ..Gathered::default()
    }
}

/// Takes in the reply at the end of a stream. What it lacks is what came before it.
pub(super) fn end(gathered: &mut Gathered, reply: &Value) -> Result<()> {
    let before = std::mem::take(gathered);
    let nothing_came = before.text.is_empty() && before.sources.is_empty();
    let mut end = match whole(reply) {
        Err(error) if nothing_came => return Err(error),
        whole => whole.unwrap_or_else(|_| about(reply)),
    };
    if end.text.is_empty() {
        end.text = before.text;
    }
    if end.sources.is_empty() {
        end.sources = before.sources;
    }
    end.id = end.id.or(before.id);
    *gathered = end;
    Ok(())
}

/// Whether a reply says that there is no answer.
pub(super) fn failed(reply: &Value) -> bool {
    matches!(reply.get("status").and_then(Value::as_str), Some("failed" | "cancelled"))
}

/// Why an answer ends early, if it does. A run that is still on its way has no end yet.
fn cut(reply: &Value) -> Option<Cut> {
    match reply.get("status").and_then(Value::as_str)? {
        "incomplete" => match reply.pointer("/incomplete_details/reason").and_then(Value::as_str) {
            Some("max_output_tokens") => Some(Cut::Tokens),
            reason => Some(Cut::Service(reason.unwrap_or("it gave no reason").to_owned())),
        },
        "completed" => None,
        status => Some(Cut::Service(status.to_owned())),
    }
}

/// The text of a message; `None` for anything else, and for one without text.
fn message(item: &Value) -> Option<String> {
    if item.get("type").and_then(Value::as_str) != Some("message") {
        return None;
    }
    let parts = item.get("content")?.as_array()?;
    let texts = parts.iter().filter(|part| part.get("type").and_then(Value::as_str) == Some("output_text"));
    let text: String = texts.filter_map(|part| part.get("text")?.as_str()).collect();
    (!text.is_empty()).then_some(text)
}

/// The pages of all searches in the order of their ids, then those that were fetched besides.
fn pages(output: &[Value]) -> Vec<Source> {
    let of_kind = |kind: &'static str, list: &'static str| {
        let items = output.iter().filter(move |item| item.get("type").and_then(Value::as_str) == Some(kind));
        items.filter_map(move |item| item.get(list)?.as_array()).flatten()
    };
    let mut pages = numbered(of_kind("search_results", "results"));
    let known: BTreeSet<String> = pages.iter().map(|page| page.url.clone()).collect();
    let last = pages.iter().filter_map(|page| page.numbers.last().copied()).max().unwrap_or(0);
    let fetched = of_kind("fetch_url_results", "contents").filter_map(|item| source(item, Vec::new()));
    let mut fetched: Vec<Source> = fetched.filter(|page| !known.contains(&page.url)).collect();
    for (index, page) in fetched.iter_mut().enumerate() {
        page.numbers = vec![last + index + 1];
    }
    pages.extend(fetched);
    pages
}

/// A mark `[n]` means the page with the id `n`. Where two searches gave one id to different pages, or none at all,
/// pages are numbered as they first appear.
fn numbered<'a>(results: impl Iterator<Item = &'a Value>) -> Vec<Source> {
    let found: Vec<(Option<usize>, Source)> = results
        .filter_map(|item| {
            let id = item.get("id");
            let id = id.and_then(|id| id.as_u64().or_else(|| id.as_str()?.parse().ok()));
            let id = id.and_then(|id| usize::try_from(id).ok());
            Some((id, source(item, Vec::new())?))
        })
        .collect();
    let mut by_id: BTreeMap<usize, Source> = BTreeMap::new();
    for (id, page) in &found {
        let Some(id) = id else { return by_appearance(found) };
        let known = by_id.entry(*id).or_insert_with(|| page.clone());
        if known.url != page.url {
            return by_appearance(found);
        }
    }
    by_id.into_iter().map(|(id, page)| Source { numbers: vec![id], ..page }).collect()
}

fn by_appearance(found: Vec<(Option<usize>, Source)>) -> Vec<Source> {
    let mut seen = BTreeSet::new();
    let first = found.into_iter().map(|(_, page)| page).filter(|page| seen.insert(page.url.clone()));
    first.enumerate().map(|(index, page)| Source { numbers: vec![index + 1], ..page }).collect()
}

/// What a stream has brought besides what is gathered already.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// The items that are whole, for their pages.
    items: Vec<Value>,
    /// The texts, in the order in which they began.
    messages: Vec<Message>,
}

/// A message that grows, and the names by which events tell which one they mean.
#[derive(Debug)]
struct Message {
    index: Option<Value>,
    id: Option<Value>,
    text: String,
}

/// What an event of a stream is.
#[derive(Debug)]
pub(super) enum Event {
    /// Something was gathered, or not.
    Step,
    /// The whole reply, at its end.
    End(Value),
    /// The reply, or the event itself, that tells of an error.
    Failed(Value),
}

impl Stream {
    /// Takes in one event. Those that are not known are ignored.
    pub(super) fn take(&mut self, gathered: &mut Gathered, name: &str, event: Value) -> Event {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or(name).to_owned();
        match kind.as_str() {
            "response.created" | "response.in_progress" => {
                gathered.id = text(event.pointer("/response/id")).or(gathered.id.take());
            }
            "response.reasoning.search_queries" => {
                let queries = event.get("queries").and_then(Value::as_array).into_iter().flatten();
                let queries = queries.filter_map(Value::as_str).map(str::to_owned).collect();
                gathered.step = Some(Step::Searching(queries));
            }
            "response.reasoning.fetch_url_queries" => {
                let pages = event.get("urls").and_then(Value::as_array).map_or(1, Vec::len);
                gathered.step = Some(Step::Reading(pages));
            }
            "response.reasoning.started" => gathered.step = Some(Step::Thinking),
            "response.output_text.delta" => {
                gathered.step = Some(Step::Writing);
                let delta = event.get("delta").and_then(Value::as_str).unwrap_or_default();
                self.change(&event, event.get("item_id"), |text| text.push_str(delta));
                gathered.text = self.text();
            }
            "response.output_item.done" => self.finish(gathered, &event),
            "response.completed" => return ended(event, "completed"),
            "response.incomplete" => return ended(event, "incomplete"),
            "response.failed" | "response.cancelled" | "error" => return Event::Failed(failure(event)),
            _ => {}
        }
        Event::Step
    }

    /// Changes the text of the message that an event means: by its place, else by its id.
    fn change(&mut self, event: &Value, id: Option<&Value>, change: impl FnOnce(&mut String)) {
        let (index, id) = (event.get("output_index").cloned(), id.cloned());
        let means = |message: &&mut Message| match (&message.index, &index) {
            (Some(known), Some(index)) => known == index,
            _ => message.id.is_none() || id.is_none() || message.id == id,
        };
        if let Some(message) = self.messages.iter_mut().find(means) {
            return change(&mut message.text);
        }
        let mut text = String::new();
        change(&mut text);
        self.messages.push(Message { index, id, text });
    }

    /// Between two messages is a blank line.
    fn text(&self) -> String {
        let texts: Vec<&str> = self.messages.iter().map(|message| message.text.as_str()).collect();
        texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    fn finish(&mut self, gathered: &mut Gathered, event: &Value) {
        let Some(item) = event.get("item") else { return };
        if let Some(text) = message(item) {
            // It is whole here; pieces may have been lost on the way.
            self.change(event, item.get("id"), |known| *known = text);
            gathered.text = self.text();
            return;
        }
        self.items.push(item.clone());
        let pages = pages(&self.items);
        if pages.len() > gathered.sources.len() {
            gathered.step = Some(Step::Reading(pages.len()));
        }
        gathered.sources = pages;
    }
}

/// The reply at the end. Where it does not say itself how it ended, its event does.
fn ended(event: Value, status: &str) -> Event {
    let Value::Object(mut fields) = event else { return Event::Step };
    let mut reply = fields.remove("response").filter(Value::is_object).unwrap_or_else(|| json!({}));
    if let Some(reply) = reply.as_object_mut().filter(|reply| !reply.contains_key("status")) {
        reply.insert("status".to_owned(), status.into());
    }
    Event::End(reply)
}

/// The object that holds the error: the reply in the event, or the event.
fn failure(event: Value) -> Value {
    if event.get("error").is_some_and(|error| !error.is_null()) {
        return event;
    }
    event.get("response").cloned().unwrap_or(event)
}
