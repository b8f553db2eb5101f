//! The market's own measures: quotes, trades, volatility. All begin when the strategy may trade; a quote or mid from before holds then.

use super::measure::{MID_RETURNS_MIN, Measure, SHOCKS_MIN, Sample};
use super::series::SignaturePoint;
use super::statistics::{Returns, TimeWeighted};
use assay_model::{Nanos, Quote, Side, Time};

/// Seconds in a trading year: 252 days of six and a half hours.
pub(super) const YEAR_SECONDS: f64 = 252.0 * 6.5 * 3600.0;
/// Grids of the volatility signature in seconds.
const SIGNATURE: [u64; 9] = [1, 2, 5, 10, 20, 30, 60, 120, 300];
/// Which of [`SIGNATURE`] are measures of their own: 1, 10, 60 and 300 s.
pub(super) const SIGNATURE_MEASURED: [usize; 4] = [0, 3, 6, 8];
/// Which of [`SIGNATURE`] the one-minute return deviation is taken from.
const ONE_MINUTE: usize = SIGNATURE_MEASURED[2];
/// Equal-volume buckets of VPIN (Easley, López de Prado and O'Hara 2012).
const VPIN_BUCKETS: u64 = 50;

/// See the module documentation. Prices are in half cents. The two paths grow with the market's own activity, 16 bytes a quote
/// change and 8 a trade, because their thresholds are known only at the close.
#[derive(Debug)]
pub(super) struct Tape {
    from: Time,
    mid: Option<i64>,
    mid_min: i64,
    mid_max: i64,
    spread: TimeWeighted,
    /// By side, like `empty`; 0 while it is empty.
    sizes: [TimeWeighted; 2],
    empty: [TimeWeighted; 2],
    one_sided: TimeWeighted,
    returns: [Returns; SIGNATURE.len()],
    trades: u64,
    volume: u64,
    spread_path: Vec<(Time, Option<i64>)>,
    trade_path: Vec<(u32, Side)>,
}

/// The mid of a two-sided quote in half cents.
pub(super) fn mid_of(quote: &Quote) -> Option<i64> {
    quote.bid.zip(quote.ask).map(|(bid, ask)| bid.price.cents() + ask.price.cents())
}

impl Tape {
    pub(super) fn new(from: Time) -> Self {
        let sides = |value| [(), ()].map(|()| TimeWeighted::new(from, Some(value)));
        Self {
            from,
            mid: None,
            mid_min: i64::MAX,
            mid_max: i64::MIN,
            spread: TimeWeighted::new(from, None),
            sizes: sides(0),
            empty: sides(1),
            one_sided: TimeWeighted::new(from, Some(1)),
            returns: SIGNATURE.map(|seconds| Returns::new(from, Nanos::from_secs(seconds))),
            trades: 0,
            volume: 0,
            spread_path: Vec::new(),
            trade_path: Vec::new(),
        }
    }

    /// Takes in the top of the book as it is from `at` on; the mid stays at the last two-sided one.
    pub(super) fn quote(&mut self, at: Time, quote: &Quote) {
        let spread = quote.bid.zip(quote.ask).map(|(bid, ask)| ask.price.cents() - bid.price.cents());
        // Most quotes change sizes only, and a grid has nothing to learn from a mid that stays.
        if let Some(mid) = mid_of(quote).filter(|mid| self.mid != Some(*mid)) {
            // The mid before counts if it held when the strategy was let in.
            if at <= self.from {
                (self.mid_min, self.mid_max) = (mid, mid);
            }
            self.mid = Some(mid);
            self.mid_min = self.mid_min.min(mid);
            self.mid_max = self.mid_max.max(mid);
            for returns in &mut self.returns {
                returns.set(at, mid);
            }
        }
        self.spread.set(at, spread);
        self.one_sided.set(at, Some(i64::from(spread.is_none())));
        for (side, level) in [quote.bid, quote.ask].into_iter().enumerate() {
            self.sizes[side].set(at, Some(level.map_or(0, |level| level.quantity as i64)));
            self.empty[side].set(at, Some(i64::from(level.is_none())));
        }
        let at = at.max(self.from);
        match self.spread_path.last_mut() {
            // What lasted no time was not a state of the market.
            Some(last) if last.0 == at => last.1 = spread,
            Some(last) if last.1 == spread => {}
            _ => self.spread_path.push((at, spread)),
        }
    }

    /// A trade since the strategy was let in; without a taker's side in an auction.
    pub(super) fn trade(&mut self, quantity: u32, taker_side: Option<Side>) {
        self.trades += 1;
        self.volume += u64::from(quantity);
        self.trade_path.extend(taker_side.map(|side| (quantity, side)));
    }

    pub(super) fn finish(&mut self, close: Time) {
        for returns in &mut self.returns {
            returns.finish(close);
        }
        let Self { spread, sizes, empty, one_sided, .. } = self;
        for average in [spread, one_sided].into_iter().chain(sizes).chain(empty) {
            average.finish(close);
        }
    }

    /// The last two-sided mid, in half cents, however old.
    pub(super) fn mid(&self) -> Option<i64> {
        self.mid
    }

    pub(super) fn trades(&self) -> u64 {
        self.trades
    }

    pub(super) fn volume(&self) -> u64 {
        self.volume
    }

    pub(super) fn spread_mean_cents(&self) -> Measure {
        Measure::given(Sample::Mids, u64::from(self.spread.mean().is_some()), 1, || {
            self.spread.mean().unwrap_or_default()
        })
    }

    /// Mean shares at the best price of a side, none while it is empty.
    pub(super) fn size_mean(&self, side: Side) -> Measure {
        Measure::Value(self.sizes[side as usize].mean().unwrap_or_default())
    }

    /// Share of the time in which a side was empty.
    pub(super) fn empty_fraction(&self, side: Side) -> Measure {
        Measure::Value(self.empty[side as usize].mean().unwrap_or_default())
    }

    pub(super) fn mid_range_cents(&self) -> Measure {
        Measure::given(Sample::Mids, u64::from(self.mid.is_some()), 1, || (self.mid_max - self.mid_min) as f64 / 2.0)
    }

    /// Share of the time in which either side was empty.
    pub(super) fn one_sided_fraction(&self) -> Measure {
        Measure::Value(self.one_sided.mean().unwrap_or_default())
    }

    pub(super) fn one_minute_deviation_basis_points(&self) -> Measure {
        let returns = &self.returns[ONE_MINUTE];
        Measure::given(Sample::Returns, returns.count(), MID_RETURNS_MIN, || returns.standard_deviation() * 1e4)
    }

    /// Annualised realised volatility on one grid of the signature, as a fraction.
    pub(super) fn volatility(&self, grid: usize) -> Measure {
        let returns = &self.returns[grid];
        Measure::given(Sample::Returns, returns.count(), MID_RETURNS_MIN, || {
            let seconds = returns.count() as f64 * (returns.step().0 as f64 / 1e9);
            libm::sqrt(returns.sum_squared() * YEAR_SECONDS / seconds)
        })
    }

    /// The volatility on every grid.
    pub(super) fn signature(&self) -> Vec<SignaturePoint> {
        let point = |(grid, seconds): (usize, u64)| {
            let (returns, volatility) = (self.returns[grid].count(), self.volatility(grid).value());
            SignaturePoint { seconds, returns, volatility }
        };
        SIGNATURE.into_iter().enumerate().map(point).collect()
    }

    /// Mean imbalance of [`VPIN_BUCKETS`] buckets of equal volume, by the known taker side.
    pub(super) fn vpin(&self) -> Measure {
        let volume: u64 = self.trade_path.iter().map(|(quantity, _)| u64::from(*quantity)).sum();
        Measure::given(Sample::MarketShares, volume, VPIN_BUCKETS, || {
            let (mut passed, mut bucket, mut imbalance, mut total) = (0_u64, 1, 0_i64, 0_u64);
            for &(quantity, side) in &self.trade_path {
                let mut left = u64::from(quantity);
                while left > 0 {
                    let bucket_end = volume * bucket / VPIN_BUCKETS;
                    let part = left.min(bucket_end - passed);
                    imbalance += side.sign() * part as i64;
                    passed += part;
                    left -= part;
                    if passed == bucket_end {
                        total += imbalance.unsigned_abs();
                        imbalance = 0;
                        bucket += 1;
                    }
                }
            }
            total as f64 / volume as f64
        })
    }

    /// Mean seconds from the spread exceeding its mean by two deviations until it is within one again. A shock still open at the
    /// close is censored.
    pub(super) fn spread_recovery_seconds(&self) -> Measure {
        let Shocks { recovered, nanos, .. } = self.shocks();
        Measure::given(Sample::Shocks, recovered, SHOCKS_MIN, || nanos as f64 / 1e9 / recovered as f64)
    }

    /// How many such shocks began.
    pub(super) fn spread_shocks(&self) -> u64 {
        let Shocks { recovered, is_open, .. } = self.shocks();
        recovered + u64::from(is_open)
    }

    fn shocks(&self) -> Shocks {
        let mean = self.spread.mean().unwrap_or_default();
        let deviation = self.spread.standard_deviation().unwrap_or_default();
        let (mut since, mut recovered, mut nanos) = (None, 0, 0);
        for &(at, spread) in &self.spread_path {
            let Some(spread) = spread.map(|spread| spread as f64) else { continue };
            match since {
                None if spread > mean + 2.0 * deviation => since = Some(at),
                Some(start) if spread <= mean + deviation => {
                    recovered += 1;
                    nanos += at.since(start).0;
                    since = None;
                }
                _ => {}
            }
        }
        Shocks { recovered, nanos, is_open: since.is_some() }
    }
}

/// Excursions of the spread.
struct Shocks {
    recovered: u64,
    /// How long the recovered ones lasted in all.
    nanos: u64,
    /// One has not recovered by the close.
    is_open: bool,
}
