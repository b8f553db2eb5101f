//! The course of the reference exchange's session.

use super::{Naive, Order, Phase, Wait};
use assay_market::{AgentIndex, EventKind, PriceBand, SelfTrade, Session};
use assay_model::{OrderId, Price, Reason, Side, Time, UpdateKind};

/// At one time in this order.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub(super) enum Due {
    Halt(usize),
    ClosingCall,
    Auction,
    LimitPause,
    Expire(AgentIndex, OrderId),
}

impl Naive {
    pub(super) fn do_what_is_due(&mut self, now: Time) {
        loop {
            let ripe = self.due.iter().enumerate().filter(|(_, (at, _))| *at <= now);
            let first = ripe.min_by(|(_, a), (_, b)| a.partial_cmp(b).expect("nothing here is without order"));
            let Some((place, _)) = first else { return };
            let (at, due) = self.due.remove(place);
            self.begin(at);
            self.fall_due(due);
        }
    }

    fn fall_due(&mut self, due: Due) {
        match due {
            Due::Halt(number) => self.halt(self.now + self.venue.halts[number].lasts),
            Due::ClosingCall => self.call(Phase::Closing),
            Due::Auction => match self.phase {
                Phase::Opening(until) if until == self.now => self.reopen(&[Wait::Call, Wait::Opening]),
                Phase::Reopening(until) if until == self.now => self.reopen(&[Wait::Call]),
                _ => {}
            },
            Due::LimitPause => {
                let pause = self.venue.limit_pause.expect("it was set off");
                self.watch_limit();
                if self.at_limit_since.is_some_and(|since| since + pause.after == self.now) {
                    self.halt(self.now + pause.lasts);
                }
            }
            Due::Expire(agent, order) => {
                if let Some(order) = self.take_out(agent, order) {
                    self.cancelled(&order, order.id, Reason::Expired);
                }
                self.settle();
            }
        }
    }

    pub(super) fn open(&mut self) {
        self.emit(EventKind::Opened);
        self.phase = Phase::Open;
        let halts = self.venue.halts.iter().enumerate().map(|(number, halt)| (halt.at, Due::Halt(number)));
        self.due.extend(halts);
        self.due.extend(self.venue.closing_auction.map(|from| (from, Due::ClosingCall)));
        if self.venue.opening_auction.0 > 0 {
            self.call(Phase::Opening(self.now + self.venue.opening_auction));
        }
    }

    pub(super) fn close(&mut self, agents: u32) {
        if self.phase == Phase::Closing {
            self.auction(&[Wait::Call, Wait::Closing]);
            self.publish();
        }
        self.phase = Phase::Closed;
        self.due.clear();
        self.emit(EventKind::Closed);
        for agent in 0..agents {
            self.cancel_all(AgentIndex(agent), Reason::MarketClosed);
        }
    }

    pub(super) fn kill(&mut self, agent: AgentIndex, reason: Reason) {
        self.stopped.push((agent, reason));
        self.cancel_all(agent, reason);
    }

    /// What follows a request: stops, the rules that stop trading, the quote.
    pub(super) fn settle(&mut self) {
        let mut set_off: Vec<Order> = Vec::new();
        loop {
            for print in std::mem::take(&mut self.prints) {
                self.set_off(print, &mut set_off);
            }
            if set_off.is_empty() {
                break;
            }
            let next = set_off.remove(0);
            self.trigger(next);
        }
        self.watch();
        self.publish();
    }

    /// Moves the stops that this price sets off to the end of `into`.
    fn set_off(&mut self, print: i64, into: &mut Vec<Order>) {
        let mut chosen: Vec<(u8, i64, usize)> = Vec::new();
        for (place, order) in self.waiting.iter_mut().enumerate() {
            let sign = order.side.sign();
            match &mut order.wait {
                Wait::Stop(stop) if sign * (print - *stop) >= 0 => {
                    chosen.push((if order.side == Side::Buy { 0 } else { 1 }, sign * *stop, place));
                }
                Wait::Trail { by, best } => match *best {
                    Some(best) if sign * (print - best) >= *by => chosen.push((2, 0, place)),
                    Some(seen) if sign * (print - seen) >= 0 => {}
                    _ => *best = Some(print),
                },
                _ => {}
            }
        }
        chosen.sort_unstable();
        into.extend(chosen.iter().map(|(_, _, place)| self.waiting[*place]));
        let gone: Vec<(AgentIndex, OrderId)> =
            chosen.iter().map(|(_, _, place)| (self.waiting[*place].agent, self.waiting[*place].id)).collect();
        self.waiting.retain(|order| !gone.contains(&(order.agent, order.id)));
    }

    pub(super) fn trigger(&mut self, order: Order) {
        self.answer(order.agent, order.id, order.id, order.quantity, UpdateKind::Triggered);
        let at_once = order.all_or_none || (order.price.is_some() && !order.rests);
        let refusal = if order.price.is_some_and(|price| self.is_outside(price)) {
            Some(Reason::OutsideBand)
        } else if self.lacks_power(&order, order.price, order.quantity, None) {
            Some(Reason::BuyingPower)
        } else if self.phase.is_call() && at_once {
            Some(Reason::InAuction)
        } else if order.all_or_none && !self.can_fill(&order) {
            Some(Reason::CannotFill)
        } else {
            None
        };
        match refusal {
            Some(reason) => self.cancelled(&order, order.id, reason),
            None => self.enter(order),
        }
    }

    fn watch(&mut self) {
        let last = self.last.map_or(0, Price::cents);
        for (agent, limits) in self.limits.clone() {
            let is_out = self.stopped.iter().any(|(stopped, _)| *stopped == agent);
            if let Some(reason) = self.end_of(agent, &limits).filter(|_| !is_out) {
                self.kill(agent, reason);
            }
        }
        if let Some(first) = self.first.map(Price::cents) {
            while let Some(breaker) = self.venue.breakers.get(self.breakers_used).copied()
                && (first - last) * 10_000 >= i64::from(breaker.fall_basis_points) * first
            {
                self.breakers_used += 1;
                self.halt(self.now + breaker.lasts);
            }
        }
        self.watch_limit();
    }

    fn watch_limit(&mut self) {
        let Some(pause) = self.venue.limit_pause else { return };
        let tops = [Side::Buy, Side::Sell].map(|side| (side, self.top(side).map(|level| level.price.cents())));
        let presses = self.phase == Phase::Open
            && tops.iter().any(|(side, top)| {
                top.is_some_and(|top| self.edge(*side).is_some_and(|edge| side.sign() * (top - edge) >= 0))
            });
        if !presses {
            self.at_limit_since = None;
        } else if self.at_limit_since.is_none() {
            self.at_limit_since = Some(self.now);
            self.due.push((self.now + pause.after, Due::LimitPause));
        }
    }

    fn halt(&mut self, until: Time) {
        match self.phase {
            Phase::Open => self.call(Phase::Reopening(until)),
            Phase::Reopening(before) if before < until => self.call(Phase::Reopening(until)),
            Phase::Opening(before) if before < until => self.call(Phase::Opening(until)),
            _ => {}
        }
    }

    fn call(&mut self, phase: Phase) {
        if !self.phase.is_call() {
            self.emit(EventKind::Session(Session::Call));
        }
        self.at_limit_since = None;
        self.phase = phase;
        if let Phase::Opening(until) | Phase::Reopening(until) = phase {
            self.due.push((until, Due::Auction));
        }
    }

    fn reopen(&mut self, waits: &[Wait]) {
        self.auction(waits);
        self.phase = Phase::Open;
        self.emit(EventKind::Session(Session::Continuous));
        let (collected, kept): (Vec<Order>, Vec<Order>) =
            self.waiting.iter().partition(|order| waits.contains(&order.wait));
        self.waiting = kept;
        // One after the other: who is still to be entered is not in the book yet, and not among the waiting either.
        for order in collected {
            let asked = order.price.filter(|_| order.rests);
            match asked.map(|asked| self.passive_price(&order, asked)) {
                None => self.cancelled(&order, order.id, Reason::NoLiquidity),
                Some(None) => self.cancelled(&order, order.id, Reason::WouldTrade),
                Some(Some(price)) => {
                    if Some(price) != asked {
                        let moved = UpdateKind::Modified { price: Price::clamped(price) };
                        self.answer(order.agent, order.id, order.id, order.quantity, moved);
                    }
                    self.enter(Order { price: Some(price), ..order });
                }
            }
        }
        self.settle();
    }

    /// Trades at the price at which most can trade, as long as there is a pair.
    fn auction(&mut self, waits: &[Wait]) {
        let reference = self.last.map(Price::cents).or_else(|| {
            let band = self.band.filter(|band| band.basis_points != PriceBand::UNLIMITED);
            band.map(|band| band.opening_reference.cents())
        });
        // Of the band as it is before the first trade.
        let edges = [Side::Buy, Side::Sell].map(|side| self.edge(side));
        self.check_collected(waits);
        self.keep_apart(waits, edges);
        let Some((price, heavy)) = self.auction_price(waits, edges, reference) else { return };
        let first = |naive: &Self, side| naive.first_in_auction(side, price, edges, waits);
        while let (Some(buy), Some(sell)) = (first(self, Side::Buy), first(self, Side::Sell)) {
            let quantity = buy.quantity.min(sell.quantity);
            let [buy, sell] = [buy, sell].map(|order| {
                let rest = Order { quantity: order.quantity - quantity, ..order };
                self.shrink(order.agent, order.id, quantity);
                self.orders.retain(|order| order.quantity > 0);
                self.waiting.retain(|order| order.quantity > 0);
                rest
            });
            let (maker, taker) = if heavy == Side::Buy { (sell, buy) } else { (buy, sell) };
            self.record_trade(&maker, &taker, quantity, price);
        }
    }

    /// What was collected ends if its trader's account can no longer bear it, the newest first.
    fn check_collected(&mut self, waits: &[Wait]) {
        let collected = self.waiting.iter().filter(|order| waits.contains(&order.wait));
        for order in collected.copied().collect::<Vec<_>>().into_iter().rev() {
            if self.is_over(&order) {
                self.take_out(order.agent, order.id);
                self.cancelled(&order, order.id, Reason::BuyingPower);
            }
        }
    }

    /// Each order collected, as it came, meets those of its own trader that came before it, as long as it crosses one: the best price first, of
    /// equals the oldest.
    fn keep_apart(&mut self, waits: &[Wait], edges: Edges) {
        if self.venue.self_trade == SelfTrade::Allow {
            return;
        }
        let name = |order: &Order| (order.agent, order.id);
        let mut earlier: Vec<(AgentIndex, OrderId)> = self.orders.iter().map(name).collect();
        let collected = self.waiting.iter().filter(|order| waits.contains(&order.wait));
        for new in collected.map(name).collect::<Vec<_>>() {
            while let Some(order) = self.named(new) {
                let limit = worst_in_auction(&order, edges);
                let own = earlier.iter().filter(|(agent, _)| *agent == order.agent).filter_map(|old| self.named(*old));
                let met = own.filter(|old| old.side != order.side).filter(|old| {
                    let prices = limit.zip(worst_in_auction(old, edges));
                    prices.is_none_or(|(limit, other)| order.side.sign() * (limit - other) >= 0)
                });
                let rank = |old: &Order| worst_in_auction(old, edges).map(|price| -old.side.sign() * price);
                let Some(old) = met.min_by_key(|old| (rank(old), old.id)) else { break };
                match self.venue.self_trade {
                    SelfTrade::CancelOldest => self.lose(&old, old.quantity),
                    SelfTrade::Decrement => {
                        let by = old.quantity.min(order.quantity);
                        self.lose(&old, by);
                        self.lose(&order, by);
                    }
                    SelfTrade::CancelNewest | SelfTrade::Allow => self.lose(&order, order.quantity),
                }
            }
            earlier.push(new);
        }
    }

    fn named(&self, (agent, order): (AgentIndex, OrderId)) -> Option<Order> {
        let resting = self.resting(agent, order).map(|place| self.orders[place]);
        resting.or_else(|| self.waits(agent, order).map(|place| self.waiting[place]))
    }

    /// Takes shares off an order because it met another of its trader.
    fn lose(&mut self, order: &Order, by: u64) {
        let Order { agent, id, quantity, .. } = *order;
        if by == quantity {
            self.take_out(agent, id);
            self.cancelled(order, id, Reason::SelfTrade);
        } else {
            self.shrink(agent, id, by);
            self.answer(agent, id, id, quantity - by, UpdateKind::Reduced { by: by as u32 });
        }
    }

    fn in_auction<'a>(&'a self, waits: &'a [Wait]) -> impl Iterator<Item = &'a Order> {
        self.orders.iter().chain(self.waiting.iter().filter(|order| waits.contains(&order.wait)))
    }

    fn auction_price(&self, waits: &[Wait], edges: Edges, reference: Option<i64>) -> Option<(i64, Side)> {
        let limits = self.in_auction(waits).filter_map(|order| worst_in_auction(order, edges));
        let candidates: Vec<i64> = limits.chain(reference).collect();
        let wants = |side: Side, price: i64| -> u64 {
            let willing = self.in_auction(waits).filter(|order| order.side == side && accepts(order, edges, price));
            willing.map(|order| order.quantity).sum()
        };
        let best = candidates.into_iter().max_by_key(|price| {
            let (demand, supply) = (wants(Side::Buy, *price), wants(Side::Sell, *price));
            let distance = reference.map_or(0, |reference| (price - reference).abs());
            (demand.min(supply), -(demand.abs_diff(supply) as i64), -distance, *price)
        })?;
        let (demand, supply) = (wants(Side::Buy, best), wants(Side::Sell, best));
        (demand.min(supply) > 0).then_some((best, if demand >= supply { Side::Buy } else { Side::Sell }))
    }

    /// Who trades next: at market, best limit, visible, oldest; those that rest before those that have come since.
    fn first_in_auction(&self, side: Side, price: i64, edges: Edges, waits: &[Wait]) -> Option<Order> {
        let willing = self.in_auction(waits).filter(|order| order.side == side && accepts(order, edges, price));
        let rank = |order: &Order| {
            let waits = order.wait != Wait::Nothing;
            (-side.sign() * order.trades_at(), order.hidden || order.complies, waits, order.rank)
        };
        // The first of equals wins: what waits is in the order in which it came, and has no rank.
        willing.min_by_key(|order| rank(order)).copied()
    }
}

/// The edges of the band for buyers and for sellers.
type Edges = [Option<i64>; 2];

/// The worst price at which the order would trade in an auction; any if none.
fn worst_in_auction(order: &Order, edges: Edges) -> Option<i64> {
    if order.price.is_some() { Some(order.trades_at()) } else { edges[order.side as usize] }
}

fn accepts(order: &Order, edges: Edges, price: i64) -> bool {
    worst_in_auction(order, edges).is_none_or(|worst| order.side.sign() * (worst - price) >= 0)
}
