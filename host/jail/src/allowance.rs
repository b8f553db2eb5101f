//! What a piece of work may compute in all, in whichever threads and children it does so.
//!
//! Invariant: only processor time is booked. Whoever waits, for a processor or for anything else, uses up nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// Processor time that threads and children share. Clones are the same allowance.
#[derive(Clone, Debug)]
pub struct Allowance {
    limit: Duration,
    /// In nanoseconds. Below zero where more was granted than used.
    spent: Arc<AtomicI64>,
}

impl Allowance {
    /// So much, of which nothing is used.
    #[must_use]
    pub fn new(limit: Duration) -> Self {
        Self { limit, spent: Arc::default() }
    }

    /// How much there was at first.
    #[must_use]
    pub const fn limit(&self) -> Duration {
        self.limit
    }

    /// So much has been used.
    pub fn spend(&self, time: Duration) {
        self.spent.fetch_add(nanos(time), Ordering::Relaxed);
    }

    /// So much of what will be used is not its own doing.
    pub fn grant(&self, time: Duration) {
        self.spent.fetch_sub(nanos(time), Ordering::Relaxed);
    }

    /// What is left.
    #[must_use]
    pub fn left(&self) -> Duration {
        let left = nanos(self.limit).saturating_sub(self.spent.load(Ordering::Relaxed));
        u64::try_from(left).map_or(Duration::ZERO, Duration::from_nanos)
    }

    /// Whether nothing is left.
    #[must_use]
    pub fn is_used_up(&self) -> bool {
        self.left().is_zero()
    }
}

/// Whole centuries are all the same.
fn nanos(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX / 4)
}

#[cfg(test)]
mod tests {
    use super::Allowance;
    use std::time::Duration;

    #[test]
    fn clones_share_what_is_left() {
        let second = Duration::from_secs(1);
        let allowance = Allowance::new(second * 2);
        let other = allowance.clone();
        other.spend(second);
        assert_eq!((allowance.left(), allowance.is_used_up()), (second, false));
        allowance.grant(second);
        other.spend(second * 2);
        assert!(allowance.is_used_up() && other.left().is_zero());
        assert_eq!(allowance.limit(), second * 2);
        let endless = Allowance::new(Duration::MAX);
        endless.spend(Duration::from_secs(1 << 30));
        assert!(!endless.is_used_up());
    }
}
