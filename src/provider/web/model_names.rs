//! Which model answers, by the names that the frames give.

use std::borrow::Cow;

use super::newest::keep_newest;

/// The model for users without a plan.
const TURBO: &str = "turbo";

/// The newest names of the model, and whether any frame named [`TURBO`].
#[derive(Debug, Default)]
pub(super) struct ModelNames {
    display_model: Option<String>,
    user_selected_model: Option<String>,
    turbo_was_named: bool,
}

impl ModelNames {
    /// Merges the names of the next frame.
    pub(super) fn merge(&mut self, display_model: Option<Cow<'_, str>>, selected: Option<Cow<'_, str>>) {
        self.turbo_was_named |= display_model.as_deref() == Some(TURBO);
        keep_newest(&mut self.display_model, display_model);
        keep_newest(&mut self.user_selected_model, selected);
    }

    /// The model that answered: `display_model`, which may change in mid-stream, unless it is `turbo` while
    /// `user_selected_model` names another one.
    pub(super) fn answering(&self) -> Option<&str> {
        let selected = self.user_selected_model.as_deref().filter(|model| *model != TURBO);
        match self.display_model.as_deref() {
            None => selected,
            Some(TURBO) => selected.or(Some(TURBO)),
            named => named,
        }
    }

    /// Notes for the answer: that another model than `requested` answered, or the one for users without a plan.
    pub(super) fn notes(&self, requested: Option<&str>) -> Vec<String> {
        let requested = requested.or(self.user_selected_model.as_deref());
        let mut notes = Vec::new();
        match (requested, self.answering()) {
            (Some(requested), Some(model)) if requested != model => {
                notes.push(format!("asked for {requested}, answered by {model}"));
            }
            _ => {}
        }
        if self.turbo_was_named && requested != Some(TURBO) {
            notes.push("the service named turbo, its model for users without a plan; `pplx status` shows the session".to_owned());
        }
        notes
    }

    /// Whether the newest `display_model` is the model for users without a plan.
    pub(super) fn is_turbo(&self) -> bool {
        self.display_model.as_deref() == Some(TURBO)
    }
}
