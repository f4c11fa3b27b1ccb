//! The tests of the whole program, in one crate: a module for each part of it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::needless_pass_by_value,
    clippy::return_self_not_must_use,
    clippy::too_many_lines,
    unreachable_pub,
    reason = "a test that fails may panic"
)]

mod account;
mod api;
mod api_agent;
mod api_options;
mod attach;
#[cfg(unix)]
mod chat;
mod desktop;
#[cfg(all(feature = "mcp", feature = "serve"))]
mod documentation;
mod follow_up;
mod integrate;
mod layering;
#[cfg(unix)]
mod locks;
mod login;
mod long_research;
#[cfg(feature = "mcp")]
mod mcp;
mod network;
#[cfg(unix)]
mod picture;
mod properties;
mod research;
mod search;
#[cfg(unix)]
mod secrets;
#[cfg(all(unix, feature = "serve"))]
mod serve;
mod streams;
mod support;
#[cfg(unix)]
mod terminal;
mod usage;
