//! The tools over streamable HTTP, for a server that mounts them.

use std::sync::Arc;

use axum::Router;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::watch;

use super::Server;
use crate::state::env::Environment;

/// The endpoint, until it is stopped.
pub(crate) struct HttpEndpoint {
    service: StreamableHttpService<Server, LocalSessionManager>,
    /// Says that the server ends.
    ending: watch::Sender<bool>,
}

impl HttpEndpoint {
    pub(crate) fn new(env: Environment) -> Self {
        let (ending, ended) = watch::channel(false);
        let server = Server::new(env, None, ended);
        // Whoever mounts it has checked the names of the hosts already, by the rules of the whole server.
        let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
        let make = move || Ok(server.clone());
        Self {
            service: StreamableHttpService::new(make, Arc::new(LocalSessionManager::default()), config),
            ending,
        }
    }

    /// What answers at the address of the endpoint, whichever that is.
    pub(crate) fn router(&self) -> Router {
        Router::new().fallback_service(self.service.clone())
    }

    /// Ends all sessions: their streams are open as long as their clients are.
    pub(crate) fn stop(&self) {
        self.ending.send_replace(true);
        self.service.config.cancellation_token.cancel();
    }
}
