//! A question that a client asks, on its way to the service.

use std::sync::Arc;

use super::app::App;
use super::catalogue::Chosen;
use super::conversation::{Conversation, check_length};
use super::fields::Fields;
use super::files;
use super::formats::Format;
use super::functions::ToolSet;
use super::refusal::Refusal;
use super::reply::{Reply, Terms};
use crate::answer::Thread;
use crate::cli::settings::{self, RESEARCH_MODEL};
use crate::error::Error;
use crate::request::{Recency, SearchRequest};

/// What is asked, in whichever interface.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) conversation: Conversation,
    pub(super) model: Chosen,
    /// The thread that knows everything before the last turn, where there is one.
    pub(super) thread: Option<Thread>,
    pub(super) options: Options,
    pub(super) format: Format,
    pub(super) functions: Option<Arc<ToolSet>>,
    /// The answer is read when it is whole.
    pub(super) whole: bool,
    /// Another model may not answer in place of this one.
    pub(super) refuse_substitution: bool,
    /// The field that the conversation came in.
    pub(super) param: &'static str,
}

/// What can be asked for beyond OpenAI's interfaces. What is not said is as `settings.toml` has it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Options {
    language: Option<String>,
    sources: Vec<String>,
    recency: Option<Recency>,
    save: Option<bool>,
}

const RECENCIES: [Recency; 5] = [Recency::Hour, Recency::Day, Recency::Week, Recency::Month, Recency::Year];

impl Options {
    pub(super) fn of(fields: &Fields) -> Result<Self, Refusal> {
        let ages = RECENCIES.map(Recency::name);
        let age = fields.one_of("search_recency_filter", &ages)?.or(fields.one_of("recency", &ages)?);
        let save = fields.flag("save")?;
        let language = fields.text("language")?.map(str::to_owned);
        Ok(Self {
            language,
            sources: sources(fields)?,
            recency: RECENCIES.into_iter().find(|recency| Some(recency.name()) == age),
            save,
        })
    }

    fn apply(&self, request: &mut SearchRequest) {
        if let Some(language) = &self.language {
            request.language = Some(language.clone());
        }
        if !self.sources.is_empty() {
            request.sources.clone_from(&self.sources);
        }
        request.recency = self.recency.or(request.recency);
        request.save = self.save.unwrap_or(request.save);
    }
}

/// `sources`, or the `search_mode` of Perplexity's own API.
fn sources(fields: &Fields) -> Result<Vec<String>, Refusal> {
    const KNOWN: [&str; 3] = ["web", "scholar", "social"];
    let wrong = || Refusal::bad("sources", format!("'sources' must be a list of {}.", KNOWN.join(", ")));
    if let Some(list) = fields.list("sources")? {
        let names =
            list.iter().map(|name| name.as_str().filter(|name| KNOWN.contains(name)).map(str::to_owned));
        return names.collect::<Option<Vec<_>>>().ok_or_else(wrong);
    }
    Ok(match fields.one_of("search_mode", &["web", "academic"])? {
        Some("academic") => vec!["scholar".to_owned()],
        _ => Vec::new(),
    })
}

impl Question {
    /// Asks, and returns once the service has begun to answer.
    pub(super) async fn ask(&self, app: &Arc<App>) -> Result<Reply, Refusal> {
        let mut request = self.request(app)?;
        if !self.model.is_auto {
            app.quota.check(request.research)?;
        }
        self.attach(app, &mut request).await?;
        let searched = app.subscription.search(&request, &settings::reception()).await;
        match searched {
            Ok(search) => Ok(Reply::new(search, self.terms(&request))),
            Err(error) => {
                if matches!(error, Error::Service { limit: true, .. }) {
                    app.quota.forget();
                }
                app.session.note(&error);
                Err(error.into())
            }
        }
    }

    fn terms(&self, request: &SearchRequest) -> Terms {
        Terms {
            asked: self.model.clone(),
            format: self.format.clone(),
            functions: self.functions.clone(),
            whole: self.whole || self.format.is_json() || self.functions.is_some(),
            refuse_substitution: self.refuse_substitution,
            sent: request.effective_query().chars().count(),
        }
    }

    /// In a thread only what is new is said; the rest is told for where the thread is gone.
    fn request(&self, app: &App) -> Result<SearchRequest, Refusal> {
        let told = self.conversation.told();
        let demands = self.demands();
        let system = [app.template.system.clone(), told.system, demands.clone()];
        let mut request = SearchRequest {
            query: told.query,
            system: joined(system),
            model: self.model.id.clone(),
            research: self.model.id == RESEARCH_MODEL,
            ..app.template.clone()
        };
        self.options.apply(&mut request);
        let thread = self.thread.clone().or_else(|| app.threads.take(&self.conversation));
        // A thread that turns out to be gone could not be told of earlier files, so those go along each time.
        if let Some(thread) = thread.filter(|_| self.conversation.split_files().0.is_empty()) {
            let (_, question) = self.conversation.split();
            request.retold = Some(request.effective_query());
            question.clone_into(&mut request.query);
            request.system = demands;
            request.thread = Some(thread);
        }
        check_length(&request, self.param)?;
        Ok(request)
    }

    /// What the answer must look like, said in words: the service has no other way.
    fn demands(&self) -> Option<String> {
        joined([
            self.functions.as_ref().map(|functions| functions.instructions()),
            self.format.instructions(),
        ])
    }

    /// Uploads the files. Whoever asks about a document must not get an answer that does not know it.
    async fn attach(&self, app: &Arc<App>, request: &mut SearchRequest) -> Result<(), Refusal> {
        if self.conversation.files.is_empty() {
            return Ok(());
        }
        let files = files::gather(app, &self.conversation, self.param).await?;
        let uploaded = app.subscription.upload(&files, &crate::attachment::Meter::default()).await?;
        request.attachments = uploaded.urls;
        match uploaded.unconfirmed.first() {
            Some(name) => {
                let message = format!(
                    "The service did not confirm that it has read {name}, so the question was not asked. Images work."
                );
                Err(Refusal::reply("attachment_not_processed", message))
            }
            None => Ok(()),
        }
    }
}

fn joined<const N: usize>(texts: [Option<String>; N]) -> Option<String> {
    let texts: Vec<String> = texts.into_iter().flatten().collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}
