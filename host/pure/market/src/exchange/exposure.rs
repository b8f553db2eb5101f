//! The accounts of watched traders: how many shares each may come to hold, long or short, checked before a request trades, what it may put at
//! risk (see `margin.rs`), and how much it may have lost before the exchange takes it out.
//!
//! Invariant: on either side, the shares held and the shares of all its orders together never pass the position limit, so no sequence of
//! fills can. Only strategies are watched: background agents answer to their scenario.

use super::margin::{Holding, Load, Margin, Marks, Open};
use crate::AgentIndex;
use crate::steps::step;
use assay_model::{Liquidity, Price, Reason, Side};
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included, Unbounded};

/// What the exchange allows a trader that it watches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraderLimits {
    /// Shares it may come to hold, long or short, should all its orders trade.
    pub position: u32,
    /// Cents it may have lost, its shares marked at the last trade and fees left out, before its orders are taken out for good.
    pub loss: Option<i64>,
    /// What it may put at risk; without it, anything. Needs a price band, for its reference.
    pub margin: Option<Margin>,
}

/// The traders that are watched, by index.
///
/// Invariant: nobody below `first` is among them, so that for the background agents, who come first and do nearly everything, one
/// comparison says so.
#[derive(Debug)]
pub(super) struct Exposures {
    first: AgentIndex,
    list: Vec<Exposure>,
}

impl Default for Exposures {
    fn default() -> Self {
        Self { first: AgentIndex(u32::MAX), list: Vec::new() }
    }
}

impl Exposures {
    /// Watches one more; whoever is watched already gets these limits instead.
    pub(super) fn watch(&mut self, agent: AgentIndex, limits: TraderLimits) {
        self.list.retain(|other| other.agent != agent);
        self.list.push(Exposure::new(agent, limits));
        self.list.sort_by_key(|exposure| exposure.agent);
        self.first = self.first.min(agent);
    }

    #[inline(always)]
    pub(super) fn of(&self, agent: AgentIndex) -> Option<&Exposure> {
        if agent < self.first { None } else { self.place(agent).map(|place| &self.list[place]) }
    }

    #[inline(always)]
    pub(super) fn of_mut(&mut self, agent: AgentIndex) -> Option<&mut Exposure> {
        if agent < self.first { None } else { self.place(agent).map(|place| &mut self.list[place]) }
    }

    #[inline(never)]
    fn place(&self, agent: AgentIndex) -> Option<usize> {
        self.list.binary_search_by_key(&agent, |exposure| exposure.agent).ok()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Exposure> {
        self.list.iter()
    }
}

/// What a watched trader holds and could come to hold.
#[derive(Debug)]
pub(super) struct Exposure {
    pub(super) agent: AgentIndex,
    limits: TraderLimits,
    holding: Holding,
    /// Shares of orders that may still trade, by side.
    open: [i64; 2],
    /// The same by side and limit, `None` at market; not kept without a margin.
    orders: [BTreeMap<Option<Price>, i64>; 2],
    /// What the limits of those add to, in cents.
    value: [i128; 2],
    /// By side, what lies beyond the reference.
    beyond: [Beyond; 2],
}

/// What the limits of orders on one side are beyond a reference: kept, because whoever has orders at a thousand prices would have them looked
/// through at each request.
#[derive(Clone, Copy, Debug, Default)]
struct Beyond {
    /// None before anybody has asked.
    reference: Option<Price>,
    shares: i128,
    /// Cents by which the limits of these shares are beyond it, together.
    loss: i128,
}

impl Beyond {
    fn change(&mut self, side: Side, limit: Option<Price>, shares: i64) {
        let (Some(reference), Some(limit)) = (self.reference, limit) else { return };
        let off = side.sign() * (limit.cents() - reference.cents());
        if off > 0 {
            self.shares += i128::from(shares);
            self.loss += i128::from(off) * i128::from(shares);
        }
    }

    /// Brings it to another reference. Costs a step for each price with orders between the two; at first for each beyond.
    fn move_to(&mut self, side: Side, to: Price, orders: &BTreeMap<Option<Price>, i64>) {
        let Some(from) = self.reference else {
            *self = Self { reference: Some(to), ..Self::default() };
            let beyond = match side {
                Side::Buy => orders.range((Excluded(Some(to)), Unbounded)),
                Side::Sell => orders.range((Excluded(None), Excluded(Some(to)))),
            };
            for (limit, shares) in beyond {
                step();
                self.change(side, *limit, *shares);
            }
            return;
        };
        if from == to {
            return;
        }
        // Those that are beyond both only are so by more, or by less.
        let further = i128::from(side.sign() * (from.cents() - to.cents()));
        self.loss += further * self.shares;
        self.reference = Some(to);
        let (low, high) = (from.min(to), from.max(to));
        let between = match side {
            Side::Buy => orders.range((Excluded(Some(low)), Included(Some(high)))),
            Side::Sell => orders.range((Included(Some(low)), Excluded(Some(high)))),
        };
        for (limit, shares) in between.inspect(|_| step()) {
            let Some(limit) = limit else { continue };
            let off = i128::from(side.sign() * (limit.cents() - to.cents()));
            let shares = i128::from(*shares);
            if further > 0 {
                // Beyond the new one only.
                self.shares += shares;
                self.loss += off * shares;
            } else {
                // Beyond the old one only: counted with what it is off the new one, which is not beyond.
                self.shares -= shares;
                self.loss -= off * shares;
            }
        }
    }
}

impl Exposure {
    fn new(agent: AgentIndex, limits: TraderLimits) -> Self {
        let (open, orders, value, beyond) = Default::default();
        Self { agent, limits, holding: Holding::default(), open, orders, value, beyond }
    }

    /// Whether it may have `new` to trade on this side, in place of `old` that is open, under the position limit.
    pub(super) fn allows(&self, side: Side, new: u32, old: u32) -> bool {
        let open = self.open[side as usize] + i64::from(new) - i64::from(old);
        side.sign() * self.holding.position + open <= i64::from(self.limits.position)
    }

    /// Whether it has the buying power for `new` on this side, in place of `old` that is open.
    pub(super) fn affords(&mut self, side: Side, new: Open, old: Option<Open>, marks: &Marks) -> bool {
        let Some(margin) = self.limits.margin else { return true };
        let open = self.open[side as usize] + i64::from(new.shares) - old.map_or(0, |old| i64::from(old.shares));
        let reduces = side.sign() * self.holding.position + open <= 0;
        if reduces || old.is_some_and(|old| is_less(side, new, old)) {
            return true;
        }
        let mut loads = self.loads(marks);
        let load = &mut loads[side as usize];
        load.add(side, new.limit, i128::from(new.shares), marks);
        if let Some(old) = old {
            load.add(side, old.limit, -i128::from(old.shares), marks);
        }
        margin.covers(&self.holding, &loads, marks.reference)
    }

    /// Whether it could bear it if all that is open traded, or at least as much of it on this side as closes its position.
    pub(super) fn bears(&mut self, side: Side, marks: &Marks) -> bool {
        let Some(margin) = self.limits.margin else { return true };
        let reduces = side.sign() * self.holding.position + self.open[side as usize] <= 0;
        if reduces {
            return true;
        }
        let loads = self.loads(marks);
        margin.covers(&self.holding, &loads, marks.reference)
    }

    /// What is open on either side. Costs a step for each price with orders that the reference has passed since it was asked last.
    fn loads(&mut self, marks: &Marks) -> [Load; 2] {
        [Side::Buy, Side::Sell].map(|side| {
            let orders = &self.orders[side as usize];
            let beyond = &mut self.beyond[side as usize];
            beyond.move_to(side, marks.reference, orders);
            let mut load =
                Load { shares: i128::from(self.open[side as usize]), value: self.value[side as usize], loss: 0 };
            // Those at market stand for none of the shares yet that have a value.
            let at_market = i128::from(orders.get(&None).copied().unwrap_or_default());
            load.shares -= at_market;
            load.add(side, None, at_market, marks);
            load.loss += beyond.loss;
            load
        })
    }

    /// Shares come to rest or to wait.
    pub(super) fn opens(&mut self, side: Side, limit: Option<Price>, shares: u32) {
        self.changes(side, limit, i64::from(shares));
    }

    /// Shares rest or wait no more: traded, cancelled or entered.
    pub(super) fn leaves(&mut self, side: Side, limit: Option<Price>, shares: u32) {
        self.changes(side, limit, -i64::from(shares));
    }

    fn changes(&mut self, side: Side, limit: Option<Price>, shares: i64) {
        self.open[side as usize] += shares;
        if self.limits.margin.is_some() {
            let at_limit = self.orders[side as usize].entry(limit).or_default();
            *at_limit += shares;
            debug_assert!(*at_limit >= 0, "an order leaves at the limit at which it came");
            if *at_limit == 0 {
                self.orders[side as usize].remove(&limit);
            }
            self.value[side as usize] += i128::from(limit.map_or(0, Price::cents)) * i128::from(shares);
            self.beyond[side as usize].change(side, limit, shares);
        }
    }

    /// Shares were bought or sold.
    pub(super) fn trades(&mut self, side: Side, shares: u32, price: Price, liquidity: Liquidity) {
        let bought = side.sign() * i64::from(shares);
        self.holding.position += bought;
        self.holding.cash -= i128::from(bought * price.cents());
        if let Some(margin) = &self.limits.margin {
            self.holding.fees += margin.fees.of(liquidity, price, shares);
        }
    }

    /// Why the trader is to be taken out, if it is.
    pub(super) fn end(&self, last: Option<Price>, reference: Option<Price>) -> Option<Reason> {
        let Holding { position, cash, .. } = self.holding;
        let worth = i128::from(position) * i128::from(last.map_or(0, Price::cents));
        if self.limits.loss.is_some_and(|loss| -(cash + worth) >= i128::from(loss)) {
            return Some(Reason::LossLimit);
        }
        let margin = self.limits.margin.as_ref().zip(reference);
        margin.filter(|(margin, reference)| margin.is_ruined(&self.holding, *reference)).map(|_| Reason::Ruined)
    }
}

/// Whether an order in place of another takes nothing more upon itself.
fn is_less(side: Side, new: Open, old: Open) -> bool {
    let milder = match (new.limit, old.limit) {
        (Some(new), Some(old)) => side.sign() * (new.cents() - old.cents()) <= 0,
        (None, None) => true,
        _ => false,
    };
    milder && new.shares <= old.shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn price(cents: i64) -> Price {
        Price::new(cents).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_kept_of_orders_beyond_the_reference_is_what_looking_through_them_finds(
            steps in proptest::collection::vec((0..3_u8, 90..110_i64, 1..5_i64), 0..60),
        ) {
            for side in [Side::Buy, Side::Sell] {
                let (mut beyond, mut orders) = (Beyond::default(), BTreeMap::<Option<Price>, i64>::new());
                for (kind, cents, shares) in &steps {
                    let limit = Some(price(*cents));
                    if *kind == 0 {
                        beyond.move_to(side, price(*cents), &orders);
                        let off = |limit: &Option<Price>| (side.sign() * (limit.unwrap().cents() - cents)).max(0);
                        let loss: i64 = orders.iter().map(|(limit, shares)| off(limit) * shares).sum();
                        prop_assert_eq!(beyond.loss, i128::from(loss));
                        continue;
                    }
                    let change = if *kind == 1 { *shares } else { -orders.get(&limit).copied().unwrap_or(0) };
                    *orders.entry(limit).or_default() += change;
                    if orders[&limit] == 0 {
                        orders.remove(&limit);
                    }
                    beyond.change(side, limit, change);
                }
            }
        }
    }
}
