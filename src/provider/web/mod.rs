//! The subscription endpoint, `perplexity_ask`: undocumented, and known from recordings.

pub mod account;
mod answer_parts;
mod ask;
mod assets;
mod body;
mod extract;
mod frame;
mod lenient;
mod markdown;
mod metered;
mod model_names;
mod newest;
mod patch;
mod progress;
mod results;
mod run;
mod search;
mod snapshot;
mod sources;
mod text;
pub mod threads;
pub mod upload;
mod wire;
mod workflow;

pub use search::Search;
pub use snapshot::{ServiceError, Skipped, Snapshot, StreamState};
