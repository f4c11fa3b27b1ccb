//! A note on a model that is not on the last list. It is asked all the same, because lists get old.

use crate::domain::models::Models;
use crate::state::env::Environment;
use crate::state::{Database, ModelList};

/// The note on `model`; `None` where it is known, or no list is.
pub async fn model_note(model: &str, env: &Environment) -> Option<String> {
    if Models::built_in().knows(model) {
        return None;
    }
    let listed = ModelList::new(Database::for_user(env).ok()?).read().await.ok()??.models;
    if listed.knows(model) {
        return None;
    }
    let near = listed.near(model).join(", ");
    let meant =
        if near.is_empty() { "`pplx models` lists them".to_owned() } else { format!("did you mean {near}?") };
    Some(format!("{model:?} is not among the models known here; {meant}"))
}
