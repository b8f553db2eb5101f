//! Wake-ups that come in clusters and follow the clock: a Hawkes process (Hawkes 1971) with a busy open and close.
//!
//! The rate is a base that is a parabola over the session, lowest at midday, and a part that each wake-up adds and that fades. The fading is a sum of
//! exponentials whose times form a geometric series, close to the power law that order flow has (Bacry, Mastromatteo & Muzy 2015). Sampled by
//! thinning (Ogata 1981). Invariant: the times depend on the settings, the hours and the stream alone, not on the market.

use assay_model::{Nanos, Stream, Time};

use super::Hours;
use crate::owner::Owner;
use crate::scenario::FlowSettings;

/// Exponentials in the sum: more make no visible difference over the three decades that a memory usually spans.
const TIMES: usize = 6;

/// See the module documentation. Rates are per second, times in seconds since the open.
pub(super) struct Flow {
    stream: Stream,
    open: Time,
    session: f64,
    /// The base rate at midday.
    base: f64,
    edge_ratio: f64,
    times: [f64; TIMES],
    /// What a wake-up adds to each part of the rate.
    jumps: [f64; TIMES],
    excitation: [f64; TIMES],
    elapsed: f64,
}

impl Flow {
    /// The process from the open on, begun at its mean rate, and its first wake-up.
    pub(super) fn new(settings: &FlowSettings, owner: Owner<'_>, hours: Hours) -> (Self, Time) {
        let seconds = |nanos: Nanos| nanos.0 as f64 * 1e-9;
        let (shortest, longest) = (seconds(settings.memory_shortest), seconds(settings.memory_longest));
        let times: [f64; TIMES] =
            std::array::from_fn(|k| shortest * libm::pow(longest / shortest, k as f64 / (TIMES - 1) as f64));
        let share = settings.self_excitation / TIMES as f64;
        let mean_rate = 1.0 / seconds(settings.wake_interval);
        let mut flow = Self {
            stream: owner.stream("wake"),
            open: hours.open,
            session: seconds(hours.close.since(hours.open)),
            base: mean_rate * (1.0 - settings.self_excitation),
            edge_ratio: settings.edge_ratio,
            times,
            jumps: times.map(|time| share / time),
            excitation: [share * mean_rate * settings.edge_ratio; TIMES],
            elapsed: 0.0,
        };
        let first = flow.advance();
        (flow, first)
    }

    /// The time of the next wake-up.
    pub(super) fn advance(&mut self) -> Time {
        loop {
            // Until the next wake-up the excitation only fades and the base stays below its highest.
            let bound = self.base * self.edge_ratio.max(1.0) + self.excitation.iter().sum::<f64>();
            let wait = self.stream.exponential(1.0 / bound);
            self.elapsed += wait;
            for (excitation, time) in self.excitation.iter_mut().zip(self.times) {
                *excitation *= libm::exp(-wait / time);
            }
            let rate = self.base_rate() + self.excitation.iter().sum::<f64>();
            if self.stream.unit() * bound < rate {
                for (excitation, jump) in self.excitation.iter_mut().zip(self.jumps) {
                    *excitation += jump;
                }
                return self.open + Nanos((self.elapsed * 1e9) as u64);
            }
        }
    }

    fn base_rate(&self) -> f64 {
        // From −1 at the open to 1 at the close.
        let hour = (2.0 * self.elapsed / self.session - 1.0).min(1.0);
        self.base * (1.0 + (self.edge_ratio - 1.0) * hour * hour)
    }
}

#[cfg(test)]
mod tests;
