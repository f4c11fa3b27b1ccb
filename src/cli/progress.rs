//! A line on standard error that shows what the service is doing, and vanishes before the answer comes.

use std::time::{Duration, Instant};

use crate::domain::answer::Step;
use crate::domain::attachment::Meter;
use crate::render::text::{cells_cut, one_line};
use crate::render::{Screen, step};
use crate::terminal::io::Io;

/// How often the time shown is renewed.
pub(crate) const TICK: Duration = Duration::from_millis(500);

/// How wide the bar of an upload is, in cells.
const BAR: u64 = 20;

/// Files on their way.
#[derive(Debug)]
pub(crate) struct Uploading {
    pub(crate) meter: Meter,
    /// The files' bytes.
    pub(crate) total: u64,
}

/// The line, while there is one.
#[derive(Debug)]
pub(crate) struct Progress {
    started: Instant,
    /// Until the first step is told.
    uploading: Option<Uploading>,
    text: String,
    /// Whether the line may be shown: not before a search is asked, nor after its answer has begun.
    open: bool,
    shown: bool,
}

impl Progress {
    /// A line for a search that starts now; none where nobody would see it.
    pub(crate) fn new(visible: bool, uploading: Option<Uploading>) -> Self {
        let text = "Asking".to_owned();
        Self { started: Instant::now(), uploading, text, open: visible, shown: false }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// The service started on something else.
    pub(crate) fn step(&mut self, step: &Step, io: &mut Io) {
        self.uploading = None;
        self.text = step::phrase(step);
        self.draw(io);
    }

    /// Draws the line anew, with the time that has passed.
    pub(crate) fn draw(&mut self, io: &mut Io) {
        if !self.open {
            return;
        }
        let text = self.uploading.as_ref().map_or_else(|| one_line(&self.text), Uploading::described);
        let line = format!("{text} ({}s)", self.started.elapsed().as_secs());
        // One cell less than the terminal has, so that it never scrolls.
        let width = Screen::current().width.saturating_sub(1);
        io.ask(&format!("\r\x1B[K{}", cells_cut(&line, width)));
        self.shown = true;
    }

    /// Takes the line away for now.
    pub(crate) fn clear(&mut self, io: &mut Io) {
        if std::mem::take(&mut self.shown) {
            io.ask("\r\x1B[K");
        }
    }

    /// Takes the line away for good.
    pub(crate) fn close(&mut self, io: &mut Io) {
        self.open = false;
        self.clear(io);
    }
}

impl Uploading {
    /// A bar, how much that is, and of what.
    fn described(&self) -> String {
        let percent = (self.meter.sent() * 100 / self.total.max(1)).min(100);
        let bar: String = (0..BAR).map(|cell| if cell * 100 < percent * BAR { '█' } else { '░' }).collect();
        format!("Uploading {bar} {percent}% of {}", size(self.total))
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_of_an_upload_fills_and_never_overflows() {
        let uploading = Uploading { meter: Meter::default(), total: 12_345_678 };
        assert_eq!(uploading.described(), "Uploading ░░░░░░░░░░░░░░░░░░░░ 0% of 12.3 MB");
        uploading.meter.add(6_200_000);
        assert_eq!(uploading.described(), "Uploading ██████████░░░░░░░░░░ 50% of 12.3 MB");
        uploading.meter.add(6_200_000);
        assert_eq!(uploading.described(), "Uploading ████████████████████ 100% of 12.3 MB");
    }

    #[test]
    fn sizes_are_told_in_the_unit_that_suits_them() {
        assert_eq!([999, 1_000, 999_999, 1_000_000].map(size), ["999 bytes", "1 kB", "999 kB", "1.0 MB"]);
    }
}
