//! What rests at one price: recorded shares, and the orders of ours that stand for them.

use assay_model::{QUANTITY_MAX, RequestId};
use std::collections::VecDeque;

/// Shares at a price that are one order of ours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The recorded order; none for shares of nobody in particular.
    pub(super) id: Option<i64>,
    /// Shares that the files say rest.
    pub(super) recorded: u64,
    /// Shares that rest at the exchange.
    pub(super) entered: u64,
    /// Its id at the exchange, once it has been there.
    pub(super) request: Option<RequestId>,
}

/// Everything at one price, in the order of entry.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    pub(super) entries: VecDeque<Entry>,
    /// The level has been out of view, so what is known of its single orders may be wrong.
    pub(super) is_loose: bool,
}

impl Level {
    pub(super) fn recorded(&self) -> u64 {
        self.entries.iter().map(|entry| entry.recorded).sum()
    }

    /// Shares of nobody in particular.
    pub(super) fn unknown(&self) -> u64 {
        self.entries.iter().filter(|entry| entry.id.is_none()).map(|entry| entry.recorded).sum()
    }

    pub(super) fn add(&mut self, id: Option<i64>, mut shares: u64) {
        while shares > 0 {
            let recorded = shares.min(QUANTITY_MAX);
            self.entries.push_back(Entry { id, recorded, entered: 0, request: None });
            shares -= recorded;
        }
    }

    /// As [`take_unknown`](Self::take_unknown), and then of known orders, the newest first; also, which of them are gone now.
    pub(super) fn take_any(&mut self, shares: u64) -> (u64, Vec<i64>) {
        let mut lacking = self.take_unknown(shares);
        let mut gone = Vec::new();
        for entry in self.entries.iter_mut().rev() {
            let taken = lacking.min(entry.recorded);
            entry.recorded -= taken;
            lacking -= taken;
            if taken > 0 && entry.recorded == 0 {
                gone.extend(entry.id.take());
            }
        }
        (lacking, gone)
    }

    /// Takes shares of nobody in particular, the oldest first; how many were lacking.
    pub(super) fn take_unknown(&mut self, mut shares: u64) -> u64 {
        for entry in self.entries.iter_mut().filter(|entry| entry.id.is_none()) {
            let taken = shares.min(entry.recorded);
            entry.recorded -= taken;
            shares -= taken;
        }
        shares
    }
}
