//! The bytes of an answer: server-sent events out of a stream, and the text of an error.
//!
//! Format: <https://html.spec.whatwg.org/multipage/server-sent-events.html>, of which only the data of events is of use here. A stream that ends amid an event
//! has it heard all the same: some servers leave out the last empty line, and an event that was cut is no JSON.
//!
//! Invariants: every byte is looked at once, whether or not it ever ends a line or an event; what came counts against the limit byte for byte, comments
//! and names of events included; nothing is kept of what is not data.

use crate::trouble::Trouble;
use reqwest::Response;
use tokio::time::{Instant, timeout_at};

/// The longest text of an error that is read. Providers explain themselves in a few hundred bytes.
const ERROR_BYTES_MAX: usize = 256 << 10;

/// Splits a stream into the data of its events.
#[derive(Debug)]
pub(crate) struct Events {
    /// The line that has not ended, from its start.
    line: Vec<u8>,
    /// The data of the event that has not ended.
    data: Vec<u8>,
    has_data: bool,
    /// The last byte was a carriage return, which a line feed may follow.
    after_return: bool,
    bytes: usize,
    bytes_max: usize,
    /// How many events have ended, comments that stand alone included.
    pub(crate) ended: usize,
}

impl Events {
    pub(crate) const fn new(bytes_max: usize) -> Self {
        Self { line: Vec::new(), data: Vec::new(), has_data: false, after_return: false, bytes: 0, bytes_max, ended: 0 }
    }

    /// Takes more of the stream, and gives the data of each event that ends in it.
    pub(crate) fn take(
        &mut self,
        chunk: &[u8],
        mut hear: impl FnMut(&str) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        self.bytes = self.bytes.saturating_add(chunk.len());
        if self.bytes > self.bytes_max {
            // Asking again would bring as much again.
            return Err(Trouble::refused(format!("the answer is larger than {} bytes", self.bytes_max), None));
        }
        let mut rest = chunk;
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let is_second_half = end == 0 && rest[0] == b'\n' && self.after_return;
            self.line.extend_from_slice(&rest[..end]);
            self.after_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
            if !is_second_half {
                self.end_line(&mut hear)?;
            }
        }
        if !rest.is_empty() {
            self.after_return = false;
            self.line.extend_from_slice(rest);
        }
        Ok(())
    }

    /// The stream has ended: hears what was not ended.
    pub(crate) fn finish(&mut self, mut hear: impl FnMut(&str) -> Result<(), Trouble>) -> Result<(), Trouble> {
        if !self.line.is_empty() {
            self.end_line(&mut hear)?;
        }
        self.end_event(&mut hear)
    }

    fn end_line(&mut self, hear: &mut impl FnMut(&str) -> Result<(), Trouble>) -> Result<(), Trouble> {
        if self.line.is_empty() {
            self.ended += 1;
            return self.end_event(hear);
        }
        if let Some(data) = self.line.strip_prefix(b"data:") {
            if self.has_data {
                self.data.push(b'\n');
            }
            self.has_data = true;
            self.data.extend_from_slice(data);
        }
        self.line.clear();
        Ok(())
    }

    fn end_event(&mut self, hear: &mut impl FnMut(&str) -> Result<(), Trouble>) -> Result<(), Trouble> {
        if !std::mem::take(&mut self.has_data) {
            return Ok(());
        }
        let data = std::mem::take(&mut self.data);
        let text = std::str::from_utf8(&data);
        let text = text.map_err(|error| Trouble::passing(format!("the stream is malformed: {error}")))?.trim();
        if text.is_empty() { Ok(()) } else { hear(text) }
    }
}

/// The text of an error, as far as it came in time and is no longer than an error is.
pub(crate) async fn error_text(response: &mut Response, until: Instant) -> String {
    let mut text = Vec::new();
    while let Ok(Ok(Some(chunk))) = timeout_at(until, response.chunk()).await {
        let room = ERROR_BYTES_MAX - text.len();
        text.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if text.len() == ERROR_BYTES_MAX {
            break;
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The data of all events, with the stream torn into pieces of that size.
    fn heard(stream: &[u8], piece: usize) -> Result<Vec<String>, Trouble> {
        let mut events = Events::new(1_000);
        let mut all = Vec::new();
        let mut hear = |data: &str| {
            all.push(data.to_owned());
            Ok(())
        };
        for chunk in stream.chunks(piece) {
            events.take(chunk, &mut hear)?;
        }
        events.finish(&mut hear)?;
        Ok(all)
    }

    #[test]
    fn events_come_out_alike_however_the_stream_is_torn() {
        let cases: [(&str, &[&str]); 9] = [
            ("data: a\n\ndata: b\n\n", &["a", "b"]),
            ("data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]),
            ("data: a\r\rdata:b\r\r", &["a", "b"]),
            ("event: x\nid: 7\ndata: {\ndata: }\n\n", &["{\n }"]),
            (": a comment\n\n\n\ndata: a\n\n", &["a"]),
            ("data: a\n\ndata: cut", &["a", "cut"]),
            ("data:\n\ndata: ä\n\n", &["ä"]),
            ("database: no\n\n", &[]),
            ("", &[]),
        ];
        for (stream, expected) in cases {
            for piece in 1..=stream.len().max(1) {
                assert_eq!(heard(stream.as_bytes(), piece), Ok(expected.iter().map(ToString::to_string).collect()));
            }
        }
        assert!(heard(b"data: \xff\n\n", 3).is_err(), "not UTF-8");
    }

    #[test]
    fn what_never_ends_is_cut_by_bytes() {
        for flood in ["x", "data: x", "\n", ": keep\n\n", "data: x\n\n", "\r"] {
            let mut events = Events::new(10_000);
            let refused = (0..10_001).find_map(|_| events.take(flood.as_bytes(), |_| Ok(())).err());
            assert!(matches!(&refused, Some(Trouble::Final(why)) if why.to_string().contains("larger than 10000")));
            assert!(events.line.len() <= 10_000 && events.data.len() <= 10_000);
        }
    }
}
