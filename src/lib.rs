//! Search with Perplexity through the user's own subscription.
//!
//! The library turns a [`SearchRequest`] into [`SearchEvent`]s: [`provider::Provider`] asks, [`auth`] finds the
//! session, [`net::sse`] frames the reply, and [`render`] prints what came. [`cli`] is the command line around it.
//! `ARCHITECTURE.md` draws the whole.
//!
//! The endpoint is undocumented and this client is unofficial; `README.md` says what that means.

pub mod auth;
pub mod cli;
pub mod config;
pub mod domain;
#[cfg(feature = "mcp")]
mod mcp;
pub mod net;
pub mod outcome;
pub mod provider;
pub mod render;
#[cfg(feature = "serve")]
mod serve;
pub mod state;
pub mod terminal;

pub use domain::answer::{Answer, SearchEvent, Source, Step, TextChange, Thread};
pub use domain::error::{Error, Result};
pub use domain::request::{Recency, SearchRequest};
