//! A session pasted from a browser: a request copied as cURL, a `Cookie` header, or the bare value of the session
//! cookie.

use super::session::Session;
use crate::domain::error::{Error, Result};

/// Reads what was pasted. The error explains what is missing.
pub fn session(paste: &str) -> Result<Session> {
    let text = paste.trim().trim_start_matches('\u{FEFF}');
    if text.is_empty() {
        return Err(paste_error("Nothing was pasted"));
    }
    let parsed = if is_curl(text) {
        Session::from_cookies(&cookies_from_curl(text)?)
    } else if let Some(header) = cookie_line(text) {
        Session::from_cookies(header)
    } else if text.contains("session-token") || text.contains(';') {
        Session::from_cookies(text)
    } else {
        Session::from_token(text)
    };
    parsed.map_err(|reason| paste_error(&format!("What was pasted holds no session: {reason}")))
}

fn paste_error(reason: &str) -> Error {
    Error::Paste(reason.to_owned())
}

fn is_curl(text: &str) -> bool {
    text.split_whitespace().next().is_some_and(|word| word == "curl" || word == "curl.exe")
}

/// The value of a `cookie:` line among copied request headers; some browsers copy name and value as two lines.
fn cookie_line(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if line.eq_ignore_ascii_case("cookie") || line.eq_ignore_ascii_case("cookie:") {
            return lines.next();
        }
        if let Some(value) = header_value(line) {
            return Some(value);
        }
    }
    None
}

fn header_value(header: &str) -> Option<&str> {
    let (name, value) = header.split_once(':')?;
    name.trim().eq_ignore_ascii_case("cookie").then(|| value.trim())
}

/// The cookies of a cURL command, from `-H 'cookie: …'` or `-b`. Other arguments, such as the body, are skipped.
fn cookies_from_curl(command: &str) -> Result<String> {
    let words =
        if command.contains("^\"") { split_words(&without_carets(command)) } else { split_words(command) }?;
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let (option, value) = match word.split_once('=') {
            Some((option @ ("--header" | "--cookie"), value)) => (option.to_owned(), Some(value.to_owned())),
            _ => match word.split_at_checked(2) {
                Some((option @ ("-H" | "-b"), value)) if !value.is_empty() => {
                    (option.to_owned(), Some(value.to_owned()))
                }
                _ => (word, None),
            },
        };
        if !matches!(
            option.as_str(),
            "-H" | "--header" | "-b" | "--cookie" | "-d" | "--data" | "--data-raw" | "--data-binary"
        ) {
            continue;
        }
        let Some(value) = value.or_else(|| words.next()) else { break };
        match option.as_str() {
            "-b" | "--cookie" => return Ok(value),
            "-H" | "--header" => {
                if let Some(cookies) = header_value(&value) {
                    return Ok(cookies.to_owned());
                }
            }
            _ => {}
        }
    }
    Err(paste_error(
        "The copied command sends no cookies: copy a request to www.perplexity.ai from a browser that is logged in",
    ))
}

/// Undoes the quoting of the Windows command prompt: a caret before any character, and at the end of a line.
fn without_carets(command: &str) -> String {
    let mut plain = String::with_capacity(command.len());
    let mut characters = command.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '^' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            Some('\r') => {
                characters.next_if_eq(&'\n');
                plain.push(' ');
            }
            Some('\n') | None => plain.push(' '),
            Some(escaped) => plain.push(escaped),
        }
    }
    plain
}

/// Splits a command as a shell does: blanks, `'…'`, `"…"`, `$'…'`, and a backslash outside of quotes.
fn split_words(command: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = command.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            ' ' | '\t' | '\r' | '\n' => words.extend(word.take()),
            '\'' => {
                copy_until_quote(&mut rest, '\'', word.get_or_insert_default(), |_, _, out| out.push('\\'))?;
            }
            '"' => copy_until_quote(&mut rest, '"', word.get_or_insert_default(), double_quote_escape)?,
            '$' if rest.next_if_eq(&'\'').is_some() => {
                copy_until_quote(&mut rest, '\'', word.get_or_insert_default(), ansi_c_escape)?;
            }
            // At the end of a line, a backslash or a caret continues the command.
            '\\' | '^' if matches!(rest.peek(), Some('\r' | '\n')) => {}
            '\\' => word.get_or_insert_default().extend(rest.next()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

type Characters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Copies up to the closing quote; `escape` handles what follows a backslash. Inside single quotes a backslash is
/// a character like any other.
fn copy_until_quote(
    rest: &mut Characters<'_>,
    quote: char,
    out: &mut String,
    escape: fn(&mut Characters<'_>, char, &mut String),
) -> Result<()> {
    while let Some(character) = rest.next() {
        match character {
            '\\' => escape(rest, quote, out),
            character if character == quote => return Ok(()),
            other => out.push(other),
        }
    }
    Err(paste_error("The copied command ends inside quotes: was it cut off on the way"))
}

fn double_quote_escape(rest: &mut Characters<'_>, _: char, out: &mut String) {
    match rest.next_if(|next| matches!(next, '"' | '\\' | '$' | '`' | '\n')) {
        Some('\n') => {}
        Some(escaped) => out.push(escaped),
        None => out.push('\\'),
    }
}

fn ansi_c_escape(rest: &mut Characters<'_>, _: char, out: &mut String) {
    let Some(escape) = rest.next() else { return };
    match escape {
        'n' => out.push('\n'),
        't' => out.push('\t'),
        'r' => out.push('\r'),
        'x' => push_code_point(out, rest, 2, 16),
        'u' => push_code_point(out, rest, 4, 16),
        'U' => push_code_point(out, rest, 8, 16),
        other => out.push(other),
    }
}

fn push_code_point(out: &mut String, rest: &mut Characters<'_>, max_digits: usize, radix: u32) {
    let mut code = 0;
    for _ in 0..max_digits {
        let Some(digit) = rest.next_if(|next| next.is_digit(radix)).and_then(|digit| digit.to_digit(radix))
        else {
            break;
        };
        code = code * radix + digit;
    }
    out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
}

#[cfg(test)]
mod tests {
    use super::*;

    const COOKIES: &str =
        "pplx.flag=a!b'c; __Secure-next-auth.session-token=eyJh.eyJz.c2ln; cf_clearance=x=y=; theme=\"dark\"";

    fn cookies(paste: &str) -> String {
        session(paste).unwrap().cookies().unwrap().expose().to_owned()
    }

    #[test]
    fn curl_for_bash_in_all_its_quotes() {
        let body = r#"--data-raw $'{"query_str":"it\'s -b fake=1 \u0021"}'"#;
        let ansi = COOKIES.replace('!', "\\u0021").replace('\'', "\\'").replace('"', "\\\"");
        assert_eq!(
            cookies(&format!("curl 'https://x.example' \\\n  {body} \\\n  -H $'Cookie: {ansi}'")),
            COOKIES
        );
        let single = COOKIES.replace('\'', "'\\''");
        assert_eq!(cookies(&format!("curl 'https://x.example' -b '{single}' --compressed")), COOKIES);
        let double = COOKIES.replace('"', "\\\"");
        assert_eq!(cookies(&format!("curl --header=\"cookie: {double}\" https://x.example")), COOKIES);
    }

    #[test]
    fn curl_for_the_windows_prompt() {
        let caret = COOKIES.replace('"', "^\\^\"").replace('!', "^!");
        let paste = format!(
            "curl ^\"https://x.example^\" ^\r\n  -H ^\"accept: */*^\" ^\r\n  -b ^\"{caret}^\" ^\r\n  -d ^\"x^\""
        );
        assert_eq!(cookies(&paste), COOKIES);
    }

    #[test]
    fn headers_and_bare_values() {
        assert_eq!(cookies(&format!("Cookie: {COOKIES}")), COOKIES);
        assert_eq!(cookies(&format!("accept: */*\ncookie: {COOKIES}\nhost: x")), COOKIES);
        assert_eq!(cookies(&format!("accept\n*/*\ncookie\n{COOKIES}\n")), COOKIES);
        assert_eq!(cookies(COOKIES), COOKIES);
        assert_eq!(session(" eyJh.eyJz.c2ln\n").unwrap().token().expose(), "eyJh.eyJz.c2ln");
    }

    #[test]
    fn what_is_missing_is_explained() {
        for (paste, reason) in [
            ("", "Nothing was pasted"),
            ("curl 'https://x.example' -H 'accept: */*'", "sends no cookies"),
            ("curl 'https://x.example' -H 'cookie: a=1", "cut off"),
            ("a=1; b=2", "__Secure-next-auth.session-token is missing"),
            ("__Secure-next-auth.session-token.1=x; a=1", "a piece"),
        ] {
            let message = session(paste).unwrap_err().to_string();
            assert!(message.contains(reason), "{message}");
        }
    }
}
