//! The user's session: where it comes from, how it is kept, when it ends.

pub mod browser;
mod check;
mod cookie;
pub mod desktop;
mod endpoint;
mod helper;
pub mod jwt;
mod key;
pub mod omp;
pub mod otp;
mod secret;
mod session;
mod store;
mod stored;

pub use check::{Checked, Verdict, check, verify};
pub use key::ApiKey;
pub use secret::Secret;
pub use session::Session;
pub use store::Store;

use crate::domain::error::{Error, Result};
use crate::domain::origin::Origin;
use crate::state::env::Environment;

/// A session, with what is known about it.
#[derive(Debug, Clone)]
pub struct Credential {
    /// What is sent.
    pub session: Session,
    /// When it should no longer be used, in Unix milliseconds; `None` when only the server knows.
    pub expires: Option<i64>,
    /// The account's address, as far as it is known.
    pub email: Option<String>,
    /// Where it was found.
    pub origin: Origin,
}

impl Credential {
    /// A session that was acquired just now.
    pub fn new(session: Session, origin: Origin) -> Self {
        let expires = jwt::expiry(session.token().expose(), now());
        Self { session, expires, email: None, origin }
    }

    /// Whether its time is over.
    pub fn is_expired(&self) -> bool {
        self.expires.is_some_and(|expires| expires <= now())
    }
}

/// The time now, in Unix milliseconds.
pub fn now() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

/// The variables that may hold a session, in the order in which they are looked at.
const VARIABLES: [(&str, Parse); 3] = [
    ("PPLX_TOKEN", Session::from_token),
    ("PPLX_COOKIES", Session::from_cookies),
    ("PERPLEXITY_COOKIES", Session::from_cookies),
];

type Parse = fn(&str) -> std::result::Result<Session, String>;

/// The session that the environment names. One that is there but unusable is an error that names its variable.
pub fn from_environment(env: &Environment) -> Result<Option<Credential>> {
    for (name, parse) in VARIABLES {
        if let Some(text) = env.text(name) {
            let origin = Origin::Environment(name);
            let session = parse(&text).map_err(|reason| Error::Malformed(origin.clone(), reason))?;
            return Ok(Some(Credential::new(session, origin)));
        }
    }
    Ok(None)
}

/// The variable that a session would be taken from, usable or not.
pub fn environment_origin(env: &Environment) -> Option<Origin> {
    VARIABLES.iter().find(|(name, _)| env.get(name).is_some()).map(|(name, _)| Origin::Environment(name))
}

/// Finds the session to use, without asking anyone: environment, store, desktop app. "Not there" goes on to the
/// next; "there but unusable" is an error. When the stored one has expired, the desktop app is tried.
pub async fn resolve(env: &Environment) -> Result<Credential> {
    let found = match from_environment(env)? {
        Some(credential) => Some(credential),
        None => stored(env)?,
    };
    match found {
        Some(credential) if !credential.is_expired() => Ok(credential),
        Some(Credential { origin: origin @ Origin::Environment(_), .. }) => Err(Error::Expired(origin)),
        Some(expired) => borrowed(env, Some(&expired)).await.ok_or(Error::Expired(expired.origin)),
        None => match borrowed(env, None).await {
            Some(credential) => Ok(credential),
            None => Err(ApiKey::find(env)?.map_or(Error::NotAuthenticated, |key| Error::OnlyKey(key.origin))),
        },
    }
}

/// What the store has. Without a folder for it there is no store, which is the same as an empty one.
fn stored(env: &Environment) -> Result<Option<Credential>> {
    Store::of(env).map_or(Ok(None), |store| store.read())
}

/// The desktop app's session, if it is usable and another one than `refused`.
pub async fn borrowed(env: &Environment, refused: Option<&Credential>) -> Option<Credential> {
    let credential = Credential::new(desktop::session(env).await?, Origin::Desktop);
    let same = refused.is_some_and(|refused| refused.session.token() == credential.session.token());
    (!same && !credential.is_expired()).then_some(credential)
}

/// Keeps the session that these `Set-Cookie` headers rotate a stored one to. A session from elsewhere is not ours to
/// keep.
pub async fn keep_rotated<'a>(used: &Credential, set_cookies: impl Iterator<Item = &'a str>) -> Result<()> {
    match used.session.rotated(set_cookies) {
        Some(rotated) => keep(used, rotated).await,
        None => Ok(()),
    }
}

/// Keeps the session that the service put in place of a stored one.
pub async fn keep(used: &Credential, rotated: Session) -> Result<()> {
    let Origin::Store(path) = &used.origin else { return Ok(()) };
    let used = used.session.token().clone();
    Store::at(path.clone()).off_thread(move |store| store.rotate(&used, rotated)).await
}

/// After a refusal: clears the store, if it still holds the refused session, and returns the desktop app's session
/// in its place, if that is another one. A session from the environment is never replaced.
pub async fn replace_refused(env: &Environment, refused: &Credential) -> Option<Credential> {
    if !matches!(refused.origin, Origin::Store(_)) {
        return None;
    }
    if let Ok(store) = Store::of(env) {
        let token = refused.session.token().clone();
        // A store that cannot be cleared matters less than the refusal, which is about to be reported.
        let _ = store.off_thread(move |store| store.clear(&token)).await;
    }
    borrowed(env, Some(refused)).await
}
