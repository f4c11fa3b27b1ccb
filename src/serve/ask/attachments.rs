//! The files that a question brings along.

use std::sync::Arc;

use super::decode;
use crate::domain::attachment::Attachment;
use crate::net::fetch;
use crate::serve::api_error::Refusal;
use crate::serve::conversation::turns::{Attached, Conversation, is_data_url};
use crate::serve::state::files::{MAX_FILE, missing, too_large};
use crate::serve::state::server_state::App;

/// How many files a question may bring along.
const MOST: usize = 5;

/// The files that a question brings along, the newest where its conversation has many; `param` is the field that they
/// came in.
pub(crate) async fn gather(
    app: &Arc<App>,
    conversation: &Conversation,
    param: &str,
) -> Result<Vec<Attachment>, Refusal> {
    let (old, new) = conversation.split_files();
    if new.len() > MOST {
        let message = format!("A question may bring {MOST} files along, not {}.", new.len());
        return Err(Refusal::bad(param, message));
    }
    let kept = old.len().saturating_sub(MOST - new.len());
    let files = old.iter().skip(kept).chain(new);
    let mut gathered = Vec::new();
    let mut size = 0;
    for file in files {
        let file = read(app, file, param).await?;
        size += file.bytes.len();
        if size > MAX_FILE {
            return Err(too_large(format!(
                "The files of a question may have {} MiB in all.",
                MAX_FILE >> 20
            )));
        }
        gathered.push(file);
    }
    Ok(gathered)
}

async fn read(app: &Arc<App>, file: &Attached, param: &str) -> Result<Attachment, Refusal> {
    let unusable = |reason: String| Refusal::bad(param, reason);
    match file {
        Attached::Image { url } if is_data_url(url) => decode::data_url(url, None).map_err(unusable),
        Attached::Data { data, name } if is_data_url(data) => {
            decode::data_url(data, name.as_deref()).map_err(unusable)
        }
        Attached::Data { data, name } => {
            decode::bare_base64(data, name.as_deref().unwrap_or("file")).map_err(unusable)
        }
        Attached::Image { url } | Attached::Address { url } => {
            let fetched = fetch::public_file(url, MAX_FILE).await?;
            let (name, kind) = (fetched.name, fetched.content_type);
            decode::of_bytes(name.as_deref(), kind.as_deref(), fetched.bytes).map_err(unusable)
        }
        Attached::Stored { id } => {
            let wanted = id.clone();
            let found = app.on_files(move |files| Ok(files.content(&wanted))).await?;
            let (stored, bytes) = found.ok_or_else(|| missing(id))?;
            decode::of_bytes(Some(&stored.filename), None, bytes).map_err(unusable)
        }
    }
}
