//! The models that clients can name: the account's list, its plan, and other names for them.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use axum::http::StatusCode;
use serde::Serialize;

use crate::domain::models::{Model, Models};
use crate::serve::api_error::Refusal;
use crate::state::ListedModels;

/// The name of the model that is asked unless another is named. It is never refused.
pub(crate) const AUTO: &str = "auto";

/// A family of models: its name, what the ids of its models hold, and the model (plain and reasoning) that stood for it
/// in September 2026, for where there is no list.
type Family = (&'static str, &'static str, &'static str, Option<&'static str>);
const FAMILIES: [Family; 6] = [
    ("sonar", "experimental", "experimental", None),
    ("gpt", "gpt", "gpt56_terra", Some("gpt56_terra_thinking")),
    ("sonnet", "sonnet", "claude50sonnet", Some("claude50sonnetthinking")),
    ("opus", "opus", "claude48opus", Some("claude48opusthinking")),
    ("gemini", "gemini", "gemini31pro_high", None),
    ("grok", "grok", "grok46low", None),
];

/// A model as `/v1/models` lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Entry {
    pub(crate) id: String,
    object: &'static str,
    created: i64,
    owned_by: &'static str,
    label: String,
    tier: Option<String>,
    /// Whether `reasoning_effort` chooses a variant of it.
    thinking: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    alias_of: Option<String>,
}

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// The id that the service is asked for.
    pub(crate) id: String,
    /// Asked for by no name of a model: it may answer when a quota is used up.
    pub(crate) is_auto: bool,
}

/// All of them. The list changes while the server runs.
#[derive(Debug)]
pub(crate) struct Catalogue {
    /// What [`AUTO`] stands for.
    usual: String,
    /// The user's own names.
    aliases: BTreeMap<String, String>,
    known: RwLock<Known>,
}

#[derive(Debug, Clone)]
struct Known {
    models: Models,
    /// When the list was fetched, in Unix seconds; 0 where it was not.
    fetched: i64,
    plan: Option<String>,
}

impl Catalogue {
    pub(crate) fn new(
        usual: String,
        aliases: BTreeMap<String, String>,
        cached: Option<ListedModels>,
    ) -> Self {
        let known = match cached {
            Some(cached) => Known { models: cached.models, fetched: cached.fetched / 1000, plan: None },
            None => Known { models: Models::built_in(), fetched: 0, plan: None },
        };
        Self { usual, aliases, known: RwLock::new(known) }
    }

    /// Takes over a list that was fetched.
    pub(crate) fn renew(&self, cached: ListedModels) {
        self.change(|known| (known.models, known.fetched) = (cached.models, cached.fetched / 1000));
    }

    /// The account's plan, where the service named it. Without one everything is offered, and the service decides.
    pub(crate) fn set_plan(&self, plan: Option<String>) {
        self.change(|known| known.plan = plan);
    }

    fn change(&self, change: impl FnOnce(&mut Known)) {
        change(&mut self.known.write().unwrap_or_else(PoisonError::into_inner));
    }

    fn known(&self) -> Known {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What is listed: names first that last, then the service's own.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let known = self.known();
        let built_in = std::iter::once(AUTO).chain(FAMILIES.iter().map(|family| family.0));
        let names = built_in.map(str::to_owned).chain(self.aliases.keys().cloned());
        let own = known
            .models
            .models
            .iter()
            .filter_map(|model| model.id.clone().or_else(|| model.thinking.clone()));
        let mut entries: Vec<Entry> = Vec::new();
        for name in names.chain(own) {
            let Some(model) = self.find(&name, &known) else { continue };
            if self.offers(&name, &model, &known) && !entries.iter().any(|entry| entry.id == name) {
                entries.push(known.entry(name, model));
            }
        }
        entries
    }

    /// The entry of a name that can be asked for.
    pub(crate) fn entry(&self, name: &str) -> Result<Entry, Refusal> {
        let known = self.known();
        self.offered(name, &known).map(|model| known.entry(name.to_owned(), model))
    }

    /// What a name stands for, with reasoning first if that is asked for and there is such a variant.
    pub(crate) fn choose(&self, name: &str, thinking: bool) -> Result<Chosen, Refusal> {
        let known = self.known();
        let model = self.offered(name, &known)?;
        let is_auto = self.target(name) == AUTO;
        let (plain, reasoning) = (model.id, model.thinking);
        let id = if thinking { reasoning.or(plain) } else { plain.or(reasoning) };
        Ok(Chosen { id: id.unwrap_or_else(|| name.to_owned()), is_auto })
    }

    fn offered(&self, name: &str, known: &Known) -> Result<Model, Refusal> {
        let model = self.find(name, known).ok_or_else(|| self.unknown(name, known))?;
        if self.offers(name, &model, known) {
            return Ok(model);
        }
        let plan = known.plan.as_deref().unwrap_or("none");
        let message = format!("The model '{name}' is not part of the account's plan ({plan}).");
        Err(Refusal::forbidden("model_not_in_plan", message).with_param("model"))
    }

    fn unknown(&self, name: &str, known: &Known) -> Refusal {
        let mut models = known.models.clone();
        models.ids.extend(self.entries().into_iter().map(|entry| entry.id));
        let near = models.near(name).join(", ");
        let meant = if near.is_empty() {
            "GET /v1/models lists them.".to_owned()
        } else {
            format!("did you mean {near}?")
        };
        let message = format!("The model '{name}' does not exist; {meant}");
        Refusal::request(StatusCode::NOT_FOUND, "model_not_found", message).with_param("model")
    }

    fn offers(&self, name: &str, model: &Model, known: &Known) -> bool {
        self.target(name) == AUTO || known.has(model)
    }

    fn find(&self, name: &str, known: &Known) -> Option<Model> {
        if self.target(name) == AUTO {
            return Some(
                known.model(&self.usual).unwrap_or_else(|| lone(&self.usual, "Chosen by the service")),
            );
        }
        let target = self.target(name);
        let listed = known.model(target).or_else(|| known.family(target));
        // A name that the user gave stands for what it says, whether or not that is on the list.
        listed.or_else(|| (target != name).then(|| lone(target, name)))
    }

    /// What the user's own names lead to, one step far.
    fn target<'a>(&'a self, name: &'a str) -> &'a str {
        self.aliases.get(name).map_or(name, String::as_str)
    }
}

/// A model that is on no list.
fn lone(id: &str, label: &str) -> Model {
    Model { id: Some(id.to_owned()), thinking: None, label: label.to_owned(), tier: None }
}

impl Known {
    fn model(&self, id: &str) -> Option<Model> {
        let is = |known: &Option<String>| known.as_deref() == Some(id);
        if let Some(model) = self.models.models.iter().find(|model| is(&model.id)) {
            return Some(model.clone());
        }
        // A variant that is named itself is asked for, whatever else the request says.
        let reasoning = self.models.models.iter().find(|model| is(&model.thinking));
        let reasoning = reasoning.map(|model| Model { id: None, ..model.clone() });
        reasoning.or_else(|| self.models.ids.iter().any(|known| known == id).then(|| lone(id, id)))
    }

    fn family(&self, name: &str) -> Option<Model> {
        let (_, part, plain, reasoning) = FAMILIES.iter().find(|family| family.0 == name)?;
        let of_family = |model: &&Model| model.id.as_deref().is_some_and(|id| id.contains(part));
        let first_offered = self.models.models.iter().filter(of_family).find(|model| self.has(model));
        if let Some(model) = first_offered.or_else(|| self.models.models.iter().find(of_family)) {
            return Some(model.clone());
        }
        // Where the account's list is known, what is not on it does not exist.
        (self.fetched == 0).then(|| Model {
            thinking: reasoning.map(str::to_owned),
            tier: Some(if name == "opus" { "max" } else { "pro" }.to_owned()),
            ..lone(plain, name)
        })
    }

    /// Whether the plan has the model.
    fn has(&self, model: &Model) -> bool {
        match self.plan.as_deref() {
            None | Some("max" | "enterprise_max") => true,
            Some("none" | "free") => false,
            Some(_) => model.tier.as_deref() != Some("max"),
        }
    }

    fn entry(&self, id: String, model: Model) -> Entry {
        let target = model.id.clone().or_else(|| model.thinking.clone());
        Entry {
            object: "model",
            created: if self.fetched > 0 { self.fetched } else { LISTED },
            owned_by: "perplexity",
            label: model.label,
            tier: model.tier,
            thinking: model.id.is_some() && model.thinking.is_some(),
            alias_of: target.filter(|target| *target != id),
            id,
        }
    }
}

/// When the built-in list was made, in Unix seconds.
const LISTED: i64 = 1_788_220_800;

#[cfg(test)]
mod tests;
