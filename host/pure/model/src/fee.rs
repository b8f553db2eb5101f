//! What a venue charges for a fill, as it is told to those who trade.

/// The two parts of a fee, which add; negative amounts are rebates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fee {
    /// Micro-cents (millionths of a cent) a share.
    pub microcents_per_share: i64,
    /// Millionths of what the shares cost.
    pub notional_millionths: i64,
}

impl Fee {
    /// No charge.
    pub const NONE: Self = Self { microcents_per_share: 0, notional_millionths: 0 };
}
