//! The kernel: takes happenings from the queue in order and hands them to the exchange, the agents and the strategies.
//!
//! It owns the whole state of an episode. Traders and the listener are lent to it for each call, so that it can be put aside between two.

use std::hint::black_box;
use std::io;

use assay_model::{Nanos, OrderId, SYMBOLS_MAX, Seed, SymbolIndex, Time};

use super::context::Context;
use super::crowds::{Crowd, crowds};
use super::letters::Letters;
use super::market_data::{Feed, ImbalanceWatch, MarketSnapshot, Pending, Publish, Tape, TradeWatch};
use super::message::{Happening, Instruction, Letter, Message};
use super::names::Names;
use super::network::Network;
use super::queue::{Class, Next, TIMER_MAX};
use super::replay::Replay;
use super::seats::{Admission, Seat};
use super::trader_seat::{StopCause, TraderSeat};
use crate::oracle::Fundamental;
use crate::scenario::{SEATS_MAX, Scenario};
use crate::{
    AGENTS_MAX, AgentIndex, Event, EventKind, EventLog, EventSink, Exchange, LevelChange, OthersQuote, Session, Trader,
};

/// The timer of the strategies' regular tick; all others are wake-ups of agents and strategies, by their index.
const TICK: u32 = TIMER_MAX;
const _: () = assert!(AGENTS_MAX + (SEATS_MAX as u64) < TICK as u64);
/// Turns after which the traders are asked whether anybody wants the rest: some tens of milliseconds in the largest market.
const TURNS_BETWEEN_LOOKS: u64 = 1 << 14;

/// Who is lent to the kernel for a while.
pub(super) struct Company<'a, 't> {
    /// By seat.
    pub(super) traders: &'a mut [&'t mut dyn Trader],
    pub(super) sink: &'a mut dyn EventSink,
}

impl Company<'_, '_> {
    /// Whether one of the traders gives the episode up.
    #[cold]
    fn gives_up(&mut self) -> bool {
        self.traders.iter_mut().any(|trader| trader.gives_up())
    }
}

/// When the listener is shown the book; never, at the end of time, if it does not want to.
struct DepthGrid {
    next: Time,
    interval: Nanos,
    last: Time,
}

impl DepthGrid {
    fn new(open: Time, close: Time, interval: Option<Nanos>) -> Self {
        let interval = interval.unwrap_or(Nanos(0));
        let next = if interval == Nanos(0) { Time(u64::MAX) } else { open + interval };
        Self { next, interval, last: close }
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
    trades: TradeWatch,
    feed: Feed,
    /// For when the exchange has been called last.
    due: Time,
}

impl Market {
    fn new(scenario: &Scenario, symbol: SymbolIndex, seed: Seed, seats: usize, sink: &dyn EventSink) -> Self {
        // There are few seats, so the cast is exact.
        let mut exchange = Exchange::new(scenario.trader().0 + seats as u32)
            .for_symbol(symbol)
            .with_venue(scenario.venue_of(seed))
            .telling_others(&sink.leaves_out());
        for seat in 0..seats {
            let trader = scenario.seat(seat);
            exchange = exchange
                .opening_late_for(trader, scenario.trader_open())
                .with_trader_limits(trader, scenario.trader_limits);
        }
        if let Some(band) = scenario.price_band(symbol, seed) {
            exchange = exchange.with_band(band);
        }
        Self {
            exchange: if sink.watches_depth() { exchange.telling_depth() } else { exchange },
            fundamental: Fundamental::of(scenario, symbol, seed),
            imbalance: ImbalanceWatch::default(),
            trades: TradeWatch::default(),
            feed: Feed::new(scenario.market_data_interval),
            due: Time(u64::MAX),
        }
    }
}

/// See the module documentation.
pub(super) struct Kernel<'s> {
    scenario: &'s Scenario,
    /// When trading ends.
    close: Time,
    /// Of the first symbol.
    depth: DepthGrid,
    /// By symbol.
    markets: Vec<Market>,
    pub(super) post: Post<'s>,
    crowds: Vec<Crowd<'s>>,
    letters: Letters,
    pub(super) seats: Vec<TraderSeat<'s>>,
    /// Index of the first of these seats.
    first_trader: AgentIndex,
    /// Turns of the queue so far.
    turns: u64,
    pub(super) messages: u64,
    /// When the last message was handled; the close, if that is later.
    pub(super) ended_at: Time,
}

/// Where the exchange's events go for good: the log, and as messages to those concerned.
pub(super) struct Post<'s> {
    network: Network<'s>,
    pub(super) log: EventLog<io::Sink>,
    /// An exchange has been called, and nobody has seen to what may follow from that.
    unsettled: bool,
    /// By symbol, like `changes`.
    tapes: Vec<Tape>,
    changes: [Pending; SYMBOLS_MAX],
    /// Quotes are to be sent to somebody.
    watched: bool,
    /// Into the first symbol.
    pub(super) replay: Option<Replay<'s>>,
}

/// There and to the listener.
struct Outlet<'a, 's> {
    post: &'a mut Post<'s>,
    sink: &'a mut dyn EventSink,
}

impl<'a, 's> Outlet<'a, 's> {
    /// For a call of an exchange.
    fn new(post: &'a mut Post<'s>, company: &'a mut Company<'_, '_>) -> Self {
        post.unsettled = true;
        Self { post, sink: company.sink }
    }
}

impl EventSink for Outlet<'_, '_> {
    fn event(&mut self, event: &Event) {
        self.post.log.event(event);
        self.sink.event(event);
        let Event { at, symbol, kind } = *event;
        let Post { network, tapes, changes, watched, replay, .. } = &mut *self.post;
        let changes = &mut changes[usize::from(symbol.0)];
        if let Some(replay) = replay.as_mut().filter(|_| symbol == SymbolIndex::FIRST) {
            replay.note(event);
        }
        match kind {
            EventKind::Update { agent, .. } if replay.as_ref().is_some_and(|replay| replay.has(agent)) => {}
            EventKind::Update { agent, update } => network.send_to_agent(agent, symbol, at, Message::Update(update)),
            EventKind::Trade { price, taker_side, quantity, .. } => {
                if !changes.is_call() {
                    tapes[usize::from(symbol.0)].record(at, taker_side, quantity);
                }
                if *watched {
                    changes.trade(at, price, quantity, taker_side);
                }
            }
            EventKind::Quote(_) => changes.quote(),
            EventKind::Session(session) => changes.session(session == Session::Call),
            EventKind::Opened | EventKind::Closed | EventKind::Request { .. } => {}
        }
    }

    fn level(&mut self, change: &LevelChange) {
        self.sink.level(change);
    }

    fn others(&mut self, quote: &OthersQuote) {
        self.sink.others(quote);
    }

    fn closing(&mut self, at: Time, symbol: SymbolIndex, exchange: &Exchange) {
        self.sink.closing(at, symbol, exchange);
    }
}

impl<'s> Kernel<'s> {
    /// The episode before its first event; every trader has been initialised.
    pub(super) fn new(scenario: &'s Scenario, seed: Seed, company: &mut Company<'_, '_>) -> Self {
        let seats = company.traders.len();
        let mut names = Names::new(scenario, seed);
        let (crowds, first_wakes) = crowds(scenario, &mut names);
        let mut network = Network::new(scenario, names, seats);
        let symbols = (0..scenario.symbol_count()).map(SymbolIndex);
        let mut markets: Vec<Market> =
            symbols.map(|symbol| Market::new(scenario, symbol, seed, seats, &*company.sink)).collect();
        network.queue.expect_timers(first_wakes.iter().flatten().count(), scenario.open, scenario.close);
        for (first_wake, agent) in first_wakes.into_iter().zip(0..) {
            if let Some(at) = first_wake {
                network.wake(AgentIndex(agent), at);
            }
        }
        for crowd in &crowds {
            let Market { imbalance, trades, .. } = &mut markets[usize::from(crowd.symbol.0)];
            crowd.watchers().for_each(|(agent, threshold)| imbalance.subscribe(agent, threshold));
            trades.listeners.extend(crowd.listeners());
        }
        let close = scenario.close_at(seed);
        let traders = company.traders.iter().enumerate();
        let seats: Vec<_> =
            traders.map(|(seat, trader)| TraderSeat::new(&**trader, scenario.seat(seat), scenario, close)).collect();
        let mut kernel = Self {
            scenario,
            close,
            depth: DepthGrid::new(scenario.open, close, company.sink.depth_interval()),
            post: Post {
                network,
                log: EventLog::hash_only(),
                unsettled: false,
                tapes: markets.iter().map(|_| Tape::default()).collect(),
                changes: Default::default(),
                watched: seats.iter().any(|seat| seat.watches_market),
                replay: Replay::new(scenario),
            },
            markets,
            crowds,
            letters: Letters::default(),
            first_trader: scenario.trader(),
            seats,
            turns: 0,
            messages: 0,
            ended_at: close,
        };
        kernel.begin(company);
        kernel
    }

    fn begin(&mut self, company: &mut Company<'_, '_>) {
        let queue = &mut self.post.network.queue;
        queue.push(self.scenario.open, Class::Hours, Happening::Open);
        queue.push(self.close, Class::Hours, Happening::Close);
        if self.scenario.tick_interval != Nanos(0) && !self.seats.is_empty() {
            queue.set_timer(self.scenario.trader_open(), TICK);
        }
        if let Some(first) = self.post.replay.as_ref().and_then(Replay::next) {
            queue.push(first.at, Class::Exchange, Happening::Replay);
        }
        for (seat, trader) in self.seats.iter_mut().zip(&mut *company.traders) {
            seat.initialize(&mut **trader, &mut self.post.network);
        }
    }

    /// When the next thing happens, if anything does.
    pub(super) fn next_at(&self) -> Option<Time> {
        self.post.network.queue.next_at()
    }

    /// Handles everything that happens before `until`, unless a trader gives up meanwhile.
    pub(super) fn run_until(&mut self, until: Time, company: &mut Company<'_, '_>) {
        while let Some((now, next)) = self.post.network.queue.pop_before(until) {
            self.turns += 1;
            if self.turns.is_multiple_of(TURNS_BETWEEN_LOOKS) && company.gives_up() {
                return;
            }
            self.look_ahead();
            if now >= self.depth.next {
                self.depth.show(now, &self.markets[0].exchange, company.sink);
            }
            match next {
                Next::Happening(happening) => self.step(now, until, happening, company),
                // Background agents' wake-ups go by the hours that everybody knows.
                Next::Timer(_) if now >= self.close => continue,
                Next::Timer(TICK) => self.tick(now, company),
                Next::Timer(agent) => self.wake(now, AgentIndex(agent), company),
            }
            if std::mem::take(&mut self.post.unsettled) {
                self.arrange_due();
                self.expel_ruined(now, company);
            }
            self.ended_at = self.ended_at.max(now);
        }
    }

    /// Tells the traders that it is over.
    pub(super) fn end(&mut self, company: &mut Company<'_, '_>) {
        for (seat, trader) in self.seats.iter_mut().zip(&mut *company.traders) {
            seat.end(self.ended_at, &mut **trader, &mut self.post.network);
        }
    }

    /// Reads what those will need who wake soon. In a large market it has left the nearer caches; read together, it comes from afar together, and not piece
    /// after piece while each of them acts.
    fn look_ahead(&mut self) {
        let Network { queue, seats, .. } = &mut self.post.network;
        let Some(timers) = queue.come_near() else { return };
        for agent in timers.map(AgentIndex) {
            // Found by the index and not in its seat, which would have to arrive first.
            let crowds = self.crowds.partition_point(|crowd| crowd.first <= agent);
            let Some(crowd) = self.crowds[..crowds].last().filter(|_| agent < self.first_trader) else { continue };
            black_box(seats[agent.0 as usize].busy_until);
            crowd.look(agent);
            self.markets[usize::from(crowd.symbol.0)].exchange.look(agent);
        }
    }

    fn step(&mut self, now: Time, until: Time, happening: Happening, company: &mut Company<'_, '_>) {
        match happening {
            Happening::Open => {
                let mut outlet = Outlet::new(&mut self.post, company);
                self.markets.iter_mut().for_each(|market| market.exchange.open(now, &mut outlet));
                // A call may have begun.
                (0..self.scenario.symbol_count()).for_each(|symbol| self.tell_about_book(now, SymbolIndex(symbol)));
            }
            Happening::Close => {
                let mut outlet = Outlet::new(&mut self.post, company);
                self.markets.iter_mut().for_each(|market| market.exchange.close(now, &mut outlet));
            }
            Happening::Arrival { agent, symbol, instruction } => self.arrive(now, agent, symbol, instruction, company),
            Happening::Delivery { agent, letter } => self.admit(now, agent, letter, company),
            Happening::Serve { agent } => self.serve(now, until, agent, company),
            Happening::Due(symbol) => self.fall_due(now, symbol, company),
            Happening::Replay => self.replay(now, company),
            Happening::Publish(symbol) => {
                if self.markets[usize::from(symbol.0)].feed.is_pending() {
                    self.publish(now, symbol);
                }
            }
        }
    }

    /// Hands a participant what waits for it, until something else comes first: each letter keeps it busy for a moment only, in which mostly nothing
    /// happens.
    fn serve(&mut self, mut now: Time, until: Time, agent: AgentIndex, company: &mut Company<'_, '_>) {
        loop {
            let (seat, letters) = self.seat(agent);
            if let Some(letter) = seat.next(letters) {
                if let Some(number) = self.seat_number(agent) {
                    self.seats[number].waits_no_more(&letter);
                }
                self.act(now, agent, letter, company);
            }
            let Some(at) = self.seat(agent).0.serve_again() else { return };
            let queue = &mut self.post.network.queue;
            let is_next = at < until && at < self.depth.next && queue.next_at().is_none_or(|next| at < next);
            if !is_next || self.post.unsettled {
                return queue.push(at, Class::Agent, Happening::Serve { agent });
            }
            self.ended_at = self.ended_at.max(at);
            now = at;
        }
    }

    /// Sees to it that the exchange is called in time.
    fn arrange_due(&mut self) {
        for (market, symbol) in self.markets.iter_mut().zip(0..) {
            let due = market.exchange.next_due();
            // After the close nothing is left to do.
            if due < market.due && due < self.close {
                market.due = due;
                self.post.network.queue.push(due, Class::Hours, Happening::Due(SymbolIndex(symbol)));
            }
        }
    }

    fn fall_due(&mut self, now: Time, symbol: SymbolIndex, company: &mut Company<'_, '_>) {
        let market = &mut self.markets[usize::from(symbol.0)];
        market.due = Time(u64::MAX);
        market.exchange.advance(now, &mut Outlet::new(&mut self.post, company));
        self.tell_about_book(now, symbol);
    }

    fn wake(&mut self, now: Time, agent: AgentIndex, company: &mut Company<'_, '_>) {
        if let Some(number) = self.seat_number(agent) {
            self.seats[number].wakeup_due(now);
        }
        self.admit(now, agent, Letter { symbol: SymbolIndex::FIRST, message: Message::Wake }, company);
    }

    fn tick(&mut self, now: Time, company: &mut Company<'_, '_>) {
        let mut ticks = false;
        for number in 0..self.seats.len() {
            let TraderSeat { agent, stopped: None, .. } = self.seats[number] else { continue };
            ticks = true;
            self.admit(now, agent, Letter { symbol: SymbolIndex::FIRST, message: Message::Wake }, company);
        }
        let next = now + self.scenario.tick_interval;
        if ticks && next < self.close {
            self.post.network.queue.set_timer(next, TICK);
        }
    }

    fn arrive(
        &mut self,
        now: Time,
        agent: AgentIndex,
        symbol: SymbolIndex,
        instruction: Instruction,
        company: &mut Company<'_, '_>,
    ) {
        self.messages += 1;
        match instruction {
            Instruction::Request(request) => {
                if let Some(number) = self.seat_number(agent) {
                    self.seats[number].in_flight -= 1;
                }
                let exchange = &mut self.markets[usize::from(symbol.0)].exchange;
                exchange.handle(now, agent, &request, &mut Outlet::new(&mut self.post, company));
            }
            Instruction::Stop => return self.stop(now, agent, company),
            Instruction::Query { window } => {
                let quote = self.markets[usize::from(symbol.0)].exchange.quote();
                let tape = &self.post.tapes[usize::from(symbol.0)];
                let (bought, sold) = if window == Nanos(0) { (0, 0) } else { tape.volume(now, window) };
                let (bid, ask) = (quote.bid.map(|level| level.price), quote.ask.map(|level| level.price));
                let is_call = self.post.changes[usize::from(symbol.0)].is_call();
                let snapshot = MarketSnapshot { bid, ask, bought, sold, is_call };
                return self.post.network.send_to_agent(agent, symbol, now, Message::Snapshot(snapshot));
            }
        }
        self.tell_about_book(now, symbol);
    }

    fn stop(&mut self, now: Time, agent: AgentIndex, company: &mut Company<'_, '_>) {
        for symbol in (0..self.scenario.symbol_count()).map(SymbolIndex) {
            let exchange = &mut self.markets[usize::from(symbol.0)].exchange;
            exchange.stop(now, agent, &mut Outlet::new(&mut self.post, company));
            self.tell_about_book(now, symbol);
        }
    }

    /// Whoever is ruined in one symbol is out in all, and is called no more.
    #[inline]
    fn expel_ruined(&mut self, now: Time, company: &mut Company<'_, '_>) {
        for number in 0..self.markets.len() {
            while let Some(agent) = self.markets[number].exchange.take_ruined() {
                self.expel(now, agent, company);
            }
        }
    }

    #[cold]
    fn expel(&mut self, now: Time, agent: AgentIndex, company: &mut Company<'_, '_>) {
        if let Some(number) = self.seat_number(agent) {
            self.seats[number].stopped.get_or_insert((now, StopCause::Ruined));
        }
        for symbol in (0..self.scenario.symbol_count()).map(SymbolIndex) {
            let exchange = &mut self.markets[usize::from(symbol.0)].exchange;
            exchange.expel(now, agent, &mut Outlet::new(&mut self.post, company));
            self.tell_about_book(now, symbol);
        }
    }

    /// Hands the recorded requests of this time to the exchange, one after the other.
    fn replay(&mut self, now: Time, company: &mut Company<'_, '_>) {
        while let Some(next) = self.post.replay.as_ref().and_then(Replay::next) {
            if next.at > now {
                return self.post.network.queue.push(next.at, Class::Exchange, Happening::Replay);
            }
            if let Some(replay) = &mut self.post.replay {
                replay.advance();
            }
            self.messages += 1;
            let mut outlet = Outlet::new(&mut self.post, company);
            self.markets[0].exchange.handle(now, next.agent, &next.request, &mut outlet);
            self.tell_about_book(now, SymbolIndex::FIRST);
        }
    }

    /// Tells those who want to know of a change that the exchange has just made.
    fn tell_about_book(&mut self, now: Time, symbol: SymbolIndex) {
        if now >= self.close {
            return;
        }
        let Self { markets, post, .. } = self;
        let Market { imbalance, trades, exchange, feed, .. } = &mut markets[usize::from(symbol.0)];
        let network = &mut post.network;
        let is_call = post.changes[usize::from(symbol.0)].is_call();
        if let Some((bought, sold)) = trades.look(&post.tapes[usize::from(symbol.0)], is_call) {
            let quote = exchange.quote();
            let (bid, ask) = (quote.bid.map(|level| level.price), quote.ask.map(|level| level.price));
            for agent in &trades.listeners {
                let snapshot = MarketSnapshot { bid, ask, bought, sold, is_call };
                network.send_to_agent(*agent, symbol, now, Message::Snapshot(snapshot));
            }
        }
        imbalance
            .look(exchange.bid_ask_totals(), |agent| network.send_to_agent(agent, symbol, now, Message::Imbalance));
        if post.watched {
            match feed.changed(now, &mut post.changes[usize::from(symbol.0)]) {
                Publish::Now => self.publish(now, symbol),
                Publish::At(at) => network.queue.push(at, Class::Exchange, Happening::Publish(symbol)),
                Publish::Later => {}
            }
        }
    }

    /// Sends the newest quote to every seat that watches, in the order of the seats.
    fn publish(&mut self, now: Time, symbol: SymbolIndex) {
        // A quote that was held back until after the close would show a book that is gone.
        if now >= self.close {
            return;
        }
        let Market { exchange, feed, .. } = &mut self.markets[usize::from(symbol.0)];
        let mut data = feed.publish(now, exchange, &mut self.post.changes[usize::from(symbol.0)]);
        let mut watchers = self.seats.iter().filter(|seat| seat.watches_market).peekable();
        while let Some(watcher) = watchers.next() {
            let next = watchers.peek().map(|_| feed.copy(&data));
            data.queue.clear();
            let place = |order: &OrderId| Some((*order, exchange.queue_ahead(watcher.agent, *order)?));
            data.queue.extend(watcher.follows.iter().filter_map(place));
            self.post.network.send_to_agent(watcher.agent, symbol, now, Message::MarketData(data));
            let Some(next) = next else { return };
            data = next;
        }
    }

    fn seat(&mut self, agent: AgentIndex) -> (&mut Seat, &mut Letters) {
        (&mut self.post.network.seats[agent.0 as usize], &mut self.letters)
    }

    /// Which of the traders' seats is this agent's, if any is.
    fn seat_number(&self, agent: AgentIndex) -> Option<usize> {
        agent.0.checked_sub(self.first_trader.0).map(|number| number as usize)
    }

    fn admit(&mut self, now: Time, agent: AgentIndex, letter: Letter, company: &mut Company<'_, '_>) {
        if let Some(number) = self.seat_number(agent)
            && !self.post.network.seats[agent.0 as usize].is_free(now)
            && !self.seats[number].must_wait(&letter)
        {
            return;
        }
        let (seat, letters) = self.seat(agent);
        match seat.admit(now, letter, letters) {
            Admission::Now(letter) => self.act(now, agent, letter, company),
            Admission::ServeAt(at) => self.post.network.queue.push(at, Class::Agent, Happening::Serve { agent }),
            Admission::Waits => {}
        }
    }

    fn act(&mut self, now: Time, agent: AgentIndex, letter: Letter, company: &mut Company<'_, '_>) {
        self.messages += 1;
        let network = &mut self.post.network;
        let crowd = network.seats[agent.0 as usize].crowd;
        let Some(crowd) = self.crowds.get_mut(crowd as usize) else {
            let number = (agent.0 - self.first_trader.0) as usize;
            let feed = &mut self.markets[usize::from(letter.symbol.0)].feed;
            return self.seats[number].act(now, letter, &mut *company.traders[number], network, feed);
        };
        // Background agents rest when the market has closed.
        if now >= self.close {
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
