//! A steady clock for strategies that act at their own pace.

use crate::{Duration, Exchange, Time};

/// Says once a period that it is time, whatever else makes the exchange call `on_tick`.
///
/// `on_tick` comes for the scenario's ticks as well as for every wake-up. Asking for the next wake-up on each would start
/// another chain of wake-ups every time; a timer asks only when it is due.
///
/// ```
/// use assay_sdk::*;
///
/// struct Patient {
///     clock: Timer,
/// }
///
/// impl Strategy for Patient {
///     fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
///         Patient { clock: Timer::start(config.market_open, Duration::from_secs(5), exchange) }
///     }
///
///     fn on_tick(&mut self, exchange: &mut Exchange) {
///         if self.clock.is_due(exchange) {
///             exchange.log("five seconds later");
///         }
///     }
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timer {
    next: Time,
    period: Duration,
}

impl Timer {
    /// Due first at `start`, or now if that is past, then every `period` (at least a nanosecond).
    pub fn start(start: Time, period: Duration, exchange: &mut Exchange) -> Self {
        exchange.wake_at(start);
        Self { next: start, period: period.max(Duration::from_nanos(1)) }
    }

    /// Whether it is time. True once a period, and then the wake-up for the next is asked for.
    pub fn is_due(&mut self, exchange: &mut Exchange) -> bool {
        let now = exchange.now();
        let due = now >= self.next;
        if due {
            self.next = now + self.period;
            exchange.wake_at(self.next);
        }
        due
    }
}
