//! Who earns from whom: shares and money that pass between the seats of a market, and between them and everybody else.
//!
//! In each trade the taker pays the maker the distance of the price from the mid before the taker came, times the shares. Summed by pair this says who feeds
//! whom: two seats that take from a third at bad prices show up as money that flows to it and to nobody else. Auctions have no taker and no mid;
//! their shares count, their money does not.
//!
//! Invariant: money is counted in whole half-cents, so what one pays another receives to the cent.

use assay_market::{AgentIndex, Event, EventKind, EventSink, Session};

/// Shares and money between two parties.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flow {
    /// Shares that they have traded with each other.
    pub shares: u64,
    /// Half-cents that the first has received from the second; negative where it has paid.
    pub half_cents: i64,
}

/// Listens to an episode with several seats. Parties are the seats, in their order, and behind them everybody else as one.
#[derive(Debug)]
pub struct Flows {
    first: AgentIndex,
    seats: usize,
    /// By symbol, the doubled mid while both sides are there.
    mids: Vec<Option<i64>>,
    in_call: Vec<bool>,
    table: Vec<Flow>,
    /// What takers paid makers among everybody else: what liquidity costs here.
    market: Flow,
}

impl Flows {
    /// For `seats` seats, the first of which is `first`, in a market of `symbols` symbols.
    #[must_use]
    pub fn new(first: AgentIndex, seats: usize, symbols: u8) -> Self {
        let parties = seats + 1;
        Self {
            first,
            seats,
            mids: vec![None; usize::from(symbols)],
            in_call: vec![false; usize::from(symbols)],
            table: vec![Flow::default(); parties * parties],
            market: Flow::default(),
        }
    }

    /// What passed between two parties, as the first sees it.
    #[must_use]
    pub fn between(&self, one: usize, other: usize) -> Flow {
        self.table[one * (self.seats + 1) + other]
    }

    /// Shares that everybody else traded among themselves, and what their takers paid their makers.
    #[must_use]
    pub fn market(&self) -> Flow {
        self.market
    }

    /// The seat of an agent, or the party that stands for everybody else.
    fn party(&self, agent: AgentIndex) -> usize {
        agent.0.checked_sub(self.first.0).map_or(self.seats, |seat| (seat as usize).min(self.seats))
    }

    fn trade(&mut self, maker: AgentIndex, taker: AgentIndex, shares: u32, paid_half_cents: i64) {
        let (maker, taker) = (self.party(maker), self.party(taker));
        let parties = self.seats + 1;
        if maker == self.seats && taker == self.seats {
            self.market.shares += u64::from(shares);
            self.market.half_cents += paid_half_cents;
        }
        for (one, other, half_cents) in [(maker, taker, paid_half_cents), (taker, maker, -paid_half_cents)] {
            let flow = &mut self.table[one * parties + other];
            flow.shares += u64::from(shares);
            flow.half_cents += half_cents;
            if maker == taker {
                // Nothing passes between one and the same, and its shares count once.
                flow.half_cents = 0;
                break;
            }
        }
    }
}

impl EventSink for Flows {
    fn event(&mut self, event: &Event) {
        let symbol = usize::from(event.symbol.0);
        match event.kind {
            EventKind::Quote(quote) => {
                self.mids[symbol] = quote.bid.zip(quote.ask).map(|(bid, ask)| bid.price.cents() + ask.price.cents());
            }
            EventKind::Session(session) => self.in_call[symbol] = session == Session::Call,
            EventKind::Trade { price, quantity, taker_side, maker, taker } => {
                let mid = self.mids[symbol].filter(|_| !self.in_call[symbol]);
                let paid = mid.map_or(0, |mid| taker_side.sign() * (2 * price.cents() - mid) * i64::from(quantity));
                self.trade(maker.0, taker.0, quantity, paid);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_model::{Level, OrderId, Price, Quote, Side, SymbolIndex, Time};

    fn flows(trades: &[(u32, u32, Side, i64, u32)]) -> Flows {
        let mut flows = Flows::new(AgentIndex(10), 2, 1);
        let level = |cents| Some(Level { price: Price::new(cents).expect("a price"), quantity: 100 });
        let mut tell = |kind| flows.event(&Event { at: Time(1), symbol: SymbolIndex::FIRST, kind });
        tell(EventKind::Quote(Quote { bid: level(99), ask: level(101), ..Quote::default() }));
        for &(maker, taker, taker_side, cents, quantity) in trades {
            let price = Price::new(cents).expect("a price");
            let (maker, taker) = ((AgentIndex(maker), OrderId::default()), (AgentIndex(taker), OrderId::default()));
            tell(EventKind::Trade { price, quantity, taker_side, maker, taker });
        }
        flows
    }

    #[test]
    fn the_taker_pays_the_distance_from_the_mid() {
        // Seat 1 buys 5 shares of seat 0, 3 cents above the mid; somebody else sells to seat 0, 1 cent below.
        let seen = flows(&[(10, 11, Side::Buy, 103, 5), (10, 4, Side::Sell, 99, 7)]);
        assert_eq!(seen.between(0, 1), Flow { shares: 5, half_cents: 30 });
        assert_eq!(seen.between(1, 0), Flow { shares: 5, half_cents: -30 });
        assert_eq!(seen.between(0, 2), Flow { shares: 7, half_cents: 14 });
        assert_eq!(seen.between(2, 0), Flow { shares: 7, half_cents: -14 });
        assert_eq!(seen.between(1, 2), Flow::default());
    }

    #[test]
    fn trades_among_others_and_with_oneself_move_no_money() {
        let seen = flows(&[(1, 2, Side::Buy, 110, 9), (11, 11, Side::Sell, 90, 3)]);
        assert_eq!(seen.between(2, 2), Flow { shares: 9, half_cents: 0 });
        assert_eq!(seen.between(1, 1), Flow { shares: 3, half_cents: 0 });
        assert_eq!(seen.market(), Flow { shares: 9, half_cents: 180 });
    }
}
