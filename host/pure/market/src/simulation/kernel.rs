//! The kernel: takes happenings from the queue in order and hands them to the exchange, the agents and the strategy.

use std::hint::black_box;
use std::io;

use assay_model::{Nanos, OrderUpdate, Request, SYMBOLS_MAX, Seed, SymbolIndex, Time};

use super::Context;
use super::crowds::{Crowd, crowds};
use super::letters::Letters;
use super::market_data::{Feed, ImbalanceWatch, MarketData, MarketSnapshot, Publish, Tape};
use super::network::Network;
use super::queue::{Class, Next, TIMER_MAX};
use super::replay::{Replay, ReplayCounts};
use super::roster::Names;
use super::seats::{Admission, Seat};
use super::trader_seat::{StopCause, TraderSeat};
use crate::oracle::Fundamental;
use crate::scenario::{AGENTS_MAX, Scenario};
use crate::{AgentIndex, Event, EventKind, EventLog, EventSink, Exchange, LevelChange, Trader};

/// The timer of the strategy's regular tick; all others are agents' wake-ups, by their index.
const TICK: u32 = TIMER_MAX;
const _: () = assert!(AGENTS_MAX < TICK as u64);

/// What happens at one time.
#[derive(Debug)]
pub(super) enum Happening {
    /// Trading begins.
    Open,
    /// Trading ends.
    Close,
    /// An instruction reaches the exchange.
    Arrival { agent: AgentIndex, symbol: SymbolIndex, instruction: Instruction },
    /// A message reaches an agent.
    Delivery { agent: AgentIndex, letter: Letter },
    /// An agent that was busy turns to its inbox.
    Serve { agent: AgentIndex },
    /// The newest quote goes out to the strategy.
    Publish(SymbolIndex),
    /// Something falls due at the exchange.
    Due(SymbolIndex),
    /// Recorded requests reach the exchange.
    Replay,
}

/// A message and the symbol that it is about; a wake-up is about none, for which the first stands.
#[derive(Debug)]
pub(super) struct Letter {
    pub(super) symbol: SymbolIndex,
    pub(super) message: Message,
}

/// What is sent to the exchange.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instruction {
    /// A request, logged and answered.
    Request(Request),
    /// A question about the touch and the volume of the last `window`.
    Query { window: Nanos },
    /// The strategy has been stopped, in all symbols.
    Stop,
}

/// What is sent to an agent.
#[derive(Debug)]
pub(super) enum Message {
    /// It is time.
    Wake,
    /// Something happened to a request or an order.
    Update(OrderUpdate),
    /// The answer to a query.
    Snapshot(MarketSnapshot),
    /// The book has become one-sided.
    Imbalance,
    /// A quote with depth.
    MarketData(Box<MarketData>),
}

/// What an episode amounts to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Events at the exchange.
    pub events: u64,
    /// Messages and wake-ups handled by anyone.
    pub messages: u64,
    /// BLAKE3 of the event log.
    pub log_hash: blake3::Hash,
    /// The strategy's index.
    pub trader: AgentIndex,
    /// When the strategy was stopped, if it was.
    pub trader_stopped_at: Option<Time>,
    /// Why it was stopped.
    pub trader_stop_cause: Option<StopCause>,
    /// Wake-ups that the strategy asked for beyond a limit.
    pub wakeups_ignored: u64,
    /// When the last message was handled.
    pub ended_at: Time,
    /// What became of the recorded market, if there is one.
    pub replay: Option<ReplayCounts>,
}

/// Runs one episode. Every event goes to the event log's hash and to `sink`, which cannot change anything.
pub fn simulate(scenario: &Scenario, seed: Seed, trader: &mut dyn Trader, sink: &mut dyn EventSink) -> Summary {
    let mut names = Names::new(scenario, seed);
    let (crowds, first_wakes) = crowds(scenario, &mut names);
    let mut network = Network::new(scenario, names);
    let symbols = (0..scenario.symbol_count()).map(SymbolIndex);
    let mut markets: Vec<Market> =
        symbols.map(|symbol| Market::new(scenario, symbol, seed, sink.watches_depth())).collect();
    network.queue.expect_timers(first_wakes.iter().flatten().count(), scenario.open, scenario.close);
    for (first_wake, agent) in first_wakes.into_iter().zip(0..) {
        if let Some(at) = first_wake {
            network.wake(AgentIndex(agent), at);
        }
    }
    for crowd in &crowds {
        let imbalance = &mut markets[usize::from(crowd.symbol.0)].imbalance;
        crowd.watchers().for_each(|(agent, threshold)| imbalance.subscribe(agent, threshold));
    }
    let depth = DepthGrid::new(scenario, sink.depth_interval());
    let kernel = Kernel {
        scenario,
        depth,
        outlet: Outlet {
            network,
            log: EventLog::hash_only(),
            sink,
            tapes: markets.iter().map(|_| Tape::default()).collect(),
            quotes_changed: [false; SYMBOLS_MAX],
            replay: Replay::new(scenario),
        },
        markets,
        crowds,
        letters: Letters::default(),
        trader: TraderSeat::new(trader, scenario),
        messages: 0,
    };
    kernel.run()
}

/// When the listener is shown the book; never, at the end of time, if it does not want to.
struct DepthGrid {
    next: Time,
    interval: Nanos,
    last: Time,
}

impl DepthGrid {
    fn new(scenario: &Scenario, interval: Option<Nanos>) -> Self {
        let interval = interval.unwrap_or(Nanos(0));
        let next = if interval == Nanos(0) { Time(u64::MAX) } else { scenario.open + interval };
        Self { next, interval, last: scenario.close }
    }

    /// Shows the book at the times up to `now` at which it is due.
    #[cold]
    fn show(&mut self, now: Time, exchange: &Exchange, sink: &mut dyn EventSink) {
        while self.next <= now.min(self.last) {
            sink.depth(self.next, exchange);
            self.next = self.next + self.interval;
        }
        if self.next > self.last {
            self.next = Time(u64::MAX);
        }
    }
}

/// One symbol's part of the exchange, and what the kernel keeps for it.
struct Market {
    exchange: Exchange,
    fundamental: Fundamental,
    imbalance: ImbalanceWatch,
    feed: Feed,
    /// For when the exchange has been called last.
    due: Time,
}

impl Market {
    fn new(scenario: &Scenario, symbol: SymbolIndex, seed: Seed, tells_depth: bool) -> Self {
        let exchange = Exchange::new(scenario.trader().0 + 1)
            .for_symbol(symbol)
            .opening_late_for(scenario.trader(), scenario.trader_open())
            .with_venue(scenario.venue.clone())
            .with_trader_limits(scenario.trader(), scenario.trader_limits);
        let exchange = match scenario.price_band(symbol) {
            Some(band) => exchange.with_band(band),
            None => exchange,
        };
        Self {
            exchange: if tells_depth { exchange.telling_depth() } else { exchange },
            fundamental: Fundamental::of(scenario, symbol, seed),
            imbalance: ImbalanceWatch::default(),
            feed: Feed::new(scenario.market_data_interval),
            due: Time(u64::MAX),
        }
    }
}

struct Kernel<'a, 's> {
    scenario: &'s Scenario,
    /// Of the first symbol.
    depth: DepthGrid,
    /// By symbol.
    markets: Vec<Market>,
    outlet: Outlet<'a, 's>,
    crowds: Vec<Crowd<'s>>,
    letters: Letters,
    trader: TraderSeat<'a, 's>,
    messages: u64,
}

/// Where the exchange's events go: the log, the listener, and as messages to those concerned.
struct Outlet<'a, 's> {
    network: Network<'s>,
    log: EventLog<io::Sink>,
    sink: &'a mut dyn EventSink,
    /// By symbol, like `quotes_changed`.
    tapes: Vec<Tape>,
    quotes_changed: [bool; SYMBOLS_MAX],
    /// Into the first symbol.
    replay: Option<Replay<'s>>,
}

impl EventSink for Outlet<'_, '_> {
    fn event(&mut self, event: &Event) {
        self.log.event(event);
        self.sink.event(event);
        let Event { at, symbol, kind } = *event;
        if let Some(replay) = self.replay.as_mut().filter(|_| symbol == SymbolIndex::FIRST) {
            replay.note(event);
        }
        match kind {
            EventKind::Update { agent, .. } if self.replay.as_ref().is_some_and(|replay| replay.has(agent)) => {}
            EventKind::Update { agent, update } => {
                self.network.send_to_agent(agent, symbol, at, Message::Update(update));
            }
            EventKind::Trade { taker_side, quantity, .. } => {
                self.tapes[usize::from(symbol.0)].record(at, taker_side, quantity);
            }
            EventKind::Quote(_) => self.quotes_changed[usize::from(symbol.0)] = true,
            EventKind::Opened | EventKind::Closed | EventKind::Session(_) | EventKind::Request { .. } => {}
        }
    }

    fn level(&mut self, change: &LevelChange) {
        self.sink.level(change);
    }
}

impl Kernel<'_, '_> {
    fn run(mut self) -> Summary {
        let queue = &mut self.outlet.network.queue;
        queue.push(self.scenario.open, Class::Hours, Happening::Open);
        queue.push(self.scenario.close, Class::Hours, Happening::Close);
        if self.scenario.tick_interval != Nanos(0) {
            queue.set_timer(self.scenario.trader_open(), TICK);
        }
        if let Some(first) = self.outlet.replay.as_ref().and_then(Replay::next) {
            queue.push(first.at, Class::Exchange, Happening::Replay);
        }
        self.trader.initialize(&mut self.outlet.network);
        let mut ended_at = self.scenario.close;
        while let Some((now, next)) = self.outlet.network.queue.pop() {
            self.look_ahead();
            if now >= self.depth.next {
                self.depth.show(now, &self.markets[0].exchange, self.outlet.sink);
            }
            match next {
                Next::Happening(happening) => self.step(now, happening),
                Next::Timer(TICK) => self.tick(now),
                Next::Timer(agent) => self.wake(now, AgentIndex(agent)),
            }
            self.arrange_due();
            ended_at = ended_at.max(now);
        }
        self.trader.end(ended_at, &mut self.outlet.network);
        let log = self.outlet.log.summary();
        Summary {
            events: log.events,
            messages: self.messages,
            log_hash: log.hash,
            trader: self.trader.agent,
            trader_stopped_at: self.trader.stopped.map(|(at, _)| at),
            trader_stop_cause: self.trader.stopped.map(|(_, cause)| cause),
            wakeups_ignored: self.trader.wakeups_ignored,
            ended_at,
            replay: self.outlet.replay.map(|replay| replay.counts),
        }
    }

    /// Reads what those will need who wake soon. In a large market it has left the nearer caches; read together, it comes from afar together, and not piece
    /// after piece while each of them acts.
    fn look_ahead(&mut self) {
        let Network { queue, seats, .. } = &mut self.outlet.network;
        let Some(timers) = queue.come_near() else { return };
        for agent in timers.map(AgentIndex) {
            // Found by the index and not in its seat, which would have to arrive first.
            let crowds = self.crowds.partition_point(|crowd| crowd.first <= agent);
            let Some(crowd) = self.crowds[..crowds].last().filter(|_| agent < self.trader.agent) else { continue };
            black_box(seats[agent.0 as usize].busy_until);
            crowd.look(agent);
            self.markets[usize::from(crowd.symbol.0)].exchange.look(agent);
        }
    }

    fn step(&mut self, now: Time, happening: Happening) {
        match happening {
            Happening::Open => self.markets.iter_mut().for_each(|market| market.exchange.open(now, &mut self.outlet)),
            Happening::Close => self.markets.iter_mut().for_each(|market| market.exchange.close(now, &mut self.outlet)),
            Happening::Arrival { agent, symbol, instruction } => self.arrive(now, agent, symbol, instruction),
            Happening::Delivery { agent, letter } => self.admit(now, agent, letter),
            Happening::Serve { agent } => {
                let (seat, letters) = self.seat(agent);
                if let Some(letter) = seat.next(letters) {
                    self.act(now, agent, letter);
                }
                if let Some(at) = self.seat(agent).0.serve_again() {
                    self.outlet.network.queue.push(at, Class::Agent, Happening::Serve { agent });
                }
            }
            Happening::Due(symbol) => self.fall_due(now, symbol),
            Happening::Replay => self.replay(now),
            Happening::Publish(symbol) => self.publish(now, symbol),
        }
    }

    /// Sees to it that the exchange is called in time.
    fn arrange_due(&mut self) {
        for (market, symbol) in self.markets.iter_mut().zip(0..) {
            let due = market.exchange.next_due();
            // After the close nothing is left to do.
            if due < market.due && due < self.scenario.close {
                market.due = due;
                self.outlet.network.queue.push(due, Class::Hours, Happening::Due(SymbolIndex(symbol)));
            }
        }
    }

    fn fall_due(&mut self, now: Time, symbol: SymbolIndex) {
        let market = &mut self.markets[usize::from(symbol.0)];
        market.due = Time(u64::MAX);
        market.exchange.advance(now, &mut self.outlet);
        self.tell_about_book(now, symbol);
    }

    fn wake(&mut self, now: Time, agent: AgentIndex) {
        if agent == self.trader.agent {
            self.trader.wakeup_due(now);
        }
        self.admit(now, agent, Letter { symbol: SymbolIndex::FIRST, message: Message::Wake });
    }

    fn tick(&mut self, now: Time) {
        if self.trader.stopped.is_some() {
            return;
        }
        let letter = Letter { symbol: SymbolIndex::FIRST, message: Message::Wake };
        self.admit(now, self.trader.agent, letter);
        let next = now + self.scenario.tick_interval;
        if next < self.scenario.close {
            self.outlet.network.queue.set_timer(next, TICK);
        }
    }

    fn arrive(&mut self, now: Time, agent: AgentIndex, symbol: SymbolIndex, instruction: Instruction) {
        self.messages += 1;
        let exchange = &mut self.markets[usize::from(symbol.0)].exchange;
        match instruction {
            Instruction::Request(request) => {
                if agent == self.trader.agent {
                    self.trader.in_flight -= 1;
                }
                exchange.handle(now, agent, &request, &mut self.outlet);
            }
            Instruction::Stop => return self.stop(now, agent),
            Instruction::Query { window } => {
                let quote = exchange.quote();
                let tape = &self.outlet.tapes[usize::from(symbol.0)];
                let (bought, sold) = if window == Nanos(0) { (0, 0) } else { tape.volume(now, window) };
                let (bid, ask) = (quote.bid.map(|level| level.price), quote.ask.map(|level| level.price));
                let snapshot = MarketSnapshot { bid, ask, bought, sold };
                return self.outlet.network.send_to_agent(agent, symbol, now, Message::Snapshot(snapshot));
            }
        }
        self.tell_about_book(now, symbol);
    }

    fn stop(&mut self, now: Time, agent: AgentIndex) {
        for symbol in (0..self.scenario.symbol_count()).map(SymbolIndex) {
            self.markets[usize::from(symbol.0)].exchange.stop(now, agent, &mut self.outlet);
            self.tell_about_book(now, symbol);
        }
    }

    /// Hands the recorded requests of this time to the exchange, one after the other.
    fn replay(&mut self, now: Time) {
        while let Some(next) = self.outlet.replay.as_ref().and_then(Replay::next) {
            if next.at > now {
                return self.outlet.network.queue.push(next.at, Class::Exchange, Happening::Replay);
            }
            if let Some(replay) = &mut self.outlet.replay {
                replay.advance();
            }
            self.messages += 1;
            self.markets[0].exchange.handle(now, next.agent, &next.request, &mut self.outlet);
            self.tell_about_book(now, SymbolIndex::FIRST);
        }
    }

    /// Tells those who want to know of a change that the exchange has just made.
    fn tell_about_book(&mut self, now: Time, symbol: SymbolIndex) {
        if now >= self.scenario.close {
            return;
        }
        let Self { markets, outlet, .. } = self;
        let Market { imbalance, exchange, feed, .. } = &mut markets[usize::from(symbol.0)];
        let network = &mut outlet.network;
        imbalance
            .look(exchange.bid_ask_totals(), |agent| network.send_to_agent(agent, symbol, now, Message::Imbalance));
        if std::mem::take(&mut outlet.quotes_changed[usize::from(symbol.0)]) && self.trader.watches_market {
            match feed.changed(now) {
                Publish::Now => self.publish(now, symbol),
                Publish::At(at) => network.queue.push(at, Class::Exchange, Happening::Publish(symbol)),
                Publish::Later => {}
            }
        }
    }

    fn publish(&mut self, now: Time, symbol: SymbolIndex) {
        // A quote that was held back until after the close would show a book that is gone.
        if now < self.scenario.close {
            let Market { exchange, feed, .. } = &mut self.markets[usize::from(symbol.0)];
            let message = Message::MarketData(feed.publish(now, exchange));
            self.outlet.network.send_to_agent(self.trader.agent, symbol, now, message);
        }
    }

    fn seat(&mut self, agent: AgentIndex) -> (&mut Seat, &mut Letters) {
        (&mut self.outlet.network.seats[agent.0 as usize], &mut self.letters)
    }

    fn admit(&mut self, now: Time, agent: AgentIndex, letter: Letter) {
        let (seat, letters) = self.seat(agent);
        match seat.admit(now, letter, letters) {
            Admission::Now(letter) => self.act(now, agent, letter),
            Admission::ServeAt(at) => self.outlet.network.queue.push(at, Class::Agent, Happening::Serve { agent }),
            Admission::Waits => {}
        }
    }

    fn act(&mut self, now: Time, agent: AgentIndex, letter: Letter) {
        self.messages += 1;
        let network = &mut self.outlet.network;
        let crowd = network.seats[agent.0 as usize].crowd;
        let Some(crowd) = self.crowds.get_mut(crowd as usize) else {
            let feed = &mut self.markets[usize::from(letter.symbol.0)].feed;
            return self.trader.act(now, letter, network, feed);
        };
        // Background agents know the opening hours and rest after them.
        if now >= self.scenario.close {
            return;
        }
        let mut context = Context {
            now,
            done: now + self.scenario.network.computation_delay,
            agent,
            symbol: crowd.symbol,
            own_size: crowd.own_size,
            network,
            fundamental: &mut self.markets[usize::from(crowd.symbol.0)].fundamental,
            scenario: self.scenario,
        };
        crowd.take(letter.message, &mut context);
        let done = context.done;
        self.seat(agent).0.busy_until = done;
    }
}
