//! The user's session: where it is found, how it is stored, when it expires.

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
    /// The session itself.
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

    /// Whether it should no longer be used.
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

/// The session in the environment. An unusable one is an error that names its variable.
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

/// The environment variable with a session, if one is set, whether or not the session is usable.
pub fn environment_origin(env: &Environment) -> Option<Origin> {
    VARIABLES.iter().find(|(name, _)| env.get(name).is_some()).map(|(name, _)| Origin::Environment(name))
}

/// Finds the session to use, without a request: in the environment, the store, or the desktop app. A missing one goes
/// on to the next, an unusable one is an error. Where the stored one has expired, the desktop app's is tried.
pub async fn resolve(env: &Environment) -> Result<Credential> {
    let found = match from_environment(env)? {
        Some(credential) => Some(credential),
        None => from_store(env)?,
    };
    match found {
        Some(credential) if !credential.is_expired() => Ok(credential),
        Some(Credential { origin: origin @ Origin::Environment(_), .. }) => Err(Error::Expired(origin)),
        Some(expired) => from_desktop_app(env, Some(&expired)).await.ok_or(Error::Expired(expired.origin)),
        None => match from_desktop_app(env, None).await {
            Some(credential) => Ok(credential),
            None => Err(ApiKey::find(env)?.map_or(Error::NotAuthenticated, |key| Error::OnlyKey(key.origin))),
        },
    }
}

/// The stored session. Without a settings folder there is none.
fn from_store(env: &Environment) -> Result<Option<Credential>> {
    Store::for_user(env).map_or(Ok(None), |store| store.read())
}

/// The desktop app's session, if it is usable and differs from `refused`.
async fn from_desktop_app(env: &Environment, refused: Option<&Credential>) -> Option<Credential> {
    let credential = Credential::new(desktop::session(env).await?, Origin::Desktop);
    let same = refused.is_some_and(|refused| refused.session.token() == credential.session.token());
    (!same && !credential.is_expired()).then_some(credential)
}

/// Stores the session that these `Set-Cookie` headers put in place of `used`, if they do and `used` is a stored one.
pub async fn store_rotated_from<'a>(
    used: &Credential,
    set_cookies: impl Iterator<Item = &'a str>,
) -> Result<()> {
    match used.session.rotated(set_cookies) {
        Some(rotated) => store_rotated(used, rotated).await,
        None => Ok(()),
    }
}

/// Stores the session that the service put in place of `used`. A session that was not read from the store is not
/// written there.
pub async fn store_rotated(used: &Credential, rotated: Session) -> Result<()> {
    let Origin::Store(path) = &used.origin else { return Ok(()) };
    let used = used.session.token().clone();
    Store::at(path.clone()).off_thread(move |store| store.rotate(&used, rotated)).await
}

/// After a refusal of a stored session: removes it from the store, if it is still there, and returns the desktop app's
/// session, if that is another one. A session from the environment is never replaced.
pub async fn replace_refused(env: &Environment, refused: &Credential) -> Option<Credential> {
    if !matches!(refused.origin, Origin::Store(_)) {
        return None;
    }
    if let Ok(store) = Store::for_user(env) {
        let token = refused.session.token().clone();
        // If the store cannot be cleared, the refusal is still what the user must see.
        let _ = store.off_thread(move |store| store.clear(&token)).await;
    }
    from_desktop_app(env, Some(refused)).await
}
