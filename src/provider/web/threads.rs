//! The saved threads of the account.

use reqwest::Method;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use url::Url;

use super::account::call;
use super::lenient::{object, text};
use super::snapshot::Snapshot;
use crate::auth::Credential;
use crate::domain::answer::{Answer, Exchange, SavedThread};
use crate::domain::error::{Error, Result};
use crate::net::http;

/// How many entries of one thread are read.
const MAX_ENTRIES: usize = 100;

/// `POST /rest/thread/list_ask_threads`: the newest first.
pub async fn list(
    base: &Url,
    credential: &Credential,
    count: usize,
    search: &str,
) -> Result<Vec<SavedThread>> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Row {
        #[serde(deserialize_with = "text")]
        slug: Option<String>,
        #[serde(deserialize_with = "text")]
        title: Option<String>,
        #[serde(deserialize_with = "text")]
        query_str: Option<String>,
        #[serde(deserialize_with = "text")]
        last_query_datetime: Option<String>,
    }
    let path = "rest/thread/list_ask_threads";
    let body = json!({ "limit": count, "ascending": false, "offset": 0, "search_term": search, "exclude_asi": false });
    let rows: Vec<Row> = parse(path, &call(base, credential, Method::POST, path, "", Some(&body)).await?)?;
    let thread = |row: Row| {
        let slug = row.slug.filter(|slug| !slug.is_empty())?;
        Some(SavedThread {
            slug,
            title: row.title.or(row.query_str).unwrap_or_default(),
            last_asked: row.last_query_datetime,
        })
    };
    Ok(rows.into_iter().filter_map(thread).collect())
}

/// `GET /rest/thread/{slug}`: its questions and answers, oldest first. Each entry has the shape of the last frame of a
/// stream.
pub async fn show(base: &Url, credential: &Credential, slug: &str) -> Result<Vec<Exchange>> {
    let (_, entries) = entries(base, credential, slug).await?;
    Ok(entries.iter().map(|entry| exchange(entry.get())).collect())
}

/// Deletes a thread with all its entries.
pub async fn delete(base: &Url, credential: &Credential, slug: &str) -> Result<()> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct DeleteReply {
        #[serde(deserialize_with = "text")]
        status: Option<String>,
    }
    let (contexts, entries) = entries(base, credential, slug).await?;
    let ids: Vec<String> = entries.iter().filter_map(|entry| ids_in(entry.get()).backend_uuid).collect();
    let path = "rest/thread";
    let body = json!({ "entry_uuids": ids, "context_uuids": contexts, "read_write_token": "" });
    let reply: DeleteReply =
        parse(path, &call(base, credential, Method::DELETE, path, "", Some(&body)).await?)?;
    match reply.status.as_deref() {
        Some("success") => Ok(()),
        _ => Err(Error::Unexpected { path: path.to_owned() }),
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Ids {
    #[serde(deserialize_with = "text")]
    backend_uuid: Option<String>,
    #[serde(deserialize_with = "text")]
    context_uuid: Option<String>,
    #[serde(deserialize_with = "text")]
    query_str: Option<String>,
}

fn ids_in(entry: &str) -> Ids {
    serde_json::from_str(entry).unwrap_or_default()
}

/// The ids of the contexts of a thread, and its entries as raw JSON.
async fn entries(
    base: &Url,
    credential: &Credential,
    slug: &str,
) -> Result<(Vec<String>, Vec<Box<RawValue>>)> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Thread {
        entries: Vec<Box<RawValue>>,
        #[serde(deserialize_with = "object")]
        thread_metadata: Option<Ids>,
    }
    let path = format!("rest/thread/{}", http::segment(slug));
    let query = format!(
        "with_schematized_response=true&version={}&source=default&limit={MAX_ENTRIES}&offset=0&from_first=true",
        http::API_VERSION
    );
    let thread: Thread = parse(&path, &call(base, credential, Method::GET, &path, &query, None).await?)?;
    let entry_contexts = thread.entries.iter().filter_map(|entry| ids_in(entry.get()).context_uuid);
    let mut contexts: Vec<String> =
        thread.thread_metadata.and_then(|ids| ids.context_uuid).into_iter().chain(entry_contexts).collect();
    contexts.sort();
    contexts.dedup();
    if thread.entries.is_empty() {
        return Err(Error::Unexpected { path });
    }
    Ok((contexts, thread.entries))
}

fn exchange(entry: &str) -> Exchange {
    let mut snapshot = Snapshot::default();
    // An entry that cannot be read is an answer without text.
    let _ = snapshot.receive("", entry);
    let answer = Answer {
        text: snapshot.answer(),
        sources: snapshot.sources(),
        model: snapshot.model().map(str::to_owned),
        thread: snapshot.thread(),
        complete: true,
        ..Answer::default()
    };
    Exchange { query: ids_in(entry).query_str.unwrap_or_default(), answer }
}

fn parse<'a, T: Deserialize<'a>>(path: &str, body: &'a str) -> Result<T> {
    serde_json::from_str(body).map_err(|_| Error::Unexpected { path: path.to_owned() })
}
