//! Who takes what from whom: shares and money that pass between the seats of a market, and between them and everybody else.
//!
//! In each trade the taker pays the maker the distance of the price from the mid before the taker came, times the shares; a price on the better side
//! of the mid pays the taker. The mid is that of the market without any seat, so that no order by which seats help each other moves what it is
//! measured against. It stands while one side is empty. Auctions have no taker and no mid; their shares count, their money does not.
//!
//! Invariant: money is counted in whole half-cents, so what one pays another receives to the cent.

use assay_market::{AgentIndex, Event, EventKind, EventSink, LeftOut, OthersQuote, Session};
use std::ops::{Add, AddAssign};

/// What one party took from another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flow {
    /// Shares of all their trades in which the one took.
    pub shares: u64,
    /// Half-cents that it paid for them beyond the mid; negative where it received.
    pub half_cents: i64,
    /// Of the shares, those for which it paid.
    pub dear_shares: u64,
    /// What it paid for these.
    pub dear_half_cents: i64,
}

impl Flow {
    fn of(shares: u32, half_cents: i64) -> Self {
        let shares = u64::from(shares);
        let dear_shares = if half_cents > 0 { shares } else { 0 };
        Self { shares, half_cents, dear_shares, dear_half_cents: half_cents.max(0) }
    }
}

impl Add for Flow {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            shares: self.shares + other.shares,
            half_cents: self.half_cents + other.half_cents,
            dear_shares: self.dear_shares + other.dear_shares,
            dear_half_cents: self.dear_half_cents + other.dear_half_cents,
        }
    }
}

impl AddAssign for Flow {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Listens to an episode with several seats. Parties are the seats, in their order, and behind them everybody else as one.
#[derive(Debug)]
pub struct Flows {
    first: AgentIndex,
    seats: usize,
    /// By symbol, the last doubled mid of the market without the seats.
    mids: Vec<Option<i64>>,
    in_call: Vec<bool>,
    /// By taker and maker.
    table: Vec<Flow>,
}

impl Flows {
    /// For `seats` seats, the first of which is `first` and behind which nobody sits, in a market of `symbols` symbols.
    #[must_use]
    pub fn new(first: AgentIndex, seats: usize, symbols: u8) -> Self {
        let parties = seats + 1;
        Self {
            first,
            seats,
            mids: vec![None; usize::from(symbols)],
            in_call: vec![false; usize::from(symbols)],
            table: vec![Flow::default(); parties * parties],
        }
    }

    /// What one party took from another; of everybody else from everybody else, what liquidity costs here.
    #[must_use]
    pub fn taken(&self, taker: usize, maker: usize) -> Flow {
        self.table[taker * (self.seats + 1) + maker]
    }

    /// The seat of an agent, or the party that stands for everybody else.
    fn party(&self, agent: AgentIndex) -> usize {
        agent.0.checked_sub(self.first.0).map_or(self.seats, |seat| (seat as usize).min(self.seats))
    }
}

impl EventSink for Flows {
    fn event(&mut self, event: &Event) {
        let symbol = usize::from(event.symbol.0);
        match event.kind {
            EventKind::Session(session) => self.in_call[symbol] = session == Session::Call,
            EventKind::Trade { price, quantity, taker_side, maker, taker } => {
                let mid = self.mids[symbol].filter(|_| !self.in_call[symbol]);
                let paid = mid.map_or(0, |mid| taker_side.sign() * (2 * price.cents() - mid) * i64::from(quantity));
                let cell = self.party(taker.0) * (self.seats + 1) + self.party(maker.0);
                self.table[cell] += Flow::of(quantity, paid);
            }
            _ => {}
        }
    }

    fn leaves_out(&self) -> Vec<LeftOut> {
        vec![LeftOut::From(self.first)]
    }

    fn others(&mut self, quote: &OthersQuote) {
        if quote.left_out == LeftOut::From(self.first)
            && let Some((bid, ask)) = quote.bid.zip(quote.ask)
        {
            self.mids[usize::from(quote.symbol.0)] = Some(bid.cents() + ask.cents());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_model::{OrderId, Price, Side, SymbolIndex, Time};

    const FIRST: AgentIndex = AgentIndex(10);

    fn flows(trades: &[(u32, u32, Side, i64, u32)]) -> Flows {
        let mut flows = Flows::new(FIRST, 2, 1);
        let price = |cents| Price::new(cents).expect("a price");
        for (left_out, bid, ask) in [
            (LeftOut::From(FIRST), Some(99), Some(101)),
            // What a market shows without one seat is nothing to go by: another's orders may be in it.
            (LeftOut::One(FIRST), Some(150), Some(151)),
            // A side without anybody leaves the mid as it was.
            (LeftOut::From(FIRST), Some(80), None),
        ] {
            let [bid, ask] = [bid, ask].map(|cents| cents.map(price));
            flows.others(&OthersQuote { at: Time(1), symbol: SymbolIndex::FIRST, left_out, bid, ask });
        }
        for &(maker, taker, taker_side, cents, quantity) in trades {
            let (maker, taker) = ((AgentIndex(maker), OrderId::default()), (AgentIndex(taker), OrderId::default()));
            let kind = EventKind::Trade { price: price(cents), quantity, taker_side, maker, taker };
            flows.event(&Event { at: Time(1), symbol: SymbolIndex::FIRST, kind });
        }
        flows
    }

    #[test]
    fn the_taker_pays_the_distance_from_the_mid() {
        // Seat 1 buys 5 shares of seat 0, 3 cents above the mid, and 2 below it; somebody else sells to seat 0, 1 cent below.
        let seen = flows(&[(10, 11, Side::Buy, 103, 5), (10, 11, Side::Buy, 98, 2), (10, 4, Side::Sell, 99, 7)]);
        assert_eq!(seen.taken(1, 0), Flow { shares: 7, half_cents: 22, dear_shares: 5, dear_half_cents: 30 });
        assert_eq!(seen.taken(2, 0), Flow { shares: 7, half_cents: 14, dear_shares: 7, dear_half_cents: 14 });
        for (taker, maker) in [(0, 1), (0, 2), (1, 2), (2, 1), (2, 2)] {
            assert_eq!(seen.taken(taker, maker), Flow::default());
        }
    }

    #[test]
    fn trades_among_others_show_what_liquidity_costs() {
        let seen = flows(&[(1, 2, Side::Buy, 110, 9), (11, 11, Side::Sell, 90, 3)]);
        assert_eq!(seen.taken(2, 2), Flow { shares: 9, half_cents: 180, dear_shares: 9, dear_half_cents: 180 });
        assert_eq!(seen.taken(1, 1).shares, 3);
    }
}
