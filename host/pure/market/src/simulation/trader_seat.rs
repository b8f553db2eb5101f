//! The strategy's seat: drives a [`Trader`] and keeps it within limits.
//!
//! ```text
//! initialize ──► on_tick | on_market_data | on_order_update ──► on_simulation_end
//!                     └── Break, or a limit exceeded ──► stopped: no more calls, fills still reach the desk
//! ```
//!
//! Invariants: the desk hears of everything that happens to the trader's orders, stopped or not; the number of callbacks in an episode is bounded
//! whatever the trader does.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use assay_model::{Nanos, OrderUpdate, Reason, Request, SymbolIndex, Time, UpdateKind};

use super::kernel::{Instruction, Letter, Message};
use super::market_data::Feed;
use super::network::Network;
use crate::fees::MICROCENTS;
use crate::scenario::Scenario;
use crate::{AgentIndex, Trader};

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
}

/// See the module documentation.
pub(super) struct TraderSeat<'a, 's> {
    /// Requests on their way to the exchange; the kernel counts arrivals.
    pub(super) in_flight: usize,
    pub(super) stopped: Option<(Time, StopCause)>,
    pub(super) wakeups_ignored: u64,
    /// Quotes are to be sent to it.
    pub(super) watches_market: bool,
    trader: &'a mut dyn Trader,
    /// Its index, which the scenario would count anew each time.
    pub(super) agent: AgentIndex,
    scenario: &'s Scenario,
    /// Micro-cents charged so far.
    fees: i128,
    requests: u64,
    wakeups: u64,
    wakeups_pending: BTreeSet<Time>,
    /// Buffers for what a callback leaves on the desk.
    outbox: Vec<(SymbolIndex, Request)>,
    timers: Vec<Time>,
}

impl<'a, 's> TraderSeat<'a, 's> {
    pub(super) fn new(trader: &'a mut dyn Trader, scenario: &'s Scenario) -> Self {
        Self {
            in_flight: 0,
            stopped: None,
            wakeups_ignored: 0,
            watches_market: trader.watches_market(),
            trader,
            agent: scenario.trader(),
            scenario,
            fees: 0,
            requests: 0,
            wakeups: 0,
            wakeups_pending: BTreeSet::new(),
            outbox: Vec::new(),
            timers: Vec::new(),
        }
    }

    pub(super) fn initialize(&mut self, network: &mut Network<'_>) {
        let before = Time(self.scenario.open.0.saturating_sub(INITIALIZE_BEFORE_OPEN.0));
        let config = self.scenario.strategy_config();
        self.call(before, FIRST, network, |trader| trader.initialize(&config));
    }

    pub(super) fn end(&mut self, now: Time, network: &mut Network<'_>) {
        self.call(now, FIRST, network, |trader| trader.on_simulation_end());
    }

    /// A wake-up is due and no longer pending.
    pub(super) fn wakeup_due(&mut self, at: Time) {
        self.wakeups_pending.remove(&at);
    }

    pub(super) fn act(&mut self, now: Time, letter: Letter, network: &mut Network<'_>, feed: &mut Feed) {
        let Letter { symbol, message } = letter;
        match message {
            // One that had to wait until after the close is of no use.
            Message::Wake if now >= self.scenario.close => {}
            Message::Wake => self.call(now, symbol, network, |trader| trader.on_tick()),
            Message::Update(update) => {
                self.trader.desk().receive_update(&update);
                self.charge(&update);
                self.call(now, symbol, network, |trader| trader.on_order_update(&update));
            }
            Message::MarketData(data) => {
                self.trader.desk().receive_quote(symbol, data.quote, &data.bids, &data.asks);
                feed.reuse(data);
                // Who does not listen is not kept busy either.
                if !self.trader.desk().is_market_data_muted() {
                    self.call(now, symbol, network, |trader| trader.on_market_data());
                }
            }
            // The strategy neither queries nor watches for imbalance.
            Message::Snapshot(_) | Message::Imbalance => {}
        }
    }

    /// Makes one callback about a symbol and sends what it has left on the desk.
    fn call(
        &mut self,
        now: Time,
        symbol: SymbolIndex,
        network: &mut Network<'_>,
        callback: impl FnOnce(&mut dyn Trader) -> ControlFlow<()>,
    ) {
        let done = now + self.scenario.network.computation_delay;
        network.seats[self.agent.0 as usize].busy_until = done;
        if self.stopped.is_some() {
            return;
        }
        self.trader.desk().begin(now, symbol);
        let flow = callback(self.trader);
        let desk = self.trader.desk();
        self.outbox.clear();
        desk.drain_requests(&mut self.outbox);
        self.timers.clear();
        desk.drain_wakeups(&mut self.timers);
        if flow.is_break() {
            self.stop(now, done, StopCause::Broke, network);
        } else if now >= self.scenario.close {
            // Nobody else can answer, and a callback for each could go on for ever.
            self.refuse(now, Reason::MarketClosed);
        } else {
            self.send(now, done, network);
            self.set_timers(now, network);
        }
    }

    fn send(&mut self, now: Time, done: Time, network: &mut Network<'_>) {
        self.requests += self.outbox.len() as u64;
        self.in_flight += self.outbox.len();
        if self.requests > REQUESTS_PER_EPISODE_MAX {
            self.stop(now, done, StopCause::RequestsPerEpisode, network);
        } else if self.in_flight > REQUESTS_IN_FLIGHT_MAX {
            self.stop(now, done, StopCause::RequestsInFlight, network);
        } else {
            for (symbol, request) in &self.outbox {
                network.send_to_exchange(self.agent, *symbol, done, Instruction::Request(*request));
            }
        }
    }

    fn set_timers(&mut self, now: Time, network: &mut Network<'_>) {
        for asked in &self.timers {
            let at = (*asked).max(now + WAKEUP_DELAY_MIN).max(self.scenario.trader_open());
            if at >= self.scenario.close || self.wakeups_pending.contains(&at) {
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
    fn charge(&mut self, update: &OrderUpdate) {
        let UpdateKind::Fill { price, quantity, liquidity } = update.kind else { return };
        let before = self.fees / MICROCENTS;
        self.fees += self.scenario.fees.of(liquidity, price, quantity);
        let due = self.fees / MICROCENTS - before;
        if due != 0 {
            // A million shares at the highest price and fee come to 10^16 cents.
            self.trader.desk().charge(due as i64);
        }
    }

    /// Calls the trader no more and has its orders taken out. What the last callback asked for is not sent.
    fn stop(&mut self, now: Time, done: Time, cause: StopCause, network: &mut Network<'_>) {
        self.refuse(now, Reason::TraderStopped);
        self.stopped = Some((now, cause));
        network.send_to_exchange(self.agent, FIRST, done, Instruction::Stop);
    }

    /// Answers what the last callback asked for on the desk itself, without a callback.
    fn refuse(&mut self, now: Time, reason: Reason) {
        for (_, Request { id, .. }) in &self.outbox {
            let kind = UpdateKind::Rejected { reason };
            self.trader.desk().receive_update(&OrderUpdate { request: *id, order: *id, at: now, remaining: 0, kind });
        }
    }
}
