//! What stays between runs, and where: the environment's folders, private files, locks with a limit, and one SQLite
//! database with a file of its own for each kind of content.

mod answers;
mod database;
mod dialects;
pub mod env;
#[cfg(feature = "serve")]
pub(crate) mod files;
mod jobs;
mod migration;
mod model_list;
pub mod off_thread;
pub mod overwrite;
pub(crate) mod private;
pub mod queue;
mod responses;
mod rows;
mod schema;

pub use answers::Answers;
pub use database::Database;
pub use dialects::Dialects;
pub use jobs::Jobs;
pub use model_list::ModelList;
pub use responses::{ResponseRow, Responses};
pub use rows::{Answered, Job, ListedModels};
