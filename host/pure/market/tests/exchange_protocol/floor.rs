//! An exchange with three agents that writes down what it says, and the scripts that it is given.

use crate::audit::Audit;
use Side::{Buy, Sell};
use assay_market::{AgentIndex, Event, EventKind, EventSink, Exchange, Fees, Margin, PriceBand, TraderLimits, Venue};
use assay_model::{
    Level, Nanos, Price, Qualifiers, Quote, Request, RequestId, RequestKind, Side, Terms, Time, UpdateKind,
};

pub(crate) const PLAIN: Qualifiers = Qualifiers { hidden: false, post_only: false };
pub(crate) const HIDDEN: Qualifiers = Qualifiers { hidden: true, post_only: false };
pub(crate) const POST_ONLY: Qualifiers = Qualifiers { hidden: false, post_only: true };

pub(crate) fn limit(side: Side, quantity: u64, price: i64, qualifiers: Qualifiers) -> RequestKind {
    RequestKind::Limit { side, price, quantity, qualifiers }
}

pub(crate) fn buy(quantity: u64, price: i64) -> RequestKind {
    limit(Buy, quantity, price, PLAIN)
}

pub(crate) fn sell(quantity: u64, price: i64) -> RequestKind {
    limit(Sell, quantity, price, PLAIN)
}

pub(crate) fn market(side: Side, quantity: u64) -> RequestKind {
    RequestKind::Market { side, quantity }
}

/// The terms of a limit order to buy, for the rarer ones.
pub(crate) fn bid(quantity: u64, price: i64) -> Terms {
    Terms::limit(Buy, price, quantity)
}

/// The terms of a limit order to sell.
pub(crate) fn offer(quantity: u64, price: i64) -> Terms {
    Terms::limit(Sell, price, quantity)
}

pub(crate) fn order(terms: Terms) -> RequestKind {
    RequestKind::Order(terms)
}

pub(crate) fn stop(side: Side, quantity: u64, at: i64) -> RequestKind {
    order(Terms::market(side, quantity).stop(at))
}

pub(crate) fn trail(side: Side, quantity: u64, by: i64) -> RequestKind {
    order(Terms::market(side, quantity).trail(by))
}

pub(crate) fn cancel(order: u64) -> RequestKind {
    RequestKind::Cancel { order: RequestId(order) }
}

pub(crate) fn modify(order: u64, quantity: u64, price: i64) -> RequestKind {
    RequestKind::Modify { order: RequestId(order), price, quantity }
}

pub(crate) fn reduce(order: u64, by: u64) -> RequestKind {
    RequestKind::Reduce { order: RequestId(order), by }
}

pub(crate) fn replace(order: u64, quantity: u64, price: i64) -> RequestKind {
    RequestKind::Replace { order: RequestId(order), price, quantity }
}

/// An exchange for three agents under these rules.
pub(crate) fn under(venue: Venue) -> Exchange {
    Exchange::new(3).with_venue(venue)
}

/// A band in basis points around the last trade, at first around 1,000 cents.
pub(crate) fn band(basis_points: u32) -> PriceBand {
    PriceBand {
        opening_reference: Price::clamped(1_000),
        basis_points,
        window: Nanos(0),
        shares: PriceBand::SHARES,
        session_basis_points: PriceBand::SESSION_WIDTHS * basis_points,
    }
}

/// The first agent held to these limits.
pub(crate) fn limited(position: u32, loss: Option<i64>) -> Exchange {
    Exchange::new(3).with_trader_limits(AgentIndex(0), TraderLimits { position, loss, margin: None })
}

/// A band of a tenth around 1,000 cents, based on a number of shares and a window of time.
pub(crate) fn slow_band(shares: u32, window: u64) -> PriceBand {
    PriceBand { shares, window: Nanos(window), ..band(1_000) }
}

/// The first agent with some cents, margins of a quarter and a maintenance margin of 15 %, in that band.
pub(crate) fn on_margin(capital: i64, band: PriceBand) -> Exchange {
    let margin = Margin { capital, long: 2_500, short: 2_500, maintenance: 1_500, fees: Fees::NONE };
    let limits = TraderLimits { position: 1_000_000, loss: None, margin: Some(margin) };
    Exchange::new(3).with_band(band).with_trader_limits(AgentIndex(0), limits)
}

/// See the module documentation. The clock counts requests: the first arrives at 1.
pub(crate) struct Floor {
    pub(crate) exchange: Exchange,
    pub(crate) now: Time,
    last_ids: [u64; 3],
    pub(crate) tape: Tape,
}

/// What has been said, and a listener that knows what may be.
#[derive(Default)]
pub(crate) struct Tape {
    text: String,
    audit: Audit,
}

impl EventSink for Tape {
    fn event(&mut self, event: &Event) {
        self.audit.event(event).expect("the audit agrees");
        // The script is known; writing it down again would bury the answers.
        if !matches!(event.kind, EventKind::Request { .. }) {
            self.text.push_str(&told(&event.kind));
            self.text.push('\n');
        }
    }
}

fn told(event: &EventKind) -> String {
    match *event {
        EventKind::Request { agent, request } => format!("{}#{} asks", agent.0, request.id.0),
        EventKind::Opened => "opened".to_owned(),
        EventKind::Closed => "closed".to_owned(),
        EventKind::Session(session) => format!("{session:?}").to_lowercase(),
        EventKind::Update { agent: AgentIndex(agent), update } => {
            let what = match update.kind {
                UpdateKind::Fill { price, quantity, liquidity } => {
                    format!("fill {quantity} at {} {liquidity:?}", price.cents())
                }
                UpdateKind::Cancelled { reason } => format!("cancelled {reason:?}"),
                UpdateKind::Rejected { reason } => format!("rejected {reason:?}"),
                UpdateKind::Modified { price } => format!("modified at {}", price.cents()),
                UpdateKind::Reduced { by } => format!("reduced {by}"),
                UpdateKind::CancelledAll { count } => format!("all cancelled {count}"),
                UpdateKind::Accepted => "accepted".to_owned(),
                UpdateKind::Triggered => "triggered".to_owned(),
            };
            let answer = if update.request == update.order { String::new() } else { format!(">{}", update.request.0) };
            format!("{agent}#{}{answer} {what}, {} left", update.order.0, update.remaining)
        }
        EventKind::Trade { price, quantity, taker_side, maker, taker } => {
            let (maker, taker) = (format!("{}#{}", maker.0.0, maker.1.0), format!("{}#{}", taker.0.0, taker.1.0));
            format!("trade {quantity} at {}: {maker} by {taker} {taker_side:?}", price.cents())
        }
        EventKind::Quote(Quote { sequence, bid, ask, last, volume, .. }) => {
            let level = |level: Option<Level>| {
                level.map_or("-".to_owned(), |Level { price, quantity }| format!("{quantity}@{}", price.cents()))
            };
            let last = last.map_or("-".to_owned(), |price| price.cents().to_string());
            format!("quote {sequence}: {} {}, last {last}, volume {volume}", level(bid), level(ask))
        }
    }
}

impl Floor {
    /// Not open yet.
    pub(crate) fn new() -> Self {
        Self { exchange: Exchange::new(3), now: Time(0), last_ids: [0; 3], tape: Tape::default() }
    }

    /// Open since time 0.
    pub(crate) fn open() -> Self {
        let mut floor = Self::new();
        floor.exchange.open(Time(0), &mut ());
        floor
    }

    /// The same with this exchange, under whose rules more may happen.
    pub(crate) fn of(exchange: Exchange) -> Self {
        let mut floor = Self { exchange, ..Self::new() };
        (floor.tape.audit.lenient, floor.tape.audit.self_trades) = (true, true);
        floor.exchange.open(Time(0), &mut floor.tape);
        floor.forget();
        floor
    }

    pub(crate) fn send(&mut self, agent: u32, kind: RequestKind) {
        self.now.0 += 1;
        let id = &mut self.last_ids[agent as usize];
        *id += 1;
        let request = Request { id: RequestId(*id), kind };
        self.exchange.handle(self.now, AgentIndex(agent), &request, &mut self.tape);
        self.tape.audit.between_requests().expect("the audit agrees");
    }

    pub(crate) fn play(&mut self, script: &[(u32, RequestKind)]) {
        script.iter().for_each(|(agent, kind)| self.send(*agent, *kind));
    }

    /// One share from agent 1 to agent 2 at this price, which must be free.
    pub(crate) fn print(&mut self, price: i64) {
        self.play(&[(1, sell(1, price)), (2, buy(1, price))]);
    }

    /// What falls due until then.
    pub(crate) fn wait_until(&mut self, at: u64) {
        self.now = Time(at);
        self.exchange.advance(self.now, &mut self.tape);
    }

    /// What has been said since this was asked last, or since [`forget`](Self::forget).
    pub(crate) fn said(&self) -> &str {
        &self.tape.text
    }

    pub(crate) fn forget(&mut self) {
        self.tape.text.clear();
    }

    #[track_caller]
    pub(crate) fn expect(&mut self, expected: &str) {
        let seen = std::mem::take(&mut self.tape.text);
        same(&seen, expected);
    }

    /// As [`expect`](Self::expect), of the trades alone.
    #[track_caller]
    pub(crate) fn expect_trades(&mut self, expected: &str) {
        let seen = std::mem::take(&mut self.tape.text);
        let trades: String =
            seen.lines().filter(|line| line.starts_with("trade")).map(|line| format!("{line}\n")).collect();
        same(&trades, expected);
    }

    /// The stops that have been set off, in order.
    pub(crate) fn set_off(&mut self) -> String {
        let said = std::mem::take(&mut self.tape.text);
        let ids: Vec<&str> = said.lines().filter_map(|line| line.split_once(" triggered").map(|(id, _)| id)).collect();
        ids.join(" ")
    }

    /// The close ends everything, once.
    pub(crate) fn close(&mut self) {
        self.now.0 += 1;
        self.exchange.close(self.now, &mut self.tape);
        self.expect_all_ended();
    }

    /// Every request has had its one last answer.
    pub(crate) fn expect_all_ended(&self) {
        self.tape.audit.at_the_end().expect("the audit agrees");
    }
}

#[track_caller]
fn same(seen: &str, expected: &str) {
    let expected: String =
        expected.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect();
    assert_eq!(seen, expected, "\n--- seen\n{seen}\n--- expected\n{expected}");
}

/// Sends the script to an open exchange; ids count up from 1 for each agent. Checks what the last request led to.
#[track_caller]
pub(crate) fn check(script: &[(u32, RequestKind)], expected: &str) {
    check_at(Floor::open(), script, expected);
}

/// The same under the rules of another exchange.
#[track_caller]
pub(crate) fn check_in(exchange: Exchange, script: &[(u32, RequestKind)], expected: &str) {
    check_at(Floor::of(exchange), script, expected);
}

#[track_caller]
fn check_at(mut floor: Floor, script: &[(u32, RequestKind)], expected: &str) {
    let (last, before) = script.split_last().expect("a script has a last request");
    floor.play(before);
    floor.forget();
    floor.send(last.0, last.1);
    floor.expect(expected);
    floor.close();
}
