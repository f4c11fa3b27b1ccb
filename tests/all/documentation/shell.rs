//! The commands in a piece of shell, as far as the documentation needs it.

use std::iter::Peekable;
use std::str::Chars;

/// The arguments of each `pplx` in `script`: called by its name, by cargo, or in its container.
pub fn arguments(script: &str) -> Vec<Vec<String>> {
    commands(script).into_iter().filter_map(arguments_of).collect()
}

fn arguments_of(command: Vec<String>) -> Option<Vec<String>> {
    let is_assignment = |word: &String| {
        let name = word.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| {
            !name.is_empty() && name.bytes().all(|c| c == b'_' || c.is_ascii_alphanumeric())
        })
    };
    let is_keyword = |word: &String| ["if", "then", "else", "do", "while", "!"].contains(&word.as_str());
    let mut words = command.into_iter().skip_while(|word| is_assignment(word) || is_keyword(word));
    match (words.next()?.as_str(), words.clone().next().as_deref()) {
        ("pplx", _) => {}
        ("cargo", Some("run")) => drop(words.find(|word| word == "--")?),
        ("docker", Some("run")) => drop(words.find(|word| word == "pplx")?),
        _ => return None,
    }
    Some(words.collect())
}

/// The words of each simple command. Comments and redirections are left out; the commands in a substitution are
/// commands of their own.
fn commands(script: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut redirects = false;
    let mut rest = script.chars().peekable();
    loop {
        let letter = rest.next();
        if letter.is_none_or(|letter| letter.is_whitespace() || ";|&()<>".contains(letter)) {
            let ended = word.take();
            // What is redirected to is no argument.
            if !(ended.is_some() && std::mem::take(&mut redirects)) {
                commands.last_mut().unwrap().extend(ended);
            }
        }
        match letter {
            None => return commands,
            Some('\n' | ';' | '|' | '&' | '(' | ')') => {
                redirects = false;
                commands.push(Vec::new());
            }
            Some('<' | '>') => redirects = true,
            Some('#') if word.is_none() => while rest.next_if(|letter| *letter != '\n').is_some() {},
            Some(quote @ ('"' | '\'')) => word.get_or_insert_default().push_str(&quoted(quote, &mut rest)),
            Some(letter) if !letter.is_whitespace() => word.get_or_insert_default().push(letter),
            Some(_) => {}
        }
    }
}

fn quoted(quote: char, rest: &mut Peekable<Chars<'_>>) -> String {
    let mut text = String::new();
    loop {
        match rest.next().unwrap() {
            end if end == quote => return text,
            '\\' if quote == '"' && rest.peek() == Some(&'"') => text.extend(rest.next()),
            letter => text.push(letter),
        }
    }
}

#[test]
fn commands_are_found_wherever_they_stand_and_nothing_else() {
    for (script, expected) in [
        ("pplx login", &[&["login"][..]][..]),
        (
            "A=1 B='x y' pplx login --email a@b.example < token.txt  # a comment",
            &[&["login", "--email", "a@b.example"]],
        ),
        (
            "answer=$(pplx search -f answer \"a \\\"b\\\" c\") || exit",
            &[&["search", "-f", "answer", "a \"b\" c"]],
        ),
        ("git diff | pplx search \"what # is | this?\" - > out.md", &[&["search", "what # is | this?", "-"]]),
        ("source <(pplx completions bash)", &[&["completions", "bash"]]),
        ("if [ $? -eq 5 ]; then sleep 1 && pplx a; fi\npplx b", &[&["a"], &["b"]]),
        ("cargo run --release -- search q", &[&["search", "q"]]),
        ("docker run --rm -v pplx:/home/pplx pplx login", &[&["login"]]),
        ("docker build -t pplx .\nopen pplx\n# pplx x", &[]),
    ] {
        assert_eq!(arguments(script), expected, "{script}");
    }
}
