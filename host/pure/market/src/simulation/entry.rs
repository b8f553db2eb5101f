//! An entry of the event queue as one number, four to a cache line.

use std::cmp::Reverse;

use assay_model::Time;

/// From the top: time, class, sequence, slot or timer. The least comes first.
pub(super) type Entry = Reverse<u128>;

pub(super) const TIME_SHIFT: u32 = 64;

/// When an entry is due.
pub(super) fn due(entry: Entry) -> Time {
    Time((entry.0 >> TIME_SHIFT) as u64)
}
