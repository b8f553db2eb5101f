//! What a venue charges for a fill, in integer micro-cents (millionths of a cent); negative amounts are rebates.

pub use assay_model::Fee;
use assay_model::{Liquidity, Price};

/// Micro-cents in a cent.
pub(crate) const MICROCENTS: i128 = 1_000_000;

/// A venue's fees.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fees {
    /// For a fill that made liquidity.
    pub maker: Fee,
    /// For a fill that took liquidity.
    pub taker: Fee,
}

impl Fees {
    /// A venue that charges nothing.
    pub const NONE: Self = Self { maker: Fee::NONE, taker: Fee::NONE };

    /// What one fill costs, in micro-cents.
    #[must_use]
    pub fn of(&self, liquidity: Liquidity, price: Price, shares: u32) -> i128 {
        self.a_share(liquidity, price) * i128::from(shares)
    }

    /// What each share of a fill costs, in micro-cents.
    pub(crate) fn a_share(&self, liquidity: Liquidity, price: Price) -> i128 {
        let fee = match liquidity {
            Liquidity::Maker => self.maker,
            Liquidity::Taker => self.taker,
        };
        // A millionth of a cent is a micro-cent, so the notional's part needs no division.
        i128::from(fee.microcents_per_share) + i128::from(fee.notional_millionths) * i128::from(price.cents())
    }
}
