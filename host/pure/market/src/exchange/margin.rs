//! Buying power: what a trader may put at risk on the capital it has, and when it is ruined.
//!
//! Every price here that the trader could set itself is replaced by the reference of the price band (see `band.rs`). A request is judged on what
//! the account could become, should everything open trade: what orders would cost beyond the reference is a loss at once, what they would
//! cost less is not a gain. So nothing that follows can take the account below its initial margin but a move of the reference.
//!
//! - Equity is cash and the position at the reference, less fees.
//! - It must cover, after the losses and fees of all open orders, the initial margin of the longest and of the shortest position that they could make.
//! - What reduces a position, all orders of its side together at most to zero, passes, and so does what makes an order smaller or less aggressive.
//! - Ruined is who has less than the maintenance margin of the position, or less than nothing.

use crate::fees::{Fees, MICROCENTS};
use assay_model::{Price, Side};

/// Hundredths of a per cent in the whole.
const WHOLE: i128 = 10_000;

/// What an account needs. Margins are in hundredths of a per cent of what a position is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Margin {
    /// Cents the account begins with.
    pub capital: i64,
    /// Initial margin of a long position.
    pub long: u32,
    /// Initial margin of a short one.
    pub short: u32,
    /// What must be left of either.
    pub maintenance: u32,
    /// What the venue charges.
    pub fees: Fees,
}

/// The prices by which accounts are judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    /// What a share is worth.
    pub(super) reference: Price,
    /// What an order at market may pay and get, by side.
    pub(super) at_market: [Price; 2],
}

/// An order as far as its account is concerned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// None at market.
    pub(super) limit: Option<Price>,
    pub(super) shares: u32,
}

/// What open orders on one side come to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    pub(super) shares: i128,
    /// Cents that they may cost.
    pub(super) value: i128,
    /// Cents beyond the reference that they may cost.
    pub(super) loss: i128,
}

impl Load {
    /// Adds `sign` times these shares.
    pub(super) fn add(&mut self, side: Side, limit: Option<Price>, shares: i128, marks: &Marks) {
        let price = limit.unwrap_or(marks.at_market[side as usize]).cents();
        let beyond = (side.sign() * (price - marks.reference.cents())).max(0);
        self.shares += shares;
        self.value += shares * i128::from(price);
        self.loss += shares * i128::from(beyond);
    }
}

/// What an account holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Holding {
    pub(super) position: i64,
    /// Cents come in less cents gone out, fees left out.
    pub(super) cash: i128,
    /// Micro-cents charged.
    pub(super) fees: i128,
}

impl Margin {
    /// Cents, rounded down.
    fn equity(&self, holding: &Holding, reference: Price) -> i128 {
        let worth = i128::from(holding.position) * i128::from(reference.cents());
        i128::from(self.capital) + holding.cash + worth - cents_up(holding.fees)
    }

    /// Whether the account could bear it if all that is open traded.
    pub(super) fn covers(&self, holding: &Holding, loads: &[Load; 2], reference: Price) -> bool {
        let [buys, sells] = loads;
        let dearest = |a: i64, b: i64| i128::from(a.max(b).max(0));
        let Fees { maker, taker } = self.fees;
        let per_share = dearest(maker.microcents_per_share, taker.microcents_per_share);
        let millionths = dearest(maker.notional_millionths, taker.notional_millionths);
        let fees = (buys.shares + sells.shares) * per_share + (buys.value + sells.value) * millionths;
        let left = self.equity(holding, reference) - buys.loss - sells.loss - cents_up(fees);
        let position = i128::from(holding.position);
        let (longest, shortest) = ((position + buys.shares).max(0), (sells.shares - position).max(0));
        let needed = (longest * i128::from(self.long)).max(shortest * i128::from(self.short));
        left * WHOLE >= needed * i128::from(reference.cents())
    }

    /// Whether what is left is too little to hold the position.
    pub(super) fn is_ruined(&self, holding: &Holding, reference: Price) -> bool {
        let equity = self.equity(holding, reference);
        let worth = i128::from(holding.position.abs()) * i128::from(reference.cents());
        equity < 0 || equity * WHOLE < worth * i128::from(self.maintenance)
    }
}

/// Micro-cents in whole cents, rounded up.
fn cents_up(microcents: i128) -> i128 {
    -(-microcents).div_euclid(MICROCENTS)
}
