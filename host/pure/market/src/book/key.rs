//! Prices as keys: lower is better on both sides, so that one ladder serves bids and offers alike.

use assay_model::{PRICE_MAX_CENTS, Price, Side};

/// The key of no level: worse than any price.
pub(super) const NO_KEY: u32 = u32::MAX;

/// Mirrors bids, so that on both sides the better price has the lower key.
const MIRROR: u32 = PRICE_MAX_CENTS as u32 + 1;

#[inline]
pub(super) fn key(side: Side, price: Price) -> u32 {
    match side {
        Side::Buy => MIRROR - price.ticks(),
        Side::Sell => price.ticks(),
    }
}

#[inline]
pub(super) fn price(side: Side, key: u32) -> Price {
    // Keys come from prices, so nothing is ever clamped.
    Price::of_ticks(match side {
        Side::Buy => MIRROR - key,
        Side::Sell => key,
    })
}
