//! What stays between runs: one SQLite database in the state folder, with a file of its own for each kind of content.

mod answers;
mod database;
mod dialects;
mod jobs;
mod migration;
mod model_list;
mod responses;
mod schema;

pub use answers::{Answered, Answers};
pub use database::Database;
pub use dialects::Dialects;
pub use jobs::{Job, Jobs};
pub use model_list::{ListedModels, ModelList};
pub use responses::{ResponseRow, Responses};
