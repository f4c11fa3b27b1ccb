//! The token of Perplexity's desktop app for macOS, read from the app's preferences.
//!
//! Only old versions of the app store it there. Newer ones use a keychain that other programs cannot read.

use super::helper;
use super::session::Session;
use crate::state::env::Environment;

/// The app's session; `None` where `defaults` fails or prints no token.
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
