//! A line on standard error that shows what the service is doing, and vanishes before the answer comes.

use std::time::{Duration, Instant};

use crate::domain::answer::Step;
use crate::domain::attachment::Meter;
use crate::render::text::{cells_cut, one_line};
use crate::render::{Screen, step};
use crate::terminal::io::Io;

/// How often the line is drawn anew, for the time in it.
pub(crate) const TICK: Duration = Duration::from_millis(500);

/// How wide the bar of an upload is, in cells.
const BAR: u64 = 20;

/// An upload that is running.
#[derive(Debug)]
pub(crate) struct Uploading {
    pub(crate) meter: Meter,
    /// The size of all files, in bytes.
    pub(crate) total: u64,
}

/// The line, while there is one.
#[derive(Debug)]
pub(crate) struct Progress {
    started: Instant,
    /// Shown until the first step is reported.
    uploading: Option<Uploading>,
    text: String,
    /// The line may be drawn: from the start of a search until its answer begins.
    is_open: bool,
    is_drawn: bool,
}

impl Progress {
    /// A line for a search that starts now; without `visible` it is never drawn.
    pub(crate) fn new(visible: bool, uploading: Option<Uploading>) -> Self {
        let text = "Asking".to_owned();
        Self { started: Instant::now(), uploading, text, is_open: visible, is_drawn: false }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// The service started on something else.
    pub(crate) fn step(&mut self, step: &Step, io: &mut Io) {
        self.uploading = None;
        self.text = step::phrase(step);
        self.draw(io);
    }

    /// Draws the line, with the time that has passed.
    pub(crate) fn draw(&mut self, io: &mut Io) {
        if !self.is_open {
            return;
        }
        let text = self.uploading.as_ref().map_or_else(|| one_line(&self.text), Uploading::described);
        let line = format!("{text} ({}s)", self.started.elapsed().as_secs());
        // One cell less than the terminal has, so that it never scrolls.
        let width = Screen::current().width.saturating_sub(1);
        io.prompt(&format!("\r\x1B[K{}", cells_cut(&line, width)));
        self.is_drawn = true;
    }

    /// Removes the line; the next step draws it again.
    pub(crate) fn clear(&mut self, io: &mut Io) {
        if std::mem::take(&mut self.is_drawn) {
            io.prompt("\r\x1B[K");
        }
    }

    /// Removes the line for good.
    pub(crate) fn close(&mut self, io: &mut Io) {
        self.is_open = false;
        self.clear(io);
    }
}

impl Uploading {
    /// A bar, the share of the bytes that were sent, and the size.
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
