//! The price band: how far from a reference anybody may trade or quote, as on venues with limit-up and limit-down bands.
//!
//! Without it an order at an absurd price becomes the touch as soon as a side of the book is empty, and whoever trades at the touch
//! trades with it. The reference is the last trade, or, so that nobody can walk the band, the mean price of the trades of the last minutes.

use assay_model::{Nanos, Price, Side, Time};
use std::collections::VecDeque;

/// A band around a reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PriceBand {
    /// The reference before the first trade.
    pub opening_reference: Price,
    /// Half its width, in hundredths of a per cent of the reference; at least a cent.
    pub basis_points: u32,
    /// The reference is the mean price of the trades of so long, as of the request's arrival; when the last of them are older, it stays
    /// at the mean of those. Zero: the last trade.
    pub window: Nanos,
}

/// A band and what its reference is now.
#[derive(Debug)]
pub(super) struct Band {
    rule: PriceBand,
    reference: Price,
    /// Trades in the window, or the last ones before: when, and the sum of the prices and number of those at one time.
    trades: VecDeque<(Time, i64, i64)>,
    sum: i64,
    count: i64,
}

impl Band {
    pub(super) fn new(rule: PriceBand) -> Self {
        Self { rule, reference: rule.opening_reference, trades: VecDeque::new(), sum: 0, count: 0 }
    }

    /// Takes in a trade.
    #[inline]
    pub(super) fn trade(&mut self, at: Time, price: Price) {
        if self.rule.window == Nanos(0) {
            self.reference = price;
        } else {
            self.trade_in_window(at, price);
        }
    }

    fn trade_in_window(&mut self, at: Time, price: Price) {
        match self.trades.back_mut() {
            Some((last, sum, count)) if *last == at => (*sum, *count) = (*sum + price.cents(), *count + 1),
            _ => self.trades.push_back((at, price.cents(), 1)),
        }
        self.sum += price.cents();
        self.count += 1;
    }

    /// Brings the reference up to date.
    #[inline]
    pub(super) fn refresh(&mut self, now: Time) {
        if self.rule.window == Nanos(0) || self.trades.is_empty() {
            return;
        }
        let from = Time(now.0.saturating_sub(self.rule.window.0));
        // The last ones stay, so that the reference is the same whether or not somebody asked meanwhile.
        while self.trades.len() > 1
            && let Some((at, sum, count)) = self.trades.front().copied()
            && at < from
        {
            self.trades.pop_front();
            self.sum -= sum;
            self.count -= count;
        }
        self.reference = Price::clamped(self.sum / self.count);
    }

    /// The worst price within the band for somebody who trades on `side`.
    pub(super) fn edge(&self, side: Side) -> Price {
        let reference = self.reference.cents();
        let reach = (reference * i64::from(self.rule.basis_points) / 10_000).max(1);
        Price::clamped(reference + side.sign() * reach)
    }

    pub(super) fn contains(&self, price: Price) -> bool {
        (self.edge(Side::Sell)..=self.edge(Side::Buy)).contains(&price)
    }

    pub(super) fn opening_reference(&self) -> Price {
        self.rule.opening_reference
    }
}
