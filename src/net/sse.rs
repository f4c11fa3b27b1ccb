//! Server-sent events: bytes in, events out. No I/O, no allocation per event.
//!
//! The rules are those of the WHATWG event-stream format (lines end in LF, CRLF or CR; one BOM is dropped;
//! comments, `id`, `retry` and unknown fields are ignored), with three deliberate differences:
//!
//! * invalid UTF-8 becomes U+FFFD inside its event, and other events are not affected;
//! * a last event without its blank line is returned by [`Decoder::finish`]; the caller decides whether it is complete;
//! * an event that has a name but no data is returned, because the service ends its streams with one.

use memchr::memchr2;

/// The largest event, in bytes. Recorded lines reach 0.6 MB; 16 MB must work.
pub const MAX_EVENT: usize = 64 << 20;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// One event, borrowed from the decoder until the next call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    /// The `event:` field; empty when the stream gave none.
    pub name: &'a str,
    /// The `data:` lines, joined by LF.
    pub data: &'a str,
}

/// An event is larger than the decoder's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event in the stream is larger than {limit} bytes")]
pub struct TooLarge {
    /// The limit, in bytes.
    pub limit: usize,
}

/// An incremental decoder. Feed it reads of any size; the events do not depend on where the reads were cut.
#[derive(Debug)]
pub struct Decoder {
    /// The start of the current line, from earlier calls.
    line: Vec<u8>,
    data: Vec<u8>,
    name: Vec<u8>,
    has_data: bool,
    /// The last byte was a CR that ended a line; an LF after it belongs to it.
    after_cr: bool,
    /// How many bytes of a BOM were read at the start; `BOM.len()` once the start is over.
    bom_bytes: usize,
    /// `data` and `name` were returned, and must be cleared before they are filled again.
    returned: bool,
    /// Name and data with U+FFFD in place of bytes that are not UTF-8.
    repaired: (String, String),
    limit: usize,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::with_limit(MAX_EVENT)
    }
}

impl Decoder {
    /// A decoder whose events may hold at most `limit` bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            data: Vec::new(),
            name: Vec::new(),
            has_data: false,
            after_cr: false,
            bom_bytes: 0,
            returned: false,
            repaired: (String::new(), String::new()),
            limit,
        }
    }

    /// Takes bytes off the front of `input` until an event is complete, and returns it; `None` once the input
    /// is used up. Call it again with the rest of `input`.
    pub fn next(&mut self, input: &mut &[u8]) -> Result<Option<Event<'_>>, TooLarge> {
        self.clear_returned();
        self.skip_bom(input);
        while let Some(end) = self.find_line_end(input)? {
            let (line, rest) = input.split_at(end);
            self.after_cr = rest.first() == Some(&b'\r');
            *input = rest.get(1..).unwrap_or_default();
            if self.end_line(line) {
                return Ok(Some(self.event()));
            }
        }
        Ok(None)
    }

    /// Ends the input and returns an event that lacks its blank line, if there is one.
    pub fn finish(&mut self) -> Option<Event<'_>> {
        self.clear_returned();
        if self.bom_bytes < BOM.len() {
            self.line.extend(BOM.get(..self.bom_bytes).unwrap_or_default());
            self.bom_bytes = BOM.len();
        }
        let complete = self.end_line(&[]) || self.has_data || !self.name.is_empty();
        complete.then(|| self.event())
    }

    fn clear_returned(&mut self) {
        if std::mem::take(&mut self.returned) {
            self.data.clear();
            self.name.clear();
            self.has_data = false;
        }
    }

    fn skip_bom(&mut self, input: &mut &[u8]) {
        while let (Some(expected), Some((first, rest))) = (BOM.get(self.bom_bytes), input.split_first()) {
            if first != expected {
                self.line.extend(BOM.get(..self.bom_bytes).unwrap_or_default());
                self.bom_bytes = BOM.len();
                return;
            }
            self.bom_bytes += 1;
            *input = rest;
        }
    }

    /// The position of the next line end in `input`. Without one, all of `input` is added to `line`.
    fn find_line_end(&mut self, input: &mut &[u8]) -> Result<Option<usize>, TooLarge> {
        if self.after_cr && !input.is_empty() {
            self.after_cr = false;
            *input = input.strip_prefix(b"\n").unwrap_or(input);
        }
        let end = memchr2(b'\n', b'\r', input);
        let size = self.line.len() + self.data.len() + end.unwrap_or(input.len());
        if size > self.limit {
            return Err(TooLarge { limit: self.limit });
        }
        if end.is_none() {
            self.line.extend_from_slice(input);
            *input = &[];
        }
        Ok(end)
    }

    /// Ends the line whose last part is `tail`. True for the blank line that ends an event.
    fn end_line(&mut self, tail: &[u8]) -> bool {
        if self.line.is_empty() {
            return self.read_field(tail);
        }
        let mut line = std::mem::take(&mut self.line);
        line.extend_from_slice(tail);
        let ends_event = match field_value(&line, b"data") {
            Some(value) if !self.has_data => {
                // A long line becomes the data without a copy.
                let start = line.len() - value.len();
                line.drain(..start);
                std::mem::swap(&mut self.data, &mut line);
                self.has_data = true;
                false
            }
            _ => self.read_field(&line),
        };
        line.clear();
        self.line = line;
        ends_event
    }

    fn read_field(&mut self, line: &[u8]) -> bool {
        if line.is_empty() {
            return self.has_data || !self.name.is_empty();
        }
        if let Some(value) = field_value(line, b"data") {
            if self.has_data {
                self.data.push(b'\n');
            }
            self.has_data = true;
            self.data.extend_from_slice(value);
        } else if let Some(value) = field_value(line, b"event") {
            self.name.clear();
            self.name.extend_from_slice(value);
        }
        false
    }

    fn event(&mut self) -> Event<'_> {
        self.returned = true;
        Event {
            name: utf8_or_repaired(&self.name, &mut self.repaired.0),
            data: utf8_or_repaired(&self.data, &mut self.repaired.1),
        }
    }
}

/// The value of the field `name`, if `line` is one: after the colon, without one leading blank.
fn field_value<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    match line.strip_prefix(name)?.split_first() {
        None => Some(&[]),
        Some((b':', value)) => Some(value.strip_prefix(b" ").unwrap_or(value)),
        Some(_) => None,
    }
}

fn utf8_or_repaired<'a>(bytes: &'a [u8], repaired: &'a mut String) -> &'a str {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text;
    }
    *repaired = String::from_utf8_lossy(bytes).into_owned();
    repaired
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut decoder = Decoder::default();
        let mut events = Vec::new();
        for piece in pieces {
            let mut input = *piece;
            while let Some(event) = decoder.next(&mut input).unwrap() {
                events.push((event.name.to_owned(), event.data.to_owned()));
            }
        }
        if let Some(event) = decoder.finish() {
            events.push((event.name.to_owned(), event.data.to_owned()));
        }
        events
    }

    fn data_of(stream: &[u8]) -> Vec<String> {
        decoded(&[stream]).into_iter().map(|(_, data)| data).collect()
    }

    #[test]
    fn lines_end_in_lf_crlf_or_cr() {
        for stream in ["data: a\n\ndata: b\n\n", "data: a\r\n\r\ndata: b\r\n\r\n", "data: a\r\rdata: b\r\r"] {
            assert_eq!(data_of(stream.as_bytes()), ["a", "b"], "{stream:?}");
        }
    }

    #[test]
    fn an_event_that_ends_in_cr_does_not_wait_for_the_next_byte() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.next(&mut &b"data: a\r\r"[..]).unwrap().unwrap().data, "a");
        let mut rest = &b"\ndata: b\r\n\r"[..];
        assert_eq!(decoder.next(&mut rest).unwrap().unwrap().data, "b");
    }

    #[test]
    fn one_bom_is_dropped_wherever_the_reads_are_cut() {
        assert_eq!(decoded(&[b"\xEF", b"\xBB", b"\xBFdata: a\n\n"]), [(String::new(), "a".to_owned())]);
        assert_eq!(
            data_of(b"\xEF\xBBdata: a\n\ndata: b\n\n"),
            ["b"],
            "half a BOM is part of an unknown field"
        );
    }

    #[test]
    fn comments_ids_retries_and_unknown_fields_are_ignored() {
        assert_eq!(data_of(b": hi\nid: 1\nretry: 5\nnoise\ndatum: x\ndata: a\n\n:\n\n"), ["a"]);
    }

    #[test]
    fn data_lines_join_and_the_blank_after_the_colon_is_optional() {
        assert_eq!(data_of(b"data:a\ndata: b\ndata:  c\ndata\n\n"), ["a\nb\n c\n"]);
    }

    #[test]
    fn an_event_is_named_and_may_have_no_data() {
        let events = decoded(&[b"event: message\ndata: {}\n\nevent: end_of_stream\n\ndata: x\n\n"]);
        let names: Vec<_> = events.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["message", "end_of_stream", ""]);
    }

    #[test]
    fn the_last_event_needs_no_blank_line() {
        assert_eq!(data_of(b"data: a\n\ndata: b"), ["a", "b"]);
        assert_eq!(data_of(b"data: a\n\ndata: b\n"), ["a", "b"]);
        assert_eq!(data_of(b"data: a\n\n"), ["a"]);
    }

    #[test]
    fn invalid_bytes_are_replaced_and_harm_no_other_event() {
        assert_eq!(data_of(b"data: caf\xE9\n\ndata: b\n\n"), ["caf\u{FFFD}", "b"]);
    }

    #[test]
    fn unicode_line_separators_do_not_end_a_line() {
        assert_eq!(data_of("data: a\u{2028}b\u{85}c\n\n".as_bytes()), ["a\u{2028}b\u{85}c"]);
    }

    #[test]
    fn any_two_cuts_give_the_same_events() {
        let stream =
            "\u{FEFF}event: message\r\ndata: {\"é\":1}\r\n\r\n: c\rdata: x\rdata: 🧪\r\rdata: y\n\ndata: z";
        let stream = stream.as_bytes();
        let at_once = decoded(&[stream]);
        assert_eq!(data_of(stream), ["{\"é\":1}", "x\n🧪", "y", "z"]);
        for first in 0..=stream.len() {
            for second in first..=stream.len() {
                let pieces = [&stream[..first], &stream[first..second], &stream[second..]];
                assert_eq!(decoded(&pieces), at_once, "cut at {first} and {second}");
            }
        }
    }

    #[test]
    fn an_event_beyond_the_bound_is_an_error_in_one_read_and_in_many() {
        let stream = b"data: 0123456789\n\n";
        assert!(Decoder::with_limit(8).next(&mut &stream[..]).is_err());
        let mut decoder = Decoder::with_limit(8);
        assert!(stream.iter().any(|byte| decoder.next(&mut std::slice::from_ref(byte)).is_err()));
        assert!(Decoder::with_limit(64).next(&mut &stream[..]).unwrap().is_some());
    }
}
