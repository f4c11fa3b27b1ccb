//! The files by which agents learn of this program: embedded here, written to the user's folders, and never over what
//! the user has changed.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cli::args::Agent;
use crate::domain::error::{Error, Result};
use crate::state::env::Environment;
use crate::state::private::{self, Durability};

const EXTENSION: &str = include_str!("../../../integrations/omp/index.ts");
const SKILL: &str = include_str!("../../../skills/pplx/SKILL.md");

/// A file that belongs to an integration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Planned {
    /// Where it goes.
    pub(crate) path: PathBuf,
    /// What is in it.
    pub(crate) content: &'static str,
}

/// What stands at the place of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing.
    Nothing,
    /// The file as it would be written.
    Same,
    /// A file that an older version of this program wrote.
    Older,
    /// Something that somebody else wrote, or changed.
    Foreign,
}

/// The files of one agent, and what is known of those that were written before.
#[derive(Debug)]
pub(crate) struct Integration {
    /// The files.
    pub(crate) files: Vec<Planned>,
    state: PathBuf,
}

impl Integration {
    /// The files for `agent` in the folders of this user.
    pub(crate) fn for_agent(agent: Agent, env: &Environment) -> Result<Self> {
        let home = env.home().ok_or(Error::NoConfigDir)?;
        let folder = |variable: &str, default: &str| {
            env.get(variable).map_or_else(|| home.join(default), PathBuf::from)
        };
        let extension =
            |folder: PathBuf| Planned { path: folder.join("extensions/pplx.ts"), content: EXTENSION };
        let skill = |folder: PathBuf| Planned { path: folder.join("skills/pplx/SKILL.md"), content: SKILL };
        let shared = || skill(home.join(".agents"));
        let files = match agent {
            Agent::Omp => vec![extension(folder("PI_CODING_AGENT_DIR", ".omp/agent")), shared()],
            Agent::Pi => vec![extension(folder("PI_CODING_AGENT_DIR", ".pi/agent")), shared()],
            Agent::Claude => vec![skill(folder("CLAUDE_CONFIG_DIR", ".claude"))],
            Agent::Codex | Agent::Agents => vec![shared()],
            Agent::Opencode => vec![skill(folder("XDG_CONFIG_HOME", ".config").join("opencode"))],
        };
        Ok(Self { files, state: env.state_dir()?.join("integrations.json") })
    }

    /// What stands at the place of `file`.
    pub(crate) fn found(&self, file: &Planned) -> Result<Found> {
        match fs::read(&file.path) {
            Ok(bytes) if bytes == file.content.as_bytes() => Ok(Found::Same),
            Ok(bytes) => {
                let written = self.previous().remove(&file.path);
                Ok(if written.is_some_and(|written| written.as_bytes() == bytes) {
                    Found::Older
                } else {
                    Found::Foreign
                })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Found::Nothing),
            Err(error) => Err(file_error("read", &file.path, error)),
        }
    }

    /// Writes a file, and remembers that it is ours.
    pub(crate) fn write(&self, file: &Planned) -> Result<()> {
        let folder = file.path.parent().unwrap_or(Path::new("."));
        let written = fs::create_dir_all(folder)
            .and_then(|()| private::write(&file.path, file.content.as_bytes(), Durability::Unsynced));
        written.map_err(|source| file_error("write", &file.path, source))?;
        let mut known = self.previous();
        known.insert(file.path.clone(), file.content.to_owned());
        self.remember(&known)
    }

    /// Deletes a file, and the folder of a skill with it if nothing else is there.
    pub(crate) fn remove(&self, file: &Planned) -> Result<()> {
        fs::remove_file(&file.path).map_err(|source| file_error("delete", &file.path, source))?;
        if let Some(folder) = file.path.parent().filter(|folder| folder.ends_with("skills/pplx")) {
            // It is not empty where the user keeps something there.
            let _ = fs::remove_dir(folder);
        }
        let mut known = self.previous();
        known.remove(&file.path);
        self.remember(&known)
    }

    /// What was written before, by path. What cannot be read was not.
    fn previous(&self) -> BTreeMap<PathBuf, String> {
        let bytes = fs::read(&self.state).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    fn remember(&self, known: &BTreeMap<PathBuf, String>) -> Result<()> {
        let folder = self.state.parent().unwrap_or(Path::new("."));
        let written = private::create_private_dir(folder)
            .and_then(|()| private::write(&self.state, &serde_json::to_vec(known)?, Durability::Unsynced));
        written.map_err(|source| file_error("write", &self.state, source))
    }
}

fn file_error(action: &'static str, path: &Path, source: io::Error) -> Error {
    Error::file(action, path, source)
}
