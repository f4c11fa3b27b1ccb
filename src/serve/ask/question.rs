//! A question that a client asks, on its way to the service.

use std::sync::Arc;

use super::attachments;
use crate::config::question::RESEARCH_MODEL;
use crate::config::reception;
use crate::domain::answer::Thread;
use crate::domain::error::Error;
use crate::domain::request::{Recency, SearchRequest};
use crate::serve::api_error::Refusal;
use crate::serve::conversation::formats::Format;
use crate::serve::conversation::functions::ToolSet;
use crate::serve::conversation::turns::{Conversation, check_length};
use crate::serve::settle::answer_stream::{Reply, Terms};
use crate::serve::state::catalogue::Chosen;
use crate::serve::state::server_state::App;

/// What is asked, in whichever interface.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) conversation: Conversation,
    pub(crate) model: Chosen,
    /// The thread that knows everything before the last turn, where there is one.
    pub(crate) thread: Option<Thread>,
    pub(crate) options: Options,
    pub(crate) format: Format,
    pub(crate) functions: Option<Arc<ToolSet>>,
    /// The answer is read when it is whole.
    pub(crate) whole: bool,
    /// Another model may not answer in place of this one.
    pub(crate) refuse_substitution: bool,
    /// The field that the conversation came in.
    pub(crate) param: &'static str,
}

/// What can be asked for beyond OpenAI's interfaces. What is not said is as `settings.toml` has it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) language: Option<String>,
    pub(crate) sources: Vec<String>,
    pub(crate) recency: Option<Recency>,
    pub(crate) save: Option<bool>,
}

impl Options {
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

impl Question {
    /// Asks, and returns once the service has begun to answer.
    pub(crate) async fn ask(&self, app: &Arc<App>) -> Result<Reply, Refusal> {
        let mut request = self.request(app)?;
        if !self.model.is_auto {
            app.quota.check(request.research)?;
        }
        self.attach(app, &mut request).await?;
        let searched = app.subscription.search(&request, &reception::for_programs()).await;
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
            request.with_history = Some(request.effective_query());
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
        let files = attachments::gather(app, &self.conversation, self.param).await?;
        let uploaded = app.subscription.upload(&files, &crate::domain::attachment::Meter::default()).await?;
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
