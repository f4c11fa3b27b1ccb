//! The files that a question brings along.

use std::sync::Arc;

use super::decode;
use crate::domain::attachment::Attachment;
use crate::net::fetch;
use crate::serve::api_error::{ApiError, file_not_found, file_too_large};
use crate::serve::conversation::turns::{Conversation, FileReference, is_data_url};
use crate::serve::state::server_state::ServerState;
use crate::state::files::MAX_FILE;

/// How many files a question may bring along.
const MAX_FILES: usize = 5;

/// The files that a question brings along, the newest where its conversation has many; `param` is the field that they
/// came in.
pub(crate) async fn gather(
    server: &Arc<ServerState>,
    conversation: &Conversation,
    param: &str,
) -> Result<Vec<Attachment>, ApiError> {
    let (old, new) = conversation.split_files();
    if new.len() > MAX_FILES {
        let message = format!("A question may bring {MAX_FILES} files along, not {}.", new.len());
        return Err(ApiError::invalid(param, message));
    }
    let dropped = old.len().saturating_sub(MAX_FILES - new.len());
    let files = old.iter().skip(dropped).chain(new);
    let mut gathered = Vec::new();
    let mut size = 0;
    for file in files {
        let file = read(server, file, param).await?;
        size += file.bytes.len();
        if size > MAX_FILE {
            return Err(file_too_large(format!(
                "The files of a question may have {} MiB in all.",
                MAX_FILE >> 20
            )));
        }
        gathered.push(file);
    }
    Ok(gathered)
}

async fn read(server: &Arc<ServerState>, file: &FileReference, param: &str) -> Result<Attachment, ApiError> {
    let invalid = |reason: String| ApiError::invalid(param, reason);
    match file {
        FileReference::Image { url } if is_data_url(url) => decode::from_data_url(url, None).map_err(invalid),
        FileReference::Data { data, name } if is_data_url(data) => {
            decode::from_data_url(data, name.as_deref()).map_err(invalid)
        }
        FileReference::Data { data, name } => {
            decode::from_base64(data, name.as_deref().unwrap_or("file")).map_err(invalid)
        }
        FileReference::Image { url } | FileReference::Address { url } => {
            let fetched = fetch::public_file(url, MAX_FILE).await?;
            let (name, kind) = (fetched.name, fetched.content_type);
            decode::from_bytes(name.as_deref(), kind.as_deref(), fetched.bytes).map_err(invalid)
        }
        FileReference::Stored { id } => {
            let file_id = id.clone();
            let found = server.with_files(move |files| Ok(files.content(&file_id))).await?;
            let (stored, bytes) = found.ok_or_else(|| file_not_found(id))?;
            decode::from_bytes(Some(&stored.filename), None, bytes).map_err(invalid)
        }
    }
}
