//! Chance that no submission can know: a secret of the run, and what is drawn from it for one purpose.
//!
//! Invariant: the same secret and purpose draw the same; nobody who sees what was drawn learns the secret.

use std::fmt;

/// What all draws of a run come from. It never leaves the host.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Secret([u8; 32]);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl Secret {
    /// A secret of these bytes, which should be the operating system's random ones. Replays and tests pass their own.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// What is drawn for one purpose.
    pub(super) fn draw(&self, purpose: &str) -> Draw {
        let key = blake3::keyed_hash(&self.0, purpose.as_bytes());
        Draw { seed: key.to_hex().to_string(), reader: blake3::Hasher::new_keyed(key.as_bytes()).finalize_xof() }
    }
}

/// A stream of chance.
pub(super) struct Draw {
    /// What it was made from, in hexadecimal: kept, so that an audit can draw it again.
    pub(super) seed: String,
    reader: blake3::OutputReader,
}

impl Draw {
    fn next(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.reader.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    pub(super) fn coin(&mut self) -> bool {
        self.next() & 1 == 1
    }

    /// A number below `end`, which is not 0. The bias is below 2⁻⁴⁰ for any number of tests.
    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap_or_default()
    }

    pub(super) fn shuffle<T>(&mut self, things: &mut [T]) {
        for end in (1..things.len()).rev() {
            things.swap(end, self.below(end + 1));
        }
    }

    /// 128 bits as a word.
    pub(super) fn hex(&mut self) -> String {
        format!("{:016x}{:016x}", self.next(), self.next())
    }
}
