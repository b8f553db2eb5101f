//! What the reference exchange refuses.

use super::{Naive, Order, Phase, Wait};
use assay_market::{AgentIndex, OPEN_ORDERS_MAX, PriceBand, SelfTrade, TRAILING_STOPS_MAX};
use assay_model::{
    Display, PRICE_MAX_CENTS, PostOnly, Price, QUANTITY_MAX, Reason, Request, RequestKind, Side, Terms, TimeInForce,
    Trigger,
};

fn bad_price(cents: i64) -> bool {
    cents <= 0 || cents > PRICE_MAX_CENTS
}

fn bad_quantity(shares: u64) -> bool {
    shares == 0 || shares > QUANTITY_MAX
}

impl Naive {
    pub(super) fn complaint(&self, agent: AgentIndex, request: &Request) -> Option<Reason> {
        match self.phase {
            Phase::Before => return Some(Reason::MarketNotOpen),
            Phase::Closed => return Some(Reason::MarketClosed),
            _ => {}
        }
        if let Some((_, reason)) = self.stopped.iter().find(|(stopped, _)| *stopped == agent) {
            return Some(*reason);
        }
        if let Some(terms) = Self::terms_of(request) {
            let plain_market = matches!(request.kind, RequestKind::Market { .. });
            return self.complaint_about_order(agent, request, &terms, plain_market);
        }
        let (order, change) = match request.kind {
            RequestKind::Cancel { order } | RequestKind::Reduce { order, .. } => (order, None),
            RequestKind::Modify { order, price, quantity } | RequestKind::Replace { order, price, quantity } => {
                (order, Some((price, quantity)))
            }
            _ => return None,
        };
        if let Some((price, quantity)) = change {
            if bad_price(price) {
                return Some(Reason::InvalidPrice);
            }
            if bad_quantity(quantity) {
                return Some(Reason::InvalidQuantity);
            }
            if self.is_outside(price) {
                return Some(Reason::OutsideBand);
            }
        }
        if matches!(request.kind, RequestKind::Reduce { by: 0, .. }) {
            return Some(Reason::InvalidQuantity);
        }
        let (resting, waits) = (self.resting(agent, order), self.waits(agent, order));
        let Some(old) = resting.map(|place| self.orders[place]).or(waits.map(|place| self.waiting[place])) else {
            return Some(Reason::UnknownOrder);
        };
        let (price, quantity) = change?;
        if waits.is_some() && (old.price.is_none() || matches!(request.kind, RequestKind::Replace { .. })) {
            return Some(Reason::OrderWaits);
        }
        if self.goes_beyond_the_limit(agent, old.side, quantity, old.quantity) {
            return Some(Reason::PositionLimit);
        }
        if self.lacks_power(&old, Some(price), quantity, Some(&old)) {
            return Some(Reason::BuyingPower);
        }
        self.passive_price(&old, price).is_none().then_some(Reason::WouldTrade)
    }

    fn complaint_about_order(
        &self,
        agent: AgentIndex,
        request: &Request,
        terms: &Terms,
        plain_market: bool,
    ) -> Option<Reason> {
        let order = self.order_of(agent, request.id, terms);
        if contradictory(terms) {
            return Some(Reason::InvalidTerms);
        }
        if order.expires.is_some_and(|date| date <= self.now) {
            return Some(Reason::Expired);
        }
        if order.price.is_some_and(bad_price) {
            return Some(Reason::InvalidPrice);
        }
        if bad_quantity(order.quantity) || (terms.display == Display::Iceberg && bad_quantity(order.peak)) {
            return Some(Reason::InvalidQuantity);
        }
        if order.price.is_some_and(|price| self.is_outside(price)) {
            return Some(Reason::OutsideBand);
        }
        let of_agent = |orders: &[Order]| orders.iter().filter(|order| order.agent == agent).count();
        match order.wait {
            Wait::Trail { .. } => {
                let trails = self.waiting.iter().filter(|order| order.agent == agent);
                let trails = trails.filter(|order| matches!(order.wait, Wait::Trail { .. })).count();
                if trails >= TRAILING_STOPS_MAX {
                    return Some(Reason::TooManyOpenOrders);
                }
                if bad_price(i64::from(terms.trigger_at)) {
                    return Some(Reason::InvalidPrice);
                }
            }
            Wait::Stop(stop) if bad_price(stop) => return Some(Reason::InvalidPrice),
            _ => {}
        }
        // A market order that trades at once leaves nothing open.
        let room = plain_market && self.phase == Phase::Open;
        if !room && of_agent(&self.orders) + of_agent(&self.waiting) >= OPEN_ORDERS_MAX as usize {
            return Some(Reason::TooManyOpenOrders);
        }
        if self.goes_beyond_the_limit(agent, order.side, order.quantity, 0) {
            return Some(Reason::PositionLimit);
        }
        if self.lacks_power(&order, order.price, order.quantity, None) {
            return Some(Reason::BuyingPower);
        }
        let opening = matches!(self.phase, Phase::Opening(_));
        match terms.time_in_force {
            TimeInForce::AtOpen if !opening => return Some(Reason::NoAuction),
            TimeInForce::AtClose if self.venue.closing_auction.is_none() => return Some(Reason::NoAuction),
            TimeInForce::ImmediateOrCancel | TimeInForce::FillOrKill
                if terms.trigger == Trigger::None && self.phase.is_call() =>
            {
                return Some(Reason::InAuction);
            }
            _ => {}
        }
        if order.price.is_some_and(|price| self.passive_price(&order, price).is_none()) {
            return Some(Reason::WouldTrade);
        }
        (order.all_or_none && order.wait == Wait::Nothing && !self.can_fill(&order)).then_some(Reason::CannotFill)
    }

    /// The furthest price within the band, by its definition.
    pub(super) fn edge(&self, side: Side) -> Option<i64> {
        let band = self.band.filter(|band| band.basis_points != PriceBand::UNLIMITED)?;
        let reference = self.reference.unwrap_or(band.opening_reference.cents());
        Some(reference + side.sign() * (i64::from(band.basis_points) * reference / 10_000).max(1))
    }

    /// By the definition, in fractions: further away than the share allows, and further than a cent.
    pub(super) fn is_outside(&self, price: i64) -> bool {
        self.band.is_some_and(|band| {
            let reference = self.reference.unwrap_or(band.opening_reference.cents());
            let distance = (price - reference).abs();
            distance > 1 && distance * 10_000 > i64::from(band.basis_points) * reference
        })
    }

    /// Everything the trader holds and everything that could trade on this side, with `new` shares for `old`.
    fn goes_beyond_the_limit(&self, agent: AgentIndex, side: Side, new: u64, old: u64) -> bool {
        let Some(limits) = self.limits_of(agent) else { return false };
        let (held, _) = self.held.get(&agent).copied().unwrap_or_default();
        let all = self.orders.iter().chain(&self.waiting);
        let open: u64 =
            all.filter(|order| order.agent == agent && order.side == side).map(|order| order.quantity).sum();
        held * side.sign() + (open + new) as i64 - old as i64 > i64::from(limits.position)
    }

    /// Where an order may be entered that wants `price`; none if nowhere.
    pub(super) fn passive_price(&self, order: &Order, price: i64) -> Option<i64> {
        if !order.post_only || self.phase != Phase::Open {
            return Some(price);
        }
        let met = self.orders.iter().filter(|other| other.meets(order.side, price)).map(Order::trades_at);
        let Some(best) = met.min_by_key(|met| order.side.sign() * met) else { return Some(price) };
        let slid = best - order.side.sign();
        (order.slides && Price::new(slid).is_some() && !self.is_outside(slid)).then_some(slid)
    }

    /// Whether the order could trade in full at once. Without self-trades, its trader's own orders count for nothing if they give way,
    /// and spoil it wherever it would have to go otherwise.
    pub(super) fn can_fill(&self, order: &Order) -> bool {
        let worst = order.price.or_else(|| self.edge(order.side)).unwrap_or(order.trades_at());
        let met: Vec<&Order> = self.orders.iter().filter(|other| other.meets(order.side, worst)).collect();
        let mut prices: Vec<i64> = met.iter().map(|other| other.trades_at()).collect();
        prices.sort_by_key(|price| order.side.sign() * price);
        for price in prices {
            let reached = || met.iter().filter(|other| order.side.sign() * (price - other.trades_at()) >= 0);
            let own = reached().any(|other| other.agent == order.agent);
            if own && matches!(self.venue.self_trade, SelfTrade::CancelNewest | SelfTrade::Decrement) {
                return false;
            }
            let counts = |other: &Order| other.agent != order.agent || self.venue.self_trade == SelfTrade::Allow;
            let found: u64 = reached().filter(|other| counts(other)).map(|other| other.quantity).sum();
            if found >= order.quantity {
                return true;
            }
        }
        false
    }
}

/// Rule by rule, as the order protocol has them.
fn contradictory(terms: &Terms) -> bool {
    let at_market = terms.price == 0;
    let never_rests = !matches!(terms.time_in_force, TimeInForce::Day | TimeInForce::GoodTill);
    let auction = matches!(terms.time_in_force, TimeInForce::AtOpen | TimeInForce::AtClose);
    let (styled, posts) = (terms.display != Display::Full, terms.post_only != PostOnly::No);
    let comply = terms.display == Display::Comply;
    let waits = terms.trigger != Trigger::None;
    (at_market && (styled || posts))
        || (at_market && terms.time_in_force == TimeInForce::GoodTill && !waits)
        || (never_rests && (styled || posts))
        || (comply && posts)
        || (waits && (auction || posts || comply))
}
