//! The course of a session: open, halts, auctions, close, and whatever falls due in between.

use super::agenda::Due;
use super::auction::{self, Interest, Pair};
use super::exposure::Exposure;
use super::notes::Noted;
use super::waiting::Wait;
use super::{Answers, Call, Entry, Exchange, Phase};
use crate::book::{Handle, Resting};
use crate::{AgentIndex, EventKind, EventSink, Session};
use assay_model::{Liquidity, OrderId, Price, Reason, Side, Time, UpdateKind};

/// Where an order in an auction is to be found.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Book(Handle),
    Waiting(u64),
}

impl Exchange {
    /// Begins the session: trading, or the call of the opening auction.
    pub fn open(&mut self, at: Time, out: &mut (impl EventSink + ?Sized)) {
        debug_assert_eq!(self.phase, Phase::BeforeOpen, "the market opens once");
        let mut answers = Answers { at, symbol: self.symbol, out };
        answers.event(EventKind::Opened);
        self.phase = Phase::Open;
        for (number, halt) in self.venue.halts.iter().enumerate() {
            self.agenda.push(halt.at, Due::Halt(number));
        }
        if let Some(from) = self.venue.closing_auction {
            self.agenda.push(from, Due::ClosingCall);
        }
        if self.venue.opening_auction.0 > 0 {
            self.call(Call::Opening(at + self.venue.opening_auction), &mut answers);
        }
    }

    /// Ends the session, with the closing auction if it has been called; every order left expires, agent by agent. No quote follows.
    pub fn close(&mut self, at: Time, out: &mut (impl EventSink + ?Sized)) {
        debug_assert!(!matches!(self.phase, Phase::BeforeOpen | Phase::Closed), "an open market closes once");
        self.advance(at, out);
        self.refresh_band(at);
        let mut answers = Answers { at, symbol: self.symbol, out };
        if self.phase == Phase::Call(Call::Closing) {
            self.uncross(&[Wait::Call, Wait::Closing], &mut answers);
            self.publish(&mut answers);
        }
        answers.out.closing(at, self.symbol, self);
        self.phase = Phase::Closed;
        self.agenda.clear();
        answers.event(EventKind::Closed);
        for agent in self.accounts.agents() {
            self.cancel_all(agent, Reason::MarketClosed, &mut answers);
        }
    }

    /// Takes an agent's orders out and refuses whatever still arrives from it: the kill switch.
    ///
    /// # Panics
    /// If there is no such agent.
    pub fn stop(&mut self, at: Time, agent: AgentIndex, out: &mut (impl EventSink + ?Sized)) {
        self.take_out_at(at, agent, Reason::TraderStopped, out);
    }

    fn take_out_at(&mut self, at: Time, agent: AgentIndex, reason: Reason, out: &mut (impl EventSink + ?Sized)) {
        self.advance(at, out);
        self.refresh_band(at);
        let mut answers = Answers { at, symbol: self.symbol, out };
        self.kill(agent, reason, &mut answers);
        self.settle_late(&mut answers);
    }

    fn kill<O: EventSink + ?Sized>(&mut self, agent: AgentIndex, reason: Reason, answers: &mut Answers<'_, O>) {
        if self.accounts.stopped(agent).is_none() {
            self.accounts.stop(agent, reason);
        }
        self.cancel_all(agent, reason, answers);
    }

    /// When the exchange must be called next by [`advance`](Self::advance), should no request come before; the end of time if never.
    #[must_use]
    pub fn next_due(&self) -> Time {
        self.agenda.next()
    }

    /// Does what has fallen due until `at`, each thing at its own time: auctions, halts, expiries.
    pub fn advance(&mut self, at: Time, out: &mut (impl EventSink + ?Sized)) {
        while let Some((at, due)) = self.agenda.pop(at) {
            self.fall_due(due, &mut Answers { at, symbol: self.symbol, out });
        }
    }

    fn fall_due<O: EventSink + ?Sized>(&mut self, due: Due, answers: &mut Answers<'_, O>) {
        self.refresh_band(answers.at);
        match due {
            Due::Halt(number) => {
                let until = answers.at + self.venue.halts[number].lasts;
                self.halt(until, answers);
            }
            Due::ClosingCall => self.call(Call::Closing, answers),
            Due::Auction => match self.phase {
                Phase::Call(Call::Opening(until)) if until == answers.at => {
                    self.reopen(&[Wait::Call, Wait::Opening], answers);
                }
                Phase::Call(Call::Reopening(until)) if until == answers.at => self.reopen(&[Wait::Call], answers),
                _ => {}
            },
            Due::LimitPause => {
                // The band may have moved on since anybody asked.
                self.watch_limit(answers.at);
                if let Some(pause) = self.venue.limit_pause
                    && self.at_limit_since.is_some_and(|since| since + pause.after == answers.at)
                {
                    self.halt(answers.at + pause.lasts, answers);
                }
            }
            Due::Expire(agent, order) => {
                self.cancel_one(agent, order, order, Reason::Expired, answers);
                self.settle_late(answers);
            }
        }
    }

    /// As [`settle`](Self::settle), for what is not a request.
    #[inline(never)]
    fn settle_late<O: EventSink + ?Sized>(&mut self, answers: &mut Answers<'_, O>) {
        self.settle(answers);
    }

    /// What follows anything that may have traded: stops, the rules that stop trading, the quote.
    #[inline(always)]
    pub(super) fn settle<O: EventSink + ?Sized>(&mut self, answers: &mut Answers<'_, O>) {
        if !self.notes.prints.is_empty() {
            self.set_off_stops(answers);
        }
        if self.watches {
            self.watch(answers);
        }
        self.publish(answers);
    }

    #[inline(never)]
    fn watch<O: EventSink + ?Sized>(&mut self, answers: &mut Answers<'_, O>) {
        // One after the other: taking one's orders out changes nothing about another's position.
        while let Some((agent, reason)) = self.next_out() {
            self.kill(agent, reason, answers);
            if reason == Reason::Ruined {
                self.ruined.push(agent);
            }
        }
        while let Some(breaker) = self.venue.breakers.get(self.breakers_used)
            && let (Some(first), Some(last)) = (self.notes.first, self.last)
            && (first.cents() - last.cents()) * 10_000 >= i64::from(breaker.fall_basis_points) * first.cents()
        {
            self.breakers_used += 1;
            let until = answers.at + breaker.lasts;
            self.halt(until, answers);
        }
        self.watch_limit(answers.at);
    }

    /// Somebody who has lost what he may, or all, and is not out yet; and which of the two.
    #[inline]
    fn next_out(&mut self) -> Option<(AgentIndex, Reason)> {
        let reference = self.notes.band.as_ref().map(super::Band::reference);
        let now = Some((self.volume, reference));
        if self.judged == now {
            return None;
        }
        let end = |exposure: &Exposure| Some((exposure.agent, exposure.end(self.last, reference)?));
        let mut losers = self.notes.exposures.iter().filter_map(end);
        let found = losers.find(|(agent, _)| self.accounts.stopped(*agent).is_none());
        self.judged = if found.is_none() { now } else { None };
        found
    }

    /// Somebody who has been ruined since this was asked last. Whoever trades in several markets is to be taken out of the others, too.
    pub fn take_ruined(&mut self) -> Option<AgentIndex> {
        self.ruined.pop()
    }

    /// As [`stop`](Self::stop), because the agent was ruined elsewhere.
    ///
    /// # Panics
    /// If there is no such agent.
    pub fn expel(&mut self, at: Time, agent: AgentIndex, out: &mut (impl EventSink + ?Sized)) {
        self.take_out_at(at, agent, Reason::Ruined, out);
    }

    fn watch_limit(&mut self, at: Time) {
        let (Some(pause), Some(band), Phase::Open) = (self.venue.limit_pause, self.notes.limits(), self.phase) else {
            self.at_limit_since = None;
            return;
        };
        let (bid, ask) = (self.book.top(Side::Buy), self.book.top(Side::Sell));
        let at_limit = bid.is_some_and(|bid| bid.price >= band.edge(Side::Buy))
            || ask.is_some_and(|ask| ask.price <= band.edge(Side::Sell));
        if !at_limit {
            self.at_limit_since = None;
        } else if self.at_limit_since.is_none() {
            self.at_limit_since = Some(at);
            self.agenda.push(at + pause.after, Due::LimitPause);
        }
    }

    /// Stops trading until an auction at `until`, or puts the auction off that is being called.
    fn halt<O: EventSink + ?Sized>(&mut self, until: Time, answers: &mut Answers<'_, O>) {
        match self.phase {
            Phase::Open => self.call(Call::Reopening(until), answers),
            Phase::Call(Call::Reopening(before)) if before < until => self.put_off(Call::Reopening(until), until),
            Phase::Call(Call::Opening(before)) if before < until => self.put_off(Call::Opening(until), until),
            _ => {}
        }
    }

    fn put_off(&mut self, call: Call, until: Time) {
        self.phase = Phase::Call(call);
        self.agenda.push(until, Due::Auction);
    }

    /// Begins to collect orders for an auction.
    fn call<O: EventSink + ?Sized>(&mut self, call: Call, answers: &mut Answers<'_, O>) {
        self.at_limit_since = None;
        if !matches!(self.phase, Phase::Call(_)) {
            answers.event(EventKind::Session(Session::Call));
        }
        match call {
            Call::Opening(until) | Call::Reopening(until) => self.put_off(call, until),
            Call::Closing => self.phase = Phase::Call(Call::Closing),
        }
    }

    /// Holds the auction, then goes over to continuous trading.
    fn reopen<O: EventSink + ?Sized>(&mut self, waits: &[Wait], answers: &mut Answers<'_, O>) {
        self.uncross(waits, answers);
        self.phase = Phase::Open;
        answers.event(EventKind::Session(Session::Continuous));
        for (number, entry) in self.waiting.that_wait_for(waits) {
            self.unpark(number);
            self.go_on(entry, answers);
        }
        self.settle_late(answers);
    }

    /// Enters what an auction has left of an order, or ends it: orders at market or for the auction only do not stay.
    fn go_on<O: EventSink + ?Sized>(&mut self, entry: Entry, answers: &mut Answers<'_, O>) {
        let Entry { agent, id, side, limit, quantity, qualifiers, style, stay } = entry;
        let asked = limit.filter(|_| stay == super::Stay::Rest).ok_or(Reason::NoLiquidity);
        // The auction leaves nothing to take, but a price-to-comply order entered before may go to meet this one.
        match asked.and_then(|asked| self.passive(side, asked, qualifiers, style)) {
            Ok(price) => {
                if limit != Some(price) {
                    answers.update(agent, id, id, quantity, UpdateKind::Modified { price });
                }
                self.enter(Entry { limit: Some(price), ..entry }, answers);
            }
            Err(reason) => answers.cancelled(agent, id, reason),
        }
    }

    /// Trades at one price whatever can be traded of what rests and of what waits for the auction.
    fn uncross<O: EventSink + ?Sized>(&mut self, waits: &[Wait], answers: &mut Answers<'_, O>) {
        self.check_collected(waits, answers);
        let (mut interests, places) = self.interests(waits);
        for loss in auction::keep_apart(&mut interests, self.venue.self_trade) {
            let (agent, order, left) = self.owner(places[loss.order], loss.by);
            debug_assert_eq!(left, loss.left, "an order loses what the list says");
            match left {
                0 => answers.cancelled(agent, order, Reason::SelfTrade),
                _ => answers.update(agent, order, order, left, UpdateKind::Reduced { by: loss.by }),
            }
        }
        let reference = self.auction_reference();
        let Some(clearing) = auction::clearing(&interests, reference) else { return };
        for Pair { buy, sell, quantity } in auction::pairs(&interests, clearing.price) {
            let (maker, taker) = if clearing.heavy == Side::Buy { (sell, buy) } else { (buy, sell) };
            let (maker, taker) = (self.owner(places[maker], quantity), self.owner(places[taker], quantity));
            self.record_auction_trade(clearing.price, quantity, clearing.heavy, (maker, taker), answers);
        }
    }

    /// Ends orders that were collected and that their trader's account can no longer bear, the newest first: the market may have moved since
    /// they were accepted.
    fn check_collected<O: EventSink + ?Sized>(&mut self, waits: &[Wait], answers: &mut Answers<'_, O>) {
        let Some(marks) = self.marks() else { return };
        for (number, entry) in self.waiting.that_wait_for(waits).into_iter().rev() {
            let exposure = self.notes.exposures.of_mut(entry.agent);
            if exposure.is_some_and(|exposure| !exposure.bears(entry.side, &marks)) {
                self.unpark(number);
                answers.cancelled(entry.agent, entry.id, Reason::BuyingPower);
            }
        }
    }

    /// The price to which the auction's is to be near, of those at which as much trades.
    pub(super) fn auction_reference(&self) -> Option<Price> {
        self.last.or_else(|| self.notes.limits().map(super::Band::opening_reference))
    }

    /// Everything that takes part in an auction: what rests, then what waits, as it came.
    pub(super) fn interests(&self, waits: &[Wait]) -> (Vec<Interest>, Vec<Place>) {
        let (mut interests, mut places) = (Vec::new(), Vec::new());
        for side in [Side::Buy, Side::Sell] {
            for (price, handle) in self.book.queue(side) {
                let Some(order) = self.book.order(handle) else { continue };
                // A price-to-comply order ranks hidden at the better price.
                let hidden = order.qualifiers.hidden || price != order.price;
                let quantity = order.quantity;
                let Resting { agent, id, .. } = order;
                let limit = Some(price);
                interests.push(Interest { agent, id, side, limit, at_market: false, quantity, hidden });
                places.push(Place::Book(handle));
            }
        }
        for (number, entry) in self.waiting.that_wait_for(waits) {
            let Entry { agent, id, side, quantity, qualifiers, .. } = entry;
            let (limit, at_market) = (self.worst(&entry), entry.limit.is_none());
            interests.push(Interest { agent, id, side, limit, at_market, quantity, hidden: qualifiers.hidden });
            places.push(Place::Waiting(number));
        }
        (interests, places)
    }

    /// Takes shares that have traded off an order; whose it is, which, and what remains of it.
    fn owner(&mut self, place: Place, traded: u32) -> (AgentIndex, OrderId, u32) {
        match place {
            Place::Book(handle) => {
                let order = self.book.order(handle).expect("it rested when the auction began");
                let remaining = order.quantity - traded;
                if remaining == 0 {
                    self.remove(handle);
                } else {
                    self.reduce(handle, &order, traded);
                }
                (order.agent, order.id, remaining)
            }
            Place::Waiting(number) => {
                let (entry, remaining) = self.reduce_waiting(number, traded).expect("it waited when the auction began");
                (entry.agent, entry.id, remaining)
            }
        }
    }

    fn record_auction_trade<O: EventSink + ?Sized>(
        &mut self,
        price: Price,
        quantity: u32,
        taker_side: Side,
        (maker, taker): ((AgentIndex, OrderId, u32), (AgentIndex, OrderId, u32)),
        answers: &mut Answers<'_, O>,
    ) {
        self.volume += u64::from(quantity);
        self.last = Some(price);
        let (at, maker_agent, taker_agent) = (answers.at, maker.0, taker.0);
        let prints = self.waiting.has_triggers();
        self.notes.trade(&Noted { at, price, quantity, taker_side, maker: maker_agent, taker: taker_agent, prints });
        let ids = |(agent, order, _)| (agent, order);
        answers.event(EventKind::Trade { price, quantity, taker_side, maker: ids(maker), taker: ids(taker) });
        for ((agent, order, remaining), liquidity) in [(maker, Liquidity::Maker), (taker, Liquidity::Taker)] {
            answers.update(agent, order, order, remaining, UpdateKind::Fill { price, quantity, liquidity });
        }
    }
}
