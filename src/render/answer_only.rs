//! The answer's text alone.

use std::io::{self, Write};

use super::live_text::LiveText;
use super::report::write_text;
use super::{Problem, Render, Style};
use crate::domain::answer::{Answer, SearchEvent};

/// Prints the text; on a terminal as it arrives.
pub(super) struct AnswerOnly {
    wrap: bool,
    live: Option<LiveText>,
}

impl AnswerOnly {
    pub(super) fn new(style: &Style) -> Self {
        Self { wrap: style.wrap, live: style.screen.map(|screen| LiveText::new(screen, "")) }
    }
}

impl Render for AnswerOnly {
    fn event(&mut self, event: &SearchEvent, out: &mut dyn Write) -> io::Result<()> {
        match (&mut self.live, event) {
            (Some(live), SearchEvent::Text(change)) => live.apply(change, out),
            _ => Ok(()),
        }
    }

    fn answer(&mut self, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
        if let Some(live) = &mut self.live {
            live.finish(&answer.text, "\n", out)
        } else {
            write_text(&answer.text, self.wrap, out)?;
            out.write_all(b"\n")
        }
    }

    fn problem(&mut self, _: &Problem, received: Option<&Answer>, out: &mut dyn Write) -> io::Result<()> {
        match (&mut self.live, received) {
            (Some(live), _) => live.end_line(out),
            (None, Some(answer)) => self.answer(answer, out),
            (None, None) => Ok(()),
        }
    }
}
