//! Effective and realised spread and price impact of the trader's fills (Huang and Stoll 1996), taker and maker apart.
//!
//! D is the *taker's* side (+1 buys), P the price, M the mid before the taker arrived, M(τ) the mid τ later; all per share:
//! effective = 2D(P − M), realised = 2D(P − M(τ)), impact = 2D(M(τ) − M). As a taker the trader pays these, as a maker it earns
//! effective and realised and suffers the impact, which is then its adverse selection.

use super::measure::{FILLS_MIN, Measure, Sample};
use super::orders::OwnFill;
use assay_model::{Liquidity, Nanos, Time};
use std::collections::VecDeque;

/// How long after a fill the later mid is taken.
pub(super) const HORIZONS: [Nanos; 3] = [Nanos::from_secs(1), Nanos::from_secs(5), Nanos::from_secs(60)];

/// Share-weighted mean of half-cent amounts.
#[derive(Clone, Copy, Debug, Default)]
struct Weighted {
    fills: u64,
    shares: i128,
    sum: i128,
}

impl Weighted {
    fn add(&mut self, half_cents: i64, shares: u32) {
        self.fills += 1;
        self.shares += i128::from(shares);
        self.sum += i128::from(half_cents) * i128::from(shares);
    }

    /// Twice the mean of half cents is the mean of the doubled distance in cents.
    fn measure(&self, sample: Sample) -> Measure {
        Measure::given(sample, self.fills, FILLS_MIN, || self.sum as f64 / self.shares as f64)
    }
}

/// The spreads of one role, taker or maker.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Role {
    effective: Weighted,
    realised: [Weighted; HORIZONS.len()],
    impact: [Weighted; HORIZONS.len()],
}

impl Role {
    pub(super) fn effective(&self) -> Measure {
        self.effective.measure(Sample::Fills)
    }

    pub(super) fn realised(&self, horizon: usize) -> Measure {
        self.realised[horizon].measure(Sample::FillsWithLaterMid)
    }

    pub(super) fn impact(&self, horizon: usize) -> Measure {
        self.impact[horizon].measure(Sample::FillsWithLaterMid)
    }
}

/// A fill that waits for its later mid; mids and prices in half cents.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    due: Time,
    liquidity: Liquidity,
    taker_sign: i64,
    price: i64,
    mid_before: i64,
    shares: u32,
}

/// See the module documentation. A queue holds the fills of its horizon, no more than the exchange made in that time.
#[derive(Debug, Default)]
pub(super) struct Spreads {
    taker: Role,
    maker: Role,
    waiting: [VecDeque<Waiting>; HORIZONS.len()],
}

impl Spreads {
    /// A fill at `at`, before whose taker the mid was `mid_before` half cents. Without a mid it cannot be judged.
    pub(super) fn fill(&mut self, at: Time, fill: &OwnFill, mid_before: Option<i64>) {
        let Some(mid_before) = mid_before else { return };
        let taker_sign = match fill.liquidity {
            Liquidity::Taker => fill.side.sign(),
            Liquidity::Maker => fill.side.opposite().sign(),
        };
        let price = 2 * fill.price.cents();
        self.role_mut(fill.liquidity).effective.add(taker_sign * (price - mid_before), fill.quantity);
        for (queue, horizon) in self.waiting.iter_mut().zip(HORIZONS) {
            let due = at + horizon;
            queue.push_back(Waiting {
                due,
                liquidity: fill.liquidity,
                taker_sign,
                price,
                mid_before,
                shares: fill.quantity,
            });
        }
    }

    /// The mid is `mid` up to `until`: fills due before then are resolved.
    pub(super) fn mid_holds_until(&mut self, mid: i64, until: Time) {
        for horizon in 0..HORIZONS.len() {
            while let Some(fill) = self.waiting[horizon].pop_front_if(|fill| fill.due < until) {
                let role = self.role_mut(fill.liquidity);
                role.realised[horizon].add(fill.taker_sign * (fill.price - mid), fill.shares);
                role.impact[horizon].add(fill.taker_sign * (mid - fill.mid_before), fill.shares);
            }
        }
    }

    pub(super) fn taker(&self) -> &Role {
        &self.taker
    }

    pub(super) fn maker(&self) -> &Role {
        &self.maker
    }

    fn role_mut(&mut self, liquidity: Liquidity) -> &mut Role {
        match liquidity {
            Liquidity::Taker => &mut self.taker,
            Liquidity::Maker => &mut self.maker,
        }
    }
}
