//! The kernel: takes happenings from the queue in order and hands them to the exchange, the agents and the strategy.

use std::io;

use assay_model::{Nanos, OrderUpdate, Request, Seed, Time};

use super::Context;
use super::market_data::{Feed, ImbalanceWatch, MarketData, MarketSnapshot, Publish, Tape};
use super::network::Network;
use super::queue::Class;
use super::replay::{Replay, ReplayCounts};
use super::roster::Names;
use super::seats::{Admission, Seat, seats};
use super::trader_seat::{StopCause, TraderSeat};
use crate::oracle::Fundamental;
use crate::scenario::Scenario;
use crate::{AgentIndex, Event, EventKind, EventLog, EventSink, Exchange, Trader};

/// What happens at one time.
#[derive(Debug)]
pub(super) enum Happening {
    /// Trading begins.
    Open,
    /// Trading ends.
    Close,
    /// An instruction reaches the exchange.
    Arrival { agent: AgentIndex, instruction: Instruction },
    /// A message reaches an agent.
    Delivery { agent: AgentIndex, message: Message },
    /// An agent that was busy turns to its inbox.
    Serve { agent: AgentIndex },
    /// The strategy's regular tick.
    Tick,
    /// The newest quote goes out to the strategy.
    Publish,
    /// Something falls due at the exchange.
    Due,
    /// Recorded requests reach the exchange.
    Replay,
}

/// What is sent to the exchange.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instruction {
    /// A request, logged and answered.
    Request(Request),
    /// A question about the touch and the volume of the last `window`.
    Query { window: Nanos },
    /// The strategy has been stopped.
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
    let seated = seats(scenario, &mut names);
    let mut network = Network::new(scenario, names);
    let mut imbalance = ImbalanceWatch::default();
    let mut seats = Vec::with_capacity(seated.len());
    for ((seat, first_wake), index) in seated.into_iter().zip(0..) {
        if let Some(at) = first_wake {
            network.wake(AgentIndex(index), at);
        }
        if let Some(threshold) = seat.agent.imbalance_threshold() {
            imbalance.subscribe(AgentIndex(index), threshold);
        }
        seats.push(seat);
    }
    let outlet = Outlet {
        network,
        log: EventLog::hash_only(),
        sink,
        tape: Tape::default(),
        quote_changed: false,
        replay: Replay::new(scenario),
    };
    let kernel = Kernel {
        scenario,
        exchange: exchange(scenario),
        outlet,
        seats,
        trader: TraderSeat::new(trader, scenario),
        fundamental: Fundamental::of(scenario, seed),
        imbalance,
        feed: Feed::new(scenario.market_data_interval),
        messages: 0,
        due: Time(u64::MAX),
    };
    kernel.run()
}

fn exchange(scenario: &Scenario) -> Exchange {
    let exchange = Exchange::new(scenario.trader().0 + 1)
        .opening_late_for(scenario.trader(), scenario.trader_open())
        .with_venue(scenario.venue.clone())
        .with_trader_limits(scenario.trader(), scenario.trader_limits);
    match scenario.price_band() {
        Some(band) => exchange.with_band(band),
        None => exchange,
    }
}

struct Kernel<'a, 's> {
    scenario: &'s Scenario,
    exchange: Exchange,
    outlet: Outlet<'a, 's>,
    seats: Vec<Seat<'s>>,
    trader: TraderSeat<'a, 's>,
    fundamental: Fundamental,
    imbalance: ImbalanceWatch,
    feed: Feed,
    messages: u64,
    /// For when the exchange has been called last.
    due: Time,
}

/// Where the exchange's events go: the log, the listener, and as messages to those concerned.
struct Outlet<'a, 's> {
    network: Network<'s>,
    log: EventLog<io::Sink>,
    sink: &'a mut dyn EventSink,
    tape: Tape,
    quote_changed: bool,
    replay: Option<Replay<'s>>,
}

impl EventSink for Outlet<'_, '_> {
    fn event(&mut self, event: &Event) {
        self.log.event(event);
        self.sink.event(event);
        if let Some(replay) = &mut self.replay {
            replay.note(event);
        }
        match event.kind {
            EventKind::Update { agent, .. } if self.replay.as_ref().is_some_and(|replay| replay.has(agent)) => {}
            EventKind::Update { agent, update } => self.network.send_to_agent(agent, event.at, Message::Update(update)),
            EventKind::Trade { taker_side, quantity, .. } => self.tape.record(event.at, taker_side, quantity),
            EventKind::Quote(_) => self.quote_changed = true,
            EventKind::Opened | EventKind::Closed | EventKind::Session(_) | EventKind::Request { .. } => {}
        }
    }
}

impl Kernel<'_, '_> {
    fn run(mut self) -> Summary {
        let queue = &mut self.outlet.network.queue;
        queue.push(self.scenario.open, Class::Hours, Happening::Open);
        queue.push(self.scenario.close, Class::Hours, Happening::Close);
        if self.scenario.tick_interval != Nanos(0) {
            queue.push(self.scenario.trader_open(), Class::Timer, Happening::Tick);
        }
        if let Some(first) = self.outlet.replay.as_ref().and_then(Replay::next) {
            queue.push(first.at, Class::Exchange, Happening::Replay);
        }
        self.trader.initialize(&mut self.outlet.network);
        let mut ended_at = self.scenario.close;
        while let Some((now, happening)) = self.outlet.network.queue.pop() {
            self.step(now, happening);
            self.arrange_due();
            ended_at = ended_at.max(now);
        }
        self.trader.end(ended_at, &mut self.outlet.network);
        let log = self.outlet.log.summary();
        Summary {
            events: log.events,
            messages: self.messages,
            log_hash: log.hash,
            trader: self.scenario.trader(),
            trader_stopped_at: self.trader.stopped.map(|(at, _)| at),
            trader_stop_cause: self.trader.stopped.map(|(_, cause)| cause),
            wakeups_ignored: self.trader.wakeups_ignored,
            ended_at,
            replay: self.outlet.replay.map(|replay| replay.counts),
        }
    }

    fn step(&mut self, now: Time, happening: Happening) {
        match happening {
            Happening::Open => self.exchange.open(now, &mut self.outlet),
            Happening::Close => self.exchange.close(now, &mut self.outlet),
            Happening::Arrival { agent, instruction } => self.arrive(now, agent, instruction),
            Happening::Delivery { agent, message } => {
                if agent == self.scenario.trader() && matches!(message, Message::Wake) {
                    self.trader.wakeup_due(now);
                }
                self.admit(now, agent, message);
            }
            Happening::Serve { agent } => {
                if let Some(message) = self.inbox(agent).next() {
                    self.act(now, agent, message);
                }
                if let Some(at) = self.inbox(agent).serve_again() {
                    self.outlet.network.queue.push(at, Class::Agent, Happening::Serve { agent });
                }
            }
            Happening::Due => self.fall_due(now),
            Happening::Replay => self.replay(now),
            Happening::Tick => self.tick(now),
            Happening::Publish => self.publish(now),
        }
    }

    /// Sees to it that the exchange is called in time.
    fn arrange_due(&mut self) {
        let due = self.exchange.next_due();
        // After the close nothing is left to do.
        if due < self.due && due < self.scenario.close {
            self.due = due;
            self.outlet.network.queue.push(due, Class::Hours, Happening::Due);
        }
    }

    fn fall_due(&mut self, now: Time) {
        self.due = Time(u64::MAX);
        self.exchange.advance(now, &mut self.outlet);
        self.tell_about_book(now);
    }

    fn tick(&mut self, now: Time) {
        if self.trader.stopped.is_some() {
            return;
        }
        self.admit(now, self.scenario.trader(), Message::Wake);
        let next = now + self.scenario.tick_interval;
        if next < self.scenario.close {
            self.outlet.network.queue.push(next, Class::Timer, Happening::Tick);
        }
    }

    fn arrive(&mut self, now: Time, agent: AgentIndex, instruction: Instruction) {
        self.messages += 1;
        match instruction {
            Instruction::Request(request) => {
                if agent == self.scenario.trader() {
                    self.trader.in_flight -= 1;
                }
                self.exchange.handle(now, agent, &request, &mut self.outlet);
            }
            Instruction::Stop => self.exchange.stop(now, agent, &mut self.outlet),
            Instruction::Query { window } => {
                let quote = self.exchange.quote();
                let (bought, sold) = if window == Nanos(0) { (0, 0) } else { self.outlet.tape.volume(now, window) };
                let snapshot = MarketSnapshot { bid: quote.bid, ask: quote.ask, bought, sold };
                return self.outlet.network.send_to_agent(agent, now, Message::Snapshot(snapshot));
            }
        }
        self.tell_about_book(now);
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
            self.exchange.handle(now, next.agent, &next.request, &mut self.outlet);
            self.tell_about_book(now);
        }
    }

    /// Tells those who want to know of a change that the exchange has just made.
    fn tell_about_book(&mut self, now: Time) {
        if now >= self.scenario.close {
            return;
        }
        let Self { imbalance, outlet, exchange, .. } = self;
        imbalance.look(exchange.bid_ask_totals(), |agent| outlet.network.send_to_agent(agent, now, Message::Imbalance));
        if std::mem::take(&mut self.outlet.quote_changed) && self.trader.watches_market {
            match self.feed.changed(now) {
                Publish::Now => self.publish(now),
                Publish::At(at) => self.outlet.network.queue.push(at, Class::Exchange, Happening::Publish),
                Publish::Later => {}
            }
        }
    }

    fn publish(&mut self, now: Time) {
        // A quote that was held back until after the close would show a book that is gone.
        if now < self.scenario.close {
            let data = self.feed.publish(now, &self.exchange);
            self.outlet.network.send_to_agent(self.scenario.trader(), now, Message::MarketData(data));
        }
    }

    fn inbox(&mut self, agent: AgentIndex) -> &mut super::seats::Inbox {
        match self.seats.get_mut(agent.0 as usize) {
            Some(seat) => &mut seat.inbox,
            None => &mut self.trader.inbox,
        }
    }

    fn admit(&mut self, now: Time, agent: AgentIndex, message: Message) {
        match self.inbox(agent).admit(now, message) {
            Admission::Now(message) => self.act(now, agent, message),
            Admission::ServeAt(at) => self.outlet.network.queue.push(at, Class::Agent, Happening::Serve { agent }),
            Admission::Waits => {}
        }
    }

    fn act(&mut self, now: Time, agent: AgentIndex, message: Message) {
        self.messages += 1;
        let network = &mut self.outlet.network;
        let Some(seat) = self.seats.get_mut(agent.0 as usize) else {
            return self.trader.act(now, message, network, &mut self.feed);
        };
        // Background agents know the opening hours and rest after them.
        if now >= self.scenario.close {
            return;
        }
        let mut context = Context {
            now,
            done: now + self.scenario.network.computation_delay,
            agent,
            network,
            fundamental: &mut self.fundamental,
            requests: &mut seat.requests,
            scenario: self.scenario,
        };
        match message {
            Message::Wake => seat.agent.wake(&mut context),
            Message::Update(update) => seat.agent.update(&update),
            Message::Snapshot(snapshot) => seat.agent.snapshot(&mut context, &snapshot),
            Message::Imbalance => seat.agent.imbalance(&mut context),
            // Only the strategy is sent market data.
            Message::MarketData(_) => {}
        }
        seat.inbox.busy_until = context.done;
    }
}
