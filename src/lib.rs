//! Search with Perplexity through the user's own subscription.
//!
//! The library turns a [`SearchRequest`] into [`SearchEvent`]s: [`provider::Provider`] asks, [`auth`] finds the
//! session, [`sse`] frames the reply, and [`render`] prints what came. [`cli`] is the command line around it.
//!
//! The endpoint is undocumented and this client is unofficial; `README.md` says what that means.

pub mod answer;
pub mod attachment;
pub mod auth;
pub mod cli;
pub mod env;
pub mod error;
pub mod fetch;
pub mod http;
pub mod integrations;
pub mod io;
pub mod line_editor;
mod line_history;
pub mod models;
pub mod notify;
pub mod off_thread;
pub mod origin;
pub mod overwrite;
mod private;
pub mod provider;
pub mod queue;
pub mod render;
pub mod request;
pub mod sse;
pub mod state;
pub mod terminal;

pub use answer::{Answer, SearchEvent, Source, Step, TextChange, Thread};
pub use error::{Error, Result};
pub use request::{Recency, SearchRequest};
