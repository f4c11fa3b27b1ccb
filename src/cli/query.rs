//! The text of the question: words, standard input, or both.

use crate::config::question;
use crate::domain::request::SearchRequest;
use crate::outcome::failure::Failure;
use crate::terminal::io::Io;

/// No text within the limit is longer than this, in bytes.
const MAX_BYTES: usize = SearchRequest::MAX_QUERY * 4;

/// The words without the habit of another program of this name, whose searches begin with `web`: where that is the
/// first of exactly two and the other is a question, as a quoted one is. True if it was taken away.
pub(super) fn without_web(words: &[String]) -> (&[String], bool) {
    match words {
        [web, question] if web == "web" && question.trim().contains(char::is_whitespace) => {
            (words.get(1..).unwrap_or_default(), true)
        }
        words => (words, false),
    }
}

/// The query of these words. Standard input is read only where a word is `-`: alone it is the query, after others
/// it is appended below a blank line.
pub(super) fn read(words: &[String], io: &mut Io) -> Result<String, Failure> {
    let query = match words {
        [] => return Err(empty("There is no question.")),
        [dash] if dash == "-" => standard_input(io)?,
        [words @ .., dash] if dash == "-" => {
            let input = standard_input(io)?;
            if input.trim().is_empty() { words.join(" ") } else { format!("{}\n\n{input}", words.join(" ")) }
        }
        words => words.join(" "),
    };
    if query.trim().is_empty() { Err(empty("The question is empty.")) } else { Ok(query) }
}

fn standard_input(io: &mut Io) -> Result<String, Failure> {
    let bytes = io.read_all(MAX_BYTES).map_err(|error| {
        Failure::usage(format!("Could not read standard input: {error}."), "pass the question as an argument")
    })?;
    if bytes.len() > MAX_BYTES {
        return Err(question::too_long(&format!("longer than {MAX_BYTES} bytes")).into());
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::usage(
            format!("Standard input is not UTF-8 text (byte {at})."),
            "convert it first, for example with iconv",
        )
    })?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    let text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
    Ok(text.to_owned())
}

fn empty(message: &str) -> Failure {
    Failure::usage(message, "pplx search \"your question\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_is_a_habit_only_before_a_quoted_question() {
        let taken = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let (left, taken) = without_web(&words);
            (left.join("|"), taken)
        };
        assert_eq!(taken(&["web", "who maintains ripgrep"]), ("who maintains ripgrep".to_owned(), true));
        for words in [
            &["web", "components"][..],
            &["web", "a b", "c"],
            &["the", "a b"],
            &["web"],
            &["web", " - "],
            &[],
        ] {
            assert_eq!(taken(words), (words.join("|"), false));
        }
    }
}
