//! Every way in which a search or a login can fail, by the phase in which it happens.

use std::io;
use std::path::{Path, PathBuf};

use self::phrases::{duration, reason_phrase, retry_phrase, service_phrase};
use super::origin::Origin;

mod cut;
mod phrases;
mod refusal;

pub use self::cut::Cut;
pub use self::refusal::{ApiRefusal, Why};

/// A result with this library's [`enum@Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Why a search or a login failed. The texts are safe to print: they hold no credential and no foreign markup.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    // Finding a credential
    /// There is no credential anywhere.
    #[error("Not authenticated.")]
    NotAuthenticated,
    /// There is no session, but a key for the official API, which is used only when that is said.
    #[error("Not authenticated.")]
    OnlyKey(Origin),
    /// Something stands where the key should be, but it is none.
    #[error("{0} does not hold a usable API key: {1}.")]
    BadKey(Origin, String),
    /// There is no key for the official API.
    #[error("There is no API key.")]
    NoKey,
    /// The credential's time is over; nothing was sent.
    #[error("The session from {0} has expired.")]
    Expired(Origin),
    /// Something stands where a credential should be, but it is none.
    #[error("{0} does not hold a usable session: {1}.")]
    Malformed(Origin, String),
    /// A file of ours cannot be read or written.
    #[error("Could not {action} {path}: {source}.")]
    File {
        /// What was tried: "read", "write".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process holds a file of ours for longer than we wait.
    #[error("Could not use {path}: another process keeps it locked.")]
    Busy {
        /// The file or folder.
        path: PathBuf,
    },
    /// The state database is not what it should be.
    #[error("{path} is damaged.")]
    DamagedState {
        /// The database.
        path: PathBuf,
    },
    /// The state database has tables that this version does not know. It is left alone.
    #[error("{path} is of a newer pplx (version {found} of its tables; this one knows version {known}).")]
    NewerState {
        /// The database.
        path: PathBuf,
        /// The version that was found.
        found: i64,
        /// The newest version that is known.
        known: i64,
    },
    /// There is no place for our files.
    #[error("There is no folder for settings: set HOME, XDG_CONFIG_HOME or PPLX_CONFIG_DIR.")]
    NoConfigDir,

    /// The command line, the environment or the settings ask for something that cannot be.
    #[error("{message}")]
    Usage {
        /// What cannot be, as a sentence.
        message: String,
        /// What to do instead.
        hint: String,
    },

    // Connecting
    /// The address that replaces a host of the service is not allowed or not an address.
    #[error("{variable} is not usable: {reason}.")]
    BaseUrl {
        /// The environment variable.
        variable: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// No connection, or it broke before a reply.
    #[error("Could not reach {host}: {reason}.")]
    Connect {
        /// The host that was asked.
        host: String,
        /// The innermost cause.
        reason: String,
    },
    /// The proxy did not let the request through.
    #[error("The proxy {proxy} did not let the request through: {reason}.")]
    Proxy {
        /// The proxy's address, without its password.
        proxy: String,
        /// What it answered.
        reason: String,
    },
    /// Time ran out with nothing received.
    #[error("No answer from {host} within {}.", duration(*.seconds))]
    TimedOut {
        /// The host that was asked.
        host: String,
        /// The limit that ran out.
        seconds: u64,
    },

    // The reply's status
    /// The service does not accept the credential.
    #[error("The service refused the session from {origin} (HTTP {status}).")]
    Refused {
        /// Where the credential was found.
        origin: Origin,
        /// 401 or 403.
        status: u16,
    },
    /// The edge in front of the service wants proof of a browser. The credential may well be good.
    #[error("The request was blocked by the service's bot protection (HTTP {status}, a browser challenge).")]
    Blocked {
        /// The reply's status.
        status: u16,
    },
    /// Too many requests.
    #[error("Rate limited by the service{}.", retry_phrase(.retry_after.as_deref()))]
    RateLimited {
        /// The `Retry-After` header: seconds, or a date.
        retry_after: Option<String>,
    },
    /// A gateway in front of the service failed.
    #[error("The service is not available: {host} answered HTTP {status}.")]
    Unavailable {
        /// The host that was asked.
        host: String,
        /// The reply's status.
        status: u16,
    },
    /// Any other status.
    #[error("The service answered HTTP {status}{}.", reason_phrase(.reason.as_deref()))]
    Status {
        /// The reply's status.
        status: u16,
        /// The reason in the reply's body.
        reason: Option<String>,
    },
    /// A redirect; they are never followed.
    #[error("The service answered with a redirect to {target} (HTTP {status}), which is not followed.")]
    Redirect {
        /// The reply's status.
        status: u16,
        /// The host it leads to.
        target: String,
    },

    // The stream
    /// A good status, but something else than an event stream.
    #[error("The reply is {found}, not an event stream.")]
    NotAStream {
        /// What it is: "an HTML page", "JSON (…)".
        found: String,
    },
    /// A reply that is not what this call answers with.
    #[error("The service answered {path} with something unexpected.")]
    Unexpected {
        /// The path that was asked.
        path: String,
    },
    /// A file that cannot go along with a question.
    #[error("Could not attach {name}: {reason}.")]
    Attachment {
        /// The file.
        name: String,
        /// Why not.
        reason: String,
    },
    /// The service reported an error in the stream.
    #[error("{}", service_phrase(.code.as_deref(), .message.as_deref()))]
    Service {
        /// Its code.
        code: Option<String>,
        /// Its sentence.
        message: Option<String>,
        /// A limit or a quota is used up.
        limit: bool,
    },
    /// The thread to follow up on cannot be continued.
    #[error("The thread cannot be continued: it is gone, or belongs to another account.")]
    ThreadGone,
    /// The service answered as it answers someone without an account.
    #[error("The session was not accepted: the service answered as if nobody were logged in.")]
    NotAccepted,
    /// The reply is complete and empty.
    #[error("No results found.")]
    NoResults,
    /// The reply ended before the answer did.
    #[error("The answer is incomplete: {0}.")]
    Incomplete(Cut),

    // The official API; the first two texts are those that programs know
    /// The request had no reply.
    #[error("Perplexity search request failed: {0}")]
    ApiRequest(String),
    /// The reply is not what it should be.
    #[error("Perplexity returned an unprocessable response body: {0}")]
    ApiReply(String),
    /// The API answered with an error.
    #[error(transparent)]
    Api(#[from] ApiRefusal),
    /// Something that is asked for cannot be asked of this interface of the API; nothing was sent.
    #[error("{0}")]
    ApiOption(String),

    // Logging in
    /// The service did not accept the address, the code or the session, and said why.
    #[error("Login failed: {0}.")]
    Login(String),
    /// What was pasted or read holds no session.
    #[error("{0}.")]
    Paste(String),
    /// A helper program could not be asked.
    #[error("Could not ask {program} for its session: {reason}.")]
    Helper {
        /// The program's name.
        program: &'static str,
        /// What went wrong.
        reason: String,
    },

    // Replaying and recording
    /// A recording cannot be read, or a file for one cannot be written.
    #[error("Could not {action} the recording {path}: {source}.")]
    Recording {
        /// "read" or "write".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Error {
    /// Something that cannot be done as it is asked for, and what to do instead.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: hint.into() }
    }

    /// A file or folder of ours that cannot be used as `action` says.
    pub fn file(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Self::Busy { path },
            _ => Self::File { action, path, source },
        }
    }
}
