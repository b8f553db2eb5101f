//! The rules of a venue under which a stream is played, drawn for each seed.

use crate::naive::Naive;
use crate::stream::{Shape, Step};
use assay_market::{AgentIndex, Breaker, Exchange, Halt, LimitPause, PriceBand, SelfTrade, TraderLimits, Venue};
use assay_model::{Nanos, Price, RequestKind, Seed, Stream, Time};

/// See the module documentation. The default forbids nothing beyond what an exchange always does.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Rules {
    band: Option<PriceBand>,
    /// Of the first agent.
    limits: Option<TraderLimits>,
    venue: Venue,
}

impl Rules {
    /// For a stream: a band around its first valid price and a limit on positions, wide enough that much happens within and much without.
    /// Streams with rare orders get rare rules.
    pub(crate) fn of(shape: &Shape, seed: u64, steps: &[Step]) -> Self {
        let first_price = steps.iter().find_map(|step| match step {
            Step::Request(_, request) => match request.kind {
                RequestKind::Limit { price, .. } => Price::new(price),
                RequestKind::Order(terms) => Price::new(i64::from(terms.price)),
                _ => None,
            },
            _ => None,
        });
        let band = |basis_points, window| {
            first_price.map(|opening_reference| PriceBand { opening_reference, basis_points, window: Nanos(window) })
        };
        if shape.rare < 50 {
            let limits = Some(TraderLimits { position: 25, loss: None });
            return Self { band: band(1_000, 0), limits, venue: Venue::default() };
        }
        let mut random = Stream::new(Seed(seed), shape.name, "rules");
        let mut maybe = |of: u64| random.below(of) == 0;
        let length = steps.len() as u64;
        let halts = if maybe(2) { vec![length / 3, length / 2] } else { Vec::new() };
        let halts = halts.into_iter().map(|at| Halt { at: Time(at), lasts: Nanos(length / 20) }).collect();
        let breaker = |fall_basis_points| Breaker { fall_basis_points, lasts: Nanos(length / 25) };
        let venue = Venue {
            self_trade: SelfTrade::ALL[seed as usize % 4],
            opening_auction: Nanos(if maybe(2) { length / 10 } else { 0 }),
            closing_auction: maybe(2).then(|| Time(length * 9 / 10)),
            halts,
            limit_pause: maybe(2).then_some(LimitPause { after: Nanos(4), lasts: Nanos(length / 30) }),
            breakers: if maybe(2) { vec![breaker(1_500), breaker(3_000)] } else { Vec::new() },
        };
        let limits = TraderLimits { position: 40, loss: maybe(2).then_some(150) };
        let window = if maybe(2) { length / 8 } else { 0 };
        let band = if maybe(4) { None } else { band(2_500, window) };
        Self { band, limits: maybe(2).then_some(limits), venue }
    }

    /// Each way to deal with self-trades, an opening auction in between, and a closing auction of everything.
    pub(crate) fn of_short_streams() -> Vec<Self> {
        let venue = |venue| Self { venue, ..Self::default() };
        let mut all: Vec<Self> =
            SelfTrade::ALL.map(|self_trade| venue(Venue { self_trade, ..Venue::default() })).into();
        all.push(venue(Venue { opening_auction: Nanos(3), ..Venue::default() }));
        all.push(venue(Venue { closing_auction: Some(Time(1)), ..Venue::default() }));
        all
    }

    pub(crate) fn on(&self, mut exchange: Exchange) -> Exchange {
        if let Some(band) = self.band {
            exchange = exchange.with_band(band);
        }
        if let Some(limits) = self.limits {
            exchange = exchange.with_trader_limits(AgentIndex(0), limits);
        }
        exchange.with_venue(self.venue.clone())
    }

    pub(crate) fn naive(&self) -> Naive {
        let limits = self.limits.map(|limits| (AgentIndex(0), limits));
        let mut naive = Naive::default();
        (naive.band, naive.limits, naive.venue) = (self.band, limits, self.venue.clone());
        naive
    }
}
