//! The visible book over time: shares resting at each price, on a grid coarse enough to draw.
//!
//! Invariant: at most [`DEPTH_COLUMNS`] by [`DEPTH_ROWS`] cells, whatever the session. The prices shown are known only at the close, so the
//! samples wait until then: [`LEVELS_SAMPLED`] levels a side and column at most.

use crate::Exchange;
use assay_model::{Level, Nanos, Side, Time};

/// Times at which the book is looked at.
pub const DEPTH_COLUMNS: usize = 120;
/// Rows of prices at most.
pub const DEPTH_ROWS: usize = 48;
/// Levels of a side looked at, the best ones.
const LEVELS_SAMPLED: usize = 64;
/// Cents shown beyond the range of the mid at least: where market makers quote.
const REACH_MIN: i64 = 12;

/// Visible shares by time and price.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DepthMap {
    /// Width of a column; the first begins at the open.
    pub step: Nanos,
    /// Lowest price of the lowest row in cents.
    pub price_low: i64,
    /// Cents a row.
    pub price_step: i64,
    /// For each column the shares in each row, from the lowest price up, at the column's end.
    pub columns: Vec<Vec<u64>>,
}

/// Gathers a [`DepthMap`].
#[derive(Debug)]
pub(super) struct DepthRecorder {
    step: Nanos,
    levels: Vec<Level>,
    /// How far each sample reaches into `levels`.
    ends: Vec<usize>,
    /// Range of the mids sampled, in half cents.
    mids: Option<(i64, i64)>,
    buffer: Vec<Level>,
}

impl DepthRecorder {
    pub(super) fn new(open: Time, close: Time) -> Self {
        let step = Nanos((close.since(open).0 / DEPTH_COLUMNS as u64).max(1));
        Self { step, levels: Vec::new(), ends: Vec::new(), mids: None, buffer: Vec::new() }
    }

    pub(super) fn step(&self) -> Nanos {
        self.step
    }

    pub(super) fn sample(&mut self, exchange: &Exchange) {
        if self.ends.len() == DEPTH_COLUMNS {
            return;
        }
        for side in [Side::Buy, Side::Sell] {
            exchange.depth(side, LEVELS_SAMPLED, &mut self.buffer);
            self.levels.extend_from_slice(&self.buffer);
        }
        self.ends.push(self.levels.len());
        if let (Some(bid), Some(ask)) = (exchange.quote().bid, exchange.quote().ask) {
            let mid = bid.price.cents() + ask.price.cents();
            let (low, high) = self.mids.unwrap_or((mid, mid));
            self.mids = Some((low.min(mid), high.max(mid)));
        }
    }

    /// `None` if no sample had two sides.
    pub(super) fn finish(self) -> Option<DepthMap> {
        let (low, high) = self.mids?;
        let reach = REACH_MIN.max((high - low) / 8);
        let (price_low, price_high) = ((low / 2 - reach).max(1), (high + 1) / 2 + reach);
        let price_step = (price_high - price_low + 1 + DEPTH_ROWS as i64 - 1) / DEPTH_ROWS as i64;
        let rows = (price_high - price_low) / price_step + 1;
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let columns = starts.zip(&self.ends).map(|(start, end)| {
            let mut column = vec![0; rows as usize];
            for level in &self.levels[start..*end] {
                let row = (level.price.cents() - price_low).div_euclid(price_step);
                if let Some(cell) = usize::try_from(row).ok().and_then(|row| column.get_mut(row)) {
                    *cell += level.quantity;
                }
            }
            column
        });
        Some(DepthMap { step: self.step, price_low, price_step, columns: columns.collect() })
    }
}
