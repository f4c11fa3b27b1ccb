//! The models that clients can name: those of the account's list that its plan has, and other names for them.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use axum::http::StatusCode;
use serde::Serialize;

use crate::domain::models::{Model, Models};
use crate::serve::api_error::ApiError;
use crate::state::ListedModels;

/// The name of the model that is asked unless another is named. It is never refused.
pub(crate) const AUTO: &str = "auto";

/// A family of models. Its name is listed, and stands for its first model on the account's list.
struct Family {
    name: &'static str,
    /// What the ids of its models contain.
    id_part: &'static str,
    /// The model of September 2026, plain and reasoning, for where no list could be fetched.
    model: &'static str,
    reasoning: Option<&'static str>,
    tier: &'static str,
}

const fn family(
    name: &'static str,
    id_part: &'static str,
    model: &'static str,
    reasoning: Option<&'static str>,
    tier: &'static str,
) -> Family {
    Family { name, id_part, model, reasoning, tier }
}

const FAMILIES: [Family; 6] = [
    family("sonar", "experimental", "experimental", None, "pro"),
    family("gpt", "gpt", "gpt56_terra", Some("gpt56_terra_thinking"), "pro"),
    family("sonnet", "sonnet", "claude50sonnet", Some("claude50sonnetthinking"), "pro"),
    family("opus", "opus", "claude48opus", Some("claude48opusthinking"), "max"),
    family("gemini", "gemini", "gemini31pro_high", None, "pro"),
    family("grok", "grok", "grok46low", None, "pro"),
];

/// A model as `/v1/models` lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ListedModel {
    pub(crate) id: String,
    object: &'static str,
    /// Unix seconds.
    created: i64,
    owned_by: &'static str,
    label: String,
    tier: Option<String>,
    /// Whether `reasoning_effort` chooses a variant of it.
    thinking: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    alias_of: Option<String>,
}

/// A model that was chosen by a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelChoice {
    /// The id that the service is asked for.
    pub(crate) id: String,
    /// Chosen by [`AUTO`], which names no model: it may answer when a quota is used up.
    pub(crate) is_auto: bool,
}

/// The models. The list changes while the server runs.
#[derive(Debug)]
pub(crate) struct Catalogue {
    /// What [`AUTO`] stands for.
    default_model: String,
    /// The user's own names.
    aliases: BTreeMap<String, String>,
    account: RwLock<Account>,
}

/// What is known of the account.
#[derive(Debug, Clone)]
struct Account {
    models: Models,
    /// When the list was fetched, in Unix seconds; 0 where it was not.
    fetched: i64,
    plan: Option<String>,
}

impl Catalogue {
    pub(crate) fn new(
        default_model: String,
        aliases: BTreeMap<String, String>,
        cached: Option<ListedModels>,
    ) -> Self {
        let account = match cached {
            Some(cached) => Account { models: cached.models, fetched: cached.fetched / 1000, plan: None },
            None => Account { models: Models::built_in(), fetched: 0, plan: None },
        };
        Self { default_model, aliases, account: RwLock::new(account) }
    }

    /// Replaces the list by one that was fetched.
    pub(crate) fn renew(&self, fetched: ListedModels) {
        self.change(|account| {
            account.models = fetched.models;
            account.fetched = fetched.fetched / 1000;
        });
    }

    /// The account's plan, where the service named it. Without one everything is offered, and the service decides.
    pub(crate) fn set_plan(&self, plan: Option<String>) {
        self.change(|account| account.plan = plan);
    }

    fn change(&self, change: impl FnOnce(&mut Account)) {
        change(&mut self.account.write().unwrap_or_else(PoisonError::into_inner));
    }

    fn account(&self) -> Account {
        self.account.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The list for clients: first the names that stay the same, then the service's own.
    pub(crate) fn list(&self) -> Vec<ListedModel> {
        let account = self.account();
        let built_in = std::iter::once(AUTO).chain(FAMILIES.iter().map(|family| family.name));
        let names = built_in.map(str::to_owned).chain(self.aliases.keys().cloned());
        let models = account.models.models.iter();
        let ids = models.filter_map(|model| model.id.clone().or_else(|| model.thinking.clone()));
        let mut list: Vec<ListedModel> = Vec::new();
        for name in names.chain(ids) {
            let Some(model) = self.find(&name, &account) else { continue };
            if self.is_offered(&name, &model, &account) && !list.iter().any(|listed| listed.id == name) {
                list.push(account.listed(name, model));
            }
        }
        list
    }

    /// The model of this name, as it is listed.
    pub(crate) fn get(&self, name: &str) -> Result<ListedModel, ApiError> {
        let account = self.account();
        self.find_offered(name, &account).map(|model| account.listed(name.to_owned(), model))
    }

    /// The model that a name stands for: with `reasoning` its variant that reasons first, if there is one.
    pub(crate) fn choose(&self, name: &str, reasoning: bool) -> Result<ModelChoice, ApiError> {
        let account = self.account();
        let Model { id: plain, thinking, .. } = self.find_offered(name, &account)?;
        let id = if reasoning { thinking.or(plain) } else { plain.or(thinking) };
        Ok(ModelChoice { id: id.unwrap_or_else(|| name.to_owned()), is_auto: self.is_auto(name) })
    }

    fn find_offered(&self, name: &str, account: &Account) -> Result<Model, ApiError> {
        let model = self.find(name, account).ok_or_else(|| self.not_found(name, account))?;
        if self.is_offered(name, &model, account) {
            return Ok(model);
        }
        let plan = account.plan.as_deref().unwrap_or("none");
        let message = format!("The model '{name}' is not part of the account's plan ({plan}).");
        Err(ApiError::forbidden("model_not_in_plan", message).with_param("model"))
    }

    fn not_found(&self, name: &str, account: &Account) -> ApiError {
        let mut models = account.models.clone();
        models.ids.extend(self.list().into_iter().map(|listed| listed.id));
        let similar = models.near(name).join(", ");
        let advice = if similar.is_empty() {
            "GET /v1/models lists them.".to_owned()
        } else {
            format!("did you mean {similar}?")
        };
        let message = format!("The model '{name}' does not exist; {advice}");
        ApiError::with_status(StatusCode::NOT_FOUND, "model_not_found", message).with_param("model")
    }

    fn is_offered(&self, name: &str, model: &Model, account: &Account) -> bool {
        self.is_auto(name) || account.plan_has(model)
    }

    fn is_auto(&self, name: &str) -> bool {
        self.target(name) == AUTO
    }

    fn find(&self, name: &str, account: &Account) -> Option<Model> {
        if self.is_auto(name) {
            let model = account.model(&self.default_model);
            return Some(model.unwrap_or_else(|| unlisted(&self.default_model, "Chosen by the service")));
        }
        let target = self.target(name);
        let listed = account.model(target).or_else(|| account.first_of_family(target));
        // The user's own names may stand for a model that is not on the list.
        listed.or_else(|| (target != name).then(|| unlisted(target, name)))
    }

    /// What a name of the user's own stands for; any other name stands for itself.
    fn target<'a>(&'a self, name: &'a str) -> &'a str {
        self.aliases.get(name).map_or(name, String::as_str)
    }
}

/// A model that is on no list.
fn unlisted(id: &str, label: &str) -> Model {
    Model { id: Some(id.to_owned()), thinking: None, label: label.to_owned(), tier: None }
}

impl Account {
    fn model(&self, id: &str) -> Option<Model> {
        let is = |known: &Option<String>| known.as_deref() == Some(id);
        if let Some(model) = self.models.models.iter().find(|model| is(&model.id)) {
            return Some(model.clone());
        }
        // A reasoning variant that is named itself is asked for, whatever else the request says.
        let reasoning = self.models.models.iter().find(|model| is(&model.thinking));
        let reasoning = reasoning.map(|model| Model { id: None, ..model.clone() });
        reasoning.or_else(|| self.models.ids.iter().any(|known| known == id).then(|| unlisted(id, id)))
    }

    fn first_of_family(&self, name: &str) -> Option<Model> {
        let family = FAMILIES.iter().find(|family| family.name == name)?;
        let is_member = |model: &&Model| model.id.as_deref().is_some_and(|id| id.contains(family.id_part));
        let in_plan = self.models.models.iter().filter(is_member).find(|model| self.plan_has(model));
        if let Some(model) = in_plan.or_else(|| self.models.models.iter().find(is_member)) {
            return Some(model.clone());
        }
        // Where the account's list is known, what is not on it does not exist.
        (self.fetched == 0).then(|| Model {
            thinking: family.reasoning.map(str::to_owned),
            tier: Some(family.tier.to_owned()),
            ..unlisted(family.model, name)
        })
    }

    fn plan_has(&self, model: &Model) -> bool {
        match self.plan.as_deref() {
            None | Some("max" | "enterprise_max") => true,
            Some("none" | "free") => false,
            Some(_) => model.tier.as_deref() != Some("max"),
        }
    }

    fn listed(&self, id: String, model: Model) -> ListedModel {
        let target = model.id.clone().or_else(|| model.thinking.clone());
        ListedModel {
            object: "model",
            created: if self.fetched > 0 { self.fetched } else { BUILT_IN_SINCE },
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
const BUILT_IN_SINCE: i64 = 1_788_220_800;

#[cfg(test)]
mod tests;
