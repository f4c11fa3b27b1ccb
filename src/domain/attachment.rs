//! Files that go along with a question.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::{Error, Result};

/// The largest file that the service takes, in bytes.
const MAX_SIZE: u64 = 50 << 20;

/// The types that the service reads, by extension. Other text files go as plain text.
const TYPES: [(&str, &str); 13] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("pdf", "application/pdf"),
    ("md", "text/markdown"),
    ("csv", "text/csv"),
    ("html", "text/html"),
    ("json", "application/json"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
];

/// A file, ready to be uploaded.
#[derive(Clone, PartialEq, Eq)]
pub struct Attachment {
    /// The file's name, without its folders.
    pub name: String,
    /// Its MIME type.
    pub content_type: &'static str,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// How many bytes have been uploaded. Its clones count together.
#[derive(Debug, Clone, Default)]
pub struct Meter(Arc<AtomicU64>);

impl Meter {
    /// Counts bytes that have been sent.
    pub fn add(&self, bytes: usize) {
        self.0.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// The bytes that have been sent.
    pub fn sent(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl std::fmt::Debug for Attachment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Attachment")
            .field("name", &self.name)
            .field("size", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

impl Attachment {
    /// Reads a file, if it is one that the service takes.
    pub fn read(path: &Path) -> Result<Self> {
        let refuse = |reason: String| Error::Attachment { name: path.display().to_string(), reason };
        let metadata = fs::metadata(path).map_err(|error| refuse(error.to_string()))?;
        if !metadata.is_file() {
            return Err(refuse("it is not a file".to_owned()));
        }
        check_size(metadata.len()).map_err(refuse)?;
        Self::from_bytes(path, fs::read(path).map_err(|error| refuse(error.to_string()))?)
    }

    /// A file of this name, with or without folders, and this content, by the rules of [`Self::read`].
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self> {
        let refuse = |reason: String| Error::Attachment { name: path.display().to_string(), reason };
        check_size(bytes.len() as u64).map_err(refuse)?;
        if bytes.is_empty() {
            return Err(refuse("it is empty".to_owned()));
        }
        let content_type = content_type(path, &bytes).ok_or_else(|| {
            refuse("the service reads images, PDF, text and office files (docx, pptx, xlsx)".to_owned())
        })?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, content_type, bytes })
    }

    /// Whether it is an image, which the service looks at without extracting its text first.
    pub fn is_image(&self) -> bool {
        self.content_type.starts_with("image/")
    }
}

/// The reason to refuse a file of `size` bytes, if it is too large.
fn check_size(size: u64) -> std::result::Result<(), String> {
    if size > MAX_SIZE {
        return Err(format!("it is {} MB large; the service takes {} MB", size >> 20, MAX_SIZE >> 20));
    }
    Ok(())
}

/// The MIME type that the extension of a name stands for, if the service reads it.
pub(crate) fn type_by_extension(path: &Path) -> Option<&'static str> {
    let ending = path.extension()?.to_string_lossy().to_ascii_lowercase();
    TYPES.iter().find(|(known, _)| *known == ending).map(|(_, content_type)| *content_type)
}

/// The extension, without its dot, for a MIME type that the service reads.
pub fn extension_for(content_type: &str) -> Option<&'static str> {
    TYPES.iter().find(|(_, known)| *known == content_type).map(|(ending, _)| *ending)
}

fn content_type(path: &Path, bytes: &[u8]) -> Option<&'static str> {
    let is_text = || std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'));
    type_by_extension(path).or_else(|| is_text().then_some("text/plain"))
}
