//! The files that clients have uploaded: one file on the disk for each of them, with a line of JSON that describes it
//! before its content. It appears by one rename and goes by one removal, so that no crash leaves half of it.

use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::env::Environment;
use super::private::{self, Durability};
use crate::domain::error::Error;

/// The largest file that is taken, in bytes.
pub(crate) const MAX_FILE: usize = 20 << 20;
/// How much all files together may hold, in bytes.
const MAX_TOTAL: u64 = 200 << 20;
/// The longest name, in bytes.
const MAX_NAME: usize = 255;
/// The longest line before a content, in bytes: a name of control-free text grows at most twofold in JSON.
const MAX_HEADER: u64 = 4 << 10;

/// What every id begins with.
const ID_PREFIX: &str = "file-";
/// How many hexadecimal digits follow it.
const ID_DIGITS: usize = 32;

/// What a file may be for.
const PURPOSES: [&str; 3] = ["user_data", "assistants", "vision"];

/// The folder of the files. Other processes may use it at the same time.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    folder: PathBuf,
}

/// A file as `OpenAI`'s API describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredFile {
    /// `file-`, and 32 hexadecimal digits.
    pub(crate) id: String,
    /// Always `file`.
    pub(crate) object: String,
    /// The size of the content.
    pub(crate) bytes: u64,
    /// When it was uploaded, in Unix seconds.
    pub(crate) created_at: i64,
    /// Always `null`: it stays until it is deleted.
    pub(crate) expires_at: Option<i64>,
    /// The name that the client gave it.
    pub(crate) filename: String,
    /// One of [`PURPOSES`].
    pub(crate) purpose: String,
    /// Always `processed`: there is nothing to wait for.
    pub(crate) status: String,
}

/// Why a file is not stored, or not deleted.
#[derive(Debug)]
pub(crate) enum FileError {
    /// The request is wrong (400).
    Invalid {
        /// The part of the form that is: `file` or `purpose`.
        param: &'static str,
        /// What is wrong with it, as a sentence.
        message: String,
    },
    /// The file, or the files together, would be too large (413). A sentence.
    TooLarge(String),
    /// The folder cannot be used (500).
    Io(Error),
}

impl Files {
    /// The files in the user's state folder, which is not made before there is one.
    pub(crate) fn in_state_folder(env: &Environment) -> crate::Result<Self> {
        Ok(Self { folder: env.state_dir()?.join("files") })
    }

    /// Where the files are.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Stores a file that was uploaded at `now`, in Unix seconds.
    pub(crate) fn add(
        &self,
        filename: &str,
        purpose: &str,
        content: &[u8],
        now: i64,
    ) -> Result<StoredFile, FileError> {
        check_name(filename)?;
        check_purpose(purpose)?;
        check_content(content)?;
        let stored = StoredFile::new(filename, purpose, content, now);
        let _lock = self.prepare_and_lock().map_err(|source| self.io_error("write", source))?;
        self.check_total(stored.bytes)?;
        self.write(&stored, content).map_err(|source| self.io_error("write", source))?;
        Ok(stored)
    }

    /// All files, the newest first.
    pub(crate) fn list(&self) -> Vec<StoredFile> {
        let Some(entries) = self.is_real_folder().then(|| fs::read_dir(&self.folder).ok()).flatten() else {
            return Vec::new();
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut files: Vec<_> = names.filter_map(|id| self.open(&id)).collect();
        files.sort_by(|a, b| b.sort_key().cmp(&a.sort_key()));
        files.into_iter().map(|file| file.stored).collect()
    }

    /// The file of this id, without its content.
    pub(crate) fn get(&self, id: &str) -> Option<StoredFile> {
        self.open(id).map(|file| file.stored)
    }

    /// The file of this id, and what it holds.
    pub(crate) fn content(&self, id: &str) -> Option<(StoredFile, Vec<u8>)> {
        let mut file = self.open(id)?;
        let mut content = Vec::new();
        file.content_reader.by_ref().take(MAX_FILE as u64).read_to_end(&mut content).ok()?;
        (content.len() as u64 == file.stored.bytes).then_some((file.stored, content))
    }

    /// Deletes the file of this id; false if there is none.
    pub(crate) fn delete(&self, id: &str) -> Result<bool, FileError> {
        let Some(path) = self.path(id) else { return Ok(false) };
        match self.remove(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(self.io_error("change", error)),
        }
    }

    /// The path of a file. `None` where `id` is not an id, and where the folder is a link.
    fn path(&self, id: &str) -> Option<PathBuf> {
        (is_id(id) && self.is_real_folder()).then(|| self.folder.join(id))
    }

    /// Whether the folder is there, and not a link to another one.
    fn is_real_folder(&self) -> bool {
        fs::symlink_metadata(&self.folder).is_ok_and(|metadata| metadata.is_dir())
    }

    /// Makes the folder, for this user alone, and holds off other processes until the result is dropped.
    fn prepare_and_lock(&self) -> io::Result<File> {
        private::create_private_dir(&self.folder)?;
        if !self.is_real_folder() {
            return Err(io::Error::other("it is a link to another folder"));
        }
        private::tighten(&self.folder, private::OTHERS_ANY)?;
        private::lock(&self.folder)
    }

    fn check_total(&self, added: u64) -> Result<(), FileError> {
        let total: u64 = self.list().iter().map(|stored| stored.bytes).sum();
        if total.saturating_add(added) > MAX_TOTAL {
            let most = MAX_TOTAL >> 20;
            return Err(FileError::TooLarge(format!(
                "The stored files would hold more than {most} MB together; delete some first."
            )));
        }
        Ok(())
    }

    fn write(&self, stored: &StoredFile, content: &[u8]) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(stored)?;
        bytes.push(b'\n');
        bytes.extend_from_slice(content);
        private::write(&self.folder.join(&stored.id), &bytes, Durability::Synced)
    }

    fn open(&self, id: &str) -> Option<OpenFile> {
        let (file, metadata) = open_regular_file(&self.path(id)?)?;
        OpenFile::read(file, &metadata).filter(|file| file.stored.id == id)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let _lock = private::lock(&self.folder)?;
        if !fs::symlink_metadata(path)?.is_file() {
            return Err(io::ErrorKind::NotFound.into());
        }
        fs::remove_file(path)
    }

    fn io_error(&self, action: &'static str, source: io::Error) -> FileError {
        FileError::Io(Error::file(action, &self.folder, source))
    }
}

impl StoredFile {
    fn new(filename: &str, purpose: &str, content: &[u8], now: i64) -> Self {
        Self {
            id: format!("{ID_PREFIX}{}", Uuid::new_v4().simple()),
            object: "file".to_owned(),
            bytes: content.len() as u64,
            created_at: now,
            expires_at: None,
            filename: filename.to_owned(),
            purpose: purpose.to_owned(),
            status: "processed".to_owned(),
        }
    }
}

/// A file whose header has been read.
struct OpenFile {
    stored: StoredFile,
    content_reader: BufReader<File>,
    written: SystemTime,
}

impl OpenFile {
    /// `None` if it is not a file of ours, or not complete.
    fn read(file: File, metadata: &Metadata) -> Option<Self> {
        let mut content_reader = BufReader::new(file);
        let mut header = Vec::new();
        content_reader.by_ref().take(MAX_HEADER).read_until(b'\n', &mut header).ok()?;
        let stored: StoredFile = serde_json::from_slice(&header).ok()?;
        let is_complete = metadata.len().checked_sub(header.len() as u64) == Some(stored.bytes);
        is_complete.then_some(Self { stored, content_reader, written: metadata.modified().ok()? })
    }

    /// What files are sorted by: the second that clients see, then the time on the disk.
    fn sort_key(&self) -> (i64, SystemTime, &str) {
        (self.stored.created_at, self.written, &self.stored.id)
    }
}

/// Opens a regular file. A link in its place is not followed, even if it is put there at this moment.
fn open_regular_file(path: &Path) -> Option<(File, Metadata)> {
    let seen = fs::symlink_metadata(path).ok().filter(Metadata::is_file)?;
    let file = File::open(path).ok()?;
    let opened = file.metadata().ok()?;
    is_same_file(&seen, &opened).then_some((file, opened))
}

#[cfg(unix)]
fn is_same_file(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// The standard library has no file number on Windows. To make a link takes special rights there.
#[cfg(not(unix))]
fn is_same_file(a: &Metadata, b: &Metadata) -> bool {
    a.len() == b.len() && a.created().ok() == b.created().ok()
}

/// Whether this is an id, and so a name that cannot lead out of the folder.
fn is_id(id: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    id.strip_prefix(ID_PREFIX).is_some_and(|digits| digits.len() == ID_DIGITS && digits.bytes().all(is_digit))
}

fn check_name(name: &str) -> Result<(), FileError> {
    let invalid = |message: &str| Err(FileError::Invalid { param: "file", message: message.to_owned() });
    match name {
        "" => invalid("The file has no name."),
        "." | ".." => invalid("The file's name is one of a folder."),
        _ if name.len() > MAX_NAME => invalid("The file's name is longer than 255 bytes."),
        _ if name.contains(['/', '\\']) => invalid("The file's name must not hold a path."),
        _ if name.contains(char::is_control) => invalid("The file's name holds a control character."),
        _ => Ok(()),
    }
}

fn check_purpose(purpose: &str) -> Result<(), FileError> {
    if PURPOSES.contains(&purpose) {
        return Ok(());
    }
    let message = format!("The purpose must be one of {}.", PURPOSES.join(", "));
    Err(FileError::Invalid { param: "purpose", message })
}

fn check_content(content: &[u8]) -> Result<(), FileError> {
    if content.is_empty() {
        return Err(FileError::Invalid { param: "file", message: "The file is empty.".to_owned() });
    }
    if content.len() > MAX_FILE {
        return Err(FileError::TooLarge(format!("The file is larger than {} MB.", MAX_FILE >> 20)));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
