//! What a venue charges for a fill, in integer micro-cents (millionths of a cent); negative amounts are rebates.

use assay_model::{Liquidity, Price};

/// Micro-cents in a cent.
pub(crate) const MICROCENTS: i128 = 1_000_000;

/// The two parts of a fee, which add.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fee {
    /// Micro-cents a share.
    pub microcents_per_share: i64,
    /// Millionths of what the shares cost.
    pub notional_millionths: i64,
}

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
    pub const NONE: Self = Self {
        maker: Fee { microcents_per_share: 0, notional_millionths: 0 },
        taker: Fee { microcents_per_share: 0, notional_millionths: 0 },
    };

    /// What one fill costs, in micro-cents.
    #[must_use]
    pub fn of(&self, liquidity: Liquidity, price: Price, shares: u32) -> i128 {
        let fee = match liquidity {
            Liquidity::Maker => self.maker,
            Liquidity::Taker => self.taker,
        };
        // A millionth of a cent is a micro-cent, so the notional's part needs no division.
        let a_share =
            i128::from(fee.microcents_per_share) + i128::from(fee.notional_millionths) * i128::from(price.cents());
        a_share * i128::from(shares)
    }
}
