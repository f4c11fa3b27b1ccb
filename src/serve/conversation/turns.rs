//! The conversation that a client sends, in whichever interface, and how it is folded into one question: the service has
//! neither roles nor a place for instructions.

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::domain::request::SearchRequest;
use crate::serve::api_error::ApiError;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    User,
    Assistant,
    /// The client, with the result of a function call.
    Tool,
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Turn {
    pub(crate) role: Role,
    pub(crate) text: String,
}

/// A file that a message names, not fetched or decoded yet.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum FileReference {
    /// An image's address: a data URL, or a public one.
    Image { url: String },
    /// A file that was stored before.
    Stored { id: String },
    /// Bytes in Base64, bare or as a data URL.
    Data { data: String, name: Option<String> },
    /// A file's public address.
    Address { url: String },
}

impl FileReference {
    /// Whether it holds the file itself.
    pub(crate) fn is_data(&self) -> bool {
        match self {
            Self::Data { .. } => true,
            Self::Image { url } => is_data_url(url),
            Self::Stored { .. } | Self::Address { .. } => false,
        }
    }
}

/// Whether an address is a `data:` URL, which holds the content itself.
pub(crate) fn is_data_url(url: &str) -> bool {
    url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// All messages of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Conversation {
    /// Instructions, in their order.
    pub(crate) system: Vec<String>,
    pub(crate) turns: Vec<Turn>,
    /// The files of all turns, in their order.
    pub(crate) files: Vec<FileReference>,
    /// How many of them came with turns before the last.
    old_files: usize,
}

/// A conversation, folded into one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SingleQuestion {
    pub(crate) system: Option<String>,
    pub(crate) query: String,
}

impl Conversation {
    /// Adds a turn. Of several answers in a row only the last one stays: the others are branches that the user
    /// abandoned. Blank answers are skipped.
    pub(crate) fn add(&mut self, role: Role, text: String) {
        if role == Role::Assistant {
            if text.trim().is_empty() {
                return;
            }
            if let Some(Turn { role: Role::Assistant, text: last }) = self.turns.last_mut() {
                *last = text;
                return;
            }
        }
        self.turns.push(Turn { role, text });
    }

    /// Adds a turn with its files. All files before it are those of earlier turns now.
    pub(crate) fn add_with_files(&mut self, role: Role, text: String, files: Vec<FileReference>) {
        self.old_files = self.files.len();
        self.files.extend(files);
        self.add(role, text);
    }

    /// The files of the turns before the last, and those of the last.
    pub(crate) fn split_files(&self) -> (&[FileReference], &[FileReference]) {
        self.files.split_at_checked(self.old_files).unwrap_or((&self.files, &[]))
    }

    /// A conversation that goes on after these turns.
    pub(crate) fn continued(system: Vec<String>, turns: Vec<Turn>, files: Vec<FileReference>) -> Self {
        Self { old_files: files.len(), system, turns, files }
    }

    /// Adds a call that the model made, to the text that came with it.
    pub(crate) fn add_call(&mut self, text: String) {
        match self.turns.last_mut() {
            Some(Turn { role: Role::Assistant, text: last }) => {
                last.push('\n');
                last.push_str(&text);
            }
            _ => self.turns.push(Turn { role: Role::Assistant, text }),
        }
    }

    /// Checks that there is a question at the end; `param` is the field that it came in.
    pub(crate) fn check(&self, param: &str) -> Result<(), ApiError> {
        if !self.turns.iter().any(|turn| turn.role == Role::User) {
            return Err(ApiError::invalid(param, format!("'{param}' must hold a message of the role user.")));
        }
        match self.turns.last() {
            Some(Turn { role: Role::Assistant, .. }) => Err(ApiError::invalid(
                param,
                format!("The last message in '{param}' must be of the role user or tool."),
            )),
            Some(Turn { role: Role::User, text })
                if text.trim().is_empty() && self.split_files().1.is_empty() =>
            {
                Err(ApiError::invalid(param, "The last user message is blank."))
            }
            _ => Ok(()),
        }
    }

    /// The turns before the question, and the question.
    pub(crate) fn split_question(&self) -> (&[Turn], &str) {
        match self.turns.split_last() {
            Some((Turn { role: Role::Tool, .. }, _)) => {
                (&self.turns, "Go on with the last question, using what was returned.")
            }
            Some((last, before)) if last.text.trim().is_empty() => (before, "What is in the attached file?"),
            Some((last, before)) => (before, &last.text),
            None => (&[], ""),
        }
    }

    /// The whole conversation as one question, for where no thread knows the earlier turns.
    pub(crate) fn as_single_question(&self) -> SingleQuestion {
        let (before, question) = self.split_question();
        SingleQuestion { system: self.instructions(), query: fold(before, question) }
    }

    /// All instructions as one text.
    pub(crate) fn instructions(&self) -> Option<String> {
        let texts: Vec<&str> =
            self.system.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
        (!texts.is_empty()).then(|| texts.join("\n\n"))
    }
}

fn fold(before: &[Turn], question: &str) -> String {
    if before.is_empty() {
        return question.to_owned();
    }
    let mut text = String::from("The conversation so far:\n\n");
    for turn in before {
        text.push_str(match turn.role {
            Role::User => "User: ",
            Role::Assistant => "Assistant: ",
            Role::Tool => "Returned: ",
        });
        text.push_str(turn.text.trim());
        text.push_str("\n\n");
    }
    text.push_str("The question now:\n\n");
    text.push_str(question);
    text
}

/// Checks the length of the query as it is sent.
pub(crate) fn check_length(request: &SearchRequest, param: &str) -> Result<(), ApiError> {
    let length = request.effective_query().chars().count();
    if length <= SearchRequest::MAX_QUERY {
        return Ok(());
    }
    let message = format!(
        "The conversation has {length} characters with its instructions; the service takes {}.",
        SearchRequest::MAX_QUERY
    );
    Err(ApiError::with_status(StatusCode::BAD_REQUEST, "context_length_exceeded", message).with_param(param))
}

/// Joins the texts of a message's parts. Two that have no white space between them stand on lines of their own.
pub(crate) fn join_parts<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for part in parts {
        let touches =
            text.ends_with(|c: char| !c.is_whitespace()) && part.starts_with(|c: char| !c.is_whitespace());
        if touches {
            text.push('\n');
        }
        text.push_str(part);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation(turns: &[(Role, &str)]) -> Conversation {
        let mut conversation = Conversation::default();
        for (role, text) in turns {
            conversation.add(*role, (*text).to_owned());
        }
        conversation
    }

    #[test]
    fn one_question_is_sent_as_it_is() {
        assert_eq!(conversation(&[(Role::User, " why? ")]).as_single_question().query, " why? ");
    }

    #[test]
    fn a_conversation_is_told_in_its_order() {
        let as_single_question =
            conversation(&[(Role::User, "a?"), (Role::Assistant, "b."), (Role::User, "c?")])
                .as_single_question();
        let places: Vec<_> = ["User: a?", "Assistant: b.", "c?"]
            .iter()
            .map(|part| as_single_question.query.find(part))
            .collect();
        assert!(places.is_sorted() && places.iter().all(Option::is_some), "{}", as_single_question.query);
        assert!(as_single_question.query.ends_with("c?"));
    }

    #[test]
    fn of_answers_in_a_row_the_last_stands_and_blank_ones_are_none() {
        let turns =
            [(Role::User, "a"), (Role::Assistant, "b"), (Role::Assistant, "c"), (Role::Assistant, " ")];
        let conversation = conversation(&turns);
        assert_eq!(conversation.turns.last().unwrap().text, "c");
        assert_eq!(conversation.turns.len(), 2);
    }

    #[test]
    fn a_question_is_needed_at_the_end() {
        for bad in [
            &[][..],
            &[(Role::Assistant, "x")],
            &[(Role::User, " ")],
            &[(Role::User, "x"), (Role::Assistant, "y")],
            &[(Role::Tool, "x")],
        ] {
            assert!(conversation(bad).check("messages").is_err(), "{bad:?}");
        }
        assert!(conversation(&[(Role::User, "x"), (Role::Tool, "y")]).check("messages").is_ok());
    }

    #[test]
    fn parts_meet_with_white_space_between_them() {
        assert_eq!(join_parts(["First ", "question?"].into_iter()), "First question?");
        assert_eq!(join_parts(["Say", "hello"].into_iter()), "Say\nhello");
        assert_eq!(join_parts(["", "a", "", "b"].into_iter()), "a\nb");
    }
}
