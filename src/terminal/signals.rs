//! Signals that end a run in good order.

use std::io;

/// A signal that asks the program to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code, reason = "elsewhere there is only Ctrl-C"))]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// The terminal is gone.
    HangUp,
}

impl Signal {
    /// 128 and the signal's number.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Interrupt => 130,
            Self::Terminate => 143,
            Self::HangUp => 129,
        }
    }

    /// What people are told.
    pub fn message(self) -> &'static str {
        match self {
            Self::Interrupt => "Interrupted.",
            Self::Terminate => "Terminated.",
            Self::HangUp => "Hung up.",
        }
    }
}

#[cfg(unix)]
mod platform {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

    use super::{Signal, io};

    /// Waits for signals.
    #[derive(Debug)]
    pub struct Signals {
        interrupt: Stream,
        terminate: Stream,
        hang_up: Stream,
        /// Which of them came: the next of the kind ends the process.
        seen: Vec<Arc<AtomicBool>>,
    }

    impl Signals {
        /// From here on a first signal is waited for here; a second one ends the process at once, even while it
        /// cannot get rid of its output.
        pub fn install() -> io::Result<Self> {
            let mut flags = Vec::new();
            for which in [Signal::Interrupt, Signal::Terminate, Signal::HangUp] {
                let number = i32::from(which.exit_code()) - 128;
                let seen = Arc::new(AtomicBool::new(false));
                signal_hook::flag::register_conditional_shutdown(number, number + 128, Arc::clone(&seen))?;
                signal_hook::flag::register(number, Arc::clone(&seen))?;
                flags.push(seen);
            }
            Ok(Self {
                interrupt: signal(SignalKind::interrupt())?,
                terminate: signal(SignalKind::terminate())?,
                hang_up: signal(SignalKind::hangup())?,
                seen: flags,
            })
        }

        /// What the signals so far were for is done: the next one is a first one again.
        pub fn forget(&self) {
            self.seen.iter().for_each(|seen| seen.store(false, Ordering::Relaxed));
        }

        /// The next signal.
        pub async fn next(&mut self) -> Signal {
            tokio::select! {
                _ = self.interrupt.recv() => Signal::Interrupt,
                _ = self.terminate.recv() => Signal::Terminate,
                _ = self.hang_up.recv() => Signal::HangUp,
            }
        }
    }
}

#[cfg(not(unix))]
mod platform {
    use super::{Signal, io};

    /// Waits for Ctrl-C.
    #[derive(Debug)]
    pub struct Signals;

    impl Signals {
        /// There is nothing to be prepared here.
        pub fn install() -> io::Result<Self> {
            Ok(Self)
        }

        /// A second Ctrl-C is not told from a first one here.
        pub fn forget(&self) {}

        /// The next Ctrl-C.
        pub async fn next(&mut self) -> Signal {
            // Without a handler there is nothing to wait for.
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
            Signal::Interrupt
        }
    }
}

pub use platform::Signals;
