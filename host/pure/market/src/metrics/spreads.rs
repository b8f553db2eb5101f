//! Effective and realised spread and price impact (Huang and Stoll 1996) of one set of trades: the trader's as taker, its as maker,
//! or everyone's.
//!
//! D is the *taker's* side (+1 buys), P the price, M the mid before the taker arrived, M(τ) the mid τ later; all per share:
//! effective = 2D(P − M), realised = 2D(P − M(τ)), impact = 2D(M(τ) − M). As a taker the trader pays these, as a maker it earns
//! effective and realised and suffers the impact, which is then its adverse selection. Auctions are left out: in them nobody takes.
//!
//! For the trader's own trades both mids are of the book without its orders, for everyone's of the whole book. A mid counts while both
//! sides are there; a trade whose mid, before or later, was not known then is left out, for an old one would judge it by another market.

use super::measure::{FILLS_MIN, Measure, Sample};
use assay_model::{Nanos, Price, Side, Time};
use std::collections::VecDeque;

/// How long after a trade the later mid is taken.
pub(super) const HORIZONS: [Nanos; 3] = [Nanos::from_secs(1), Nanos::from_secs(5), Nanos::from_secs(60)];
/// The same for what a maker suffers, most of which happens soon.
pub(super) const MAKER_HORIZONS: [Nanos; 5] =
    [Nanos(100_000_000), Nanos(500_000_000), Nanos::from_secs(1), Nanos::from_secs(5), Nanos::from_secs(60)];

/// Share-weighted mean of half-cent amounts.
#[derive(Clone, Copy, Debug, Default)]
struct Weighted {
    trades: u64,
    shares: i128,
    sum: i128,
}

impl Weighted {
    fn add(&mut self, half_cents: i64, shares: u32) {
        self.trades += 1;
        self.shares += i128::from(shares);
        self.sum += i128::from(half_cents) * i128::from(shares);
    }

    /// Twice the mean of half cents is the mean of the doubled distance in cents.
    fn measure(&self, sample: Sample) -> Measure {
        Measure::given(sample, self.trades, FILLS_MIN, || self.sum as f64 / self.shares as f64)
    }
}

/// One trade; price in cents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    pub(super) taker_side: Side,
    pub(super) price: Price,
    pub(super) quantity: u32,
}

/// A trade that waits for its later mid; mids and prices in half cents.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    due: Time,
    taker_sign: i64,
    price: i64,
    mid_before: i64,
    shares: u32,
}

/// What is known of the trades a certain time later. The queue holds no more than the exchange made in that time.
#[derive(Clone, Debug, Default)]
struct Later {
    waiting: VecDeque<Waiting>,
    realised: Weighted,
    impact: Weighted,
}

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Spreads<const N: usize> {
    horizons: [Nanos; N],
    /// What the measures are made from, and what those are made from that need a later mid.
    samples: [Sample; 2],
    effective: Weighted,
    later: [Later; N],
}

impl<const N: usize> Spreads<N> {
    pub(super) fn new(horizons: [Nanos; N], samples: [Sample; 2]) -> Self {
        Self { horizons, samples, effective: Weighted::default(), later: std::array::from_fn(|_| Later::default()) }
    }

    /// A trade at `at`, before whose taker the mid was `mid_before` half cents. Without a mid it cannot be judged.
    pub(super) fn trade(&mut self, at: Time, trade: &Judged, mid_before: Option<i64>) {
        let Some(mid_before) = mid_before else { return };
        let (taker_sign, price, shares) = (trade.taker_side.sign(), 2 * trade.price.cents(), trade.quantity);
        self.effective.add(taker_sign * (price - mid_before), shares);
        for (later, horizon) in self.later.iter_mut().zip(self.horizons) {
            later.waiting.push_back(Waiting { due: at + horizon, taker_sign, price, mid_before, shares });
        }
    }

    /// The mid is `mid` up to `until`, or unknown: trades due before then are resolved, or left out.
    pub(super) fn mid_holds_until(&mut self, mid: Option<i64>, until: Time) {
        for later in &mut self.later {
            while let Some(trade) = later.waiting.pop_front_if(|trade| trade.due < until) {
                let Some(mid) = mid else { continue };
                later.realised.add(trade.taker_sign * (trade.price - mid), trade.shares);
                later.impact.add(trade.taker_sign * (mid - trade.mid_before), trade.shares);
            }
        }
    }

    pub(super) fn effective(&self) -> Measure {
        self.effective.measure(self.samples[0])
    }

    pub(super) fn realised(&self, horizon: usize) -> Measure {
        self.later[horizon].realised.measure(self.samples[1])
    }

    pub(super) fn impact(&self, horizon: usize) -> Measure {
        self.later[horizon].impact.measure(self.samples[1])
    }
}
