//! `pplx threads`.

use serde::Serialize;

use super::args::{ThreadsArgs, ThreadsCommand};
use super::output;
use crate::domain::answer::{Exchange, SavedThread};
use crate::outcome::failure::Failure;
use crate::provider::Subscription;
use crate::render::age;
use crate::render::exchanges;
use crate::render::text::one_line;
use crate::state::env::Environment;
use crate::terminal::io::Io;

/// The JSON document of a list: doc/scripts-and-json.md.
#[derive(Debug, Serialize)]
struct ListDocument<'a> {
    version: u32,
    threads: Vec<ThreadDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct ThreadDocument<'a> {
    /// The name by which the other commands take it.
    thread: &'a str,
    title: &'a str,
    /// When it was last asked, as the service says.
    asked: Option<&'a str>,
}

impl<'a> ThreadDocument<'a> {
    fn new(thread: &'a SavedThread) -> Self {
        Self { thread: &thread.slug, title: &thread.title, asked: thread.last_asked.as_deref() }
    }
}

/// Lists the account's saved threads, shows, deletes or exports one.
pub(super) async fn run(args: ThreadsArgs, env: &Environment, io: &mut Io) -> Result<(), Failure> {
    let subscription = Subscription::for_user(env)?;
    let default = ThreadsCommand::List { count: 20, search: None, json: false };
    match args.command.unwrap_or(default) {
        ThreadsCommand::List { count, search, json } => {
            let threads = subscription.threads(count, search.as_deref().unwrap_or_default()).await?;
            list(&threads, json, io)
        }
        ThreadsCommand::Show { thread, json } => {
            let text = rendered(&thread, json, &subscription).await?;
            io.out().write_all(text.as_bytes())?;
            Ok(io.out().flush()?)
        }
        ThreadsCommand::Export { thread, file, json } => {
            let text = rendered(&thread, json, &subscription).await?;
            output::save(&text, &file)?;
            Ok(io.print(&format!("Exported to {}.", file.display()))?)
        }
        ThreadsCommand::Delete { thread } => {
            subscription.delete_thread(&thread).await?;
            Ok(io.print(&format!("Deleted {}.", one_line(&thread)))?)
        }
    }
}

fn list(threads: &[SavedThread], json: bool, io: &mut Io) -> Result<(), Failure> {
    if json {
        let threads = threads.iter().map(ThreadDocument::new).collect();
        let document = ListDocument { version: 1, threads };
        return output::document(&document, io);
    }
    let now = chrono::Utc::now().timestamp();
    for thread in threads {
        let age = age::phrase(age::seconds(thread.last_asked.as_deref(), now));
        io.print(&format!("{}  {} ({age})", one_line(&thread.slug), one_line(&thread.title)))?;
    }
    Ok(())
}

async fn rendered(thread: &str, json: bool, subscription: &Subscription) -> Result<String, Failure> {
    let thread: Vec<Exchange> = subscription.thread(thread).await?;
    let now = chrono::Utc::now().timestamp();
    let rendered = if json { exchanges::json(&thread, now) } else { Ok(exchanges::markdown(&thread, now)) };
    Ok(rendered?)
}
