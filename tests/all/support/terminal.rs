//! A pseudo-terminal around the program.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

/// No wait in these tests takes longer.
const LIMIT: Duration = Duration::from_secs(20);

/// A program that runs in a terminal of its own.
pub struct Terminal {
    child: Child,
    master: File,
    slave: File,
    seen: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    /// Starts `command` on a terminal of 80 columns and 24 rows, with all three streams on it.
    pub fn start(mut command: Command) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        tcsetwinsize(&master, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let slave = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
        let end = || Stdio::from(OwnedFd::from(slave.try_clone().unwrap()));
        let child = command.stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
        let master = File::from(master);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (mut reader, shared) = (master.try_clone().unwrap(), Arc::clone(&seen));
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                shared.lock().unwrap().extend(&buffer[..length]);
            }
        });
        Self { child, master, slave, seen }
    }

    /// Everything written so far.
    pub fn seen(&self) -> String {
        String::from_utf8_lossy(&self.seen.lock().unwrap()).into_owned()
    }

    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        self.wait_for_times(text, 1);
    }

    /// Waits until `text` has come, and `next` after it.
    #[track_caller]
    pub fn wait_for_both(&self, text: &str, next: &str) {
        let started = Instant::now();
        while !self.seen().split_once(text).is_some_and(|(_, after)| after.contains(next)) {
            assert!(started.elapsed() < LIMIT, "{text:?} and {next:?} do not come: {:?}", self.seen());
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits until `text` has come so many times.
    #[track_caller]
    pub fn wait_for_times(&self, text: &str, times: usize) {
        let started = Instant::now();
        while self.seen().matches(text).count() < times {
            assert!(started.elapsed() < LIMIT, "{text:?} does not come: {:?}", self.seen());
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits until what is typed is not echoed.
    #[track_caller]
    pub fn wait_until_hidden(&self) {
        let started = Instant::now();
        while self.echoes() {
            assert!(started.elapsed() < LIMIT, "what is typed is shown: {:?}", self.seen());
            thread::sleep(Duration::from_millis(2));
        }
    }

    pub fn type_in(&mut self, text: &str) {
        self.master.write_all(text.as_bytes()).unwrap();
    }

    pub fn echoes(&self) -> bool {
        tcgetattr(&self.slave).unwrap().local_modes.contains(LocalModes::ECHO)
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end.
    #[track_caller]
    pub fn ended(mut self) -> Self {
        let started = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(started.elapsed() < LIMIT, "the program does not end: {:?}", self.seen());
            thread::sleep(Duration::from_millis(2));
        }
        self
    }

    /// Waits for the end. The exit code and everything written.
    #[track_caller]
    pub fn finish(self) -> (i32, String) {
        let mut ended = self.ended();
        let status = ended.child.wait().unwrap();
        // What was written last may still be on its way.
        thread::sleep(Duration::from_millis(50));
        (crate::support::command::code_of(status), ended.seen())
    }
}
