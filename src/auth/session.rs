//! The user's session as requests send it.

use percent_encoding::percent_decode_str;

use super::cookie::{self, CookieJar, SESSION_COOKIE};
use super::secret::Secret;

/// A logged-in session: the token alone, or the cookies of a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    token: Secret,
    cookies: Option<Secret>,
}

impl Session {
    /// A session from a token that may be quoted, follow `Bearer`, be a cookie, or be percent-encoded. The error
    /// describes what is wrong without quoting the text.
    pub fn from_token(text: &str) -> Result<Self, String> {
        let text = unquoted(text.trim());
        let text = strip_word(text, "cookie:");
        let found = cookie::session_token(text);
        let token = found.as_ref().map_or(text, Secret::expose);
        let token = unquoted(strip_word(token, "bearer ").trim());
        Ok(Self { token: Secret::new(validated(token)?), cookies: None })
    }

    /// A session from a browser's cookies: the value of a `Cookie` header.
    pub fn from_cookies(text: &str) -> Result<Self, String> {
        let header = strip_word(unquoted(text.trim()), "cookie:").trim();
        if header.chars().any(char::is_control) {
            return Err("the cookies hold a line break or a control character".to_owned());
        }
        let token = cookie::session_token(header).ok_or_else(|| missing_cookie(header))?;
        let token = Secret::new(validated(token.expose())?);
        Ok(Self { token, cookies: Some(Secret::new(header)) })
    }

    /// The session that these `Set-Cookie` headers put in place of this one, if they do.
    pub fn rotated<'a>(&self, set_cookies: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut jar = CookieJar::default();
        set_cookies.for_each(|cookie| jar.set(cookie));
        self.rotated_by(&jar)
    }

    /// The same for cookies that a jar has collected.
    pub(super) fn rotated_by(&self, jar: &CookieJar) -> Option<Self> {
        let token = cookie::session_token(jar.header()?.expose())?;
        let token = Secret::new(validated(token.expose()).ok()?);
        let cookies = self.cookies.as_ref().map(|cookies| Secret::new(jar.renewed(cookies.expose())));
        (token != self.token).then_some(Self { token, cookies })
    }

    /// The token: the session cookie's value.
    pub fn token(&self) -> &Secret {
        &self.token
    }

    /// The cookies that came with it, if they did.
    pub fn cookies(&self) -> Option<&Secret> {
        self.cookies.as_ref()
    }

    /// The `Cookie` header. The service honours the session cookie only under its full name.
    pub fn cookie_header(&self) -> Secret {
        let session_cookie = || format!("{SESSION_COOKIE}={}", self.token.expose());
        match &self.cookies {
            None => Secret::new(session_cookie()),
            Some(cookies) if cookies.expose().contains(SESSION_COOKIE) => cookies.clone(),
            Some(cookies) => Secret::new(format!("{}; {}", session_cookie(), cookies.expose())),
        }
    }

    /// `text` without the session's secrets.
    pub fn redact(&self, text: &str) -> String {
        let text = self.token.redact(text);
        self.cookies.as_ref().map_or(text.clone(), |cookies| {
            let long_values = cookie::pairs(cookies.expose()).filter(|(_, value)| value.len() >= 8);
            long_values.fold(text, |text, (_, value)| text.replace(value, "[redacted]"))
        })
    }
}

fn missing_cookie(header: &str) -> String {
    if header.contains("session-token.") {
        return format!("a piece of the cookie {SESSION_COOKIE} is missing (they are numbered from .0)");
    }
    format!("the cookie {SESSION_COOKIE} is missing (are you logged in in that browser?)")
}

/// A token as it is sent. The error describes what is wrong with it.
fn validated(token: &str) -> Result<String, String> {
    let token = percent_decode_str(token).decode_utf8().unwrap_or_default();
    let placeholder =
        ["undefined", "null", "(null)", "none", "nil"].iter().any(|word| token.eq_ignore_ascii_case(word));
    if token.is_empty() {
        return Err("it is empty".to_owned());
    }
    if placeholder || (token.starts_with('<') && token.ends_with('>')) {
        return Err("it is a placeholder".to_owned());
    }
    if !token.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"';,\\".contains(&byte)) {
        return Err("it holds blanks, line breaks or characters that no token has".to_owned());
    }
    Ok(token.into_owned())
}

fn unquoted(text: &str) -> &str {
    let inside = |quote| text.strip_prefix(quote).and_then(|text: &str| text.strip_suffix(quote));
    inside('"').or_else(|| inside('\'')).unwrap_or(text)
}

/// `text` without `word` at its start, in upper or lower case.
fn strip_word<'a>(text: &'a str, word: &str) -> &'a str {
    match text.split_at_checked(word.len()) {
        Some((front, rest)) if front.eq_ignore_ascii_case(word) => rest.trim_start(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: &str = "eyJh.eyJz.c2ln-_";

    #[test]
    fn one_token_in_nine_forms() {
        let forms = [
            T.to_owned(),
            format!(" {T}\n"),
            format!("Bearer {T}"),
            format!("bearer  {T}"),
            format!("\"{T}\""),
            format!("'{T}'"),
            format!("__Secure-next-auth.session-token={T}"),
            format!("Cookie: __Secure-next-auth.session-token={T}; Path=/; HttpOnly"),
            T.replace('.', "%2E"),
        ];
        for text in forms {
            assert_eq!(Session::from_token(&text).unwrap().token().expose(), T, "{text}");
        }
    }

    #[test]
    fn what_is_no_token_is_refused() {
        for text in ["", "  ", "undefined", "null", "(null)", "<your token>", "a\nb", "a b", "é"] {
            assert!(Session::from_token(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn cookies_are_sent_as_they_are() {
        let session =
            Session::from_cookies(&format!("Cookie: a=1; {SESSION_COOKIE}={T}; cf_clearance=x=y=")).unwrap();
        assert_eq!(session.cookie_header().expose(), format!("a=1; {SESSION_COOKIE}={T}; cf_clearance=x=y="));
        let plain = Session::from_cookies(&format!("next-auth.session-token={T}")).unwrap();
        assert!(plain.cookie_header().expose().starts_with(&format!("{SESSION_COOKIE}={T}; ")));
        assert!(Session::from_cookies("a=1").is_err());
        assert!(Session::from_cookies(&format!("{SESSION_COOKIE}={T}\r\nX: y")).is_err());
    }

    #[test]
    fn redaction_covers_token_and_cookies() {
        let session =
            Session::from_cookies(&format!("{SESSION_COOKIE}={T}; cf_clearance=CLEARANCE1; a=1")).unwrap();
        assert_eq!(session.redact(&format!("{T} CLEARANCE1 1")), "[redacted] [redacted] 1");
    }
}
