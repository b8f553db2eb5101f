//! Which calls of `on-tick` are the scenario's own ticks.
//!
//! A strategy may have itself woken as often as it likes, and is then called as at a tick. Whatever the budget adds for ticks it adds for those of
//! the scenario alone: what a strategy could call for itself would be fuel out of nothing. Invariant: of an episode's calls, at most one for each
//! tick interval counts.

use assay_model::{StrategyConfig, Time};

/// See the module documentation.
#[derive(Debug, Default)]
pub(crate) struct Ticks {
    open: u64,
    /// Nanoseconds between two; zero: there are none.
    interval: u64,
    /// How many had come when this was last asked.
    seen: u64,
}

impl Ticks {
    pub(crate) fn of(config: &StrategyConfig) -> Self {
        Self { open: config.market_open.0, interval: config.tick_interval.0, seen: 0 }
    }

    /// Whether a tick has come since the last call. One that the strategy was too busy for is not made up for.
    pub(crate) fn has_come(&mut self, now: Time) -> bool {
        let since = now.0.checked_sub(self.open);
        let come = since.and_then(|since| since.checked_div(self.interval)).map_or(0, |ticks| ticks + 1);
        let is_new = come > self.seen;
        self.seen = self.seen.max(come);
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wake_ups_are_no_ticks() {
        let mut ticks = Ticks { open: 1_000, interval: 100, seen: 0 };
        let calls = [999, 1_000, 1_001, 1_002, 1_099, 1_100, 1_100, 1_350, 1_399, 1_400];
        let counted: Vec<u64> = calls.into_iter().filter(|now| ticks.has_come(Time(*now))).collect();
        assert_eq!(counted, [1_000, 1_100, 1_350, 1_400]);
        assert!(!Ticks::default().has_come(Time(5)), "a scenario without ticks");
    }
}
