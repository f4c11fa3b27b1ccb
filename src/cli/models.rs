//! `pplx models`.

use serde::Serialize;

use super::args::ModelsArgs;
use super::output;
use crate::auth;
use crate::domain::models::{Model, Models};
use crate::outcome::failure::Failure;
use crate::provider::Subscription;
use crate::render::text::{cell_width, one_line};
use crate::state::env::Environment;
use crate::state::{Database, ListedModels, ModelList};
use crate::terminal::io::Io;

/// The JSON document: doc/scripts-and-json.md.
#[derive(Debug, Serialize)]
struct Document<'a> {
    version: u32,
    /// `live`, `cache` or `built-in`.
    source: &'static str,
    models: &'a [Model],
}

/// Shows the models of the account: the list of the last day, else a new one, else the best there is.
pub(super) async fn run(args: &ModelsArgs, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    let list = Database::for_user(env).ok().map(ModelList::new);
    let listed = match &list {
        Some(list) => list.read().await.ok().flatten(),
        None => None,
    };
    let fresh = listed.clone().filter(|listed| !args.refresh && listed.is_fresh(auth::now()));
    let (source, models) = match fresh {
        Some(listed) => ("cache", listed.models),
        None => match fetch(env).await {
            Ok(models) => {
                keep(list.as_ref(), &models, io).await;
                ("live", models)
            }
            Err(error) => {
                io.report_as("warning", &one_line(&format!("{error} This is not the live list.")));
                listed.map_or_else(|| ("built-in", Models::built_in()), |listed| ("cache", listed.models))
            }
        },
    };
    if args.json {
        let document = Document { version: 1, source, models: &models.models };
        return output::document(&document, io);
    }
    table(&models.models).iter().try_for_each(|line| io.print(line))?;
    Ok(())
}

async fn fetch(env: &Environment) -> crate::Result<Models> {
    Subscription::for_user(env)?.models().await
}

async fn keep(list: Option<&ModelList>, models: &Models, io: &mut Io) {
    let listed = ListedModels { fetched: auth::now(), models: models.clone() };
    let Some(list) = list else { return };
    if let Err(error) = list.write(listed).await {
        io.report_as("warning", &one_line(&error.to_string()));
    }
}

/// One line a model, in columns.
fn table(models: &[Model]) -> Vec<String> {
    let dash = || "-".to_owned();
    let row = |model: &Model| {
        let cell = |text: &Option<String>| text.as_deref().map_or_else(dash, one_line);
        [cell(&model.id), cell(&model.thinking), cell(&model.tier), one_line(&model.label)]
    };
    let head = ["MODEL", "THINKING", "PLAN", "NAME"].map(str::to_owned);
    let rows: Vec<[String; 4]> = std::iter::once(head).chain(models.iter().map(row)).collect();
    let widths: Vec<usize> = (0..4)
        .map(|column| {
            rows.iter().filter_map(|row| row.get(column)).map(|cell| cell_width(cell)).max().unwrap_or(0)
        })
        .collect();
    let line = |row: &[String; 4]| {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell}{}", " ".repeat(width - cell_width(cell))));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}
