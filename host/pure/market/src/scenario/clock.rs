//! Times of day and durations as text.

use assay_model::Nanos;

pub(super) const DAY: Nanos = Nanos::from_secs(24 * 60 * 60);

/// A time of day, to the second.
pub(super) fn clock_text(since_midnight: Nanos) -> String {
    let seconds = since_midnight.0 / 1_000_000_000;
    format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

/// A duration in the largest unit in which it is whole.
pub(super) fn duration_text(duration: Nanos) -> String {
    let (unit, nanos) =
        [("h", 3_600_000_000_000), ("min", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)]
            .into_iter()
            .find(|(_, nanos)| duration.0 != 0 && duration.0.is_multiple_of(*nanos))
            .unwrap_or(("ns", 1));
    format!("{}{unit}", duration.0 / nanos)
}

/// A time of day for an error about a recording, to the second.
pub(super) fn clock_of_day(at: u64) -> String {
    clock_text(Nanos(at % DAY.0))
}

/// Whether two times, in nanoseconds since the epoch, are of different days.
pub(super) fn is_other_day(a: u64, b: u64) -> bool {
    a / DAY.0 != b / DAY.0
}
