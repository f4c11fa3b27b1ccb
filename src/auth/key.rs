//! The key of the official API, from the environment or the store. It is used for the API alone.

use super::{Secret, Store};
use crate::domain::error::{Error, Result};
use crate::domain::origin::Origin;
use crate::state::env::Environment;

/// The environment variable that may hold the key.
const VARIABLE: &str = "PERPLEXITY_API_KEY";

/// An API key, and where it was found.
#[derive(Debug, Clone)]
pub struct ApiKey {
    /// The key itself.
    pub secret: Secret,
    /// Where it was found.
    pub origin: Origin,
}

impl ApiKey {
    /// The key in `text`: one word of ASCII. The error describes what is wrong without quoting the text.
    pub fn parse(text: &str) -> std::result::Result<Secret, String> {
        let text = text.trim();
        match text {
            "" => Err("it is empty".to_owned()),
            _ if text.bytes().all(|byte| byte.is_ascii_graphic()) => Ok(Secret::new(text)),
            _ => Err("it holds blanks, line breaks or characters that no key has".to_owned()),
        }
    }

    /// The environment variable, if it is set, whether or not its key is usable.
    pub fn environment_origin(env: &Environment) -> Option<Origin> {
        env.text(VARIABLE).filter(|text| !text.trim().is_empty()).map(|_| Origin::Environment(VARIABLE))
    }

    /// The key to use: that of the environment, else the stored one.
    pub fn find(env: &Environment) -> Result<Option<Self>> {
        let (text, origin) = match env.text(VARIABLE).filter(|text| !text.trim().is_empty()) {
            Some(text) => (text, Origin::Environment(VARIABLE)),
            None => match from_store(env)? {
                Some((key, origin)) => (key.expose().to_owned(), origin),
                None => return Ok(None),
            },
        };
        match Self::parse(&text) {
            Ok(secret) => Ok(Some(Self { secret, origin })),
            Err(reason) => Err(Error::BadKey(origin, reason)),
        }
    }

    /// The key to use; [`Error::NoKey`] where there is none.
    pub fn resolve(env: &Environment) -> Result<Self> {
        Self::find(env)?.ok_or(Error::NoKey)
    }
}

fn from_store(env: &Environment) -> Result<Option<(Secret, Origin)>> {
    let Ok(store) = Store::for_user(env) else { return Ok(None) };
    Ok(store.key()?.map(|key| (key, Origin::Store(store.path().to_owned()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_one_word() {
        assert_eq!(ApiKey::parse(" pplx-abc\n").unwrap().expose(), "pplx-abc");
        for text in ["", " ", "a b", "a\nb", "é"] {
            assert!(ApiKey::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn an_empty_variable_counts_as_unset() {
        for value in ["", "  "] {
            let env = Environment::from_variables(&[("PERPLEXITY_API_KEY", value)]);
            assert!(matches!(ApiKey::resolve(&env), Err(Error::NoKey)));
        }
        let env = Environment::from_variables(&[("PERPLEXITY_API_KEY", "a b")]);
        assert!(matches!(ApiKey::resolve(&env), Err(Error::BadKey(Origin::Environment(VARIABLE), _))));
    }
}
