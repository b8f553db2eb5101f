//! What a model says while it says it, for whoever listens.
//!
//! Invariant: the key is not in it, however the provider tears it: what may be the beginning of the key is held back until more has come.

use crate::keys::Key;
use assay_rollout::ports::Hear;

/// How many bytes the longest spelling of a key has for each of its own: percent-encoded.
const SPELLING: usize = 3;

/// Passes text on. See the module documentation.
pub(crate) struct Aloud<'a> {
    hear: &'a Hear<'a>,
    key: Option<&'a Key>,
    /// The number of the piece that is being said, and how much of it was taken.
    taken: (usize, usize),
    /// What was taken and not passed on.
    held: String,
}

impl<'a> Aloud<'a> {
    pub(crate) const fn new(hear: &'a Hear<'a>, key: Option<&'a Key>) -> Self {
        Self { hear, key, taken: (usize::MAX, 0), held: String::new() }
    }

    /// Takes what is being said, by its number and from its beginning.
    pub(crate) fn say(&mut self, saying: Option<(usize, &str)>) {
        let Some((number, text)) = saying else { return };
        if self.taken.0 != number {
            self.finish();
            self.taken = (number, 0);
        }
        self.held.push_str(text.get(self.taken.1..).unwrap_or_default());
        self.taken.1 = text.len();
        self.pass(self.key.map_or(0, |key| key.expose().len() * SPELLING));
    }

    /// Nothing more comes.
    pub(crate) fn finish(&mut self) {
        self.pass(0);
    }

    /// Passes on all but the last bytes.
    fn pass(&mut self, keep: usize) {
        if let Some(key) = self.key {
            self.held = key.scrub_answer(&self.held);
        }
        let rest = self.held.split_off(self.held.floor_char_boundary(self.held.len().saturating_sub(keep)));
        let passed = std::mem::replace(&mut self.held, rest);
        if !passed.is_empty() {
            (self.hear)(&passed);
        }
    }
}
