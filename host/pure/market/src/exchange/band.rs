//! The price band: how far from the last trade anybody may trade or quote, as on venues with limit-up and limit-down bands.
//!
//! Without it an order at an absurd price becomes the touch as soon as a side of the book is empty, and whoever trades at the touch
//! trades with it.

use assay_model::{Price, Side};

/// A band around the last trade; before the first trade, around a price given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PriceBand {
    /// What takes the last trade's place before the first trade.
    pub opening_reference: Price,
    /// Half its width, in hundredths of a per cent of the reference; at least a cent.
    pub basis_points: u32,
}

impl PriceBand {
    /// The worst price within the band for somebody who trades on `side`.
    pub(super) fn edge(self, side: Side, last: Option<Price>) -> Price {
        let reference = last.unwrap_or(self.opening_reference).cents();
        let reach = (reference * i64::from(self.basis_points) / 10_000).max(1);
        Price::clamped(reference + side.sign() * reach)
    }

    pub(super) fn contains(self, price: Price, last: Option<Price>) -> bool {
        (self.edge(Side::Sell, last)..=self.edge(Side::Buy, last)).contains(&price)
    }
}
