//! `pplx login`.

use std::time::Duration;

use url::Url;

use super::args::LoginArgs;
use crate::auth::browser;
use crate::auth::desktop;
use crate::auth::omp;
use crate::auth::otp::{Login, Outcome};
use crate::auth::{self, ApiKey, Credential, Session, Store, Verdict};
use crate::domain::error::Error;
use crate::domain::origin::Origin;
use crate::net::http;
use crate::outcome::failure::Failure;
use crate::state::env::Environment;
use crate::terminal::io::Io;
use crate::terminal::signals::{Signal, Signals};
use crate::terminal::tty::{self, Mode};

/// How long a script may take to give a line.
const SCRIPT_LINE: Duration = Duration::from_secs(5);
/// No paste is larger, in bytes.
const MAX_PASTE: usize = 1 << 20;
/// What to do without a terminal.
const WITHOUT_TERMINAL: &str = "without a terminal, set PPLX_EMAIL and PPLX_OTP, or use --with-token or --browser with the session \
    on standard input";

/// Acquires a session, has the service look at it, and stores it.
pub(super) async fn run(args: LoginArgs, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    refuse_if_outranked(&args, env)?;
    let store = Store::for_user(env)?;
    let prepare = |store: &Store| store.tighten().and_then(|warning| store.prepare().map(|()| warning));
    if let Some(warning) = store.off_thread(prepare).await? {
        io.report_as("warning", &warning);
    }
    if args.api_key {
        return store_key(&store, io).await;
    }
    let base = http::web_base(env)?;
    let acquired = acquire(&args, &base, env, io).await?;
    let (verdict, rotated) = match auth::check(base, &acquired.session).await {
        Ok(checked) => (Ok(checked.verdict), checked.rotated),
        Err(error) => (Err(error), None),
    };
    let session = rotated.unwrap_or(acquired.session);
    let mut credential = Credential::new(session, Origin::Store(store.path().to_owned()));
    credential.email = acquired.email.or_else(|| match &verdict {
        Ok(Verdict::Known { email, .. }) => email.clone(),
        _ => None,
    });
    let stored = credential.clone();
    store.off_thread(move |store| store.write(&stored)).await?;
    Ok(io.print(&outcome(&credential, &verdict, acquired.how))?)
}

struct Acquired {
    session: Session,
    email: Option<String>,
    how: &'static str,
}

/// What is stored would not be used while the environment has the same.
fn refuse_if_outranked(args: &LoginArgs, env: &Environment) -> Result<(), Failure> {
    let (origin, what, command) = if args.api_key {
        (ApiKey::environment_origin(env), "key", "pplx login --api-key")
    } else {
        (auth::environment_origin(env), "session", "pplx login")
    };
    match origin {
        Some(Origin::Environment(name)) => Err(Failure::usage(
            format!("The environment variable {name} is set and would win over the stored {what}."),
            format!("unset {name}, then run `{command}` again"),
        )),
        _ => Ok(()),
    }
}

/// Stores a key of the official API. It is not tried out: that would cost money.
async fn store_key(store: &Store, io: &mut Io) -> Result<(), Failure> {
    let text = read_secret(io, "API key (it is not shown): ", false).await?;
    let key = ApiKey::parse(&text).map_err(|reason| {
        Failure::usage(format!("That is no API key: {reason}."), "`pplx login --api-key < key.txt`")
    })?;
    store.off_thread(move |store| store.write_key(&key)).await?;
    Ok(io.print(&format!(
        "Stored the API key in {}. It is used with --provider api only, and costs money there.",
        store.path().display()
    ))?)
}

async fn acquire(args: &LoginArgs, base: &Url, env: &Environment, io: &mut Io) -> Result<Acquired, Failure> {
    let with = |session, how| Acquired { session, email: None, how };
    if args.browser {
        let paste = read_secret(
            io,
            "Paste a request copied as cURL, a Cookie header or the session cookie's value (it is not \
            shown), then an empty line:",
            true,
        )
        .await?;
        return Ok(with(browser::session(&paste)?, "the browser's session"));
    }
    if args.with_token {
        let token = read_secret(io, "Token (it is not shown): ", false).await?;
        let session = Session::from_token(&token)
            .map_err(|reason| Error::Paste(format!("That is no token: {reason}")))?;
        return Ok(with(session, "the given token"));
    }
    if args.from_omp {
        return Ok(with(omp::session().await?, "oh-my-pi's session"));
    }
    if !args.no_borrow
        && args.email.is_none()
        && let Some(session) = desktop::session(env).await
    {
        return Ok(with(session, "the desktop app's session"));
    }
    by_email(args, base, env, io).await
}

async fn by_email(args: &LoginArgs, base: &Url, env: &Environment, io: &mut Io) -> Result<Acquired, Failure> {
    let email = match args.email.clone().or_else(|| env.text("PPLX_EMAIL")) {
        Some(email) => email,
        None => line(io, "E-mail address: ", "There is no e-mail address to log in with.")?,
    };
    let email = email.trim().to_owned();
    if !email.contains('@') || email.contains(char::is_whitespace) {
        return Err(Failure::usage(
            format!("{email:?} is not an e-mail address."),
            "pplx login --email you@example.com",
        ));
    }
    // Without a terminal the code must be there before one is asked for: nobody could enter it afterwards.
    let given = match env.text("PPLX_OTP") {
        Some(code) => Some(code),
        None if io.can_prompt() => None,
        None => Some(line(io, "", "There is no code to log in with.")?),
    };
    let mut login = Login::begin(base.clone(), &email).await?;
    let code = if let Some(code) = given {
        code
    } else {
        io.report(&format!("A code is on its way to {email}."));
        line(io, "Code: ", "There is no code to log in with.")?
    };
    let session = match login.redeem(&without_blanks(&code)).await? {
        Outcome::Session(session) => session,
        Outcome::Authenticator(challenge) => {
            let missing = "this account also wants the code of an authenticator app";
            let code = line(io, "Code of the authenticator app: ", missing)
                .map_err(|_| Error::Login(missing.to_owned()))?;
            login.answer(&challenge, &without_blanks(&code)).await?
        }
    };
    Ok(Acquired { session, email: Some(email), how: "the e-mail code" })
}

fn without_blanks(code: &str) -> String {
    code.split_whitespace().collect()
}

/// A line: typed on a terminal, else from what a script has on standard input already.
fn line(io: &mut Io, question: &str, missing: &str) -> Result<String, Failure> {
    let limit = (!io.can_prompt()).then_some(SCRIPT_LINE);
    if limit.is_none() {
        io.prompt(question);
    }
    let line = io.read_line(limit).filter(|line| !line.trim().is_empty());
    line.ok_or_else(|| Failure::usage(missing, if limit.is_none() { "pplx login" } else { WITHOUT_TERMINAL }))
}

async fn read_secret(io: &mut Io, question: &str, several_lines: bool) -> Result<String, Failure> {
    let unreadable = |error: std::io::Error| Error::Paste(format!("Could not read standard input: {error}"));
    if !io.stdin_is_terminal {
        let bytes = io.read_all(MAX_PASTE).map_err(unreadable)?;
        if bytes.len() > MAX_PASTE {
            return Err(Error::Paste(format!("Standard input is larger than {MAX_PASTE} bytes")).into());
        }
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    io.prompt(question);
    if several_lines {
        io.report("");
    }
    // Reading cannot be interrupted, so a thread does it; a signal finds the terminal's mode to restore here.
    let (mode, mut signals) = (Mode::current(), Signals::install()?);
    let reading = tokio::task::spawn_blocking(move || tty::read_hidden(several_lines));
    let secret = tokio::select! {
        secret = reading => secret.map_err(std::io::Error::other).and_then(|secret| secret).map_err(unreadable)?,
        signal = signals.next() => {
            mode.restore();
            io.report("");
            return Err(Failure::Signal(signal));
        }
    };
    io.report("");
    secret.ok_or(Failure::Signal(Signal::Interrupt))
}

fn outcome(credential: &Credential, verdict: &crate::Result<Verdict>, how: &str) -> String {
    let Origin::Store(path) = &credential.origin else { return String::new() };
    let account = credential.email.as_deref().map(|email| format!(" as {email}")).unwrap_or_default();
    let path = path.display();
    match verdict {
        Ok(Verdict::Known { .. }) => format!("Logged in{account} with {how}. It is stored in {path}."),
        Ok(Verdict::Unknown) => format!(
            "Stored {how} in {path}{account}, but the service does not know it: a search may be refused. \
             `pplx login --browser` is another way in."
        ),
        Err(error) => format!(
            "Logged in{account} with {how}, stored in {path}. The service could not be asked about it: {error}"
        ),
    }
}
