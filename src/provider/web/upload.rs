//! Uploading attachments: the service names a target at its storage for each file, which is posted there as a form.

use std::fmt;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Body, Method};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::json;
use url::Url;
use uuid::Uuid;

use super::account::call;
use super::lenient::{flag, text};
use super::metered::Metered;
use crate::auth::Credential;
use crate::domain::attachment::{Attachment, Meter};
use crate::domain::error::{Error, Result};
use crate::net::http::{self, TextReply};

/// How much of the reply of a storage server is read, in bytes.
const MAX_REPLY: usize = 16 << 10;
/// The domain of the storage servers, besides the service's own host.
const STORAGE_DOMAIN: &str = ".amazonaws.com";

/// The result of an upload.
#[derive(Debug)]
pub struct Uploaded {
    /// The addresses that a question names its attachments by, in the order of the files.
    pub urls: Vec<String>,
    /// The names of documents that the service did not confirm to have read.
    pub unconfirmed: Vec<String>,
}

/// An object that keeps the order of its fields, because a form must have them in the order of the service.
struct Ordered<T>(Vec<(String, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        struct Entries<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Vec<(String, T)>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(
                self,
                mut object: A,
            ) -> std::result::Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = object.next_entry()? {
                    entries.push(entry);
                }
                Ok(entries)
            }
        }
        from.deserialize_map(Entries(std::marker::PhantomData)).map(Self)
    }
}

/// Where to post a file, or why it is refused.
#[derive(Default, Deserialize)]
#[serde(default)]
struct UploadTarget {
    #[serde(deserialize_with = "text")]
    s3_bucket_url: Option<String>,
    #[serde(deserialize_with = "text")]
    s3_object_url: Option<String>,
    fields: Ordered<String>,
    #[serde(deserialize_with = "text")]
    file_uuid: Option<String>,
    #[serde(deserialize_with = "flag")]
    rate_limited: Option<bool>,
    #[serde(deserialize_with = "text")]
    error: Option<String>,
}

#[derive(Serialize)]
struct FileRequest<'a> {
    filename: &'a str,
    content_type: &'a str,
    source: &'a str,
    file_size: usize,
    force_image: bool,
    skip_parsing: bool,
}

/// Uploads the files, one after the other.
pub async fn upload(
    base: &Url,
    credential: &Credential,
    files: &[Attachment],
    meter: &Meter,
) -> Result<Uploaded> {
    let ids: Vec<String> = files.iter().map(|_| Uuid::new_v4().to_string()).collect();
    let mut targets = request_targets(base, credential, files, &ids).await?.0;
    let mut uploaded = Uploaded { urls: Vec::new(), unconfirmed: Vec::new() };
    for (index, (file, id)) in files.iter().zip(&ids).enumerate() {
        let position = targets
            .iter()
            .position(|(key, _)| key == id)
            .unwrap_or_else(|| index.saturating_sub(uploaded.urls.len()));
        let refuse = |reason: &str| Error::Attachment { name: file.name.clone(), reason: reason.to_owned() };
        if position >= targets.len() {
            return Err(refuse("the service named no place for it"));
        }
        let (_, target) = targets.remove(position);
        if target.rate_limited == Some(true) {
            return Err(Error::RateLimited { retry_after: None });
        }
        if let Some(error) = target.error.filter(|error| !error.is_empty()) {
            return Err(refuse(&credential.session.redact(&error)));
        }
        let (Some(bucket), Some(object)) = (target.s3_bucket_url, target.s3_object_url) else {
            return Err(refuse("the service named no place for it"));
        };
        post_file(base, &bucket, target.fields.0, file, meter).await?;
        if !file.is_image() && !is_processed(base, credential, target.file_uuid.as_deref()).await {
            uploaded.unconfirmed.push(file.name.clone());
        }
        uploaded.urls.push(object);
    }
    Ok(uploaded)
}

/// Asks the service for a target for each file; the replies are keyed by the `ids`.
async fn request_targets(
    base: &Url,
    credential: &Credential,
    files: &[Attachment],
    ids: &[String],
) -> Result<Ordered<UploadTarget>> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Reply {
        results: Ordered<UploadTarget>,
    }
    let file = |file: &Attachment| {
        json!(FileRequest {
            filename: &file.name,
            content_type: file.content_type,
            source: "default",
            file_size: file.bytes.len(),
            force_image: false,
            skip_parsing: false,
        })
    };
    let files: serde_json::Map<_, _> = ids.iter().cloned().zip(files.iter().map(file)).collect();
    let path = "rest/uploads/batch_create_upload_urls";
    let body = json!({ "files": files });
    let reply = call(base, credential, Method::POST, path, "", Some(&body)).await?;
    let reply: Reply =
        serde_json::from_str(&reply).map_err(|_| Error::Unexpected { path: path.to_owned() })?;
    Ok(reply.results)
}

/// Posts the form to the storage server, without the session.
async fn post_file(
    base: &Url,
    bucket: &str,
    fields: Vec<(String, String)>,
    file: &Attachment,
    meter: &Meter,
) -> Result<()> {
    let refuse = |reason: String| Error::Attachment { name: file.name.clone(), reason };
    let bucket = Url::parse(bucket).ok().filter(|bucket| is_allowed_target(bucket, base));
    let bucket =
        bucket.ok_or_else(|| refuse("the service named a place that is none of its own".to_owned()))?;
    let boundary = Uuid::new_v4().simple().to_string();
    let form = Body::wrap(Metered::new(form(&boundary, &fields, file), meter));
    let request = http::client(&bucket)?.post(bucket.clone()).body(form);
    let request = request.header(CONTENT_TYPE, format!("multipart/form-data; boundary={boundary}"));
    let response = request.send().await.map_err(|error| http::connect_error(&bucket, &error))?;
    let status = response.status();
    TextReply::read(response, MAX_REPLY).await?;
    if status.is_success() {
        Ok(())
    } else {
        Err(refuse(format!("the upload was refused (HTTP {})", status.as_u16())))
    }
}

fn is_allowed_target(bucket: &Url, base: &Url) -> bool {
    let host = bucket.host_str().unwrap_or_default();
    let is_storage = bucket.scheme() == "https" && host.ends_with(STORAGE_DOMAIN);
    let is_local = http::is_loopback(bucket) && http::is_loopback(base);
    is_storage || is_local || (bucket.scheme() == "https" && bucket.host() == base.host())
}

/// The multipart form: the fields in their order, then the file.
fn form(boundary: &str, fields: &[(String, String)], file: &Attachment) -> Vec<u8> {
    let quoted = |text: &str| text.replace('"', "%22").replace(['\r', '\n'], " ");
    let mut form = Vec::with_capacity(file.bytes.len() + 4096);
    for (name, value) in fields {
        let part = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{value}\r\n",
            quoted(name)
        );
        form.extend(part.into_bytes());
    }
    let part = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{}\"\r\nContent-Type: {}\r\n\r\n",
        quoted(&file.name),
        file.content_type
    );
    form.extend(part.into_bytes());
    form.extend(&file.bytes);
    form.extend(format!("\r\n--{boundary}--\r\n").into_bytes());
    form
}

/// Waits until the service has read a document. False where it does not confirm that, which is not a failure: not every
/// client asks for it.
async fn is_processed(base: &Url, credential: &Credential, file: Option<&str>) -> bool {
    let body = json!({ "file_uuids": [file] });
    let path = "rest/sse/attachment_processing/subscribe";
    let reply = call(base, credential, Method::POST, path, "", Some(&body)).await;
    file.is_some() && reply.is_ok_and(|reply| reply.to_ascii_lowercase().contains("success"))
}
