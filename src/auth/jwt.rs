//! The expiry of a token, read from the token itself.

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::{Map, Value};

/// How long before its expiry a token is no longer used, in milliseconds.
const EXPIRY_MARGIN: i64 = 5 * 60 * 1000;
/// The lifetime that is assumed for a JWT that cannot be decoded, in milliseconds.
const UNREADABLE_LIFETIME: i64 = 60 * 60 * 1000;
/// An `exp` from this value on is in milliseconds: in seconds it would be in the year 5138.
const MIN_MILLISECONDS: f64 = 1e11;
/// The largest date that other readers of `auth.json` can hold (a JavaScript `Date`), in milliseconds.
const MAX_DATE: f64 = 8.64e15;

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// When `token` should no longer be used, in Unix milliseconds; `None` when only the server knows.
///
/// A JWT names it in `exp`, in seconds, also as a fraction or a string. One that cannot be decoded gets an hour from
/// `acquired` (Unix milliseconds). Encrypted tokens (five parts), opaque ones and those without `exp` have none.
pub fn expiry(token: &str, acquired: i64) -> Option<i64> {
    let parts: Vec<&str> = token.split('.').collect();
    let (payload, is_jwt) = match parts.as_slice() {
        [_, payload, _] => (payload, true),
        [_, payload] => (payload, false),
        _ => return None,
    };
    match claims(payload) {
        Some(claims) => claims.get("exp").and_then(seconds).map(|exp| to_milliseconds(exp) - EXPIRY_MARGIN),
        None => is_jwt.then_some(acquired + UNREADABLE_LIFETIME),
    }
}

/// Whether `token` is encrypted. An expiry stored beside such a token was a guess.
pub fn is_encrypted(token: &str) -> bool {
    token.split('.').count() == 5
}

fn claims(payload: &str) -> Option<Map<String, Value>> {
    serde_json::from_slice(&LENIENT.decode(payload).ok()?).ok()
}

fn seconds(exp: &Value) -> Option<f64> {
    let number = exp.as_f64().or_else(|| exp.as_str()?.trim().parse().ok());
    number.filter(|number| number.is_finite())
}

#[expect(clippy::cast_possible_truncation, reason = "clamped to the range of dates")]
fn to_milliseconds(exp: f64) -> i64 {
    let milliseconds = if exp >= MIN_MILLISECONDS { exp } else { exp.trunc() * 1000.0 };
    milliseconds.clamp(-MAX_DATE, MAX_DATE) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    const NOW: i64 = 1_800_000_000_000;

    fn jwt(payload: &str) -> String {
        format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(payload))
    }

    #[test]
    fn exp_in_every_notation_less_five_minutes() {
        for payload in [
            r#"{"exp":4102444800}"#,
            r#"{"exp":4102444800.75}"#,
            r#"{"exp":4.1024448e9}"#,
            r#"{"exp":"4102444800"}"#,
            r#"{"exp":4102444800000}"#,
            r#"{"n":"ï¿¾?ÿ>","exp":4102444800}"#,
        ] {
            assert_eq!(expiry(&jwt(payload), NOW), Some(4_102_444_500_000), "{payload}");
        }
        assert_eq!(
            expiry("e30.eyJleHAiOjQxMDI0NDQ4MDAgfQ==.c2ln", NOW),
            Some(4_102_444_500_000),
            "padding kept"
        );
        assert_eq!(expiry("e30.eyJleHAiOjQxMDI0NDQ4MDB9", NOW), Some(4_102_444_500_000), "two parts");
    }

    #[test]
    fn without_a_usable_exp_only_the_server_knows() {
        for payload in [r#"{"sub":"u"}"#, r#"{"exp":null}"#, r#"{"exp":"soon"}"#, r#"{"exp":[1]}"#] {
            assert_eq!(expiry(&jwt(payload), NOW), None, "{payload}");
        }
        assert_eq!(expiry("opaque-0000", NOW), None);
        assert_eq!(expiry("e30..aXY.Y2lwaGVy.dGFn", NOW), None, "encrypted");
        assert!(is_encrypted("e30..aXY.Y2lwaGVy.dGFn") && !is_encrypted("a.b.c"));
    }

    #[test]
    fn a_jwt_that_cannot_be_decoded_gets_an_hour() {
        let not_utf8 = format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(b"{\"n\":\"\xFF\",\"exp\":4102444800}"));
        for token in [jwt("[1,2]"), jwt("{"), "e30.@@@@.c2ln".to_owned(), "e30..c2ln".to_owned(), not_utf8] {
            assert_eq!(expiry(&token, NOW), Some(NOW + 3_600_000), "{token}");
        }
    }

    #[test]
    fn extreme_values_neither_overflow_nor_panic() {
        assert_eq!(expiry(&jwt(r#"{"exp":1e300}"#), NOW), Some(8_640_000_000_000_000 - EXPIRY_MARGIN));
        assert!(expiry(&jwt(r#"{"exp":-5}"#), NOW).is_some_and(|expires| expires < NOW));
    }
}
