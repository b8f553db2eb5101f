//! Random streams against naive measures that keep every event.

use crate::harness::*;
use assay_market::metrics::{Collected, Fees, Kpi, Range, SERIES_BUCKETS};
use assay_market::{AgentIndex, Event, EventKind};
use assay_model::{Liquidity, Nanos, Qualifiers, RequestId, RequestKind, Side, Time, UpdateKind};
use proptest::prelude::*;
use std::collections::BTreeMap;

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

/// A trade as it is judged: time, the taker's sign, price and mid before in half cents, shares.
type Judged = (Time, i64, i64, u32, i64);

/// The trades of everyone before which there was a mid.
fn trades(events: &[Event]) -> Vec<Judged> {
    let (mut mid, mut trades) = (None, Vec::new());
    for event in events {
        match event.kind {
            EventKind::Trade { price, quantity, taker_side, .. } => {
                trades.extend(mid.map(|mid| (event.at, taker_side.sign(), 2 * price.cents(), quantity, mid)));
            }
            EventKind::Quote(quote) => {
                mid = quote.bid.zip(quote.ask).map(|(bid, ask)| bid.price.cents() + ask.price.cents()).or(mid);
            }
            _ => {}
        }
    }
    trades
}

/// The trades whose later mid is seen, with it.
fn later(judged: &[Judged], states: &[State], milliseconds: u64, close: Time) -> Vec<(Judged, i64)> {
    let due = judged.iter().map(|trade| (*trade, trade.0 + Nanos(milliseconds * 1_000_000)));
    due.filter(|(_, due)| *due <= close).map(|(trade, due)| (trade, state_at(states, due).mid.unwrap())).collect()
}

/// Log returns of the mid on a grid; the first mid stands for the grid point before it.
fn returns(states: &[State], seconds: u64) -> Vec<f64> {
    let Some(first) = states.iter().find(|state| state.mid.is_some()) else { return Vec::new() };
    let grid = (0..=SESSION_SECONDS / seconds).map(|point| OPEN + Nanos::from_secs(point * seconds));
    let mut mids: Vec<f64> = grid.filter_map(|at| state_at(states, at).mid).map(|mid| mid as f64).collect();
    if !first.at.since(OPEN).0.is_multiple_of(seconds * 1_000_000_000) {
        mids.insert(0, first.mid.unwrap() as f64);
    }
    mids.windows(2).map(|pair| libm::log(pair[1] / pair[0])).collect()
}

/// Share by share.
fn vpin(events: &[Event]) -> Option<f64> {
    let shares: Vec<i64> = events
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Trade { quantity, taker_side, .. } => Some(vec![taker_side.sign(); quantity as usize]),
            _ => None,
        })
        .flatten()
        .collect();
    let ends = (0..=50).map(|bucket| shares.len() * bucket / 50).collect::<Vec<_>>();
    let imbalance: i64 = ends.windows(2).map(|ends| shares[ends[0]..ends[1]].iter().sum::<i64>().abs()).sum();
    (shares.len() >= 50).then(|| imbalance as f64 / shares.len() as f64)
}

/// Each spread shock: how many seconds it took to recover, if it did.
fn shocks(events: &[Event]) -> Vec<Option<f64>> {
    let spreads: BTreeMap<Time, Option<i64>> = events
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Quote(quote) => {
                Some((event.at, quote.bid.zip(quote.ask).map(|(bid, ask)| ask.price.cents() - bid.price.cents())))
            }
            _ => None,
        })
        .collect();
    let close = OPEN + Nanos::from_secs(SESSION_SECONDS);
    let ends = spreads.keys().copied().skip(1).chain([close]);
    let pieces: Vec<(Time, f64, f64)> = spreads
        .iter()
        .zip(ends)
        .filter_map(|((at, spread), end)| Some((*at, (*spread)? as f64, end.since(*at).0 as f64)))
        .collect();
    let total: f64 = pieces.iter().map(|piece| piece.2).sum();
    let mean = pieces.iter().map(|(_, spread, time)| spread * time).sum::<f64>() / total;
    let sd = (pieces.iter().map(|(_, spread, time)| (spread - mean).powi(2) * time).sum::<f64>() / total).sqrt();
    let (mut open, mut shocks) = (None, Vec::new());
    for (at, spread, _) in pieces {
        match open {
            // A hair's breadth, so that rounding makes no shock of a spread that never changes.
            None if spread > mean + 2.0 * sd + 1e-9 => open = Some(at),
            Some(since) if spread <= mean + sd => {
                shocks.push(Some(at.since(since).0 as f64 / 1e9));
                open = None;
            }
            _ => {}
        }
    }
    shocks.extend(open.map(|_| None));
    shocks
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
        let taken = [(1_000, Kpi::RealisedSpreadPaid1s, Kpi::Impact1s), (5_000, Kpi::RealisedSpreadPaid5s, Kpi::Impact5s), (60_000, Kpi::RealisedSpreadPaid60s, Kpi::Impact60s)];
        let made = [(1_000, Kpi::RealisedSpreadEarned1s, Kpi::AdverseSelection1s), (5_000, Kpi::RealisedSpreadEarned5s, Kpi::AdverseSelection5s), (60_000, Kpi::RealisedSpreadEarned60s, Kpi::AdverseSelection60s)];
        let all = [(1_000, Kpi::MarketRealisedSpread1s, Kpi::MarketImpact1s), (5_000, Kpi::MarketRealisedSpread5s, Kpi::MarketImpact5s), (60_000, Kpi::MarketRealisedSpread60s, Kpi::MarketImpact60s)];
        let own = |role| fills.iter().filter(move |fill| fill.4 == role).filter_map(move |&(at, side, price, shares, _, mid)| {
            let taker = if role == Liquidity::Taker { side } else { side.opposite() };
            Some((at, taker.sign(), 2 * price, shares, mid?))
        });
        let (taker, maker, everyone) = (own(Liquidity::Taker).collect::<Vec<_>>(), own(Liquidity::Maker).collect::<Vec<_>>(), trades(&events));
        let at_once = [(&taker, Kpi::EffectiveSpreadPaid), (&maker, Kpi::EffectiveSpreadEarned), (&everyone, Kpi::MarketEffectiveSpread)];
        for (judged, effective) in at_once {
            expect(&collected, effective, weighted(&judged.iter().map(|&(_, sign, price, shares, mid)| (sign * (price - mid), shares)).collect::<Vec<_>>()));
        }
        for (judged, measures) in [(&taker, taken), (&maker, made), (&everyone, all)] {
            for (milliseconds, realised, impact) in measures {
                let later = later(judged, &states, milliseconds, close);
                expect(&collected, realised, weighted(&later.iter().map(|((_, sign, price, shares, _), mid)| (sign * (price - mid), *shares)).collect::<Vec<_>>()));
                expect(&collected, impact, weighted(&later.iter().map(|((_, sign, _, shares, before), mid)| (sign * (mid - before), *shares)).collect::<Vec<_>>()));
            }
        }
        for (milliseconds, adverse) in [(100, Kpi::AdverseSelection100ms), (500, Kpi::AdverseSelection500ms)] {
            let later = later(&maker, &states, milliseconds, close);
            expect(&collected, adverse, weighted(&later.iter().map(|((_, sign, _, shares, before), mid)| (sign * (mid - before), *shares)).collect::<Vec<_>>()));
        }
    }

    #[test]
    fn market_measures_equal_the_naive_ones(steps in steps()) {
        let (collected, events) = run(SESSION_SECONDS, Fees::NONE, &steps);
        let (states, _) = replay(&events);
        let grids = [(1, Kpi::Volatility1s), (10, Kpi::Volatility10s), (60, Kpi::Volatility60s), (300, Kpi::Volatility300s)];
        for (seconds, kpi) in grids {
            let returns = returns(&states, seconds);
            let sum: f64 = returns.iter().map(|r| r * r).sum();
            let year = 252.0 * 6.5 * 3_600.0;
            expect(&collected, kpi, (returns.len() >= 30).then(|| (sum * year / (returns.len() as u64 * seconds) as f64).sqrt()));
        }
        expect(&collected, Kpi::Vpin, vpin(&events));
        let recoveries = shocks(&events);
        let whole: Vec<f64> = recoveries.iter().copied().flatten().collect();
        expect(&collected, Kpi::SpreadShocks, Some(recoveries.len() as f64));
        expect(&collected, Kpi::SpreadRecovery, (whole.len() >= 20).then(|| whole.iter().sum::<f64>() / whole.len() as f64));
    }

    #[test]
    fn rates_are_rates(steps in steps()) {
        let (collected, events) = run(SESSION_SECONDS, Fees::NONE, &steps);
        for kpi in [Kpi::FillRateOrders, Kpi::FillRateQuantity, Kpi::MakerShare, Kpi::Participation, Kpi::OneSidedTime, Kpi::Vpin] {
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
