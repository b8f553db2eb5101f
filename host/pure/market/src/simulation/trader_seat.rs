//! A strategy's seat: drives a [`Trader`], who is lent to it for each call, and keeps it within limits.
//!
//! ```text
//! initialize ──► on_tick | on_market_data | on_order_update ──► on_simulation_end
//!                     └── Break, or a limit exceeded ──► stopped: no more calls, fills still reach the desk
//! ```
//!
//! Computing takes time: a request leaves when the fuel spent before it has been paid for, and until the whole callback has been, the trader is busy. What
//! is only worth knowing once, a tick or a quote that is no longer the newest, does not pile up meanwhile.
//!
//! Invariants: the desk hears of everything that happens to the trader's orders, stopped or not; the number of callbacks in an episode is bounded
//! whatever the trader does.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use assay_model::{
    Desk, Nanos, OrderId, OrderUpdate, Phase, Queued, Reason, Request, SYMBOLS_MAX, SessionState, SymbolIndex, Time,
    UpdateKind,
};

use super::market_data::Feed;
use super::message::{Instruction, Letter, Message};
use super::network::Network;
use crate::fees::MICROCENTS;
use crate::scenario::Scenario;
use crate::{AgentIndex, FuelOf, Trader};

/// `initialize` is called so long before the open; a request made then comes too early.
pub const INITIALIZE_BEFORE_OPEN: Nanos = Nanos::SECOND;
/// A wake-up asked for now or in the past comes so much later, so that time goes on.
pub const WAKEUP_DELAY_MIN: Nanos = Nanos(1_000);
/// Wake-ups that may be pending at once; more are ignored. Bounds memory.
pub const WAKEUPS_PENDING_MAX: usize = 10_000;
/// Wake-ups that may be asked for in an episode; more are ignored. One each ten milliseconds for a day takes 2.3 million.
pub const WAKEUPS_PER_EPISODE_MAX: u64 = 4_000_000;
/// Requests that may be on their way to the exchange at once. Bounds memory: each one is answered, and each answer may bring more.
pub const REQUESTS_IN_FLIGHT_MAX: usize = 10_000;
/// Requests that may be made in an episode. A ladder of twenty orders each second for a day takes half a million.
pub const REQUESTS_PER_EPISODE_MAX: u64 = 2_000_000;

/// What callbacks that are about no symbol in particular are about.
const FIRST: SymbolIndex = SymbolIndex::FIRST;

/// Why a trader was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopCause {
    /// Its callback returned `Break`.
    Broke,
    /// It had more than [`REQUESTS_IN_FLIGHT_MAX`] requests on their way.
    RequestsInFlight,
    /// It made more than [`REQUESTS_PER_EPISODE_MAX`] requests.
    RequestsPerEpisode,
    /// The exchange took it out, because it was ruined.
    Ruined,
}

/// See the module documentation.
pub(super) struct TraderSeat<'s> {
    /// Requests on their way to the exchange; the kernel counts arrivals.
    pub(super) in_flight: usize,
    pub(super) stopped: Option<(Time, StopCause)>,
    pub(super) wakeups_ignored: u64,
    /// Quotes are to be sent to it.
    pub(super) watches_market: bool,
    /// Its index.
    pub(super) agent: AgentIndex,
    /// Orders whose place in the queue it wants to be told.
    pub(super) follows: Vec<OrderId>,
    scenario: &'s Scenario,
    /// When trading ends.
    close: Time,
    /// Micro-cents charged so far.
    fees: i128,
    requests: u64,
    wakeups: u64,
    wakeups_pending: BTreeSet<Time>,
    fuel_of: FuelOf,
    /// Some callback has taken time.
    thinks: bool,
    /// Quotes of each symbol in the inbox.
    quotes_waiting: [u32; SYMBOLS_MAX],
    /// Ticks and wake-ups in it.
    wakes_waiting: u32,
    /// Buffers for what a callback leaves on the desk.
    outbox: Vec<Queued>,
    timers: Vec<Time>,
}

impl<'s> TraderSeat<'s> {
    pub(super) fn new(trader: &dyn Trader, agent: AgentIndex, scenario: &'s Scenario, close: Time) -> Self {
        Self {
            in_flight: 0,
            stopped: None,
            wakeups_ignored: 0,
            watches_market: trader.watches_market(),
            agent,
            follows: Vec::new(),
            scenario,
            close,
            fees: 0,
            requests: 0,
            wakeups: 0,
            wakeups_pending: BTreeSet::new(),
            fuel_of: trader.fuel_of(),
            thinks: false,
            quotes_waiting: [0; SYMBOLS_MAX],
            wakes_waiting: 0,
            outbox: Vec::new(),
            timers: Vec::new(),
        }
    }

    pub(super) fn initialize(&mut self, trader: &mut dyn Trader, network: &mut Network<'_>) {
        let before = Time(self.scenario.open.0.saturating_sub(INITIALIZE_BEFORE_OPEN.0));
        let mut config = self.scenario.strategy_config();
        config.terms.picoseconds_per_fuel = self.scenario.thinking.rate(self.fuel_of);
        self.call(before, FIRST, trader, network, |trader| trader.initialize(&config));
    }

    pub(super) fn end(&mut self, now: Time, trader: &mut dyn Trader, network: &mut Network<'_>) {
        for symbol in (0..self.scenario.symbol_count()).map(SymbolIndex) {
            trader.desk().receive_session(symbol, SessionState { phase: Phase::Closed, ..SessionState::default() });
        }
        self.call(now, FIRST, trader, network, |trader| trader.on_simulation_end());
    }

    /// A wake-up is due and no longer pending.
    pub(super) fn wakeup_due(&mut self, at: Time) {
        self.wakeups_pending.remove(&at);
    }

    /// Whether a letter that finds the trader busy has to wait: a tick need not if one waits already.
    pub(super) fn must_wait(&mut self, letter: &Letter) -> bool {
        match letter.message {
            Message::Wake if self.thinks && self.wakes_waiting > 0 => return false,
            Message::Wake => self.wakes_waiting += 1,
            Message::MarketData(_) => self.quotes_waiting[usize::from(letter.symbol.0)] += 1,
            _ => {}
        }
        true
    }

    /// A letter that had to wait is taken.
    pub(super) fn waits_no_more(&mut self, letter: &Letter) {
        match letter.message {
            Message::Wake => self.wakes_waiting -= 1,
            Message::MarketData(_) => self.quotes_waiting[usize::from(letter.symbol.0)] -= 1,
            _ => {}
        }
    }

    pub(super) fn act(
        &mut self,
        now: Time,
        letter: Letter,
        trader: &mut dyn Trader,
        network: &mut Network<'_>,
        feed: &mut Feed,
    ) {
        let Letter { symbol, message } = letter;
        match message {
            // One that had to wait until after the close is of no use.
            Message::Wake if now >= self.close => {}
            Message::Wake => self.call(now, symbol, trader, network, |trader| trader.on_tick()),
            Message::Update(update) => {
                trader.desk().receive_update(&update);
                self.charge(&update, trader);
                self.call(now, symbol, trader, network, |trader| trader.on_order_update(&update));
            }
            Message::MarketData(data) => {
                let desk = trader.desk();
                desk.receive_quote(symbol, data.quote, &data.bids, &data.asks);
                desk.receive_prints(symbol, &data.prints);
                desk.receive_session(symbol, data.session);
                desk.receive_queue(symbol, &data.queue);
                feed.reuse(data);
                // Who does not listen is not kept busy either, and nobody acts on a quote when a newer one of the symbol is at hand. Before the
                // market is open to it, or has had both sides, there is nothing to act on: the desk hears of it all the same.
                let is_old = self.thinks && self.quotes_waiting[usize::from(symbol.0)] > 0;
                let is_open = now >= self.scenario.trader_open() && desk.has_market(symbol);
                if is_open && !is_old && !desk.is_market_data_muted() {
                    self.call(now, symbol, trader, network, |trader| trader.on_market_data());
                }
            }
            // Strategies neither query nor watch for imbalance.
            Message::Snapshot(_) | Message::Imbalance => {}
        }
    }

    /// Makes one callback about a symbol and sends what it has left on the desk.
    fn call(
        &mut self,
        now: Time,
        symbol: SymbolIndex,
        trader: &mut dyn Trader,
        network: &mut Network<'_>,
        callback: impl FnOnce(&mut dyn Trader) -> ControlFlow<()>,
    ) {
        let at_once = now + self.scenario.network.computation_delay;
        let busy_until = &mut network.seats[self.agent.0 as usize].busy_until;
        *busy_until = at_once;
        if self.stopped.is_some() {
            return;
        }
        trader.desk().begin(now, symbol);
        let flow = callback(trader);
        let spent = trader.fuel_spent();
        let done = self.after(at_once, spent);
        self.thinks |= done > at_once;
        *busy_until = done;
        let desk = trader.desk();
        self.outbox.clear();
        desk.drain_requests(&mut self.outbox);
        self.timers.clear();
        desk.drain_wakeups(&mut self.timers);
        self.follows.clear();
        self.follows.extend_from_slice(desk.followed());
        if flow.is_break() {
            self.stop(now, done, StopCause::Broke, desk, network);
        } else if now >= self.close {
            // Nobody else can answer, and a callback for each could go on for ever.
            self.refuse(now, Reason::MarketClosed, desk);
        } else {
            if self.fuel_of == FuelOf::Python {
                self.outbox.iter_mut().for_each(|queued| queued.fuel = spent);
            }
            self.send(now, (at_once, done), desk, network);
            self.set_timers(now, network);
        }
    }

    /// When so much fuel has been paid for.
    fn after(&self, at_once: Time, fuel: u64) -> Time {
        Time(at_once.0.saturating_add(self.scenario.thinking.time(self.fuel_of, fuel).0))
    }

    /// Sends what the callback has asked for, which would have left at once if computing took no time.
    fn send(&mut self, now: Time, (at_once, done): (Time, Time), desk: &mut Desk, network: &mut Network<'_>) {
        self.requests += self.outbox.len() as u64;
        self.in_flight += self.outbox.len();
        if self.requests > REQUESTS_PER_EPISODE_MAX {
            self.stop(now, done, StopCause::RequestsPerEpisode, desk, network);
        } else if self.in_flight > REQUESTS_IN_FLIGHT_MAX {
            self.stop(now, done, StopCause::RequestsInFlight, desk, network);
        } else {
            for Queued { symbol, request, fuel } in &self.outbox {
                let leaves = self.after(at_once, *fuel);
                network.send_to_exchange(self.agent, *symbol, leaves, Instruction::Request(*request));
            }
        }
    }

    fn set_timers(&mut self, now: Time, network: &mut Network<'_>) {
        for asked in &self.timers {
            let at = (*asked).max(now + WAKEUP_DELAY_MIN).max(self.scenario.trader_open());
            if at >= self.close || self.wakeups_pending.contains(&at) {
                continue;
            }
            if self.wakeups >= WAKEUPS_PER_EPISODE_MAX || self.wakeups_pending.len() >= WAKEUPS_PENDING_MAX {
                self.wakeups_ignored += 1;
                continue;
            }
            self.wakeups += 1;
            self.wakeups_pending.insert(at);
            network.wake(self.agent, at);
        }
    }

    /// Charges the venue's fee for a fill. The desk counts in cents: it is charged each one as it becomes whole.
    fn charge(&mut self, update: &OrderUpdate, trader: &mut dyn Trader) {
        let UpdateKind::Fill { price, quantity, liquidity } = update.kind else { return };
        let before = self.fees / MICROCENTS;
        self.fees += self.scenario.fees.of(liquidity, price, quantity);
        let due = self.fees / MICROCENTS - before;
        if due != 0 {
            // A million shares at the highest price and fee come to 10^16 cents.
            trader.desk().charge(due as i64);
        }
    }

    /// Calls the trader no more and has its orders taken out. What the last callback asked for is not sent.
    fn stop(&mut self, now: Time, done: Time, cause: StopCause, desk: &mut Desk, network: &mut Network<'_>) {
        self.refuse(now, Reason::TraderStopped, desk);
        self.stopped = Some((now, cause));
        network.send_to_exchange(self.agent, FIRST, done, Instruction::Stop);
    }

    /// Answers what the last callback asked for on the desk itself, without a callback.
    fn refuse(&self, now: Time, reason: Reason, desk: &mut Desk) {
        for Queued { request: Request { id, .. }, .. } in &self.outbox {
            let kind = UpdateKind::Rejected { reason };
            desk.receive_update(&OrderUpdate { request: *id, order: *id, at: now, remaining: 0, kind });
        }
    }
}
