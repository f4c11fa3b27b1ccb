//! The words and marks of a source file, without what names nothing: comments, literals, and code for tests alone.

/// A word or a mark, and its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    pub text: &'a str,
    pub line: usize,
}

/// The tokens of the code that is built into the program.
pub fn program_tokens(source: &str) -> Vec<Token<'_>> {
    without_tests(&paths_in_attributes(tokens(source)))
}

/// All tokens. `::` is one; a text literal is one, with its quotes.
fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (source, 1);
    while !rest.is_empty() {
        let length = length_of_first(rest);
        let (text, after) = rest.split_at(length);
        let is_nothing = text.trim().is_empty() || text.starts_with("//") || text.starts_with("/*");
        if !is_nothing {
            tokens.push(Token { text, line });
        }
        line += text.matches('\n').count();
        rest = after;
    }
    tokens
}

fn length_of_first(rest: &str) -> usize {
    let first = rest.chars().next().unwrap();
    let word = rest.find(|c: char| !is_of_word(c)).unwrap_or(rest.len());
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return length_of_comment(rest);
    }
    if let Some(length) = length_of_text(rest, word) {
        return length;
    }
    match first {
        '\'' => length_of_quoted(rest),
        _ if word > 0 => word,
        ':' if rest.starts_with("::") => 2,
        _ => first.len_utf8(),
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Block comments nest.
fn length_of_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let pair = rest.get(at..at + 2).unwrap_or_default();
        match pair {
            "/*" => depth += 1,
            "*/" => depth -= 1,
            _ => {
                at += rest[at..].chars().next().unwrap().len_utf8();
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// A text literal, with the letters before it (`r`, `b`, `br`, …), which are `word` bytes long.
fn length_of_text(rest: &str, word: usize) -> Option<usize> {
    let (prefix, after) = rest.split_at(word);
    if !["", "r", "b", "br", "c", "cr"].contains(&prefix) {
        return None;
    }
    let hashes = after.len() - after.trim_start_matches('#').len();
    let inner = after[hashes..].strip_prefix('"')?;
    let start = word + hashes + 1;
    if prefix.ends_with('r') {
        let end = format!("\"{}", "#".repeat(hashes));
        return Some(inner.find(&end).map_or(rest.len(), |at| start + at + end.len()));
    }
    (hashes == 0).then(|| start + length_to_quote(inner, '"'))
}

/// Up to and with the quote that no backslash stands before.
fn length_to_quote(inner: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in inner.char_indices() {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    inner.len()
}

/// A character, or a lifetime's mark.
fn length_of_quoted(rest: &str) -> usize {
    let inner = &rest[1..];
    let mut characters = inner.chars();
    let (first, second) = (characters.next(), characters.next());
    if first == Some('\\') || second == Some('\'') { 1 + length_to_quote(inner, '\'') } else { 1 }
}

/// `#[serde(with = "super::name")]` names a path in a text.
fn paths_in_attributes(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let mut result = Vec::new();
    let mut ends = 0;
    for (at, token) in tokens.iter().enumerate() {
        if matches(&tokens[at..], &["#", "[", "serde", "("]) {
            ends = at + 1 + length_of_group(&tokens[at + 1..]);
        }
        let path = token.text.trim_matches('"');
        let is_path = at < ends
            && token.text.starts_with('"')
            && path.contains("::")
            && path.chars().all(|c| is_of_word(c) || c == ':');
        if is_path {
            result.extend(self::tokens(path).iter().map(|part| Token { text: part.text, line: token.line }));
        } else {
            result.push(*token);
        }
    }
    result
}

/// Whether the tokens begin with these texts.
pub fn matches(tokens: &[Token<'_>], texts: &[&str]) -> bool {
    tokens.len() >= texts.len() && tokens.iter().zip(texts).all(|(token, text)| token.text == *text)
}

/// How many tokens stand from the bracket at the beginning to the one that closes it.
fn length_of_group(tokens: &[Token<'_>]) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

fn without_tests<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let rest = &tokens[at..];
        let attribute = length_of_attribute(rest);
        if attribute > 0 && is_for_tests(&rest[..attribute]) {
            // `#![cfg(test)]` speaks of all that is around it.
            let inner = rest[1].text == "!";
            at += if inner { length_to_end(rest) } else { attribute + length_of_item(&rest[attribute..]) };
        } else {
            kept.push(rest[0]);
            at += 1;
        }
    }
    kept
}

/// The length of the attribute that the tokens begin with; none is 0.
fn length_of_attribute(tokens: &[Token<'_>]) -> usize {
    let start = match tokens {
        [hash, mark, bracket, ..] if (hash.text, mark.text, bracket.text) == ("#", "!", "[") => 2,
        [hash, bracket, ..] if (hash.text, bracket.text) == ("#", "[") => 1,
        _ => return 0,
    };
    start + length_of_group(&tokens[start..])
}

/// `cfg(test)`, or `cfg(all(…))` with `test` among its conditions.
fn is_for_tests(attribute: &[Token<'_>]) -> bool {
    let start = attribute.iter().position(|token| token.text == "cfg").unwrap_or(attribute.len());
    let condition = &attribute[start..];
    if matches(condition, &["cfg", "(", "test", ")"]) {
        return true;
    }
    let mut depth = 0;
    matches(condition, &["cfg", "(", "all", "("])
        && condition.iter().any(|token| {
            match token.text {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            depth == 2 && token.text == "test"
        })
}

/// The length of an item with the attributes before it: to its block's end, its semicolon, or its comma.
fn length_of_item(tokens: &[Token<'_>]) -> usize {
    let mut at = 0;
    while length_of_attribute(&tokens[at..]) > 0 {
        at += length_of_attribute(&tokens[at..]);
    }
    let word = tokens[at..].iter().find(|token| token.text != "pub").map_or("", |token| token.text);
    let ends_with_semicolon = ["use", "const", "static", "type", "let"].contains(&word);
    let is_item = ["fn", "mod", "impl", "struct", "enum", "trait", "unsafe", "async", "extern", "("];
    let has_block = is_item.contains(&word) || word == "macro_rules";
    while at < tokens.len() {
        match tokens[at].text {
            ";" => return at + 1,
            "," if !has_block && !ends_with_semicolon => return at + 1,
            "}" => return at,
            "{" if !ends_with_semicolon => return at + length_of_group(&tokens[at..]),
            "(" | "[" | "{" => at += length_of_group(&tokens[at..]),
            _ => at += 1,
        }
    }
    at
}

/// The length up to the bracket that closes what is around these tokens.
fn length_to_end(tokens: &[Token<'_>]) -> usize {
    let mut at = 0;
    while at < tokens.len() && tokens[at].text != "}" {
        at += if tokens[at].text == "{" { length_of_group(&tokens[at..]) } else { 1 };
    }
    at
}
