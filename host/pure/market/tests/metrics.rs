//! Measures against hand-computed cases and, on random streams, against naive ones that keep every event.
//!
//! Orders go through the real exchange, so the events are those that an episode has.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::metrics::{
    Better, Collected, Collector, FILL_MARKS_MAX, Fee, Fees, KPIS, Kpi, Measure, Range, SERIES_BUCKETS, Settings,
};
use assay_market::{AgentIndex, Event, EventKind, EventSink, Exchange};
use assay_model::{Liquidity, Nanos, Qualifiers, Request, RequestId, RequestKind, Side, Time, UpdateKind};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const OPEN: Time = Time(1_000 * 1_000_000_000);
/// Two background agents and the trader.
const AGENTS: u32 = 3;
const TRADER: u32 = 2;

/// One request at a time in milliseconds from the open.
type Step = (u64, u32, RequestKind);

struct Tee(Collector, Vec<Event>);

impl EventSink for Tee {
    fn event(&mut self, event: &Event) {
        self.0.event(event);
        self.1.push(*event);
    }
}

/// Runs the steps through an exchange in a session of `seconds`.
fn run(seconds: u64, fees: Fees, steps: &[Step]) -> (Collected, Vec<Event>) {
    let close = OPEN + Nanos::from_secs(seconds);
    let mut sink = Tee(Collector::new(Settings { trader: AgentIndex(TRADER), open: OPEN, close, fees }), Vec::new());
    let mut exchange = Exchange::new(AGENTS);
    let mut ids = [0; AGENTS as usize];
    exchange.open(OPEN, &mut sink);
    for &(milliseconds, agent, kind) in steps {
        ids[agent as usize] += 1;
        let request = Request { id: RequestId(ids[agent as usize]), kind };
        exchange.handle(OPEN + Nanos(milliseconds * 1_000_000), AgentIndex(agent), &request, &mut sink);
    }
    exchange.close(close, &mut sink);
    (sink.0.finish(), sink.1)
}

fn limit(side: Side, price: i64, quantity: u64) -> RequestKind {
    RequestKind::Limit { side, price, quantity, qualifiers: Qualifiers::default() }
}
fn bid(price: i64, quantity: u64) -> RequestKind {
    limit(Side::Buy, price, quantity)
}
fn ask(price: i64, quantity: u64) -> RequestKind {
    limit(Side::Sell, price, quantity)
}
fn buy(quantity: u64) -> RequestKind {
    RequestKind::Market { side: Side::Buy, quantity }
}
fn sell(quantity: u64) -> RequestKind {
    RequestKind::Market { side: Side::Sell, quantity }
}
fn cancel(order: u64) -> RequestKind {
    RequestKind::Cancel { order: RequestId(order) }
}

/// `Ok` within 1e-9 of its value, relatively; `Err` the text of its reason.
#[track_caller]
fn check(seconds: u64, fees: Fees, steps: &[Step], expected: &[(Kpi, Result<f64, &str>)]) {
    let (collected, _) = run(seconds, fees, steps);
    for &(kpi, expected) in expected {
        match (collected.measures[kpi], expected) {
            (Measure::Value(value), Ok(expected)) => {
                let close = (value - expected).abs() <= 1e-9 * expected.abs().max(1.0);
                assert!(close, "{}: {value}, expected {expected}", kpi.info().key);
            }
            (Measure::Missing(missing), Err(expected)) => {
                assert_eq!(missing.to_string(), expected, "{}", kpi.info().key);
            }
            (measure, _) => panic!("{}: {measure:?}, expected {expected:?}", kpi.info().key),
        }
    }
}

/// A book of 100.00 bid and 100.10 offered, a thousand shares each, put up by agent 0 at the open.
const BOOK: [Step; 2] = [(0, 0, LIMIT_BID), (0, 0, LIMIT_ASK)];
const PLAIN: Qualifiers = Qualifiers { hidden: false, post_only: false };
const LIMIT_BID: RequestKind =
    RequestKind::Limit { side: Side::Buy, price: 10_000, quantity: 1_000, qualifiers: PLAIN };
const LIMIT_ASK: RequestKind =
    RequestKind::Limit { side: Side::Sell, price: 10_010, quantity: 1_000, qualifiers: PLAIN };

fn with_book(steps: &[Step]) -> Vec<Step> {
    [&BOOK, steps].concat()
}

#[test]
fn a_trader_that_does_nothing_has_nothing_and_no_invented_zeros() {
    check(
        1_800,
        Fees::NONE,
        &BOOK,
        &[
            (Kpi::Pnl, Ok(0.0)),
            (Kpi::MaxDrawdown, Ok(0.0)),
            (Kpi::InventorySd, Ok(0.0)),
            (Kpi::Sharpe, Err("returns do not vary")),
            (Kpi::SharpeReturns, Ok(30.0)),
            (Kpi::FillRateOrders, Err("0 orders submitted, at least 1 needed")),
            (Kpi::FillRatePassive, Err("0 shares rested in the book, at least 1 needed")),
            (Kpi::OrderToTrade, Err("0 fills, at least 1 needed")),
            (Kpi::Shortfall, Err("0 fills, at least 20 needed")),
            (Kpi::EffectiveSpreadPaid, Err("0 fills, at least 20 needed")),
            (Kpi::Participation, Err("0 shares traded in the market, at least 1 needed")),
            (Kpi::Vpin, Err("0 shares traded in the market, at least 50 needed")),
            (Kpi::ReturnSd60s, Ok(0.0)),
            (Kpi::Volatility300s, Err("6 returns, at least 30 needed")),
            (Kpi::Spread, Ok(10.0)),
            (Kpi::MidRange, Ok(0.0)),
            (Kpi::BidSize, Ok(1_000.0)),
            (Kpi::OneSidedTime, Ok(0.0)),
        ],
    );
}

#[test]
fn an_empty_market_has_no_prices() {
    check(
        1_800,
        Fees::NONE,
        &[(0, 0, LIMIT_BID)],
        &[
            (Kpi::Spread, Err("0 two-sided quotes, at least 1 needed")),
            (Kpi::MidRange, Err("0 two-sided quotes, at least 1 needed")),
            (Kpi::BidSize, Ok(1_000.0)),
            (Kpi::OneSidedTime, Ok(1.0)),
            (Kpi::ReturnSd60s, Err("0 returns, at least 30 needed")),
        ],
    );
}

#[test]
fn buying_realises_nothing() {
    // 10 at 100.10, marked at the mid of 100.05: 50 cents down, all of it unrealised.
    let steps = with_book(&[(1_000, 2, buy(10))]);
    let expected = [
        (Kpi::RealisedPnl, Ok(0.0)),
        (Kpi::UnrealisedPnl, Ok(-50.0)),
        (Kpi::Pnl, Ok(-50.0)),
        (Kpi::MaxDrawdown, Ok(50.0)),
        (Kpi::InventoryFinal, Ok(10.0)),
        (Kpi::InventoryMax, Ok(10.0)),
        (Kpi::Participation, Ok(1.0)),
    ];
    check(100, Fees::NONE, &steps, &expected);
}

#[test]
fn a_position_is_closed_at_average_cost_and_reversed() {
    // 10 at 100.10 and 10 at 100.20 cost 100.15 on average; 30 sold at 100.00: 20 close at −15 each, 10 go short at 100.00.
    // The book is then 100.00 bid and 100.20 offered: mid 100.10, the short is 10 cents under water.
    let steps = [
        (0, 0, bid(10_000, 1_000)),
        (0, 0, ask(10_010, 10)),
        (0, 0, ask(10_020, 100)),
        (1_000, 2, buy(10)),
        (2_000, 2, buy(10)),
        (3_000, 2, sell(30)),
    ];
    let fees = Fees {
        maker: Fee { microcents_per_share: -100_000, notional_millionths: 0 },
        taker: Fee { microcents_per_share: 300_000, notional_millionths: 0 },
    };
    let expected = [
        (Kpi::RealisedPnl, Ok(-300.0)),
        (Kpi::UnrealisedPnl, Ok(-100.0)),
        (Kpi::Fees, Ok(15.0)),
        (Kpi::Pnl, Ok(-415.0)),
        (Kpi::InventoryFinal, Ok(-10.0)),
        (Kpi::InventoryMax, Ok(20.0)),
        (Kpi::Fills, Ok(3.0)),
        (Kpi::SharesTraded, Ok(50.0)),
    ];
    check(100, fees, &steps, &expected);
}

#[test]
fn inventory_is_weighed_by_time() {
    // 0 for 10 s, 20 for 30 s, 0 for 60 s: mean 6, mean square 120, variance 84.
    let steps = with_book(&[(10_000, 2, buy(20)), (40_000, 2, sell(20))]);
    check(100, Fees::NONE, &steps, &[(Kpi::InventoryMean, Ok(6.0)), (Kpi::InventorySd, Ok(84_f64.sqrt()))]);
}

#[test]
fn drawdown_sees_open_losses_between_fills() {
    // Long 10 from 100.10 at a mid of 100.05 (−50). The bid falls to 90.00: mid 95.05, −5050. Back to 100.00, then up and sold.
    let steps = with_book(&[
        (1_000, 2, buy(10)),
        (2_000, 1, bid(9_000, 10)),
        (3_000, 0, cancel(1)),
        (4_000, 0, bid(10_000, 10)),
        (5_000, 2, sell(10)),
    ]);
    check(
        100,
        Fees::NONE,
        &steps,
        &[(Kpi::MaxDrawdown, Ok(5_050.0)), (Kpi::Pnl, Ok(-100.0)), (Kpi::MidRange, Ok(500.0))],
    );
}

#[test]
fn states_within_a_request_are_not_measured() {
    // The taker sweeps two levels: half way it holds 10 against a mid from before; only the state afterwards counts.
    let steps = [
        (0, 0, bid(10_000, 100)),
        (0, 0, ask(10_010, 10)),
        (0, 0, ask(10_030, 10)),
        (0, 0, ask(10_040, 10)),
        (1_000, 2, buy(20)),
    ];
    // Bought 10 at 100.10 and 10 at 100.30, mid afterwards 100.20: even.
    check(100, Fees::NONE, &steps, &[(Kpi::Pnl, Ok(0.0)), (Kpi::MaxDrawdown, Ok(0.0)), (Kpi::InventoryMax, Ok(20.0))]);
}

#[test]
fn orders_and_messages_are_counted_once() {
    let steps = with_book(&[
        (1_000, 2, bid(9_990, 100)), // 1: rests, cancelled by 5
        (2_000, 2, ask(10_005, 40)), // 2: rests, filled by two takers
        (3_000, 1, buy(10)),         //    first fill of 2
        (4_000, 1, buy(30)),         //    second fill of 2
        (5_000, 2, buy(5)),          // 3: taker fill
        (6_000, 2, RequestKind::Modify { order: RequestId(1), price: 9_980, quantity: 150 }), // 4: grows by 50
        (7_000, 2, RequestKind::Reduce { order: RequestId(1), by: 20 }), // 5
        (8_000, 2, RequestKind::Replace { order: RequestId(1), price: 9_970, quantity: 60 }), // 6
        (9_000, 2, cancel(99)),      // 7: rejected
        (10_000, 2, bid(-1, 5)),     // 8: rejected
        (11_000, 2, RequestKind::CancelAll), // 9: cancels 6
    ]);
    let expected = [
        (Kpi::Orders, Ok(5.0)),
        (Kpi::Rejections, Ok(2.0)),
        (Kpi::Fills, Ok(3.0)),
        // Orders 2 and 3 filled, of 1, 2, 3, 6 and 8: two fills of one order count once.
        (Kpi::FillRateOrders, Ok(2.0 / 5.0)),
        // 45 of 100 + 50, 40, 5, 60 and 5.
        (Kpi::FillRateQuantity, Ok(45.0 / 260.0)),
        // 40 of 100 + 50, 40 and 60.
        (Kpi::FillRatePassive, Ok(40.0 / 250.0)),
        // 5 orders, modify, reduce, the replace's cancel, the refused cancel, the cancel-all's one: 10 messages, 3 fills.
        (Kpi::OrderToTrade, Ok(10.0 / 3.0 - 1.0)),
        // Orders 210, modify to 150, reduce by 20, replace cancels 130, cancel-all cancels 60.
        (Kpi::OrderToTradeVolume, Ok(570.0 / 45.0 - 1.0)),
        (Kpi::SharesTraded, Ok(45.0)),
        (Kpi::Volume, Ok(45.0)),
        (Kpi::Trades, Ok(3.0)),
    ];
    check(100, Fees::NONE, &steps, &expected);
}

#[test]
fn spreads_use_the_mid_before_the_taker() {
    // Each of 20 buys of 10 pays 100.10 when the mid is 100.05: effective 10 cents. 100 ms after each, the bid is raised to 100.04
    // (mid 100.07) for the rest of the second-long round, so the realised spread after 1 s is that of the next round's start.
    let mut steps = BOOK.to_vec();
    for round in 0..20 {
        steps.push((round * 10_000, 2, buy(10)));
        steps.push((round * 10_000 + 100, 1, bid(10_004, 1)));
        steps.push((round * 10_000 + 3_000, 1, cancel(2 * round + 1)));
    }
    let expected = [
        (Kpi::EffectiveSpreadPaid, Ok(10.0)),
        // After 1 s the mid is 100.07: 2·(100.10 − 100.07) = 6, impact 4; after 5 s it is back.
        (Kpi::RealisedSpreadPaid1s, Ok(6.0)),
        (Kpi::Impact1s, Ok(4.0)),
        (Kpi::RealisedSpreadPaid5s, Ok(10.0)),
        (Kpi::Impact5s, Ok(0.0)),
        // The last six fills are within 60 s of the close.
        (Kpi::RealisedSpreadPaid60s, Err("14 fills with a later mid, at least 20 needed")),
        (Kpi::EffectiveSpreadEarned, Err("0 fills, at least 20 needed")),
        // 20 · 10 shares, 5 cents over an arrival mid of 100.05 each.
        (Kpi::Shortfall, Ok(5.0 / 10_005.0 * 1e4)),
    ];
    check(195, Fees::NONE, &steps, &expected);
}

#[test]
fn a_maker_earns_the_spread_and_suffers_adverse_selection() {
    // The trader offers at 100.08 inside 100.00 to 100.10: mid 100.04. A buyer takes it (2·4 = 8 earned), the mid is then 100.05.
    let mut steps = BOOK.to_vec();
    for round in 0..20 {
        steps.push((round * 10_000, 2, ask(10_008, 10)));
        steps.push((round * 10_000 + 1_000, 1, buy(10)));
    }
    let expected = [
        (Kpi::EffectiveSpreadEarned, Ok(8.0)),
        (Kpi::RealisedSpreadEarned1s, Ok(6.0)),
        (Kpi::AdverseSelection1s, Ok(2.0)),
        (Kpi::FillRatePassive, Ok(1.0)),
        // Arrival mid is 100.05, before the order itself moved it: it sold 3 cents above.
        (Kpi::Shortfall, Ok(-3.0 / 10_005.0 * 1e4)),
        // All volume is buyer-initiated.
        (Kpi::Vpin, Ok(1.0)),
    ];
    check(300, Fees::NONE, &steps, &expected);
}

#[test]
fn sharpe_is_of_equity_differences_on_a_minute_grid() {
    // One share long from the start at no cost in equity terms: −5 at once. Then each minute the mid alternates by ±2 cents
    // around a drift: the offer is fixed, the bid at 100.00 + 4k cents for odd and unchanged for even minutes.
    let minutes = 40;
    let mut steps = with_book(&[(0, 2, buy(1))]);
    let mut equity = vec![-5.0_f64];
    for minute in 1..=minutes {
        let raised = minute % 2 == 1;
        if raised {
            steps.push((minute * 60_000 - 1, 1, bid(10_004, 1)));
        } else {
            steps.push((minute * 60_000 - 1, 1, cancel(minute - 1)));
        }
        equity.push(if raised { -3.0 } else { -5.0 });
    }
    let differences: Vec<f64> = equity.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let sd = (differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    // The grid point at the open already has the purchase in it, so all 40 differences are of ±2 cents and the mean is 0.
    let year = (252.0 * 6.5 * 60.0_f64).sqrt();
    let expected = [
        (Kpi::SharpeReturns, Ok(40.0)),
        (Kpi::Sharpe, Ok(mean / sd * year)),
        (Kpi::SharpeStandardError, Ok((1.0_f64 / n).sqrt() * year)),
    ];
    check(minutes * 60, Fees::NONE, &steps, &expected);
}

#[test]
fn the_first_mid_stands_for_the_opening() {
    // The book appears 10 s late; 30 minutes still give 30 one-minute returns, of which one is not 0.
    let steps = [(10_000, 0, bid(10_000, 100)), (10_000, 0, ask(10_010, 100)), (90_000, 1, bid(10_002, 1))];
    let r = libm::log(10_006.0 / 10_005.0);
    let sd = ((r * r - r * r / 30.0) / 29.0).sqrt();
    let expected = [
        (Kpi::ReturnSd60s, Ok(sd * 1e4)),
        (Kpi::Volatility60s, Ok((r * r * 252.0 * 6.5 * 3_600.0 / 1_800.0).sqrt())),
        (Kpi::OneSidedTime, Ok(10.0 / 1_800.0)),
        (Kpi::Spread, Ok((10.0 * 80.0 + 8.0 * 1_710.0) / 1_790.0)),
    ];
    check(1_800, Fees::NONE, &steps, &expected);
}

#[test]
fn spread_shocks_recover() {
    // 25 times the spread jumps from 2 to 52 cents for a second and comes back.
    let mut steps = vec![(0, 0, bid(10_000, 100)), (0, 0, ask(10_052, 100)), (0, 1, ask(10_002, 1))];
    for shock in 0..25 {
        steps.push((shock * 20_000 + 10_000, 1, cancel(2 * shock + 1)));
        steps.push((shock * 20_000 + 11_000, 1, ask(10_002, 1)));
    }
    check(600, Fees::NONE, &steps, &[(Kpi::SpreadRecovery, Ok(1.0))]);
    check(600, Fees::NONE, &steps[..7], &[(Kpi::SpreadRecovery, Err("2 spread shocks, at least 20 needed"))]);
}

#[test]
fn the_catalogue_is_consistent() {
    let keys: BTreeSet<_> = KPIS.iter().map(|info| info.key).collect();
    assert_eq!(keys.len(), KPIS.len());
    for info in KPIS {
        assert_eq!(info.kpi.info(), &info);
        assert!(info.key.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_')), "{}", info.key);
        assert!(info.definition.ends_with('.'), "{}", info.key);
    }
    assert_eq!(Kpi::Pnl.info().better, Better::Higher);
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let side = prop_oneof![Just(Side::Buy), Just(Side::Sell)];
    let order =
        (side.clone(), 9_980..10_020_i64, 1..50_u64, any::<bool>()).prop_map(|(side, price, quantity, hidden)| {
            RequestKind::Limit { side, price, quantity, qualifiers: Qualifiers { hidden, post_only: false } }
        });
    let market = (side, 1..60_u64).prop_map(|(side, quantity)| RequestKind::Market { side, quantity });
    let id = 1..40_u64;
    let kind = prop_oneof![
        6 => order,
        3 => market,
        1 => id.clone().prop_map(cancel),
        1 => (id.clone(), 9_980..10_020_i64, 1..50_u64).prop_map(|(order, price, quantity)| RequestKind::Modify { order: RequestId(order), price, quantity }),
        1 => (id.clone(), 1..50_u64).prop_map(|(order, by)| RequestKind::Reduce { order: RequestId(order), by }),
        1 => (id, 9_980..10_020_i64, 1..50_u64).prop_map(|(order, price, quantity)| RequestKind::Replace { order: RequestId(order), price, quantity }),
        1 => Just(RequestKind::CancelAll),
    ];
    prop::collection::vec((0..4_000_u64, 0..AGENTS, kind), 0..300).prop_map(|gaps| {
        let mut at = 0;
        gaps.into_iter()
            .map(|(gap, agent, kind)| {
                at += gap;
                (at, agent, kind)
            })
            .collect()
    })
}

/// Long enough for every random stream.
const SESSION_SECONDS: u64 = 1_200;

/// What the naive model knows after each request: time, mid in half cents, cash and position.
#[derive(Clone, Copy)]
struct State {
    at: Time,
    mid: Option<i64>,
    cash: i64,
    position: i64,
}

impl State {
    /// In half cents.
    fn equity(&self) -> Option<i64> {
        if self.position == 0 { Some(2 * self.cash) } else { self.mid.map(|mid| 2 * self.cash + self.position * mid) }
    }
}

/// Time, the trader's side, price, shares, role, and the mid before.
type NaiveFill = (Time, Side, i64, u32, Liquidity, Option<i64>);

/// Every state of the session and every fill.
fn replay(events: &[Event]) -> (Vec<State>, Vec<NaiveFill>) {
    let mut now = State { at: OPEN, mid: None, cash: 0, position: 0 };
    let (mut states, mut fills, mut sides) = (vec![now], Vec::new(), BTreeMap::new());
    let session = events.iter().take_while(|event| event.kind != EventKind::Closed);
    for event in session {
        match event.kind {
            EventKind::Request { agent: AgentIndex(TRADER), request } => {
                states.push(now);
                let side = match request.kind {
                    RequestKind::Limit { side, .. } | RequestKind::Market { side, .. } => Some(side),
                    RequestKind::Replace { order, .. } => sides.get(&order).copied(),
                    _ => None,
                };
                sides.extend(side.map(|side| (request.id, side)));
            }
            EventKind::Request { .. } => states.push(now),
            EventKind::Update { agent: AgentIndex(TRADER), update } => {
                if let UpdateKind::Fill { price, quantity, liquidity } = update.kind {
                    let side = sides[&update.order];
                    now.at = event.at;
                    now.position += side.sign() * i64::from(quantity);
                    now.cash -= side.sign() * i64::from(quantity) * price.cents();
                    fills.push((event.at, side, price.cents(), quantity, liquidity, now.mid));
                }
            }
            EventKind::Quote(quote) => {
                now.at = event.at;
                if let (Some(bid), Some(ask)) = (quote.bid, quote.ask) {
                    now.mid = Some(bid.price.cents() + ask.price.cents());
                }
                states.push(now);
            }
            _ => {}
        }
    }
    states.push(now);
    (states, fills)
}

/// The state that holds at `at`, changes at that very time included.
fn state_at(states: &[State], at: Time) -> State {
    *states.iter().rev().find(|state| state.at <= at).unwrap()
}

fn expect(measures: &Collected, kpi: Kpi, naive: Option<f64>) {
    let measure = measures.measures[kpi].value();
    let equal = match (measure, naive) {
        (Some(measure), Some(naive)) => (measure - naive).abs() <= 1e-7 * naive.abs().max(1.0),
        (measure, naive) => measure == naive,
    };
    assert!(equal, "{}: {measure:?}, naively {naive:?}", kpi.info().key);
}

/// Share-weighted mean of `2·D·distance` over at least 20 fills.
fn weighted(amounts: &[(i64, u32)]) -> Option<f64> {
    let shares: f64 = amounts.iter().map(|(_, shares)| f64::from(*shares)).sum();
    let sum: f64 = amounts.iter().map(|(amount, shares)| *amount as f64 * f64::from(*shares)).sum();
    (amounts.len() >= 20).then(|| sum / shares)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn profit_and_inventory_equal_the_naive_ones(steps in steps()) {
        let (collected, events) = run(SESSION_SECONDS, Fees::NONE, &steps);
        let (states, _) = replay(&events);
        let last = *states.last().unwrap();
        let close = OPEN + Nanos::from_secs(SESSION_SECONDS);

        expect(&collected, Kpi::Pnl, last.equity().map(|equity| equity as f64 / 2.0));
        let parts = [Kpi::RealisedPnl, Kpi::UnrealisedPnl, Kpi::Fees].map(|kpi| collected.measures[kpi].value());
        if let [Some(realised), Some(unrealised), Some(fees)] = parts {
            expect(&collected, Kpi::Pnl, Some(realised + unrealised - fees));
        }

        let equities: Vec<i64> = states.iter().filter_map(State::equity).collect();
        let falls = equities.iter().enumerate().flat_map(|(i, peak)| equities[i..].iter().map(move |later| peak - later));
        expect(&collected, Kpi::MaxDrawdown, last.equity().and(falls.max()).map(|fall| fall as f64 / 2.0));

        let ends = states.iter().skip(1).map(|state| state.at).chain([close]);
        let pieces: Vec<(f64, f64)> = states.iter().zip(ends).map(|(state, end)| (state.position as f64, end.since(state.at).0 as f64)).collect();
        let total: f64 = pieces.iter().map(|(_, time)| time).sum();
        let mean = pieces.iter().map(|(position, time)| position * time).sum::<f64>() / total;
        let variance = pieces.iter().map(|(position, time)| (position - mean).powi(2) * time).sum::<f64>() / total;
        expect(&collected, Kpi::InventoryMean, Some(mean));
        expect(&collected, Kpi::InventorySd, Some(variance.sqrt()));
    }

    #[test]
    fn spreads_equal_the_naive_ones(steps in steps()) {
        let (collected, events) = run(SESSION_SECONDS, Fees::NONE, &steps);
        let (states, fills) = replay(&events);
        let close = OPEN + Nanos::from_secs(SESSION_SECONDS);
        let roles = [
            (Liquidity::Taker, Kpi::EffectiveSpreadPaid, [Kpi::RealisedSpreadPaid1s, Kpi::RealisedSpreadPaid5s, Kpi::RealisedSpreadPaid60s], [Kpi::Impact1s, Kpi::Impact5s, Kpi::Impact60s]),
            (Liquidity::Maker, Kpi::EffectiveSpreadEarned, [Kpi::RealisedSpreadEarned1s, Kpi::RealisedSpreadEarned5s, Kpi::RealisedSpreadEarned60s], [Kpi::AdverseSelection1s, Kpi::AdverseSelection5s, Kpi::AdverseSelection60s]),
        ];
        for (role, effective, realised, impact) in roles {
            let judged: Vec<_> = fills
                .iter()
                .filter(|fill| fill.4 == role)
                .filter_map(|&(at, side, price, shares, _, mid)| {
                    let taker = if role == Liquidity::Taker { side } else { side.opposite() };
                    Some((at, taker.sign(), 2 * price, shares, mid?))
                })
                .collect();
            expect(&collected, effective, weighted(&judged.iter().map(|&(_, sign, price, shares, mid)| (sign * (price - mid), shares)).collect::<Vec<_>>()));
            for (horizon, seconds) in [1, 5, 60].into_iter().enumerate() {
                let later: Vec<_> = judged
                    .iter()
                    .map(|fill| (fill, fill.0 + Nanos::from_secs(seconds)))
                    .filter(|(_, due)| *due <= close)
                    .map(|(fill, due)| (fill, state_at(&states, due).mid.unwrap()))
                    .collect();
                expect(&collected, realised[horizon], weighted(&later.iter().map(|((_, sign, price, shares, _), mid)| (sign * (price - mid), *shares)).collect::<Vec<_>>()));
                expect(&collected, impact[horizon], weighted(&later.iter().map(|((_, sign, _, shares, before), mid)| (sign * (mid - before), *shares)).collect::<Vec<_>>()));
            }
        }
    }

    #[test]
    fn rates_are_rates(steps in steps()) {
        let (collected, events) = run(SESSION_SECONDS, Fees::NONE, &steps);
        for kpi in [Kpi::FillRateOrders, Kpi::FillRateQuantity, Kpi::Participation, Kpi::OneSidedTime, Kpi::Vpin] {
            if let Some(value) = collected.measures[kpi].value() {
                prop_assert!((0.0..=1.0).contains(&value), "{}: {value}", kpi.info().key);
            }
        }
        let trades = events.iter().filter(|event| matches!(event.kind, EventKind::Trade { .. })).count();
        prop_assert_eq!(collected.measures[Kpi::Trades].value(), Some(trades as f64));
    }

    #[test]
    fn series_are_bounded_and_contain_the_extremes(steps in steps()) {
        let (collected, events) = run(SESSION_SECONDS, Fees::NONE, &steps);
        let series = &collected.series;
        for Range { last, min, max } in [&series.mid, &series.spread, &series.position, &series.pnl, &series.drawdown] {
            prop_assert_eq!([last.len(), min.len(), max.len()], [SERIES_BUCKETS; 3]);
            for ((last, min), max) in last.iter().zip(min).zip(max) {
                if let (Some(last), Some(min), Some(max)) = (last, min, max) {
                    prop_assert!(min <= last && last <= max);
                }
            }
        }
        let greatest = |range: &Range| range.max.iter().flatten().copied().fold(f64::MIN, f64::max);
        let least = |range: &Range| range.min.iter().flatten().copied().fold(f64::MAX, f64::min);
        if let Some(range) = collected.measures[Kpi::MidRange].value() {
            prop_assert_eq!(greatest(&series.mid) - least(&series.mid), range);
        }
        if let Some(drawdown) = collected.measures[Kpi::MaxDrawdown].value() {
            prop_assert_eq!(greatest(&series.drawdown), drawdown);
        }
        prop_assert_eq!(series.position.last.last().copied().flatten(), collected.measures[Kpi::InventoryFinal].value());
        prop_assert_eq!(series.volume.iter().sum::<u64>() as f64, collected.measures[Kpi::Volume].value().unwrap());
        prop_assert_eq!(series.volume_own.iter().sum::<u64>() as f64, collected.measures[Kpi::SharesTraded].value().unwrap());
        let (_, fills) = replay(&events);
        prop_assert_eq!(series.fills_total, fills.len() as u64);
    }
}

#[test]
fn fill_marks_are_thinned_evenly() {
    let trades = 4 * FILL_MARKS_MAX as u64;
    let mut steps = vec![(0, 0, bid(10_000, 1_000_000)), (0, 0, ask(10_010, 1_000_000))];
    steps.extend((0..trades).map(|index| (index * 10, 2, if index % 2 == 0 { buy(1) } else { sell(1) })));
    let (collected, _) = run(trades / 100 + 1, Fees::NONE, &steps);
    let fills = &collected.series.fills;
    assert_eq!(collected.series.fills_total, trades);
    assert!((FILL_MARKS_MAX / 2..=FILL_MARKS_MAX).contains(&fills.len()), "{}", fills.len());
    let gaps: BTreeSet<u64> = fills.windows(2).map(|pair| pair[1].at.since(pair[0].at).0).collect();
    assert_eq!(gaps.len(), 1, "{gaps:?}");
}
