//! The price of an auction and who trades at it, from a list of orders: pure arithmetic, no state.
//!
//! Invariant: after the auction nobody who still wants to buy at some price faces somebody who wants to sell at it or below.

use assay_model::{Price, Side};
use std::collections::BTreeMap;

/// One order in an auction. A list of them is in time order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interest {
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
}

/// The price at which most shares trade; of several the one that leaves the fewest unfilled; then the nearest to the reference; then the
/// highest. Only limits and the reference come into question. None if nothing trades.
pub(super) fn clearing(interests: &[Interest], reference: Option<Price>) -> Option<Clearing> {
    let mut at_market = [0_u64; 2];
    let mut levels: BTreeMap<Price, [u64; 2]> = reference.map(|price| (price, [0; 2])).into_iter().collect();
    for interest in interests {
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
            best = Some((rank, Clearing { price, heavy }));
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
            .filter(|index| interests[*index].side == side && accepts(&interests[*index]))
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
