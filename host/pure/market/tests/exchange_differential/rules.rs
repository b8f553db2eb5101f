//! The rules of a venue under which a stream is played, drawn for each seed.

use crate::naive::Naive;
use crate::stream::{Shape, Step};
use assay_market::{
    AgentIndex, Breaker, Exchange, Halt, LimitPause, Margin, PriceBand, SelfTrade, TraderLimits, Venue,
};
use assay_market::{Fee, Fees};
use assay_model::{Nanos, Price, RequestKind, Seed, Stream, Time};

/// Margins for somebody whose capital buys some twenty shares outright.
fn margin(price: i64, seed: u64) -> Margin {
    let fee = |seed: u64| Fee {
        microcents_per_share: [0, 300_000, -200_000][seed as usize % 3],
        notional_millionths: [0, 2_000][seed as usize / 3 % 2],
    };
    let (long, short) = [(2_500, 2_500), (5_000, 3_000), (0, 4_000)][seed as usize % 3];
    let maintenance = [1_500, 0][seed as usize % 2].min(long);
    Margin { capital: price * 5, long, short, maintenance, fees: Fees { maker: fee(seed), taker: fee(seed + 1) } }
}

/// See the module documentation. The default forbids nothing beyond what an exchange always does.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Rules {
    band: Option<PriceBand>,
    /// Of the first agents.
    limits: Vec<TraderLimits>,
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
        let band = |basis_points: u32, window| {
            let shares = 1 + (seed % 5) as u32 * 20;
            let window = Nanos(window);
            let session_basis_points = basis_points.saturating_mul(2);
            first_price.map(|opening_reference| PriceBand {
                opening_reference,
                basis_points,
                window,
                shares,
                session_basis_points,
            })
        };
        if shape.rare < 50 {
            let window = if seed.is_multiple_of(8) { 0 } else { steps.len() as u64 / 20 };
            let price = first_price.map_or(0, Price::cents);
            let margin = (!seed.is_multiple_of(8)).then(|| margin(price, seed));
            let limits = vec![TraderLimits { position: 25, loss: None, margin }; 1 + (seed / 8 % 2) as usize];
            return Self { band: band(1_000, window), limits, venue: Venue::default() };
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
        let limits = TraderLimits { position: 40, loss: maybe(2).then_some(150), margin: None };
        let window = if maybe(2) { length / 8 } else { 0 };
        let band = match seed % 8 {
            0 | 4 => None,
            1 => band(PriceBand::UNLIMITED, window),
            _ => band(2_500, window),
        };
        let price = first_price.map_or(0, Price::cents);
        let limits = match (maybe(3), maybe(3)) {
            (true, _) => Vec::new(),
            (_, true) => vec![limits],
            _ => [seed, seed + 1].map(|seed| TraderLimits { margin: Some(margin(price, seed)), ..limits }).into(),
        };
        Self { band, limits, venue }
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

    pub(crate) fn lets_people_trade_with_themselves(&self) -> bool {
        self.venue.self_trade == SelfTrade::Allow
    }

    pub(crate) fn on(&self, mut exchange: Exchange) -> Exchange {
        if let Some(band) = self.band {
            exchange = exchange.with_band(band);
        }
        for (limits, agent) in self.limits.iter().zip(0..) {
            exchange = exchange.with_trader_limits(AgentIndex(agent), *limits);
        }
        exchange.with_venue(self.venue.clone())
    }

    pub(crate) fn naive(&self) -> Naive {
        let limits = self.limits.iter().zip(0..).map(|(limits, agent)| (AgentIndex(agent), *limits)).collect();
        let mut naive = Naive::default();
        (naive.band, naive.limits, naive.venue) = (self.band, limits, self.venue.clone());
        naive
    }
}
