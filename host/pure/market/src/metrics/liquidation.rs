//! What closing a position at once brings or costs: against others' visible book, level by level, as a taker.
//!
//! Shares beyond the depth are closed at a penalty, so that an emptied book is the worst place to hold anything, and every position has
//! a value: no strategy is rid of a loss by taking the prices away.

use super::marks::Mean;
use crate::fees::{Fees, MICROCENTS as MICROS};
use assay_model::{Level, Liquidity, Price};

/// How much worse than the mark shares beyond the depth are closed, in hundredths of a per cent of it; at the last level if that is worse
/// still. 5% is a Limit Up–Limit Down band for large stocks, the furthest that a market may go before it stops. Measured from the mark and
/// not from the last level, so that nothing is gained by trading the last levels away before.
pub const PENALTY_BASIS_POINTS: u32 = 500;

/// What the shares are worth that are closed, in micro-cents, taker fees taken off; negative for shares that must be bought.
///
/// `levels` are those of the side to trade with, best first; `mark` is what the position was marked at. With neither there has been no
/// market but the trader's own, and the position (of this cost basis) loses all that it cost: bought shares are worth nothing, sold ones
/// cost twice what they brought.
pub(super) fn proceeds(
    (position, basis): (i64, i128),
    levels: impl Iterator<Item = Level>,
    mark: Option<Mean>,
    fees: &Fees,
) -> i128 {
    let sign = i128::from(position.signum());
    let mut left = position.unsigned_abs();
    let mut value = 0;
    let mut last = None;
    let mut close = |price: Price, shares: u64| {
        let shares = i128::from(shares);
        value += shares * (sign * i128::from(price.cents()) * MICROS - fees.a_share(Liquidity::Taker, price));
    };
    for level in levels {
        if left == 0 {
            break;
        }
        let shares = left.min(level.quantity);
        close(level.price, shares);
        left -= shares;
        last = Some(level.price);
    }
    if left > 0 {
        match beyond(sign, last, mark) {
            Some(price) => close(price, left),
            // No level, so nothing has been closed.
            None => return basis.min(0) * 2,
        }
    }
    value
}

/// The price beyond the depth, rounded against the trader.
fn beyond(sign: i128, last: Option<Price>, mark: Option<Mean>) -> Option<Price> {
    // In cents times `unit`.
    let unit = mark.map_or(1, |mark| 2 * mark.duration);
    let reference = mark.map(|mark| mark.sum).or(last.map(|price| i128::from(price.cents())))?;
    let price = reference * (10_000 - sign * i128::from(PENALTY_BASIS_POINTS));
    let scale = 10_000 * unit;
    let cents = if sign > 0 { price.div_euclid(scale) } else { -(-price).div_euclid(scale) };
    let cents = match last.map(|price| i128::from(price.cents())) {
        Some(last) if sign > 0 => cents.min(last),
        Some(last) => cents.max(last),
        None => cents,
    };
    Some(Price::clamped(i64::try_from(cents).unwrap_or(i64::MAX)))
}
