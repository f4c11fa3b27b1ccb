//! `/mcp`: the tools of `pplx mcp` over streamable HTTP.

use std::sync::Arc;

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::watch;

use crate::mcp::Server;
use crate::state::env::Environment;

pub(super) type Service = StreamableHttpService<Server, LocalSessionManager>;

/// The interface, until it is stopped.
pub(super) struct Mcp {
    service: Service,
    /// Says that the server ends.
    ending: watch::Sender<bool>,
}

impl Mcp {
    pub(super) fn new(env: Environment) -> Self {
        let (ending, ended) = watch::channel(false);
        let server = Server::new(env, None, ended);
        // The guard has checked the names already, by the rules of the whole server.
        let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
        let make = move || Ok(server.clone());
        Self {
            service: StreamableHttpService::new(make, Arc::new(LocalSessionManager::default()), config),
            ending,
        }
    }

    /// What answers at an address of the interface.
    pub(super) fn service(&self) -> Service {
        self.service.clone()
    }

    /// Ends all sessions: their streams are open as long as their clients are.
    pub(super) fn stop(&self) {
        self.ending.send_replace(true);
        self.service.config.cancellation_token.cancel();
    }
}
