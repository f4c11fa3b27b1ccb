//! The models that can be named.

use serde::{Deserialize, Serialize};

/// From this likeness on (Jaro-Winkler, 0 to 1) a name may have been meant.
const LIKENESS: f64 = 0.82;
/// How many names are suggested.
const SUGGESTIONS: usize = 3;

/// A model as it is chosen: with or without reasoning first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Model {
    /// The id that `--model` takes; `None` where the model always reasons.
    pub id: Option<String>,
    /// The id of the variant that reasons first.
    pub thinking: Option<String>,
    /// Its name for people.
    pub label: String,
    /// The plan that it needs: `pro`, `max`.
    pub tier: Option<String>,
}

/// All models of an account.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Models {
    /// Those that people choose from.
    pub models: Vec<Model>,
    /// Every id that the service knows.
    pub ids: Vec<String>,
}

impl Models {
    /// The tool's own list, for when there is no other.
    pub fn built_in() -> Self {
        let model = |id: &str, label: &str| Model {
            id: Some(id.to_owned()),
            thinking: None,
            label: label.to_owned(),
            tier: Some("pro".to_owned()),
        };
        let models = vec![
            model("pplx_pro_upgraded", "Best"),
            model("pplx_pro", "Best (web)"),
            model("experimental", "Sonar"),
        ];
        Self { models, ids: Vec::new() }
    }

    /// Whether `id` is among them.
    pub fn knows(&self, id: &str) -> bool {
        self.all_ids().any(|known| known == id)
    }

    /// The ids that may have been meant by `id`, the likeliest first.
    pub fn near(&self, id: &str) -> Vec<&str> {
        let mut near: Vec<(f64, &str)> =
            self.all_ids().map(|known| (strsim::jaro_winkler(id, known), known)).collect();
        near.retain(|(likeness, _)| *likeness >= LIKENESS);
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        near.dedup();
        near.into_iter().map(|(_, known)| known).take(SUGGESTIONS).collect()
    }

    /// The ids that people choose from.
    pub fn choices(&self) -> impl Iterator<Item = &str> {
        self.models.iter().flat_map(|model| model.id.iter().chain(&model.thinking)).map(String::as_str)
    }

    fn all_ids(&self) -> impl Iterator<Item = &str> {
        self.choices().chain(self.ids.iter().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let ids = ["claude50sonnet", "claude50sonnetthinking", "gpt56_terra", "pplx_pro"]
            .map(str::to_owned)
            .to_vec();
        let models = Models { models: Vec::new(), ids };
        assert_eq!(models.near("claude5sonnet"), ["claude50sonnet", "claude50sonnetthinking"]);
        assert!(models.near("zzz").is_empty());
        assert!(models.knows("pplx_pro") && !models.knows("pplx"));
    }
}
