//! Cookie headers, byte for byte: values are never decoded or encoded.

use std::collections::BTreeMap;

use super::secret::Secret;

/// The cookie that holds the session.
pub(super) const SESSION_COOKIE: &str = "__Secure-next-auth.session-token";
/// The name of the same cookie in some captures.
const PLAIN_SESSION_COOKIE: &str = "next-auth.session-token";

/// The names and values of a `Cookie` header, in their order.
pub(super) fn pairs(header: &str) -> impl Iterator<Item = (&str, &str)> {
    header.split(';').filter_map(|pair| pair.split_once('=')).map(|(name, value)| (name.trim(), value.trim()))
}

/// The session's token in a `Cookie` header: one cookie, or pieces named `.0`, `.1` and so on, joined by number.
pub(super) fn session_token(header: &str) -> Option<Secret> {
    [SESSION_COOKIE, PLAIN_SESSION_COOKIE].into_iter().find_map(|name| one_cookie_or_pieces(header, name))
}

fn one_cookie_or_pieces(header: &str, name: &str) -> Option<Secret> {
    let single = pairs(header).find(|(found, value)| *found == name && !value.is_empty());
    if let Some((_, value)) = single {
        return Some(Secret::new(unquoted(value)));
    }
    let pieces: BTreeMap<u32, &str> = pairs(header)
        .filter_map(|(found, value)| {
            Some((found.strip_prefix(name)?.strip_prefix('.')?.parse().ok()?, value))
        })
        .collect();
    let complete = pieces.keys().copied().eq(0..u32::try_from(pieces.len()).ok()?);
    (complete && !pieces.is_empty()).then(|| Secret::new(pieces.into_values().collect::<String>()))
}

/// Whether `suffix` may follow the name of the session cookie: nothing, or `.` and the number of a piece.
fn is_piece_suffix(suffix: &str) -> bool {
    suffix.is_empty()
        || suffix.strip_prefix('.').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn unquoted(value: &str) -> &str {
    value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value)
}

/// The cookies that a service has set, sent back with each request. All requests go to one host, so only names and
/// values matter.
#[derive(Debug, Default)]
pub(super) struct CookieJar {
    cookies: Vec<(String, Secret)>,
}

impl CookieJar {
    /// Takes the value of a `Set-Cookie` header. An empty value, or `Max-Age=0`, removes the cookie.
    pub(super) fn set(&mut self, set_cookie: &str) {
        let (pair, attributes) = set_cookie.split_once(';').unwrap_or((set_cookie, ""));
        let Some((name, value)) = pair.split_once('=') else { return };
        let (name, value) = (name.trim(), value.trim());
        self.cookies.retain(|(known, _)| known != name);
        let expired =
            attributes.split(';').any(|attribute| attribute.trim().eq_ignore_ascii_case("max-age=0"));
        if !value.is_empty() && !expired {
            self.cookies.push((name.to_owned(), Secret::new(value)));
        }
    }

    /// `header` with newer values from this jar, and with the jar's session in place of its own. Other cookies that
    /// only the jar has are not added.
    pub(super) fn renewed(&self, header: &str) -> String {
        let is_session = |name: &str| {
            [SESSION_COOKIE, PLAIN_SESSION_COOKIE]
                .iter()
                .any(|known| name.strip_prefix(known).is_some_and(is_piece_suffix))
        };
        let kept = pairs(header).filter(|(name, _)| !is_session(name)).map(|(name, value)| {
            let newer = self.cookies.iter().find(|(known, _)| known == name);
            format!("{name}={}", newer.map_or(value, |(_, newer)| newer.expose()))
        });
        let session = self.cookies.iter().filter(|(name, _)| is_session(name));
        let session = session.map(|(name, value)| format!("{name}={}", value.expose()));
        kept.chain(session).collect::<Vec<_>>().join("; ")
    }

    /// The `Cookie` header for the next request; `None` while there are no cookies.
    pub(super) fn header(&self) -> Option<Secret> {
        let pairs: Vec<_> =
            self.cookies.iter().map(|(name, value)| format!("{name}={}", value.expose())).collect();
        (!pairs.is_empty()).then(|| Secret::new(pairs.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(header: &str) -> Option<String> {
        session_token(header).map(|token| token.expose().to_owned())
    }

    #[test]
    fn the_session_is_one_cookie_or_numbered_pieces() {
        assert_eq!(token("a=1; __Secure-next-auth.session-token=T=; b=2").as_deref(), Some("T="));
        let pieces = "__Secure-next-auth.session-token.1=B; x=y; __Secure-next-auth.session-token.0=A";
        assert_eq!(token(pieces).as_deref(), Some("AB"));
        assert_eq!(token("__Secure-next-auth.session-token.1=B"), None, "a piece is missing");
        assert_eq!(token("next-auth.session-token=T").as_deref(), Some("T"));
        assert_eq!(token("session-token=T; next-auth.csrf-token=c"), None);
    }

    #[test]
    fn a_jar_renews_the_session_and_what_came_with_it() {
        let mut jar = CookieJar::default();
        jar.set("__Secure-next-auth.session-token.0=NEW; Path=/");
        jar.set("__cf_bm=newer; Path=/");
        jar.set("stranger=x; Path=/");
        let before = "a=1; __Secure-next-auth.session-token=OLD; __cf_bm=old";
        assert_eq!(jar.renewed(before), "a=1; __cf_bm=newer; __Secure-next-auth.session-token.0=NEW");
    }

    #[test]
    fn a_jar_returns_what_it_got() {
        let mut jar = CookieJar::default();
        assert!(jar.header().is_none());
        for cookie in
            ["a=c0ffee%7Cabc; Path=/; Secure", "b=2", "a=new; HttpOnly", "b=; Max-Age=0", "c=3; Max-Age=0"]
        {
            jar.set(cookie);
        }
        assert_eq!(jar.header().unwrap().expose(), "a=new");
    }
}
