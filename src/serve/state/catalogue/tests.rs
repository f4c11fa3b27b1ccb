use super::*;

fn model(id: &str, thinking: Option<&str>, tier: &str) -> Model {
    Model {
        id: Some(id.to_owned()),
        thinking: thinking.map(str::to_owned),
        label: id.to_uppercase(),
        tier: Some(tier.to_owned()),
    }
}

fn catalogue() -> Catalogue {
    let models = vec![
        model("gpt57_nova", None, "max"),
        model("gpt56_terra", Some("gpt56_terra_thinking"), "pro"),
        model("claude48opus", Some("claude48opusthinking"), "max"),
    ];
    let cached =
        ListedModels { fetched: 1_790_000_000_000, models: Models { models, ids: vec!["turbo".to_owned()] } };
    let aliases = [("gpt-4o", "gpt56_terra"), ("mine", "gpt"), ("usual", "auto"), ("new", "gpt58_unlisted")];
    let aliases = aliases.map(|(name, model)| (name.to_owned(), model.to_owned())).into();
    Catalogue::new("pplx_pro_upgraded".to_owned(), aliases, Some(cached))
}

fn chosen(catalogue: &Catalogue, name: &str, thinking: bool) -> String {
    catalogue.choose(name, thinking).map_or_else(|error| error.name().to_owned(), |chosen| chosen.id)
}

#[test]
fn names_lead_to_models() {
    let catalogue = catalogue();
    for (name, thinking, id) in [
        ("auto", false, "pplx_pro_upgraded"),
        ("gpt-4o", true, "gpt56_terra_thinking"),
        ("mine", false, "gpt57_nova"),
        ("usual", false, "pplx_pro_upgraded"),
        ("new", false, "gpt58_unlisted"),
        ("gpt56_terra", false, "gpt56_terra"),
        ("gpt56_terra_thinking", false, "gpt56_terra_thinking"),
        ("gpt57_nova", true, "gpt57_nova"),
        ("turbo", false, "turbo"),
        ("gpt", false, "gpt57_nova"),
        ("grok", false, "model_not_found"),
        ("no-such-model", false, "model_not_found"),
    ] {
        assert_eq!(chosen(&catalogue, name, thinking), id, "{name}");
    }
}

#[test]
fn a_mistyped_name_brings_what_was_meant() {
    let message = |name| catalogue().choose(name, false).unwrap_err().message;
    assert!(message("auo").contains("did you mean auto?"), "{}", message("auo"));
    assert!(message("gpt56tera").contains("gpt56_terra"));
    assert!(message("zzz").ends_with("lists them."));
}

#[test]
fn the_plan_decides_what_is_offered() {
    let catalogue = catalogue();
    catalogue.set_plan(Some("pro".to_owned()));
    assert_eq!(chosen(&catalogue, "gpt", false), "gpt56_terra");
    assert_eq!(chosen(&catalogue, "opus", false), "model_not_in_plan");
    let tiers: Vec<_> = catalogue.list().into_iter().map(|listed| listed.tier).collect();
    assert!(tiers.iter().any(|tier| tier.as_deref() == Some("pro")), "{tiers:?}");
    assert!(tiers.iter().all(|tier| tier.as_deref() != Some("max")), "{tiers:?}");
    catalogue.set_plan(Some("none".to_owned()));
    assert_eq!(chosen(&catalogue, "gpt", false), "model_not_in_plan");
    let ids: Vec<_> = catalogue.list().into_iter().map(|listed| listed.id).collect();
    assert_eq!(ids, ["auto", "usual"]);
    catalogue.set_plan(Some("max".to_owned()));
    assert_eq!(chosen(&catalogue, "opus", true), "claude48opusthinking");
}

#[test]
fn without_a_list_the_families_stand_for_what_was_known() {
    let catalogue = Catalogue::new("x".to_owned(), BTreeMap::new(), None);
    assert_eq!(chosen(&catalogue, "gpt", true), "gpt56_terra_thinking");
    let ids: Vec<_> = catalogue.list().into_iter().map(|listed| listed.id).collect();
    assert!(ids.contains(&"sonnet".to_owned()) && ids.first().is_some_and(|id| id == "auto"), "{ids:?}");
    let unique: std::collections::BTreeSet<_> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len());
}
