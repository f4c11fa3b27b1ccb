//! The one place where an error becomes a message, a hint and an exit code.

use std::io;

use super::exit_codes::EXIT_CODES;
use crate::domain::error::{ApiRefusal, Cut, Error, Why};
use crate::domain::origin::Origin;
use crate::render::Problem;
use crate::render::text::one_line;
use crate::terminal::signals::Signal;

/// How a command ends when it does not succeed.
#[derive(Debug)]
pub enum Failure {
    /// An error of the search, the session, the service, or of what was asked for.
    Library(Error),
    /// The result cannot be written.
    Output(io::Error),
    /// The answer was printed, and could not be copied or a source not opened.
    HandOn(String),
    /// A signal ended the run.
    Signal(Signal),
    /// A signal ended a question to the official API.
    Aborted(Signal),
    /// The command has reported the failure itself; this is the exit code.
    Silent(u8),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl From<io::Error> for Failure {
    /// Commands write results with `?`; reading and storing have errors of their own.
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl Failure {
    /// Something that cannot be done as it is asked for, and what to do instead.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Library(Error::usage(message, hint))
    }

    /// Whether the reader of standard output has left, which is no failure: it has what it wanted.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The code of the process: a row of [`EXIT_CODES`], or 129 for a hang-up.
    pub fn exit_code(&self) -> u8 {
        match self {
            _ if self.is_closed_pipe() => 0,
            Self::Library(error) => exit_code(error),
            Self::Output(_) | Self::HandOn(_) => 1,
            Self::Signal(signal) | Self::Aborted(signal) => signal.exit_code(),
            Self::Silent(code) => *code,
        }
    }

    /// What people and programs get to read; `None` when nothing is left to report.
    pub fn problem(&self) -> Option<Problem> {
        if self.is_closed_pipe() {
            return None;
        }
        let (message, hint) = match self {
            Self::Library(error) => (error.to_string(), Some(hint(error))),
            Self::Output(error) => (format!("Could not write the result: {error}."), None),
            Self::HandOn(message) => (message.clone(), None),
            Self::Signal(signal) => (signal.message().to_owned(), None),
            Self::Aborted(_) => ("Perplexity search aborted".to_owned(), None),
            Self::Silent(_) => return None,
        };
        Some(Problem {
            kind: self.kind(),
            code: self.code(),
            message: one_line(&message),
            hint: hint.map(|hint| one_line(&hint)),
        })
    }

    /// The code by which programs that know the API's errors tell them apart.
    fn code(&self) -> Option<&'static str> {
        match self {
            Self::Aborted(_) => Some("WEB_ABORTED"),
            Self::Library(Error::ApiRequest(_) | Error::ApiReply(_) | Error::Api(_)) => {
                Some("WEB_PROVIDER_ERROR")
            }
            _ => None,
        }
    }

    fn kind(&self) -> &'static str {
        let code = if self.exit_code() == 129 { 143 } else { self.exit_code() };
        EXIT_CODES.iter().find(|(known, ..)| *known == code).map_or("failed", |(_, kind, _)| kind)
    }
}

fn exit_code(error: &Error) -> u8 {
    match error {
        Error::Usage { .. }
        | Error::BaseUrl { .. }
        | Error::NoConfigDir
        | Error::Attachment { .. }
        | Error::ApiOption(_) => 2,
        Error::Api(refusal) => match refusal.why {
            Why::Request => 2,
            Why::Key => 4,
            Why::Credits | Why::Rate => 5,
            Why::Service => 6,
            Why::Blocked => 7,
            Why::Retired | Why::Other => 1,
        },
        Error::NoResults => 3,
        Error::NotAuthenticated
        | Error::OnlyKey(_)
        | Error::NoKey
        | Error::BadKey(..)
        | Error::Expired(_)
        | Error::Malformed(..)
        | Error::Refused { .. }
        | Error::NotAccepted
        | Error::Login(_)
        | Error::Paste(_)
        | Error::Helper { .. } => 4,
        Error::RateLimited { .. } | Error::Service { limit: true, .. } => 5,
        Error::ApiRequest(_)
        | Error::Connect { .. }
        | Error::Proxy { .. }
        | Error::TimedOut { .. }
        | Error::Unavailable { .. }
        | Error::Redirect { .. } => 6,
        Error::Blocked { .. } => 7,
        Error::Incomplete(_) => 8,
        Error::Recording { source, .. } if is_bad_path(source) => 2,
        Error::Recording { .. }
        | Error::File { .. }
        | Error::Busy { .. }
        | Error::DamagedState { .. }
        | Error::NewerState { .. }
        | Error::Status { .. }
        | Error::ApiReply(_)
        | Error::NotAStream { .. }
        | Error::ThreadGone
        | Error::Unexpected { .. }
        | Error::Service { limit: false, .. } => 1,
    }
}

fn is_bad_path(error: &io::Error) -> bool {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound, PermissionDenied};
    matches!(error.kind(), NotFound | PermissionDenied | IsADirectory | NotADirectory)
}

fn hint(error: &Error) -> String {
    match error {
        Error::Usage { hint, .. } => hint.clone(),
        Error::NotAuthenticated | Error::NotAccepted => "run `pplx login`".to_owned(),
        Error::OnlyKey(_)
        | Error::NoKey
        | Error::BadKey(..)
        | Error::Api(_)
        | Error::ApiRequest(_)
        | Error::ApiReply(_)
        | Error::ApiOption(_) => api_hint(error),
        Error::Expired(origin)
        | Error::Refused { origin, .. }
        | Error::Malformed(origin @ Origin::Environment(_), _) => renewal(origin),
        Error::Malformed(..) => "run `pplx logout`, then `pplx login`".to_owned(),
        Error::File { .. } => {
            "check the path and its permissions; PPLX_CONFIG_DIR names another folder".to_owned()
        }
        Error::DamagedState { .. } => "try again: a new one takes its place".to_owned(),
        Error::NewerState { .. } => {
            "update pplx, or set XDG_STATE_HOME to another folder for this version".to_owned()
        }
        Error::Busy { .. } => "try again once that process has ended".to_owned(),
        Error::NoConfigDir => "set PPLX_CONFIG_DIR to a folder for the session".to_owned(),
        Error::BaseUrl { variable, .. } => format!("unset {variable} to use the service itself"),
        Error::Connect { .. } | Error::TimedOut { .. } => "check the network, then ask again".to_owned(),
        Error::Proxy { .. } => "check HTTPS_PROXY, ALL_PROXY and NO_PROXY".to_owned(),
        Error::Blocked { .. } => {
            "your login is kept and logging in again does not help; wait, try another network, or bring a \
            browser's cookies with `pplx login --browser`"
                .to_owned()
        }
        Error::RateLimited { .. } | Error::Service { limit: true, .. } => {
            "wait before asking again, or ask another model with `pplx search --model`".to_owned()
        }
        Error::Unavailable { .. } => "ask again in a minute".to_owned(),
        Error::Status { status: 400, .. } => {
            "the service may have changed; look for a newer pplx, or try another --model".to_owned()
        }
        Error::Status { .. } | Error::Unexpected { .. } => {
            "ask again; if it stays, look for a newer pplx".to_owned()
        }
        Error::Redirect { .. } | Error::NotAStream { .. } => {
            "open https://www.perplexity.ai in a browser: the network may want a sign-in first".to_owned()
        }
        Error::Service { .. } => "ask again, or ask another model with `pplx search --model`".to_owned(),
        Error::ThreadGone => "ask without --continue and --thread".to_owned(),
        Error::Attachment { .. } => "attach another file, or ask without --attach".to_owned(),
        Error::NoResults => "ask in other words, or with fewer limits on what is searched".to_owned(),
        Error::Incomplete(Cut::Deadline(_)) => "ask again with a longer --timeout (0 for none)".to_owned(),
        Error::Incomplete(Cut::Tokens) => "ask again with a larger --max-tokens".to_owned(),
        Error::Incomplete(Cut::Idle(_)) => "ask again, or raise --idle-timeout".to_owned(),
        Error::Incomplete(_) => "ask again".to_owned(),
        Error::Login(_) => "run `pplx login` again, or `pplx login --browser`".to_owned(),
        Error::Paste(_) => {
            "in the browser's developer tools, copy a request to www.perplexity.ai as cURL, then run \
            `pplx login --browser` and paste it"
                .to_owned()
        }
        Error::Helper { .. } => "log in there first, or use `pplx login`".to_owned(),
        Error::Recording { .. } => "name another file".to_owned(),
    }
}

/// The same for the official API and its key.
fn api_hint(error: &Error) -> String {
    match error {
        Error::OnlyKey(origin) => format!(
            "run `pplx login`; a search alone can use the API key from {origin}: `pplx search --provider api`, which \
            costs money"
        ),
        Error::NoKey => {
            "put one into PERPLEXITY_API_KEY, or run `pplx login --api-key < key.txt`; the subscription needs none \
            (--provider web)"
                .to_owned()
        }
        Error::BadKey(origin, _) => key_renewal(origin),
        Error::Api(refusal) => refusal_hint(refusal),
        Error::ApiRequest(_) => "check the network and PERPLEXITY_BASE_URL, then ask again".to_owned(),
        Error::ApiReply(_) => "ask again; if it stays, check PERPLEXITY_BASE_URL or try --api-dialect".to_owned(),
        _ => "see `pplx search --help`".to_owned(),
    }
}

/// What to do about an error that the official API answered with.
fn refusal_hint(refusal: &ApiRefusal) -> String {
    let what = match refusal.why {
        Why::Request => "correct the option; `pplx search --help` says what it takes".to_owned(),
        Why::Key => key_renewal(&refusal.origin),
        Why::Credits => "add credits in the API settings of your account; the key itself is fine".to_owned(),
        Why::Rate => "ask less often".to_owned(),
        Why::Retired => "leave out --api-dialect, or choose --api-dialect agent".to_owned(),
        Why::Blocked => "the key is fine; try another network".to_owned(),
        Why::Service => "ask again in a minute".to_owned(),
        Why::Other => "ask again, or try another --api-dialect".to_owned(),
    };
    refusal.detail.as_deref().map_or_else(|| what.clone(), |detail| format!("{detail}; {what}"))
}

/// How to get a usable key, by where the other one came from.
fn key_renewal(origin: &Origin) -> String {
    match origin {
        Origin::Environment(name) => format!("put a key that is valid for the API into {name}"),
        _ => "store a key that is valid for the API: `pplx login --api-key < key.txt`".to_owned(),
    }
}

/// How to get a new session, by where the old one came from.
fn renewal(origin: &Origin) -> String {
    match origin {
        Origin::Environment(name) => {
            format!("unset {name} to use the stored session, or put a fresh one into it")
        }
        Origin::Store(_) => "run `pplx login`".to_owned(),
        Origin::Desktop => "log in again in the Perplexity app, or run `pplx login --no-borrow`".to_owned(),
    }
}
