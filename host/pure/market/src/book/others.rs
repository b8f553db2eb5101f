//! Where some agents' orders are left out: at which levels of a ladder somebody else shows shares.
//!
//! Invariants: a key's bit is set exactly while others show shares at it; each change costs the logarithm of the levels, and so does the
//! best level, however many levels these agents have put in front. Nothing is kept of a ladder in which they have never shown an order:
//! there, others' best level is the best.

use super::key::NO_KEY;
use crate::{AgentIndex, LeftOut};
use std::collections::BTreeMap;

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Others {
    left_out: LeftOut,
    /// Their own shares, by key.
    own: BTreeMap<u32, u64>,
    /// A bit for each key with shares of others, 64 keys to an entry; none while they have never shown an order.
    levels: Option<BTreeMap<u32, u64>>,
    /// Entries looked up, for the test of the bound above.
    #[cfg(test)]
    steps: std::cell::Cell<u64>,
}

impl Others {
    pub(super) fn new(left_out: LeftOut) -> Self {
        Self {
            left_out,
            own: BTreeMap::new(),
            levels: None,
            #[cfg(test)]
            steps: std::cell::Cell::default(),
        }
    }

    /// Whether an order of this agent shows shares here for the first time: the levels must be told by [`start`](Self::start) first.
    pub(super) fn begins_with(&self, agent: AgentIndex) -> bool {
        self.left_out.has(agent) && self.levels.is_none()
    }

    /// Takes in the levels as they are before the agent's first order is counted.
    pub(super) fn start(&mut self, keys: impl Iterator<Item = u32>) {
        let mut levels = BTreeMap::new();
        keys.for_each(|key| set(&mut levels, key, true));
        self.levels = Some(levels);
    }

    /// The shares of `agent` at `key` have changed by `delta`; all shares there now come to `total`.
    pub(super) fn note(&mut self, key: u32, agent: AgentIndex, change: i64, total: u64) {
        let Some(levels) = &mut self.levels else { return };
        if self.left_out.has(agent) {
            let own = self.own.entry(key).or_default();
            *own = own.saturating_add_signed(change);
            if *own == 0 {
                self.own.remove(&key);
            }
        }
        let own = if self.own.is_empty() { 0 } else { self.own.get(&key).copied().unwrap_or_default() };
        set(levels, key, total > own);
        #[cfg(test)]
        self.steps.set(self.steps.get() + 3);
    }

    /// Others' best key; [`NO_KEY`] if they show nothing. `best` is the best of all.
    pub(super) fn best(&self, best: u32) -> u32 {
        let Some(levels) = &self.levels else { return best };
        #[cfg(test)]
        self.steps.set(self.steps.get() + 1);
        levels.first_key_value().map_or(NO_KEY, |(word, bits)| word * 64 + bits.trailing_zeros())
    }
}

#[cfg(test)]
impl Others {
    /// Entries looked up so far.
    pub(super) fn steps(&self) -> u64 {
        self.steps.get()
    }
}

/// Sets or clears the bit of a key.
fn set(levels: &mut BTreeMap<u32, u64>, key: u32, value: bool) {
    let (word, bit) = (key / 64, 1_u64 << (key % 64));
    if value {
        *levels.entry(word).or_default() |= bit;
    } else if let Some(bits) = levels.get_mut(&word) {
        *bits &= !bit;
        if *bits == 0 {
            levels.remove(&word);
        }
    }
}

#[cfg(test)]
mod tests;
