//! Random streams against naive measures that keep every event.

use crate::harness::*;
use assay_market::metrics::{Collected, Fee, Fees, Kpi, Range, SERIES_BUCKETS};
use assay_market::{AgentIndex, Event, EventKind, Venue};
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
const SESSION_SECONDS: u64 = 1_500;
const CLOSE: Time = Time(OPEN.0 + SESSION_SECONDS * 1_000_000_000);
/// When the trader is let in, and measuring begins.
const FROM: Time = Time(OPEN.0 + 30 * 1_000_000_000);
/// Half a cent a share for taking.
const FEES: Fees = Fees { taker: Fee { microcents_per_share: 500_000, notional_millionths: 0 }, ..Fees::NONE };

/// The steps, with what the trader would do before it is let in done by somebody else.
fn measured(fees: Fees, steps: &[Step]) -> (Collected, Vec<Event>) {
    let early = |at: u64, agent: u32| agent == TRADER && OPEN + Nanos(at * 1_000_000) < FROM;
    let steps: Vec<Step> =
        steps.iter().map(|&(at, agent, kind)| (at, if early(at, agent) { 0 } else { agent }, kind)).collect();
    run_from(FROM, Venue::default(), SESSION_SECONDS, fees, &steps)
}

/// What the naive model knows after each request. Mids in half cents, cash in cents.
#[derive(Clone, Copy)]
struct State {
    at: Time,
    /// The last two-sided mid, and whether it is one now.
    mid: Option<i64>,
    two_sided: bool,
    bid_size: u64,
    ask_size: u64,
    bid_empty: bool,
    ask_empty: bool,
    /// The mid without the trader's orders, if both sides are there.
    others: Option<i64>,
    cash: f64,
    position: i64,
    /// At average cost.
    basis: f64,
    /// Whether this request moved the position or others' mid.
    moved: bool,
}

impl State {
    const FIRST: Self = Self {
        at: OPEN,
        mid: None,
        two_sided: false,
        bid_size: 0,
        ask_size: 0,
        bid_empty: true,
        ask_empty: true,
        others: None,
        cash: 0.0,
        position: 0,
        basis: 0.0,
        moved: false,
    };

    fn current(&self) -> Option<i64> {
        self.mid.filter(|_| self.two_sided)
    }

    fn at_mid(&self) -> Option<f64> {
        if self.position == 0 {
            Some(self.cash)
        } else {
            self.mid.map(|mid| self.cash + self.position as f64 * mid as f64 / 2.0)
        }
    }

    fn fill(&mut self, side: Side, price: i64, quantity: u32, liquidity: Liquidity) {
        let signed = side.sign() * i64::from(quantity);
        let fee = if liquidity == Liquidity::Taker { 0.5 * f64::from(quantity) } else { 0.0 };
        self.cash -= signed as f64 * price as f64 + fee;
        let (before, after) = (self.position, self.position + signed);
        if before.signum() * after.signum() > 0 && after.abs() < before.abs() {
            self.basis *= after as f64 / before as f64;
        } else if before.signum() * signed.signum() >= 0 {
            self.basis += signed as f64 * price as f64;
        } else {
            self.basis = after as f64 * price as f64;
        }
        self.position = after;
        self.moved = true;
    }
}

/// Time, the trader's side, price, shares, role, and others' mid before.
type NaiveFill = (Time, Side, i64, u32, Liquidity, Option<i64>);

/// An order that rests, or is about to: side, price, shares, whether it is hidden.
type Rests = (Side, i64, u32, bool);

/// Every state of the session, every fill, and the orders of others that rest at its end.
struct Replay {
    states: Vec<State>,
    fills: Vec<NaiveFill>,
    book: BTreeMap<(u32, u64), Rests>,
}

fn best(book: &BTreeMap<(u32, u64), Rests>, side: Side) -> Option<i64> {
    let shown = book.iter().filter(|((agent, _), order)| *agent != TRADER && order.0 == side && !order.3);
    shown.map(|(_, order)| order.1).max_by_key(|price| side.sign() * price)
}

fn replay(events: &[Event]) -> Replay {
    let (mut now, mut before) = (State::FIRST, State::FIRST);
    let (mut states, mut fills) = (Vec::new(), Vec::new());
    let (mut book, mut known) = (BTreeMap::new(), BTreeMap::new());
    for event in events {
        if matches!(event.kind, EventKind::Request { .. } | EventKind::Closed) {
            now.others = best(&book, Side::Buy).zip(best(&book, Side::Sell)).map(|(bid, ask)| bid + ask);
            now.moved |= now.others.is_some() && now.others != before.others;
            states.push(now);
            now.moved = false;
            before = now;
            now.at = event.at;
        }
        match event.kind {
            EventKind::Closed => break,
            EventKind::Request { agent: AgentIndex(agent), request } => {
                let order = match request.kind {
                    RequestKind::Limit { side, price, qualifiers, .. } => Some((side, price, 0, qualifiers.hidden)),
                    RequestKind::Market { side, .. } => Some((side, 0, 0, true)),
                    RequestKind::Replace { order, price, .. } => {
                        known.get(&(agent, order.0)).map(|old: &Rests| (old.0, price, 0, old.3))
                    }
                    _ => None,
                };
                known.extend(order.map(|order| ((agent, request.id.0), order)));
            }
            EventKind::Update { agent: AgentIndex(agent), update } => {
                let key = (agent, update.order.0);
                let Some(order) = known.get_mut(&key).filter(|_| !matches!(update.kind, UpdateKind::Rejected { .. }))
                else {
                    continue;
                };
                order.2 = update.remaining;
                match update.kind {
                    UpdateKind::Modified { price } => order.1 = price.cents(),
                    UpdateKind::Fill { price, quantity, liquidity } if agent == TRADER => {
                        now.fill(order.0, price.cents(), quantity, liquidity);
                        fills.push((event.at, order.0, price.cents(), quantity, liquidity, before.others));
                    }
                    _ => {}
                }
                let is_over = order.2 == 0 || order.1 == 0;
                if is_over { _ = book.remove(&key) } else { _ = book.insert(key, *order) }
            }
            EventKind::Quote(quote) => {
                now.mid = quote.bid.zip(quote.ask).map(|(bid, ask)| bid.price.cents() + ask.price.cents()).or(now.mid);
                now.two_sided = quote.bid.is_some() && quote.ask.is_some();
                (now.bid_size, now.ask_size) =
                    (quote.bid.map_or(0, |level| level.quantity), quote.ask.map_or(0, |level| level.quantity));
                (now.bid_empty, now.ask_empty) = (quote.bid.is_none(), quote.ask.is_none());
            }
            _ => {}
        }
    }
    book.retain(|(agent, _), _| *agent != TRADER);
    Replay { states, fills, book }
}

/// The state that holds at `at`, changes at that very time included.
fn state_at(states: &[State], at: Time) -> State {
    states.iter().rev().find(|state| state.at <= at).copied().unwrap_or(State::FIRST)
}

/// Others' mid, averaged over the ten seconds before `at` as far as it was known, in half cents; of what these states saw.
fn mark(states: &[State], at: Time) -> Option<f64> {
    let known: Vec<(u64, i64)> = states.iter().filter_map(|state| Some((state.at.0, state.others?))).collect();
    let newest = known.last()?.1 as f64;
    let window = at.0.saturating_sub(10_000_000_000);
    let (mut sum, mut time) = (0.0, 0.0);
    for (index, (since, mid)) in known.iter().enumerate() {
        let until = known.get(index + 1).map_or(at.0, |next| next.0);
        let held = until.saturating_sub(window.max(*since)) as f64;
        sum += held * *mid as f64;
        time += held;
    }
    Some(if time == 0.0 { newest } else { sum / time })
}

/// Equity after these states, as of `at`; `None` with shares held and nothing to mark them at.
fn equity(states: &[State], at: Time) -> Option<f64> {
    let last = states.last().unwrap();
    if last.position == 0 {
        return Some(last.cash);
    }
    mark(states, at).map(|mark| last.cash + last.position as f64 * mark / 2.0)
}

/// Equity at every step of the Sharpe ratio, and at every time at which it is looked at, in order.
fn equities(states: &[State]) -> (Vec<f64>, Vec<f64>) {
    let (mut steps, mut looks, mut last) = (Vec::new(), vec![0.0], 0.0);
    let grid: Vec<Time> = (0..).map(|step| FROM + Nanos::from_secs(30 * step)).take_while(|at| *at < CLOSE).collect();
    let mut due = grid.into_iter().peekable();
    for index in 0..=states.len() {
        let until = states.get(index).map_or(CLOSE, |state| state.at);
        while let Some(at) = due.next_if(|due| *due < until) {
            last = if index == 0 { 0.0 } else { equity(&states[..index], at).unwrap_or(last) };
            looks.push(last);
            steps.push(last);
        }
        if states.get(index).is_some_and(|state| state.moved) {
            last = equity(&states[..=index], until).unwrap_or(last);
            looks.push(last);
        }
    }
    looks.push(equity(states, CLOSE).unwrap_or(last));
    (steps, looks)
}

/// What is left in cash when the position is closed share by share.
fn liquidated(replay: &Replay) -> f64 {
    let last = replay.states.last().unwrap();
    let sign = last.position.signum();
    let side = if sign > 0 { Side::Buy } else { Side::Sell };
    let mut prices: Vec<i64> = replay
        .book
        .values()
        .filter(|order| order.0 == side && !order.3)
        .flat_map(|order| vec![order.1; order.2 as usize])
        .collect();
    prices.sort_by_key(|price| -side.sign() * price);
    let shares = last.position.unsigned_abs() as usize;
    let worst = prices.last().copied().map(|price| price as f64);
    let mut cash = last.cash;
    for price in prices.iter().take(shares) {
        cash += (sign * price) as f64 - 0.5;
    }
    let beyond = shares.saturating_sub(prices.len()) as f64;
    if beyond == 0.0 {
        return cash;
    }
    let reference = mark(&replay.states, CLOSE).map(|mark| mark / 2.0).or(worst);
    let Some(reference) = reference else { return last.cash + last.basis.min(0.0) * 2.0 };
    let worst = worst.unwrap_or(if sign > 0 { f64::MAX } else { 0.0 });
    // The hair keeps rounding from making a whole cent of nothing.
    let price = if sign > 0 {
        (reference * 0.95 + 1e-9).floor().min(worst)
    } else {
        (reference * 1.05 - 1e-9).ceil().max(worst)
    };
    cash + beyond * (sign as f64 * price - 0.5)
}

/// The ratio and its error from the textbook formulas, annualised; lags for fifty returns at most.
fn sharpe(steps: &[f64]) -> Option<(f64, f64)> {
    let returns: Vec<f64> = steps.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let nonzero = returns.iter().filter(|value| value.abs() > 1e-7).count();
    if returns.len() < 30 || nonzero < 10 {
        return None;
    }
    let n = returns.len() as f64;
    let mean = returns.iter().sum::<f64>() / n;
    let squares: Vec<f64> = returns.iter().map(|value| (value - mean).powi(2)).collect();
    let variance = squares.iter().sum::<f64>() / n;
    // The gradient of mean ÷ deviation by the first two moments, applied to their long-run covariance.
    let gradient = [1.0 / variance.sqrt(), -mean / (2.0 * variance * variance.sqrt())];
    let moments: Vec<[f64; 2]> =
        returns.iter().zip(&squares).map(|(value, square)| [value - mean, square - variance]).collect();
    let lags = (4.0 * libm::pow(n / 100.0, 2.0 / 9.0)).floor() as usize;
    let mut long_run = 0.0;
    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        for t in 0..moments.len() {
            for u in 0..moments.len() {
                if t.abs_diff(u) <= lags {
                    let weight = 1.0 - t.abs_diff(u) as f64 / (lags as f64 + 1.0);
                    long_run += gradient[i] * gradient[j] * weight * moments[t][i] * moments[u][j] / n;
                }
            }
        }
    }
    let year = (252.0 * 6.5 * 120.0_f64).sqrt();
    Some((mean / (variance * n / (n - 1.0)).sqrt() * year, (long_run.max(0.0) / n).sqrt() * year))
}

fn expect(measures: &Collected, kpi: Kpi, naive: Option<f64>) {
    expect_within(1e-7, measures, kpi, naive);
}

fn expect_within(tolerance: f64, measures: &Collected, kpi: Kpi, naive: Option<f64>) {
    let measure = measures.measures[kpi].value();
    let equal = match (measure, naive) {
        (Some(measure), Some(naive)) => (measure - naive).abs() <= tolerance * naive.abs().max(1.0),
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
                let judged = mid.map(|mid| (event.at, taker_side.sign(), 2 * price.cents(), quantity, mid));
                trades.extend(judged.filter(|_| event.at >= FROM));
            }
            EventKind::Quote(quote) => {
                mid = quote.bid.zip(quote.ask).map(|(bid, ask)| bid.price.cents() + ask.price.cents());
            }
            _ => {}
        }
    }
    trades
}

/// The trades whose later mid is known, with it.
fn later(
    judged: &[Judged],
    states: &[State],
    milliseconds: u64,
    mid: impl Fn(&State) -> Option<i64>,
) -> Vec<(Judged, i64)> {
    let due = judged.iter().map(|trade| (*trade, trade.0 + Nanos(milliseconds * 1_000_000)));
    due.filter(|(_, due)| *due <= CLOSE)
        .filter_map(|(trade, due)| Some((trade, mid(&state_at(states, due))?)))
        .collect()
}

/// Log returns of the mid on a grid; the first mid stands for the grid point before it.
fn returns(states: &[State], seconds: u64) -> Vec<f64> {
    let Some(first) = states.iter().find(|state| state.mid.is_some()) else { return Vec::new() };
    let points = CLOSE.since(FROM).0 / 1_000_000_000 / seconds;
    let grid = (0..=points).map(|point| FROM + Nanos::from_secs(point * seconds));
    let mut mids: Vec<f64> = grid.filter_map(|at| state_at(states, at).mid).map(|mid| mid as f64).collect();
    if !first.at.since(FROM).0.is_multiple_of(seconds * 1_000_000_000) {
        mids.insert(0, first.mid.unwrap() as f64);
    }
    mids.windows(2).map(|pair| libm::log(pair[1] / pair[0])).collect()
}

/// Share by share.
fn vpin(events: &[Event]) -> Option<f64> {
    let shares: Vec<i64> = events
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Trade { quantity, taker_side, .. } if event.at >= FROM => {
                Some(vec![taker_side.sign(); quantity as usize])
            }
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
            EventKind::Quote(quote) => Some((
                event.at.max(FROM),
                quote.bid.zip(quote.ask).map(|(bid, ask)| ask.price.cents() - bid.price.cents()),
            )),
            _ => None,
        })
        .collect();
    let ends = spreads.keys().copied().skip(1).chain([CLOSE]);
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
        let (collected, events) = measured(FEES, &steps);
        let replay = replay(&events);
        let states = &replay.states;
        let last = *states.last().unwrap();

        expect(&collected, Kpi::PnlAtMid, last.at_mid());
        let parts = [Kpi::RealisedPnl, Kpi::UnrealisedPnl, Kpi::Fees].map(|kpi| collected.measures[kpi].value());
        if let [Some(realised), Some(unrealised), Some(fees)] = parts {
            expect(&collected, Kpi::PnlAtMid, Some(realised + unrealised - fees));
        }

        let pnl = liquidated(&replay);
        expect(&collected, Kpi::Pnl, Some(pnl));
        expect(&collected, Kpi::LiquidationCost, last.at_mid().map(|at_mid| at_mid - pnl));
        let (mut steps, mut looks) = equities(states);
        looks.push(pnl);
        let falls = looks.iter().enumerate().flat_map(|(i, peak)| looks[i..].iter().map(move |later| peak - later));
        expect_within(1e-5, &collected, Kpi::MaxDrawdown, falls.max_by(f64::total_cmp));

        steps.push(pnl);
        // The close falls on a step, which the liquidation replaces.
        expect(&collected, Kpi::SharpeReturns, Some(steps.len() as f64 - 1.0));
        let sharpe = sharpe(&steps);
        expect_within(1e-5, &collected, Kpi::Sharpe, sharpe.map(|(ratio, _)| ratio));
        expect_within(1e-5, &collected, Kpi::SharpeStandardError, sharpe.map(|(_, error)| error));

        let average = |of: &dyn Fn(&State) -> f64| {
            let ends = states.iter().skip(1).map(|state| state.at).chain([CLOSE]);
            let pieces = states.iter().zip(ends).map(|(state, end)| (of(state), end.since(state.at.max(FROM)).0 as f64));
            let pieces: Vec<(f64, f64)> = pieces.collect();
            pieces.iter().map(|(value, time)| value * time).sum::<f64>() / pieces.iter().map(|(_, time)| time).sum::<f64>()
        };
        let mean = average(&|state| state.position as f64);
        expect(&collected, Kpi::InventoryMean, Some(mean));
        expect(&collected, Kpi::InventorySd, Some(average(&|state| (state.position as f64 - mean).powi(2)).sqrt()));
        expect(&collected, Kpi::BidSize, Some(average(&|state| state.bid_size as f64)));
        expect(&collected, Kpi::AskSize, Some(average(&|state| state.ask_size as f64)));
        expect(&collected, Kpi::BidEmptyTime, Some(average(&|state| f64::from(u8::from(state.bid_empty)))));
        expect(&collected, Kpi::AskEmptyTime, Some(average(&|state| f64::from(u8::from(state.ask_empty)))));
        expect(&collected, Kpi::OneSidedTime, Some(average(&|state| f64::from(u8::from(!state.two_sided)))));
    }

    #[test]
    fn spreads_equal_the_naive_ones(steps in steps()) {
        let (collected, events) = measured(Fees::NONE, &steps);
        let Replay { states, fills, .. } = replay(&events);
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
        let others = |state: &State| state.others;
        let judged: [(_, fn(&State) -> _, _); 3] = [(&taker, others, taken), (&maker, others, made), (&everyone, State::current, all)];
        for (judged, mid, measures) in judged {
            for (milliseconds, realised, impact) in measures {
                let later = later(judged, &states, milliseconds, mid);
                expect(&collected, realised, weighted(&later.iter().map(|((_, sign, price, shares, _), mid)| (sign * (price - mid), *shares)).collect::<Vec<_>>()));
                expect(&collected, impact, weighted(&later.iter().map(|((_, sign, _, shares, before), mid)| (sign * (mid - before), *shares)).collect::<Vec<_>>()));
            }
        }
        for (milliseconds, adverse) in [(100, Kpi::AdverseSelection100ms), (500, Kpi::AdverseSelection500ms)] {
            let later = later(&maker, &states, milliseconds, others);
            expect(&collected, adverse, weighted(&later.iter().map(|((_, sign, _, shares, before), mid)| (sign * (mid - before), *shares)).collect::<Vec<_>>()));
        }
    }

    #[test]
    fn market_measures_equal_the_naive_ones(steps in steps()) {
        let (collected, events) = measured(Fees::NONE, &steps);
        let Replay { states, .. } = replay(&events);
        let grids = [(1, Kpi::Volatility1s), (10, Kpi::Volatility10s), (60, Kpi::Volatility60s), (300, Kpi::Volatility300s)];
        for (seconds, kpi) in grids {
            let returns = returns(&states, seconds);
            let sum: f64 = returns.iter().map(|r| r * r).sum();
            let year = 252.0 * 6.5 * 3_600.0;
            expect(&collected, kpi, (returns.len() >= 20).then(|| (sum * year / (returns.len() as u64 * seconds) as f64).sqrt()));
        }
        expect(&collected, Kpi::Vpin, vpin(&events));
        let recoveries = shocks(&events);
        let whole: Vec<f64> = recoveries.iter().copied().flatten().collect();
        expect(&collected, Kpi::SpreadShocks, Some(recoveries.len() as f64));
        expect(&collected, Kpi::SpreadRecovery, (whole.len() >= 20).then(|| whole.iter().sum::<f64>() / whole.len() as f64));
    }

    #[test]
    fn rates_are_rates(steps in steps()) {
        let (collected, events) = measured(Fees::NONE, &steps);
        for kpi in [Kpi::FillRateOrders, Kpi::FillRateQuantity, Kpi::FillRatePassive, Kpi::MakerShare, Kpi::Participation, Kpi::OneSidedTime, Kpi::Vpin] {
            if let Some(value) = collected.measures[kpi].value() {
                prop_assert!((0.0..=1.0).contains(&value), "{}: {value}", kpi.info().key);
            }
        }
        let trades = events.iter().filter(|event| event.at >= FROM && matches!(event.kind, EventKind::Trade { .. })).count();
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
        prop_assert_eq!(series.pnl.last.last().copied().flatten(), collected.measures[Kpi::Pnl].value());
        prop_assert_eq!(series.fills_total, replay(&events).fills.len() as u64);
    }
}
