//! A patch as lines, read one after the other. Every line is handed out with its end, the last one perhaps without.

/// The lines of a patch, each with its end.
pub(super) struct Lines<'p> {
    rest: &'p [u8],
    /// The number of the next line, from one.
    pub(super) number: usize,
}

impl<'p> Lines<'p> {
    pub(super) fn of(patch: &'p [u8]) -> Self {
        Self { rest: patch, number: 1 }
    }

    pub(super) fn peek(&self) -> Option<&'p [u8]> {
        let length = self.rest.iter().position(|byte| *byte == b'\n').map_or(self.rest.len(), |end| end + 1);
        Some(&self.rest[..length]).filter(|line| !line.is_empty())
    }

    pub(super) fn next(&mut self) -> Option<&'p [u8]> {
        let line = self.peek()?;
        self.rest = &self.rest[line.len()..];
        self.number += 1;
        Some(line)
    }
}
