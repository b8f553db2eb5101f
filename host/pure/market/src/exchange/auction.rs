//! The price of an auction and who trades at it, from a list of orders: pure arithmetic, no state.
//!
//! Invariants: after the auction nobody who still wants to buy at some price faces somebody who wants to sell at it or below; unless the
//! venue lets people trade with themselves, no trader has orders on both sides that accept one price, so no pair is one trader's.

use super::SelfTrade;
use crate::AgentIndex;
use assay_model::{OrderId, Price, Side};
use std::collections::BTreeMap;

/// One order in an auction. A list of them is in time order; one that has no shares left takes no part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interest {
    pub(super) agent: AgentIndex,
    pub(super) id: OrderId,
    pub(super) side: Side,
    /// The worst price it accepts; any without one.
    pub(super) limit: Option<Price>,
    /// Ranks before every limit.
    pub(super) at_market: bool,
    pub(super) quantity: u32,
    /// Ranks behind the visible orders at its price.
    pub(super) hidden: bool,
}

/// Two orders that trade, by their indices in the list, and how many shares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    pub(super) buy: usize,
    pub(super) sell: usize,
    pub(super) quantity: u32,
}

/// An auction's price.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Clearing {
    pub(super) price: Price,
    /// The side that wants to trade more at that price; buyers if neither does.
    pub(super) heavy: Side,
    /// Shares that trade.
    pub(super) volume: u64,
    /// Shares wanted at that price less shares offered.
    pub(super) imbalance: i64,
}

/// Shares that an order loses because it would meet another of its own trader; with none left, it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Loss {
    /// Its index in the list.
    pub(super) order: usize,
    pub(super) by: u32,
    pub(super) left: u32,
}

/// Orders of one trader on one side: best price first, of one price the oldest; with their indices in the list.
type Own = BTreeMap<(i64, OrderId), usize>;

/// Takes shares off orders until no trader crosses himself: each order, as it comes, meets its trader's earlier ones, and what happens then is
/// what the venue does in continuous trading. Costs the logarithm of the list for each order and each that is met.
pub(super) fn keep_apart(interests: &mut [Interest], mode: SelfTrade) -> Vec<Loss> {
    let (mut owns, mut losses): (BTreeMap<(AgentIndex, u8), Own>, Vec<Loss>) = Default::default();
    if mode == SelfTrade::Allow {
        return losses;
    }
    for order in 0..interests.len() {
        let Interest { agent, id, side, limit, .. } = interests[order];
        let mut lose = |interests: &mut [Interest], order: usize, by: u32| {
            interests[order].quantity -= by;
            losses.push(Loss { order, by, left: interests[order].quantity });
        };
        let others = owns.entry((agent, side.opposite() as u8)).or_default();
        while interests[order].quantity > 0
            && let Some((key, other)) = others.first_key_value().map(|(key, other)| (*key, *other))
            && crosses(side, limit, interests[other].limit)
        {
            let (new, old) = (interests[order].quantity, interests[other].quantity);
            match mode {
                SelfTrade::Allow | SelfTrade::CancelNewest => lose(interests, order, new),
                SelfTrade::CancelOldest => lose(interests, other, old),
                SelfTrade::Decrement => {
                    lose(interests, other, new.min(old));
                    lose(interests, order, new.min(old));
                }
            }
            if interests[other].quantity == 0 {
                others.remove(&key);
            }
        }
        if interests[order].quantity > 0 {
            let rank = limit.map_or(i64::MIN, |limit| -side.sign() * limit.cents());
            owns.entry((agent, side as u8)).or_default().insert((rank, id), order);
        }
    }
    losses
}

/// Whether an order on `side` and one on the other accept a price both; without a limit, any.
fn crosses(side: Side, limit: Option<Price>, other: Option<Price>) -> bool {
    limit.zip(other).is_none_or(|(limit, other)| side.sign() * (limit.cents() - other.cents()) >= 0)
}

/// The price at which most shares trade; of several the one that leaves the fewest unfilled; then the nearest to the reference; then the
/// highest. Only limits and the reference come into question. None if nothing trades.
pub(super) fn clearing(interests: &[Interest], reference: Option<Price>) -> Option<Clearing> {
    let mut at_market = [0_u64; 2];
    let mut levels: BTreeMap<Price, [u64; 2]> = reference.map(|price| (price, [0; 2])).into_iter().collect();
    for interest in interests.iter().filter(|interest| interest.quantity > 0) {
        let level = interest.limit.map_or(&mut at_market, |limit| levels.entry(limit).or_default());
        level[interest.side as usize] += u64::from(interest.quantity);
    }
    let mut demand = at_market[0] + levels.values().map(|level| level[0]).sum::<u64>();
    let mut supply = at_market[1];
    let mut best = None;
    for (price, [buys, sells]) in levels {
        supply += sells;
        let volume = demand.min(supply);
        let distance = reference.map_or(0, |reference| price.cents().abs_diff(reference.cents()));
        let rank = (u64::MAX - volume, demand.abs_diff(supply), distance);
        if volume > 0 && best.is_none_or(|(least, _)| rank <= least) {
            let heavy = if demand >= supply { Side::Buy } else { Side::Sell };
            let imbalance = demand as i64 - supply as i64;
            best = Some((rank, Clearing { price, heavy, volume, imbalance }));
        }
        demand -= buys;
    }
    best.map(|(_, clearing)| clearing)
}

/// Who trades at `price`: orders at market first, then the best limits, at a limit visible before hidden ones, then in time order.
pub(super) fn pairs(interests: &[Interest], price: Price) -> Vec<Pair> {
    let ranked = |side: Side| {
        let accepts =
            |interest: &Interest| interest.limit.is_none_or(|limit| side.sign() * (limit.cents() - price.cents()) >= 0);
        let mut ranked: Vec<usize> = (0..interests.len())
            .filter(|index| interests[*index].quantity > 0 && interests[*index].side == side)
            .filter(|index| accepts(&interests[*index]))
            .collect();
        // `None` sorts before every limit.
        ranked.sort_by_key(|index| {
            let Interest { limit, at_market, hidden, .. } = interests[*index];
            (limit.filter(|_| !at_market).map(|limit| -side.sign() * limit.cents()), hidden)
        });
        ranked.into_iter()
    };
    let (mut buys, mut sells) = (ranked(Side::Buy), ranked(Side::Sell));
    let mut left: Vec<u32> = interests.iter().map(|interest| interest.quantity).collect();
    let (mut buy, mut sell) = (buys.next(), sells.next());
    let mut pairs = Vec::new();
    while let (Some(buyer), Some(seller)) = (buy, sell) {
        let quantity = left[buyer].min(left[seller]);
        left[buyer] -= quantity;
        left[seller] -= quantity;
        pairs.push(Pair { buy: buyer, sell: seller, quantity });
        if left[buyer] == 0 {
            buy = buys.next();
        }
        if left[seller] == 0 {
            sell = sells.next();
        }
    }
    pairs
}
