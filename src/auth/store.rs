//! The file with the session and the API key: `auth.json`.
//!
//! It is written as a 0600 file beside its target and renamed over it, so that no reader sees a partial file. The
//! folder is locked meanwhile, so that clearing a refused token cannot remove a newer one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::Credential;
use super::jwt;
use super::secret::Secret;
use super::session::Session;
use super::stored::{Content, session_bytes, to_bytes};
use crate::domain::error::{Error, Result};
use crate::domain::origin::Origin;
use crate::state::env::Environment;
use crate::state::off_thread::off_thread;
use crate::state::private::{self, Durability};

/// The stored session of one user.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
}

impl Store {
    /// The store in the user's settings folder.
    pub fn for_user(env: &Environment) -> Result<Self> {
        Ok(Self { path: env.config_dir()?.join("auth.json") })
    }

    /// The store at this path.
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Runs `work` on a blocking thread, because it may wait for a lock.
    pub async fn off_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let store = self.clone();
        off_thread(&self.path, move || work(&store)).await
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the permissions of other users on the file, and their permission to write to its folder. Returns a
    /// warning if there were any.
    pub fn tighten(&self) -> Result<Option<String>> {
        if !self.path.exists() {
            return Ok(None);
        }
        self.target()?;
        let tighten = |path: &Path, permissions| {
            private::tighten(path, permissions).map_err(|source| file_error("protect", path, source))
        };
        let folder = tighten(self.folder(), private::OTHERS_WRITE)?;
        let file = tighten(&self.path, private::OTHERS_ANY)?;
        Ok((file || folder)
            .then(|| format!("{} was open to other users; it is private now", self.path.display())))
    }

    /// The same for the store of this user. Errors are left to the read that follows.
    pub fn tighten_for(env: &Environment) -> Option<String> {
        Self::for_user(env).and_then(|store| store.tighten()).ok().flatten()
    }

    /// The stored session, if there is one. A file that cannot be used is an error that names it.
    pub fn read(&self) -> Result<Option<Credential>> {
        let Some(content) = self.content()?.filter(Content::has_session) else { return Ok(None) };
        self.credential_from(content).map(Some).map_err(|reason| Error::Malformed(self.origin(), reason))
    }

    /// The stored API key, if there is one.
    pub fn key(&self) -> Result<Option<Secret>> {
        Ok(self.content()?.and_then(|content| content.api_key).map(Secret::new))
    }

    fn content(&self) -> Result<Option<Content>> {
        let Some(bytes) = self.bytes()? else { return Ok(None) };
        self.parsed(&bytes).map(Some)
    }

    fn bytes(&self) -> Result<Option<Vec<u8>>> {
        match fs::read(&self.path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(file_error("read", &self.path, error)),
        }
    }

    fn parsed<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T> {
        // serde_json's own message may quote the content.
        serde_json::from_slice(bytes).map_err(|error| {
            let place =
                format!("it is not the expected JSON (line {}, column {})", error.line(), error.column());
            Error::Malformed(self.origin(), place)
        })
    }

    fn credential_from(&self, content: Content) -> std::result::Result<Credential, String> {
        if content.kind.is_some_and(|kind| kind != "oauth") {
            return Err("its type is not \"oauth\"".to_owned());
        }
        let session = match &content.cookies {
            Some(cookies) => Session::from_cookies(cookies)?,
            None => Session::from_token(&content.access)?,
        };
        let stored_expiry = content.expires.as_ref().and_then(Value::as_f64);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "`as` saturates, and any date that far is as good"
        )]
        let stored_expiry = stored_expiry
            .map(|expires| expires as i64)
            .filter(|_| !jwt::is_encrypted(session.token().expose()));
        let expires = stored_expiry.or_else(|| jwt::expiry(session.token().expose(), i64::MAX / 2));
        Ok(Credential { session, expires, email: content.email, origin: self.origin() })
    }

    /// Checks that a session can be stored, before one is acquired that would be lost otherwise.
    pub fn prepare(&self) -> Result<()> {
        self.make_folder()?;
        let target = self.target()?;
        private::probe(&target).map_err(|source| file_error("write", &target, source))
    }

    /// Replaces the stored session.
    pub fn write(&self, credential: &Credential) -> Result<()> {
        self.make_folder()?;
        let _lock = self.lock()?;
        self.write_locked(credential)
    }

    fn write_locked(&self, credential: &Credential) -> Result<()> {
        // An unreadable file is replaced, so its key is lost.
        let key = self.key().ok().flatten();
        self.replace(session_bytes(credential, key.as_ref()))
    }

    /// Stores an API key and keeps the other fields.
    pub fn write_key(&self, key: &Secret) -> Result<()> {
        self.make_folder()?;
        let _lock = self.lock()?;
        let mut content: Map<String, Value> =
            self.bytes()?.map_or_else(|| Ok(Map::new()), |bytes| self.parsed(&bytes))?;
        content.insert("api_key".to_owned(), key.expose().into());
        self.replace(to_bytes(&content))
    }

    fn replace(&self, bytes: io::Result<Vec<u8>>) -> Result<()> {
        let target = self.target()?;
        let written = bytes.and_then(|bytes| private::write(&target, &bytes, Durability::Synced));
        written.map_err(|source| file_error("write", &target, source))
    }

    /// Replaces `old` by the session that the service rotated it to, unless another process has stored a newer one
    /// meanwhile. The e-mail address is kept.
    pub fn rotate(&self, old: &Secret, new: Session) -> Result<()> {
        let _lock = self.lock()?;
        match self.read()? {
            Some(stored) if stored.session.token() == old => {
                let renewed = Credential { email: stored.email, ..Credential::new(new, stored.origin) };
                self.write_locked(&renewed)
            }
            _ => Ok(()),
        }
    }

    /// Deletes the file with session and key, and the target where it is a link. False when there was none.
    pub fn delete(&self) -> Result<bool> {
        if fs::symlink_metadata(&self.path).is_err() {
            return Ok(false);
        }
        let _lock = self.lock()?;
        self.remove()?;
        Ok(true)
    }

    /// Deletes the stored session if it still is the refused `token`. A key is kept.
    pub fn clear(&self, token: &Secret) -> Result<()> {
        let _lock = self.lock()?;
        match (self.read()?, self.key()?) {
            (Some(stored), _) if stored.session.token() != token => Ok(()),
            (Some(_), Some(key)) => self.replace(to_bytes(&json!({ "api_key": key.expose() }))),
            (Some(_), None) => self.remove(),
            (None, _) => Ok(()),
        }
    }

    fn remove(&self) -> Result<()> {
        let target = self.target()?;
        for path in [target.as_path(), &self.path] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(file_error("delete", path, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn origin(&self) -> Origin {
        Origin::Store(self.path.clone())
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    fn make_folder(&self) -> Result<()> {
        let folder = self.folder();
        private::create_private_dir(folder).map_err(|source| file_error("create", folder, source))
    }

    /// The path behind a link, which dotfile managers make. A link that another user may have made is refused.
    fn target(&self) -> Result<PathBuf> {
        let error = |source| file_error("follow", &self.path, source);
        match fs::symlink_metadata(&self.path) {
            Ok(metadata) if metadata.is_symlink() => {}
            _ => return Ok(self.path.clone()),
        }
        if !private::is_ours_alone(self.folder(), &self.path).map_err(error)? {
            return Err(error(io::Error::other("it is a link, in a folder that other users may write to")));
        }
        match self.path.canonicalize() {
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => {
                let target = self.folder().join(fs::read_link(&self.path).map_err(error)?);
                Ok(target)
            }
            target => target.map_err(error),
        }
    }

    fn lock(&self) -> Result<File> {
        private::lock(self.folder()).map_err(|source| file_error("lock", self.folder(), source))
    }
}

fn file_error(action: &'static str, path: &Path, source: io::Error) -> Error {
    Error::file(action, path, source)
}
