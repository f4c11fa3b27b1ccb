//! Connections, routes, and what goes on beside the requests.

pub(crate) mod admin;
pub(crate) mod check;
pub(crate) mod guard;
mod health;
pub(crate) mod listen;
mod models;
mod page;
pub(crate) mod routes;
pub(crate) mod upkeep;
