//! The file that keeps the session: `auth.json`.
//!
//! It is written as a 0600 file beside its target and renamed over it, so nobody sees half a file or may read it,
//! and the folder is locked meanwhile, so that clearing a refused token cannot remove a newer one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::secret::Secret;
use super::session::Session;
use super::{Credential, jwt};
use crate::env::Environment;
use crate::error::{Error, Result};
use crate::origin::Origin;
use crate::private::{self, Durability};

/// The stored session of one user.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
}

/// The file's content. `expires` may be any number; what is not understood counts as absent.
#[derive(Deserialize)]
struct Content {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    access: String,
    #[serde(default)]
    expires: Option<Value>,
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    cookies: Option<String>,
}

#[derive(Serialize)]
struct Written<'a> {
    r#type: &'a str,
    access: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cookies: Option<&'a str>,
}

impl Store {
    /// The store in the user's settings folder.
    pub fn of(env: &Environment) -> Result<Self> {
        Ok(Self { path: env.config_dir()?.join("auth.json") })
    }

    /// The store at this path.
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes rights away that others have on the file or, for writing, on its folder. Says so if there were any.
    pub fn tighten(&self) -> Result<Option<String>> {
        if !self.path.exists() {
            return Ok(None);
        }
        self.target()?;
        let tighten = |path: &Path, rights| {
            private::tighten(path, rights).map_err(|source| file_error("protect", path, source))
        };
        let folder = tighten(self.folder(), private::OTHERS_WRITE)?;
        let file = tighten(&self.path, private::OTHERS_ANY)?;
        Ok((file || folder)
            .then(|| format!("{} was open to other users; it is private now", self.path.display())))
    }

    /// The stored session, if there is one. A file that is there but cannot be used is an error that names it.
    pub fn read(&self) -> Result<Option<Credential>> {
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(file_error("read", &self.path, error)),
        };
        self.parse(&bytes).map(Some).map_err(|reason| Error::Malformed(self.origin(), reason))
    }

    fn parse(&self, bytes: &[u8]) -> std::result::Result<Credential, String> {
        // serde_json's own message may quote the content.
        let content: Content = serde_json::from_slice(bytes).map_err(|error| {
            format!("it is not the expected JSON (line {}, column {})", error.line(), error.column())
        })?;
        if content.kind.is_some_and(|kind| kind != "oauth") {
            return Err("its type is not \"oauth\"".to_owned());
        }
        let session = match &content.cookies {
            Some(cookies) => Session::from_cookies(cookies)?,
            None => Session::from_token(&content.access)?,
        };
        let noted = content.expires.as_ref().and_then(Value::as_f64);
        #[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and any far date does")]
        let noted =
            noted.map(|expires| expires as i64).filter(|_| !jwt::is_encrypted(session.token().expose()));
        let expires = noted.or_else(|| jwt::expiry(session.token().expose(), i64::MAX / 2));
        Ok(Credential { session, expires, email: content.email, origin: self.origin() })
    }

    /// Makes sure that a session can be stored, before one is acquired that would be lost otherwise.
    pub fn prepare(&self) -> Result<()> {
        self.make_folder()?;
        let target = self.target()?;
        private::probe(&target).map_err(|source| file_error("write", &target, source))
    }

    /// Replaces what is stored.
    pub fn write(&self, credential: &Credential) -> Result<()> {
        self.make_folder()?;
        let _lock = self.lock()?;
        self.write_locked(credential)
    }

    fn write_locked(&self, credential: &Credential) -> Result<()> {
        let target = self.target()?;
        let written =
            written(credential).and_then(|bytes| private::write(&target, &bytes, Durability::Synced));
        written.map_err(|source| file_error("write", &target, source))
    }

    /// Puts the session that the service rotated to in place of `old`, unless another process has stored a newer one
    /// meanwhile. The account stays the same.
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

    /// Deletes the stored session, through a link too. False when there was none.
    pub fn delete(&self) -> Result<bool> {
        if fs::symlink_metadata(&self.path).is_err() {
            return Ok(false);
        }
        let _lock = self.lock()?;
        self.remove()?;
        Ok(true)
    }

    /// Deletes the stored session if it still is `token`, the one that was refused.
    pub fn clear(&self, token: &Secret) -> Result<()> {
        let _lock = self.lock()?;
        match self.read()? {
            Some(stored) if stored.session.token() == token => self.remove(),
            _ => Ok(()),
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

    /// Where the file really is: dotfile managers link it. A link that somebody else may have put there is refused.
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

/// The file's text for `credential`.
fn written(credential: &Credential) -> io::Result<Vec<u8>> {
    let session = &credential.session;
    let written = Written {
        r#type: "oauth",
        access: session.token().expose(),
        expires: credential.expires,
        email: credential.email.as_deref(),
        cookies: session.cookies().map(Secret::expose),
    };
    let mut bytes = serde_json::to_vec_pretty(&written)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn file_error(action: &'static str, path: &Path, source: io::Error) -> Error {
    Error::File { action, path: path.to_owned(), source }
}
