//! Steps through a real exchange, and what is expected of the measures.

use assay_market::metrics::{Collected, Collector, Fees, Kpi, Measure, Settings};
use assay_market::{AgentIndex, Event, EventSink, Exchange, LeftOut, OthersQuote, Venue};
use assay_model::{Nanos, Qualifiers, Request, RequestId, RequestKind, Side, SymbolIndex, Time};

pub(crate) const OPEN: Time = Time(1_000 * 1_000_000_000);
/// Two background agents and the trader.
pub(crate) const AGENTS: u32 = 3;
pub(crate) const TRADER: u32 = 2;

/// One request at a time in milliseconds from the open.
pub(crate) type Step = (u64, u32, RequestKind);

struct Tee(Collector, Vec<Event>);

impl EventSink for Tee {
    fn event(&mut self, event: &Event) {
        self.0.event(event);
        self.1.push(*event);
    }
    fn leaves_out(&self) -> Vec<LeftOut> {
        self.0.leaves_out()
    }
    fn others(&mut self, quote: &OthersQuote) {
        self.0.others(quote);
    }
    fn closing(&mut self, at: Time, symbol: SymbolIndex, exchange: &Exchange) {
        self.0.closing(at, symbol, exchange);
    }
}

/// Runs the steps through an exchange in a session of `seconds`.
pub(crate) fn run(seconds: u64, fees: Fees, steps: &[Step]) -> (Collected, Vec<Event>) {
    run_at(Venue::default(), seconds, fees, steps)
}

/// The same at a venue with rules of its own.
pub(crate) fn run_at(venue: Venue, seconds: u64, fees: Fees, steps: &[Step]) -> (Collected, Vec<Event>) {
    run_from(OPEN, venue, seconds, fees, steps)
}

/// The same, measured from when the trader may trade.
pub(crate) fn run_from(from: Time, venue: Venue, seconds: u64, fees: Fees, steps: &[Step]) -> (Collected, Vec<Event>) {
    let close = OPEN + Nanos::from_secs(seconds);
    let settings = Settings { trader: AgentIndex(TRADER), open: OPEN, from, close, fees };
    let mut sink = Tee(Collector::new(settings), Vec::new());
    let mut exchange = Exchange::new(AGENTS).with_venue(venue).telling_others(&sink.leaves_out());
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

pub(crate) fn limit(side: Side, price: i64, quantity: u64) -> RequestKind {
    RequestKind::Limit { side, price, quantity, qualifiers: Qualifiers::default() }
}
pub(crate) fn bid(price: i64, quantity: u64) -> RequestKind {
    limit(Side::Buy, price, quantity)
}
pub(crate) fn ask(price: i64, quantity: u64) -> RequestKind {
    limit(Side::Sell, price, quantity)
}
pub(crate) fn buy(quantity: u64) -> RequestKind {
    RequestKind::Market { side: Side::Buy, quantity }
}
pub(crate) fn sell(quantity: u64) -> RequestKind {
    RequestKind::Market { side: Side::Sell, quantity }
}
pub(crate) fn cancel(order: u64) -> RequestKind {
    RequestKind::Cancel { order: RequestId(order) }
}

/// `Ok` within 1e-9 of its value, relatively; `Err` the text of its reason.
#[track_caller]
pub(crate) fn check(seconds: u64, fees: Fees, steps: &[Step], expected: &[(Kpi, Result<f64, &str>)]) {
    expect_all(&run(seconds, fees, steps).0, expected);
}

/// The comparison that [`check`] makes.
#[track_caller]
pub(crate) fn expect_all(collected: &Collected, expected: &[(Kpi, Result<f64, &str>)]) {
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
pub(crate) const BOOK: [Step; 2] = [(0, 0, LIMIT_BID), (0, 0, LIMIT_ASK)];
const PLAIN: Qualifiers = Qualifiers { hidden: false, post_only: false };
pub(crate) const LIMIT_BID: RequestKind =
    RequestKind::Limit { side: Side::Buy, price: 10_000, quantity: 1_000, qualifiers: PLAIN };
const LIMIT_ASK: RequestKind =
    RequestKind::Limit { side: Side::Sell, price: 10_010, quantity: 1_000, qualifiers: PLAIN };

pub(crate) fn with_book(steps: &[Step]) -> Vec<Step> {
    [&BOOK, steps].concat()
}
