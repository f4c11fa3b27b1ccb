//! The token of Perplexity's desktop app for macOS, which keeps it where the user's own programs may read it.
//!
//! Old versions of the app do; newer ones use a restricted keychain, and then there is nothing here.

use super::helper;
use super::session::Session;
use crate::state::env::Environment;

/// The app's session, if it has one. Whatever else `defaults` says means "not there".
pub async fn session(env: &Environment) -> Option<Session> {
    if env.switch("PPLX_AUTH_NO_BORROW") || env.switch("PI_AUTH_NO_BORROW") {
        return None;
    }
    let output = helper::output("defaults", &["read", "ai.perplexity.mac", "authToken"]).await.ok()?;
    let token = output.stdout.trim();
    if !output.success || !looks_like_a_token(token) {
        return None;
    }
    Session::from_token(token).ok()
}

fn looks_like_a_token(text: &str) -> bool {
    let parts = text.split('.').count();
    (parts == 3 || parts == 5) && !text.contains(char::is_whitespace)
}
