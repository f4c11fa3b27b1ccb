//! Logging in with an e-mail address and the code that the service sends there, and an authenticator's code where
//! the account has one.

use serde_json::json;
use url::Url;

use super::cookie;
use super::endpoint::{Endpoint, Reply};
use super::session::Session;
use crate::domain::error::{Error, Result};

/// A login that has begun. All calls share one cookie jar, because the service rejects every code without its cookies.
#[derive(Debug)]
pub struct Login {
    endpoint: Endpoint,
    email: String,
    csrf_token: String,
}

/// The result of a code.
#[derive(Debug)]
pub enum Outcome {
    /// Logged in.
    Session(Session),
    /// The account also needs the code of an authenticator app.
    Authenticator(Challenge),
}

/// The service's token for the second step.
#[derive(Debug)]
pub struct Challenge(String);

impl Login {
    /// Has a code sent to `email`.
    pub async fn begin(base: Url, email: &str) -> Result<Self> {
        let mut endpoint = Endpoint::new(base)?;
        let reply = endpoint.get("api/auth/csrf", None).await?;
        let csrf_token =
            reply.fields.text("csrfToken").map(str::to_owned).ok_or_else(|| unexpected(&reply))?;
        let body = json!({ "email": email, "csrfToken": csrf_token });
        let reply = endpoint.post("api/auth/signin-email", &body).await?;
        if !reply.status.is_success() {
            return Err(refused(&reply, ""));
        }
        Ok(Self { endpoint, email: email.to_owned(), csrf_token })
    }

    /// Redeems the code from the e-mail.
    pub async fn redeem(&mut self, code: &str) -> Result<Outcome> {
        let body = json!({ "email": self.email, "otp": code, "csrfToken": self.csrf_token });
        let reply = self.endpoint.post("api/auth/signin-otp", &body).await?;
        if !reply.status.is_success() {
            return Err(refused(&reply, code));
        }
        let challenge = reply.fields.text("challenge_token");
        if reply.fields.text("status") == Some("totp_challenge_required") {
            let challenge = challenge.ok_or_else(|| unexpected(&reply))?;
            return Ok(Outcome::Authenticator(Challenge(challenge.to_owned())));
        }
        self.session_from(&reply, code).map(Outcome::Session)
    }

    /// Answers the challenge with the authenticator's code.
    pub async fn answer(&mut self, challenge: &Challenge, code: &str) -> Result<Session> {
        let body = json!({ "token": challenge.0, "code": code });
        let reply = self.endpoint.post("api/auth/totp/challenge-verify", &body).await?;
        if !reply.status.is_success() {
            return Err(refused(&reply, code));
        }
        self.session_from(&reply, code)
    }

    /// The token of a successful reply: in `token`, in `challenge_token` beside the status "success", or only in a
    /// cookie.
    fn session_from(&self, reply: &Reply, code: &str) -> Result<Session> {
        let succeeded =
            reply.fields.text("status").is_some_and(|status| status.eq_ignore_ascii_case("success"));
        let challenge = reply.fields.text("challenge_token").filter(|_| succeeded);
        let token = reply.fields.text("token").or(challenge).map(str::to_owned);
        let cookie =
            || Some(cookie::session_token(self.endpoint.jar.header()?.expose())?.expose().to_owned());
        let token = token.or_else(cookie).ok_or_else(|| match reply.fields.reason() {
            Some(reason) if !succeeded => service_error(reason, code),
            _ => Error::Login("the service's reply did not include a token".to_owned()),
        })?;
        Session::from_token(&token)
            .map_err(|reason| Error::Login(format!("the service sent an unusable token: {reason}")))
    }
}

fn refused(reply: &Reply, code: &str) -> Error {
    reply.fields.reason().map_or_else(|| unexpected(reply), |reason| service_error(reason, code))
}

/// The service's own description of the failure. It may repeat the code, which is removed.
fn service_error(reason: &str, code: &str) -> Error {
    let reason = if code.is_empty() { reason.to_owned() } else { reason.replace(code, "[redacted]") };
    Error::Login(reason.trim_end_matches('.').to_owned())
}

fn unexpected(reply: &Reply) -> Error {
    Error::Login(format!("the service sent an unexpected reply (HTTP {})", reply.status.as_u16()))
}
