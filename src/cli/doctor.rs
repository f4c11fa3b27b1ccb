//! `pplx doctor`: what a search needs, step by step, up to the first thing that is missing.

use std::fs;
use std::time::Duration;

use serde::Serialize;
use url::Url;

use super::args::DoctorArgs;
use super::output;
use crate::auth::{self, ApiKey, Credential, Store, Verdict};
use crate::config::file::SettingsFile;
use crate::config::question::DEFAULT_MODEL;
use crate::domain::error::Error;
use crate::domain::request::SearchRequest;
use crate::net::http;
use crate::outcome::failure::Failure;
use crate::provider::{Api, Dialect, Reception, Subscription};
use crate::render::text::one_line;
use crate::state::env::Environment;
use crate::terminal::io::Io;

/// How long the service may take to begin an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// The JSON document: doc/scripts-and-json.md.
#[derive(Debug, Serialize)]
struct Document {
    version: u32,
    /// Whether a search would work.
    ok: bool,
    steps: Vec<Step>,
}

/// One step.
#[derive(Debug, Serialize)]
struct Step {
    name: &'static str,
    /// `ok`, `failed` or `skipped`.
    status: &'static str,
    detail: String,
    /// What to do about a failure.
    hint: Option<String>,
}

/// What the steps found so far.
struct Examination {
    steps: Vec<Step>,
    /// The first failure; what follows it is skipped.
    failure: Option<Failure>,
}

/// Looks at everything that a search needs, and says what to do about the first thing that is missing.
pub(super) async fn run(args: &DoctorArgs, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    let mut examination = Examination { steps: Vec::new(), failure: None };
    examination.all(args, env).await;
    let Examination { steps, failure } = examination;
    if args.json {
        let document = Document { version: 1, ok: failure.is_none(), steps };
        output::document(&document, io)?;
    } else {
        for step in &steps {
            io.print(format!("{:<8} {:<12} {}", step.status, step.name, step.detail).trim_end())?;
            if let Some(hint) = &step.hint {
                io.print(&format!("{:<21} hint: {hint}", ""))?;
            }
        }
    }
    failure.map_or(Ok(()), |failure| Err(Failure::Silent(failure.exit_code())))
}

impl Examination {
    async fn all(&mut self, args: &DoctorArgs, env: &Environment) {
        self.step("files", files(env));
        if SettingsFile::read(env).is_ok_and(|file| file.chooses_api()) {
            return self.api(env).await;
        }
        let credential = auth::resolve(env).await.map_err(Failure::from);
        let credential = self.step("credential", credential.map(|found| (found.origin.to_string(), found)));
        let base = self
            .step("address", http::web_base(env).map_err(Failure::from).map(|base| (base.to_string(), base)));
        let resolved = match &base {
            Some(base) => Some(resolve(base).await),
            None => None,
        };
        self.optional("name", resolved);
        let (Some(credential), Some(base)) = (credential, base) else {
            return ["connection", "session", "stream"].into_iter().for_each(|name| self.skip(name));
        };
        let checked =
            if self.failure.is_none() { Some(auth::check(base, &credential.session).await) } else { None };
        self.connection(checked, &credential).await;
        let stream = if self.failure.is_none() && !args.no_ask { Some(first_event(env).await) } else { None };
        self.optional("stream", stream);
    }

    /// The same for the official API, which `settings.toml` chooses. No question is asked: it would cost money.
    async fn api(&mut self, env: &Environment) {
        let key = ApiKey::resolve(env).map_err(Failure::from);
        let key = self.step("key", key.map(|key| (key.origin.to_string(), key)));
        let base = http::api_base(env).map_err(Failure::from);
        let base = self.step("address", base.map(|base| (base.to_string(), base)));
        let resolved = match &base {
            Some(base) => Some(resolve(base).await),
            None => None,
        };
        self.optional("name", resolved);
        let checked = match key.filter(|_| self.failure.is_none()) {
            Some(key) => Some(accepted(env, key).await),
            None => None,
        };
        self.optional("connection", checked);
    }

    /// One call tells whether there is a connection, whether the edge lets it through, and who is logged in.
    async fn connection(&mut self, checked: Option<crate::Result<auth::Checked>>, credential: &Credential) {
        match checked {
            None => ["connection", "session"].into_iter().for_each(|name| self.skip(name)),
            Some(Err(error)) => {
                self.step::<()>("connection", Err(error.into()));
                self.skip("session");
            }
            Some(Ok(checked)) => {
                self.step("connection", Ok(("TLS and the edge let requests through".to_owned(), ())));
                let kept = match checked.rotated {
                    Some(rotated) => auth::store_rotated(credential, rotated).await,
                    None => Ok(()),
                };
                let session = match (kept, checked.verdict) {
                    (Err(error), _) => Err(error.into()),
                    (Ok(()), Verdict::Unknown) => Err(Error::NotAccepted.into()),
                    (Ok(()), Verdict::Known { email, plan }) => {
                        let email = email.unwrap_or_else(|| "an account without an address".to_owned());
                        Ok((format!("{email}, plan {}", plan.unwrap_or_else(|| "unknown".to_owned())), ()))
                    }
                };
                self.step("session", session);
            }
        }
    }

    /// Notes a step's result. After a failure everything is skipped.
    fn step<T>(&mut self, name: &'static str, result: Result<(String, T), Failure>) -> Option<T> {
        if self.failure.is_some() {
            self.skip(name);
            return None;
        }
        match result {
            Ok((detail, found)) => {
                self.steps.push(Step { name, status: "ok", detail: one_line(&detail), hint: None });
                Some(found)
            }
            Err(failure) => {
                let problem = failure.problem();
                let (detail, hint) =
                    problem.map(|problem| (problem.message, problem.hint)).unwrap_or_default();
                self.steps.push(Step { name, status: "failed", detail, hint });
                self.failure = Some(failure);
                None
            }
        }
    }

    fn optional(&mut self, name: &'static str, result: Option<Result<String, Failure>>) {
        match result {
            Some(result) => drop(self.step(name, result.map(|detail| (detail, ())))),
            None => self.skip(name),
        }
    }

    fn skip(&mut self, name: &'static str) {
        self.steps.push(Step { name, status: "skipped", detail: String::new(), hint: None });
    }
}

async fn accepted(env: &Environment, key: ApiKey) -> Result<String, Failure> {
    Api::for_user(env, Dialect::Auto)?.check(key).await?;
    Ok("the API accepts the key".to_owned())
}

/// The settings can be read, and the stored session, if there is one, by nobody else.
fn files(env: &Environment) -> Result<(String, ()), Failure> {
    SettingsFile::read(env)?;
    let store = Store::for_user(env)?;
    let warning = store.tighten()?;
    let state = if fs::symlink_metadata(store.path()).is_ok() { "is there" } else { "is not there" };
    let detail = format!("{} {state}", store.path().display());
    Ok((warning.unwrap_or(detail), ()))
}

async fn resolve(base: &Url) -> Result<String, Failure> {
    if let Some(proxy) = http::proxy_for(base) {
        return Ok(format!("left to the proxy {proxy}"));
    }
    let host = base.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let port = base.port_or_known_default().unwrap_or(443);
    let found = tokio::net::lookup_host((host.as_str(), port)).await;
    let first = found.map(|mut addresses| addresses.next());
    let failed = |reason: String| Failure::from(Error::Connect { host: host.clone(), reason });
    match first {
        Ok(Some(address)) => Ok(format!("{host} is {}", address.ip())),
        Ok(None) => Err(failed("it has no address".to_owned())),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// Asks the shortest question there is, and looks at the first that comes back.
async fn first_event(env: &Environment) -> Result<String, Failure> {
    let request = SearchRequest {
        query: "ping".to_owned(),
        model: DEFAULT_MODEL.to_owned(),
        sources: vec!["web".to_owned()],
        timezone: "UTC".to_owned(),
        ..SearchRequest::default()
    };
    let reception = Reception { idle: PATIENCE, record: None, events: true };
    let mut search = Subscription::for_user(env)?.search(&request, &reception).await?;
    search.next().await?;
    Ok("the service began an answer that can be read".to_owned())
}
