//! Questions whose answers are fetched later: kept on disk, so that a program that ends loses none.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::env::Environment;
use crate::error::{Error, Result};
use crate::private::{self, Durability};

/// How many jobs are kept.
const MOST: usize = 100;

/// The folder of the jobs. What they hold is as private as the threads.
#[derive(Debug, Clone)]
pub struct Jobs {
    folder: PathBuf,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Its name.
    pub id: String,
    /// What was asked.
    pub query: String,
    /// The run of deep research at the service, by which it can be taken up again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// What is known of the answer; whether that is all of it is for the one who wrote it to say.
    pub result: Option<Value>,
    /// Nothing more will come.
    pub done: bool,
}

impl Jobs {
    /// The jobs in the user's state folder.
    pub fn of(env: &Environment) -> Result<Self> {
        Ok(Self { folder: env.state_dir()?.join("jobs") })
    }

    /// Keeps a job, and forgets the oldest ones.
    pub fn write(&self, job: &Job) -> Result<()> {
        let path =
            self.path(&job.id).ok_or_else(|| self.error("write", io::ErrorKind::InvalidInput.into()))?;
        let written = private::create_private_dir(&self.folder).and_then(|()| {
            let _lock = private::lock(&self.folder)?;
            private::write(&path, &serde_json::to_vec(job)?, Durability::Unsynced)?;
            self.forget_oldest()
        });
        written.map_err(|source| self.error("write", source))
    }

    /// The job of this name.
    pub fn read(&self, id: &str) -> Result<Option<Job>> {
        let Some(path) = self.path(id) else { return Ok(None) };
        match fs::read(&path) {
            Ok(bytes) => {
                let job = serde_json::from_slice(&bytes).map_err(io::Error::from);
                job.map(Some).map_err(|source| self.error("read", source))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.error("read", error)),
        }
    }

    /// Whether a job can have this name.
    pub fn is_name(id: &str) -> bool {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        !id.is_empty() && id.len() <= 100 && id.bytes().all(fits)
    }

    /// Where a job is; `None` for a name that is none.
    fn path(&self, id: &str) -> Option<PathBuf> {
        Self::is_name(id).then(|| self.folder.join(format!("{id}.json")))
    }

    fn forget_oldest(&self) -> io::Result<()> {
        let mut jobs = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.path().extension().is_some_and(|extension| extension == "json") {
                jobs.push((entry.metadata()?.modified()?, entry.path()));
            }
        }
        jobs.sort_unstable();
        let surplus = jobs.len().saturating_sub(MOST);
        jobs.iter().take(surplus).try_for_each(|(_, path)| fs::remove_file(path))
    }

    fn error(&self, action: &'static str, source: io::Error) -> Error {
        Error::File { action, path: self.folder.clone(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: &str) -> Job {
        Job { id: id.to_owned(), query: "q".to_owned(), run: None, result: None, done: false }
    }

    #[test]
    fn jobs_are_kept_by_name_and_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let jobs = Jobs { folder: folder.path().join("jobs") };
        assert_eq!(jobs.read("a").unwrap(), None);
        for number in 0..=MOST {
            jobs.write(&job(&format!("j-{number}"))).unwrap();
        }
        assert_eq!(jobs.read("j-100").unwrap(), Some(job("j-100")));
        assert_eq!(fs::read_dir(&jobs.folder).unwrap().count(), MOST);
        for name in ["", "../auth", "a/b", "a.b"] {
            assert_eq!(jobs.read(name).unwrap(), None, "{name}");
            assert!(jobs.write(&job(name)).is_err(), "{name}");
        }
    }
}
