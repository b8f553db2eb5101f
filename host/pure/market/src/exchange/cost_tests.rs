//! No request costs more the more somebody has piled up: each kind of request, after each kind of pile, at n and at 10 n, counted in steps.
//!
//! The steps are those of every loop whose length a trader decides (see `steps.rs`); what a logarithm hides is not among them. Only cancel-all
//! may cost what it cancels, and the first request that asks for something that is kept from then on, which is why one is sent before.

use super::{Exchange, Margin, PriceBand, SelfTrade, TraderLimits, Venue};
use crate::fees::Fees;
use crate::{AgentIndex, Event, EventSink, LeftOut, steps};
use assay_model::{
    Display, Nanos, OrderId, PostOnly, Price, Qualifiers, Request, RequestId, RequestKind, Side, Terms, Time,
    TimeInForce,
};

const SMALL: u64 = 500;
/// What a request may take whatever there is: two looks at [`crate::FILL_STEPS_MAX`] orders, and a hundred trailing stops for each trade.
const STEPS: u64 = 800;
const OTHERS: AgentIndex = AgentIndex(0);
const TRADER: AgentIndex = AgentIndex(1);
/// What the market trades at.
const MIDDLE: i64 = 100_000;

struct Nobody;

impl EventSink for Nobody {
    fn event(&mut self, _: &Event) {}
}

/// An exchange with some liquidity and everything that costs: a band, a margin, a position limit.
struct Floor {
    exchange: Exchange,
    ids: [u64; 2],
}

impl Floor {
    fn new(self_trade: SelfTrade) -> Self {
        let band = PriceBand {
            opening_reference: Price::new(MIDDLE).unwrap(),
            basis_points: 5_000,
            window: Nanos::SECOND,
            shares: 1_000,
            session_basis_points: 5_000,
        };
        let margin = Margin { capital: i64::MAX / 4, long: 1, short: 1, maintenance: 0, fees: Fees::NONE };
        let limits = TraderLimits { position: 1_000_000, loss: None, margin: Some(margin) };
        let exchange = Exchange::new(2)
            .with_venue(Venue { self_trade, ..Venue::default() })
            .with_band(band)
            .telling_others(&[LeftOut::One(TRADER)])
            .with_trader_limits(TRADER, limits);
        let mut floor = Self { exchange, ids: [0; 2] };
        floor.exchange.open(Time(1), &mut Nobody);
        for side in [Side::Buy, Side::Sell] {
            floor.ask(OTHERS, limit(side, MIDDLE - side.sign() * 20, 100_000));
        }
        floor.ask(OTHERS, RequestKind::Market { side: Side::Buy, quantity: 1 });
        floor
    }

    fn ask(&mut self, agent: AgentIndex, kind: RequestKind) -> OrderId {
        let last = &mut self.ids[agent.0 as usize];
        *last += 1;
        let id = RequestId(*last);
        self.exchange.handle(Time(2 + *last), agent, &Request { id, kind }, &mut Nobody);
        id
    }
}

fn limit(side: Side, price: i64, quantity: u64) -> RequestKind {
    RequestKind::Limit { side, price, quantity, qualifiers: Qualifiers::default() }
}

type Pile = (&'static str, fn(&mut Floor, u64));

/// What a trader can pile up. The n-th of something is asked for.
const PILES: [Pile; 11] = [
    ("nothing", |_, _| {}),
    ("orders at one price", |floor, _| _ = floor.ask(TRADER, limit(Side::Sell, MIDDLE + 10, 1))),
    ("orders at many prices", |floor, n| _ = floor.ask(TRADER, limit(Side::Buy, MIDDLE - 30 - n as i64, 1))),
    ("hidden orders", |floor, _| {
        let qualifiers = Qualifiers { hidden: true, post_only: false };
        _ = floor.ask(TRADER, RequestKind::Limit { side: Side::Sell, price: MIDDLE + 10, quantity: 1, qualifiers });
    }),
    ("icebergs", |floor, _| _ = floor.ask(TRADER, order(Side::Sell, MIDDLE + 10, 9).map(|terms| terms.iceberg(1)))),
    ("stops", |floor, n| {
        _ = floor.ask(TRADER, order(Side::Buy, 0, 1).map(|terms| terms.stop(MIDDLE + 9_000 + n as i64)));
    }),
    ("stops with limits beyond the reference", |floor, n| {
        let price = MIDDLE + 1_000 + n as i64;
        _ = floor.ask(TRADER, order(Side::Buy, price, 1).map(|terms| terms.stop(MIDDLE + 9_000)));
    }),
    ("trailing stops", |floor, _| _ = floor.ask(TRADER, order(Side::Sell, 0, 1).map(|terms| terms.trail(9_000)))),
    ("orders that expire", |floor, n| {
        let terms = order(Side::Buy, MIDDLE - 30, 1).map(|terms| terms.good_till(Time(1 << 40 | n)));
        _ = floor.ask(TRADER, terms);
    }),
    ("rejections", |floor, _| _ = floor.ask(TRADER, limit(Side::Buy, 1, 1))),
    ("orders of others", |floor, n| _ = floor.ask(OTHERS, limit(Side::Sell, MIDDLE + 20 + n as i64 % 50, 1))),
];

fn order(side: Side, price: i64, quantity: u64) -> RequestKind {
    RequestKind::Order(Terms::pressed(side, price, quantity))
}

trait Map {
    fn map(self, change: impl FnOnce(Terms) -> Terms) -> Self;
}

impl Map for RequestKind {
    fn map(self, change: impl FnOnce(Terms) -> Terms) -> Self {
        match self {
            Self::Order(terms) => Self::Order(change(terms)),
            other => other,
        }
    }
}

/// Every kind of request, and every way in which its terms may be special. They name orders 2 and 3, or none that there is.
fn requests() -> Vec<(&'static str, RequestKind)> {
    let (named, other, unknown) = (RequestId(2), RequestId(3), RequestId(1 << 50));
    let (price, quantity) = (MIDDLE - 40, 1);
    let buy = |price, quantity| order(Side::Buy, price, quantity);
    let post_only = Qualifiers { hidden: false, post_only: true };
    vec![
        ("limit", limit(Side::Buy, price, 1)),
        ("limit that trades", limit(Side::Buy, MIDDLE + 30, 1)),
        ("limit beyond the band", limit(Side::Buy, 1, 1)),
        ("post-only", RequestKind::Limit { side: Side::Buy, price: MIDDLE + 30, quantity, qualifiers: post_only }),
        ("market", RequestKind::Market { side: Side::Buy, quantity }),
        ("market the other way", RequestKind::Market { side: Side::Sell, quantity }),
        ("fill-or-kill", buy(MIDDLE + 200, 1).map(|terms| terms.with(TimeInForce::FillOrKill))),
        ("fill-or-kill of everything", buy(MIDDLE + 20_000, 900_000).map(|terms| terms.with(TimeInForce::FillOrKill))),
        ("immediate-or-cancel", buy(MIDDLE + 30, 1).map(|terms| terms.with(TimeInForce::ImmediateOrCancel))),
        ("iceberg", buy(price, 9).map(|terms| terms.iceberg(1))),
        ("hidden", buy(price, 9).map(|terms| terms.shown_as(Display::Hidden))),
        ("price-to-comply", buy(price, 9).map(|terms| terms.shown_as(Display::Comply))),
        ("sliding", buy(MIDDLE + 30, 9).map(|terms| terms.post_only(PostOnly::Slide))),
        ("good-till", buy(price, 9).map(|terms| terms.good_till(Time(1 << 41)))),
        ("stop", buy(0, 1).map(|terms| terms.stop(MIDDLE + 9_000))),
        ("stop that is reached", buy(0, 1).map(|terms| terms.stop(1))),
        ("trailing stop", buy(0, 1).map(|terms| terms.trail(9_000))),
        ("at the close", buy(0, 1).map(|terms| terms.with(TimeInForce::AtClose))),
        ("cancel", RequestKind::Cancel { order: named }),
        ("cancel of nothing", RequestKind::Cancel { order: unknown }),
        ("modify", RequestKind::Modify { order: named, price, quantity }),
        ("modify in place", RequestKind::Modify { order: other, price: MIDDLE + 10, quantity }),
        ("modify of nothing", RequestKind::Modify { order: unknown, price, quantity }),
        ("reduce", RequestKind::Reduce { order: named, by: 1 }),
        ("reduce of nothing", RequestKind::Reduce { order: unknown, by: 1 }),
        ("replace", RequestKind::Replace { order: named, price, quantity }),
        ("replace of nothing", RequestKind::Replace { order: unknown, price, quantity }),
        ("cancel-all", RequestKind::CancelAll),
    ]
}

/// Steps of one request behind a pile.
fn cost(self_trade: SelfTrade, (_, pile): Pile, size: u64, request: RequestKind) -> u64 {
    let mut floor = Floor::new(self_trade);
    (0..size).for_each(|n| pile(&mut floor, n));
    floor.ask(TRADER, limit(Side::Buy, MIDDLE - 50, 1));
    steps::taken();
    floor.ask(TRADER, request);
    steps::taken()
}

#[test]
fn no_request_costs_more_the_more_there_is() {
    let mut dear = Vec::new();
    for pile in PILES {
        for (name, request) in requests() {
            let [small, large] = [SMALL, 10 * SMALL].map(|size| cost(SelfTrade::CancelNewest, pile, size, request));
            let may = if matches!(request, RequestKind::CancelAll) { 12 * small + STEPS } else { STEPS };
            if large > may || small > STEPS.max(may) {
                dear.push(format!("{name} behind {}: {small} steps at n, {large} at 10 n", pile.0));
            }
        }
    }
    assert!(dear.is_empty(), "{}", dear.join("\n"));
}

#[test]
fn a_fill_or_kill_is_counted_only_so_far_however_own_orders_count() {
    for self_trade in SelfTrade::ALL {
        for pile in [PILES[1], PILES[3], PILES[4], PILES[10]] {
            let everything =
                order(Side::Buy, MIDDLE + 20_000, 900_000).map(|terms| terms.with(TimeInForce::FillOrKill));
            let steps = cost(self_trade, pile, 10 * SMALL, everything);
            assert!(steps <= STEPS, "{}: {steps}, {self_trade:?}", pile.0);
        }
    }
}
