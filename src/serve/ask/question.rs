//! A question of a client, and how the service is asked.

use std::sync::Arc;

use super::attachments;
use crate::config::question::RESEARCH_MODEL;
use crate::config::reception;
use crate::domain::answer::Thread;
use crate::domain::error::Error;
use crate::domain::request::{Recency, SearchRequest};
use crate::serve::api_error::ApiError;
use crate::serve::conversation::formats::Format;
use crate::serve::conversation::functions::ToolSet;
use crate::serve::conversation::turns::{Conversation, check_length};
use crate::serve::settle::answer_stream::{AnswerParameters, AnswerStream};
use crate::serve::state::catalogue::ModelChoice;
use crate::serve::state::server_state::ServerState;

/// A question, in whichever interface it came.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) conversation: Conversation,
    pub(crate) model: ModelChoice,
    /// The thread that knows everything before the last turn, where there is one.
    pub(crate) thread: Option<Thread>,
    pub(crate) options: SearchOptions,
    pub(crate) format: Format,
    pub(crate) functions: Option<Arc<ToolSet>>,
    /// The client reads the answer when it is complete.
    pub(crate) in_one_piece: bool,
    /// No other model may answer in place of this one.
    pub(crate) refuse_substitution: bool,
    /// The field that the conversation came in.
    pub(crate) param: &'static str,
}

/// What can be asked for beyond OpenAI's interfaces. What is not set is as `settings.toml` has it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct SearchOptions {
    pub(crate) language: Option<String>,
    pub(crate) sources: Vec<String>,
    pub(crate) recency: Option<Recency>,
    pub(crate) save: Option<bool>,
}

impl SearchOptions {
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
    pub(crate) async fn ask(&self, server: &Arc<ServerState>) -> Result<AnswerStream, ApiError> {
        let mut request = self.search_request(server)?;
        if !self.model.is_auto {
            server.quota.check(request.research)?;
        }
        self.attach(server, &mut request).await?;
        let search = server.subscription.search(&request, &reception::for_programs()).await;
        match search {
            Ok(search) => Ok(AnswerStream::new(search, self.answer_parameters(&request))),
            Err(error) => {
                if matches!(error, Error::Service { limit: true, .. }) {
                    server.quota.forget();
                }
                server.session.note_error(&error);
                Err(error.into())
            }
        }
    }

    fn answer_parameters(&self, request: &SearchRequest) -> AnswerParameters {
        AnswerParameters {
            model: self.model.clone(),
            format: self.format.clone(),
            functions: self.functions.clone(),
            in_one_piece: self.in_one_piece || self.format.is_json() || self.functions.is_some(),
            refuse_substitution: self.refuse_substitution,
            question_length: request.effective_query().chars().count(),
        }
    }

    /// In a thread, only the last turn is sent. The whole conversation goes along as `retold`, for when the service does
    /// not know the thread any more.
    fn search_request(&self, server: &ServerState) -> Result<SearchRequest, ApiError> {
        let folded = self.conversation.as_single_question();
        let form_instructions = self.form_instructions();
        let system = [server.template.system.clone(), folded.system, form_instructions.clone()];
        let mut request = SearchRequest {
            query: folded.query,
            system: join_texts(system),
            model: self.model.id.clone(),
            research: self.model.id == RESEARCH_MODEL,
            ..server.template.clone()
        };
        self.options.apply(&mut request);
        let thread = self.thread.clone().or_else(|| server.threads.take(&self.conversation));
        // Files of earlier turns cannot be retold, so a conversation with some is sent in one question each time.
        if let Some(thread) = thread.filter(|_| self.conversation.split_files().0.is_empty()) {
            let (_, question) = self.conversation.split_question();
            request.with_history = Some(request.effective_query());
            question.clone_into(&mut request.query);
            request.system = form_instructions;
            request.thread = Some(thread);
        }
        check_length(&request, self.param)?;
        Ok(request)
    }

    /// The form that the answer must have, in words: the service has no parameter for it.
    fn form_instructions(&self) -> Option<String> {
        join_texts([
            self.functions.as_ref().map(|functions| functions.instructions()),
            self.format.instructions(),
        ])
    }

    /// Uploads the files. One that is not confirmed is an error: an answer that does not know the document is worse.
    async fn attach(&self, server: &Arc<ServerState>, request: &mut SearchRequest) -> Result<(), ApiError> {
        if self.conversation.files.is_empty() {
            return Ok(());
        }
        let files = attachments::gather(server, &self.conversation, self.param).await?;
        let uploaded =
            server.subscription.upload(&files, &crate::domain::attachment::Meter::default()).await?;
        request.attachments = uploaded.urls;
        match uploaded.unconfirmed.first() {
            Some(name) => {
                let message = format!(
                    "The service did not confirm that it has read {name}, so the question was not asked. Images work."
                );
                Err(ApiError::upstream("attachment_not_processed", message))
            }
            None => Ok(()),
        }
    }
}

fn join_texts<const N: usize>(texts: [Option<String>; N]) -> Option<String> {
    let texts: Vec<String> = texts.into_iter().flatten().collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}
