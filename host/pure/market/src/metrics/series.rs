//! Bounded series for charts: the session cut into equal buckets, each with the last, least and greatest value seen in it.
//!
//! Invariant: however long or busy the session, a series holds [`SERIES_BUCKETS`] points of up to three numbers, and at most
//! [`FILL_MARKS_MAX`] fills are kept.

use super::depth::DepthMap;
use super::orders::OwnFill;
use assay_model::{Level, Liquidity, Nanos, Price, Quote, Side, Time};

/// Buckets of a series: a chart is about this many pixels wide, more could not be seen.
pub const SERIES_BUCKETS: usize = 600;
/// Fills kept for the charts; beyond, every second one is dropped and from then on only every second one is taken, and so on.
pub const FILL_MARKS_MAX: usize = 1_000;

/// The last, least and greatest value of each bucket; `None` until there is one, then carried forward.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Range {
    /// Value at the end of each bucket.
    pub last: Vec<Option<f64>>,
    /// Least value in each bucket.
    pub min: Vec<Option<f64>>,
    /// Greatest value in each bucket.
    pub max: Vec<Option<f64>>,
}

/// One fill of the trader's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FillMark {
    /// When.
    pub at: Time,
    /// At what price.
    pub price: Price,
    /// Shares.
    pub quantity: u32,
    /// The trader's side.
    pub side: Side,
    /// Maker or taker.
    pub liquidity: Liquidity,
}

/// The course of one episode. Prices and money in cents, quantities in shares.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// Where the first bucket starts.
    pub start: Time,
    /// Width of a bucket.
    pub step: Nanos,
    /// Mid.
    pub mid: Range,
    /// Best bid at the end of each bucket, `None` while there is none.
    pub bid: Vec<Option<f64>>,
    /// Best offer at the end of each bucket, `None` while there is none.
    pub ask: Vec<Option<f64>>,
    /// Spread.
    pub spread: Range,
    /// Shares traded in each bucket, by anyone.
    pub volume: Vec<u64>,
    /// Shares traded in each bucket by the trader.
    pub volume_own: Vec<u64>,
    /// Shares held.
    pub position: Range,
    /// Equity less starting cash.
    pub pnl: Range,
    /// Distance of equity below its highest so far.
    pub drawdown: Range,
    /// Fills, thinned evenly to a bounded number.
    pub fills: Vec<FillMark>,
    /// How many fills there were.
    pub fills_total: u64,
    /// Order-flow imbalance of each bucket in shares (Cont, Kukanov and Stoikov 2014): what joined the best bid or left the best offer
    /// less what left the best bid or joined the best offer.
    pub order_flow: Vec<i64>,
    /// Annualised volatility of the mid on finer and coarser grids.
    pub signature: Vec<SignaturePoint>,
    /// The visible book, if the collector was to look at it.
    pub depth: Option<DepthMap>,
}

/// Volatility of the mid on one grid.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SignaturePoint {
    /// Step of the grid.
    pub seconds: u64,
    /// Returns on it.
    pub returns: u64,
    /// Annualised, as a fraction; none below the least number of returns.
    pub volatility: Option<f64>,
}

/// State of the market and of the trader between two requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Snapshot {
    pub(super) mid_cents: Option<f64>,
    pub(super) bid: Option<Price>,
    pub(super) ask: Option<Price>,
    pub(super) position: i64,
    pub(super) pnl_cents: f64,
    pub(super) drawdown_cents: f64,
}

/// Fills a [`Series`] as the session goes on.
#[derive(Debug)]
pub(super) struct Recorder {
    series: Series,
    /// The bucket that was looked at last, and when it begins and ends: divisions are dear.
    bucket: usize,
    bucket_span: [Time; 2],
    fill_stride: u64,
}

impl Recorder {
    pub(super) fn new(open: Time, close: Time) -> Self {
        let step = Nanos((close.since(open).0 / SERIES_BUCKETS as u64) + 1);
        let series = Series {
            start: open,
            step,
            mid: Range::with_room(),
            bid: Vec::with_capacity(SERIES_BUCKETS),
            ask: Vec::with_capacity(SERIES_BUCKETS),
            spread: Range::with_room(),
            volume: vec![0; SERIES_BUCKETS],
            volume_own: vec![0; SERIES_BUCKETS],
            position: Range::with_room(),
            pnl: Range::with_room(),
            drawdown: Range::with_room(),
            fills: Vec::new(),
            fills_total: 0,
            order_flow: vec![0; SERIES_BUCKETS],
            signature: Vec::new(),
            depth: None,
        };
        Self { series, bucket: 0, bucket_span: [open, open + step], fill_stride: 1 }
    }

    /// Takes in the state from `at` on.
    pub(super) fn settle(&mut self, at: Time, now: &Snapshot) {
        let bucket = self.bucket(at);
        let cents = |price: Price| price.cents() as f64;
        let (bid, ask) = (now.bid.map(cents), now.ask.map(cents));
        let series = &mut self.series;
        series.mid.set(bucket, now.mid_cents);
        series.spread.set(bucket, bid.zip(ask).map(|(bid, ask)| ask - bid));
        series.position.set(bucket, Some(now.position as f64));
        series.pnl.set(bucket, Some(now.pnl_cents));
        series.drawdown.set(bucket, Some(now.drawdown_cents));
        carry(&mut series.bid, bucket, bid);
        carry(&mut series.ask, bucket, ask);
    }

    pub(super) fn trade(&mut self, at: Time, quantity: u32) {
        let bucket = self.bucket(at);
        self.series.volume[bucket] += u64::from(quantity);
    }

    /// The best bid and offer change from `before` to `now`.
    pub(super) fn quote(&mut self, at: Time, before: &Quote, now: &Quote) {
        let bucket = self.bucket(at);
        let bids = joined(before.bid, now.bid, 1);
        let asks = joined(before.ask, now.ask, -1);
        self.series.order_flow[bucket] += bids - asks;
    }

    pub(super) fn fill(&mut self, at: Time, fill: &OwnFill) {
        let bucket = self.bucket(at);
        self.series.volume_own[bucket] += u64::from(fill.quantity);
        if self.series.fills_total.is_multiple_of(self.fill_stride) {
            let &OwnFill { side, price, quantity, liquidity } = fill;
            self.series.fills.push(FillMark { at, price, quantity, side, liquidity });
        }
        self.series.fills_total += 1;
        if self.series.fills.len() > FILL_MARKS_MAX {
            self.fill_stride *= 2;
            let mut index = 0;
            self.series.fills.retain(|_| {
                index += 1;
                index % 2 == 1
            });
        }
    }

    pub(super) fn finish(mut self, signature: Vec<SignaturePoint>, depth: Option<DepthMap>) -> Series {
        let last = SERIES_BUCKETS - 1;
        let series = &mut self.series;
        for range in [&mut series.mid, &mut series.spread, &mut series.position, &mut series.pnl, &mut series.drawdown]
        {
            let value = range.last.last().copied().flatten();
            range.set(last, value);
        }
        for prices in [&mut series.bid, &mut series.ask] {
            let value = prices.last().copied().flatten();
            carry(prices, last, value);
        }
        Series { signature, depth, ..self.series }
    }

    fn bucket(&mut self, at: Time) -> usize {
        let [begins, ends] = self.bucket_span;
        if !(begins..ends).contains(&at) {
            let Series { start, step, .. } = self.series;
            let bucket = at.since(start).0 / step.0;
            self.bucket = usize::try_from(bucket).map_or(SERIES_BUCKETS - 1, |bucket| bucket.min(SERIES_BUCKETS - 1));
            let begins = start + Nanos(bucket * step.0);
            self.bucket_span = [begins, begins + step];
        }
        self.bucket
    }
}

/// Shares that joined a best level less those that left it; `better` is the sign of a change for the better.
fn joined(before: Option<Level>, now: Option<Level>, better: i64) -> i64 {
    let price = |level: Option<Level>| level.map_or(i64::MIN, |level| better * level.price.cents());
    let shares = |level: Option<Level>| level.map_or(0, |level| level.quantity as i64);
    let came = if price(now) >= price(before) { shares(now) } else { 0 };
    let left = if price(now) <= price(before) { shares(before) } else { 0 };
    came - left
}

impl Range {
    fn with_room() -> Self {
        let values = || Vec::with_capacity(SERIES_BUCKETS);
        Self { last: values(), min: values(), max: values() }
    }

    /// From some point of `bucket` on the value is `value`; what held before also held in this bucket's beginning.
    fn set(&mut self, bucket: usize, value: Option<f64>) {
        // Most of what is looked at has not changed: then the bucket has it already, its extremes too.
        if self.last.len() == bucket + 1 && self.last[bucket] == value {
            return;
        }
        let before = self.last.last().copied().flatten();
        for values in [&mut self.last, &mut self.min, &mut self.max] {
            if values.len() <= bucket {
                values.resize(bucket + 1, before);
            }
        }
        self.last[bucket] = value;
        if let Some(value) = value {
            self.min[bucket] = Some(self.min[bucket].map_or(value, |least| least.min(value)));
            self.max[bucket] = Some(self.max[bucket].map_or(value, |greatest| greatest.max(value)));
        }
    }
}

/// Sets `values[bucket]`, filling skipped buckets with the last value.
fn carry(values: &mut Vec<Option<f64>>, bucket: usize, value: Option<f64>) {
    if values.len() <= bucket {
        values.resize(bucket + 1, values.last().copied().flatten());
    }
    values[bucket] = value;
}
