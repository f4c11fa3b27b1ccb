//! The built program in an environment of its own.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::{Server, TOKEN, TOKEN_EXPIRES};

/// No run of these tests takes longer.
const LIMIT: Duration = Duration::from_secs(60);

/// What a run left.
#[derive(Debug)]
pub struct Outcome {
    /// The exit code; 128 and the number for a signal.
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

impl Outcome {
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Checks exit code, standard output and standard error together.
    #[track_caller]
    pub fn is(&self, code: i32, stdout: &str, stderr: &str) {
        assert_eq!((self.code, self.stdout.as_str(), self.stderr.as_str()), (code, stdout, stderr));
    }
}

/// A user's home, with the settings of a run in it.
pub struct Home {
    dir: TempDir,
    environment: BTreeMap<OsString, OsString>,
    stdin: Vec<u8>,
}

impl Home {
    /// A home without anything in it, that leads to `server`.
    pub fn new(server: &Server) -> Self {
        Self::at(&server.url())
    }

    /// A home whose service is at `url`.
    pub fn at(url: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = Self { environment: BTreeMap::new(), stdin: Vec::new(), dir };
        let path = std::env::var("PATH").unwrap();
        // Windows opens no socket without it.
        let root = std::env::var("SystemRoot").unwrap_or_default();
        let config = home.path().join("config");
        let state = home.path().join("state");
        home.env("PATH", path)
            .env("SystemRoot", root)
            .env("XDG_STATE_HOME", state)
            .env("XDG_CONFIG_HOME", config)
            .env("TZ", "UTC")
            .env("PPLX_BASE_URL", url)
            .env("PPLX_AUTH_NO_BORROW", "1")
    }

    /// A home with a stored session.
    pub fn logged_in(server: &Server) -> Self {
        let home = Self::new(server);
        home.store(TOKEN, TOKEN_EXPIRES);
        home
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Where the session is stored.
    pub fn auth(&self) -> PathBuf {
        self.path().join("config/pplx/auth.json")
    }

    /// Where state is kept.
    pub fn state(&self) -> PathBuf {
        self.path().join("state/pplx")
    }

    /// What is kept between runs.
    #[track_caller]
    pub fn database(&self) -> rusqlite::Connection {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE;
        rusqlite::Connection::open_with_flags(self.state().join("state.db"), flags).unwrap()
    }

    pub fn store(&self, token: &str, expires: i64) {
        self.write_auth(&format!("{{\"type\":\"oauth\",\"access\":\"{token}\",\"expires\":{expires}}}"));
    }

    pub fn write_auth(&self, content: &str) {
        fs::create_dir_all(self.auth().parent().unwrap()).unwrap();
        fs::write(self.auth(), content).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(self.auth(), fs::Permissions::from_mode(0o600)).unwrap();
        }
    }

    /// What is stored.
    #[track_caller]
    pub fn stored(&self) -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(self.auth()).unwrap()).unwrap()
    }

    pub fn settings(self, toml: &str) -> Self {
        fs::create_dir_all(self.auth().parent().unwrap()).unwrap();
        fs::write(self.auth().with_file_name("settings.toml"), toml).unwrap();
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment.insert(name.into(), value.as_ref().into());
        self
    }

    pub fn without(mut self, name: &str) -> Self {
        self.environment.remove(OsStr::new(name));
        self
    }

    pub fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        bytes.as_ref().clone_into(&mut self.stdin);
        self
    }

    /// A stand-in program of this name, first on PATH.
    #[cfg(unix)]
    pub fn program(self, name: &str, script: &str) -> Self {
        use std::os::unix::fs::PermissionsExt;
        let bin = self.path().join("bin");
        fs::create_dir_all(&bin).unwrap();
        fs::write(bin.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        self.env("PATH", path)
    }

    /// The program, not started yet.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pplx"));
        command.args(args).env_clear().envs(&self.environment).current_dir(self.path());
        command
    }

    /// Starts the program with captured output, and its input given.
    pub fn start(&self, args: &[&str]) -> Child {
        let mut command = self.command(args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A program that does not read its input may close it first.
        let _ = child.stdin.take().unwrap().write_all(&self.stdin);
        child
    }

    /// Runs the program to its end.
    #[track_caller]
    pub fn run(&self, args: &[&str]) -> Outcome {
        finish(self.start(args))
    }
}

/// Waits for the end of a program, and for all of its output.
#[track_caller]
pub fn finish(child: Child) -> Outcome {
    let started = Instant::now();
    let id = child.id();
    let waiting = std::thread::spawn(move || child.wait_with_output().unwrap());
    while !waiting.is_finished() {
        assert!(started.elapsed() < LIMIT, "process {id} does not end");
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = waiting.join().unwrap();
    Outcome {
        code: code_of(output.status),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        took: started.elapsed(),
    }
}

#[cfg(unix)]
pub fn code_of(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap())
}

#[cfg(not(unix))]
pub fn code_of(status: std::process::ExitStatus) -> i32 {
    status.code().unwrap()
}
