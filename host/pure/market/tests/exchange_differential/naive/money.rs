//! What the reference exchange thinks things are worth, and who can afford what.

use super::{Naive, Order};
use assay_market::{AgentIndex, Margin, PriceBand, TraderLimits};
use assay_model::{Liquidity, Price, Reason, Side, Time};

/// Side, worst price and shares of an order.
pub(super) type Claim = (Side, i64, u64);

impl Naive {
    /// Notes a trade for the mean, and what it costs those with limits.
    pub(super) fn note(&mut self, cents: i64, shares: u64, parties: [(AgentIndex, Liquidity); 2]) {
        let is_watched = parties.iter().any(|(agent, _)| self.limits_of(*agent).is_some());
        let counts = self.band.map_or(1, |band| (band.shares / 10).max(1));
        self.trades.push((self.now, cents, (shares as i64).min(i64::from(counts)), is_watched));
        for (agent, liquidity) in parties {
            if let Some(margin) = self.limits_of(agent).and_then(|limits| limits.margin) {
                let fee = margin.fees.of(liquidity, Price::clamped(cents), shares as u32);
                *self.fees.entry(agent).or_default() += fee;
            }
        }
    }

    pub(super) fn limits_of(&self, agent: AgentIndex) -> Option<TraderLimits> {
        self.limits.iter().find(|(limited, _)| *limited == agent).map(|(_, limits)| *limits)
    }

    /// The mean of the shares traded in the window, by its definition.
    pub(super) fn mean(&mut self, band: &PriceBand) -> i64 {
        let keep = i64::from(band.shares.max(1));
        if !self.is_rested {
            // At first the opening reference stands for trades.
            self.trades.insert(0, (Time(0), band.opening_reference.cents(), keep, false));
        }
        self.is_rested = true;
        let is_old = |when: Time, now: Time| when.0 + band.window.0 < now.0;
        let now = self.now;
        self.trades.retain(|(when, _, _, is_watched)| !(*is_watched && is_old(*when, now)));
        // Among others, what is old goes as long as enough stays; all of one time at once.
        while let Some(oldest) = self.trades.iter().find(|trade| !trade.3).map(|trade| trade.0) {
            let stays = |trade: &(Time, i64, i64, bool)| trade.3 || trade.0 != oldest;
            let left: i64 = self.trades.iter().filter(|trade| !trade.3 && stays(trade)).map(|trade| trade.2).sum();
            if !is_old(oldest, now) || left < keep {
                break;
            }
            self.trades.retain(stays);
        }
        let of = |watched: bool| {
            let trades = || self.trades.iter().filter(move |trade| trade.3 == watched);
            (trades().map(|trade| trade.1 * trade.2).sum::<i64>(), trades().map(|trade| trade.2).sum::<i64>())
        };
        let ((value, shares), (watched_value, watched)) = (of(false), of(true));
        let alone = value / shares;
        let counts = watched.min(shares / 4);
        if counts == 0 {
            return alone;
        }
        let all = value + (i128::from(watched_value) * i128::from(counts) / i128::from(watched)) as i64;
        let opening = band.opening_reference.cents();
        let reach = opening * i64::from(band.session_basis_points) / 10_000;
        // Beyond the session's reach only as far as the others went.
        (all / (shares + counts)).max(alone.min(opening - reach)).min(alone.max(opening + reach))
    }

    fn worst_price(&self, side: Side, limit: Option<i64>) -> i64 {
        let reference = || self.reference.or(self.band.map(|band| band.opening_reference.cents())).unwrap_or_default();
        // An edge beyond all prices is the last of them.
        let edge = || self.edge(side).map(|edge| Price::clamped(edge).cents());
        limit.unwrap_or_else(|| edge().unwrap_or_else(reference))
    }

    /// What the agent's orders may come to, this one left out.
    fn claims(&self, agent: AgentIndex, but: Option<&Order>) -> Vec<Claim> {
        let all = self.orders.iter().chain(&self.waiting).filter(|order| order.agent == agent);
        let all = all.filter(|order| but.is_none_or(|but| but.id != order.id));
        all.map(|order| (order.side, self.worst_price(order.side, order.price), order.quantity)).collect()
    }

    fn closes(&self, agent: AgentIndex, side: Side, claims: &[Claim]) -> bool {
        let (held, _) = self.held.get(&agent).copied().unwrap_or_default();
        let open: u64 = claims.iter().filter(|claim| claim.0 == side).map(|claim| claim.2).sum();
        side.sign() * held + open as i64 <= 0
    }

    /// Whether an order of `shares` shares, in place of an old one, is more than the account can bear.
    pub(super) fn lacks_power(&self, order: &Order, price: Option<i64>, shares: u64, old: Option<&Order>) -> bool {
        let Order { agent, side, .. } = *order;
        let mut claims = self.claims(agent, old);
        claims.push((side, self.worst_price(side, price), shares));
        let milder = old.is_some_and(|old| {
            let price = price.zip(old.price).map(|(new, old)| side.sign() * (new - old) <= 0);
            shares <= old.quantity && price.unwrap_or(old.price.is_none())
        });
        !milder && !self.closes(agent, side, &claims) && !self.bears(agent, &claims)
    }

    /// The same of all orders as they are.
    pub(super) fn is_over(&self, order: &Order) -> bool {
        let claims = self.claims(order.agent, None);
        !self.closes(order.agent, order.side, &claims) && !self.bears(order.agent, &claims)
    }

    fn equity(&self, agent: AgentIndex, margin: &Margin, reference: i64) -> i128 {
        let (held, cash) = self.held.get(&agent).copied().unwrap_or_default();
        let fees = self.fees.get(&agent).copied().unwrap_or_default();
        i128::from(margin.capital + cash + held * reference) - ceiling(fees)
    }

    /// If everything traded at its worst price, or any part of it.
    fn bears(&self, agent: AgentIndex, claims: &[Claim]) -> bool {
        let Some(margin) = self.limits_of(agent).and_then(|limits| limits.margin) else { return true };
        let Some(band) = self.band else { return true };
        let reference = self.reference.unwrap_or(band.opening_reference.cents());
        let (held, _) = self.held.get(&agent).copied().unwrap_or_default();
        let (mut losses, mut fees, mut ends) = (0_i128, 0_i128, [i128::from(held); 2]);
        let [maker, taker] = [margin.fees.maker, margin.fees.taker];
        for (side, price, shares) in claims {
            let shares = i128::from(*shares);
            losses += shares * i128::from((side.sign() * (price - reference)).max(0));
            fees += shares * i128::from(maker.microcents_per_share.max(taker.microcents_per_share).max(0));
            let millionths = maker.notional_millionths.max(taker.notional_millionths).max(0);
            fees += shares * i128::from(*price) * i128::from(millionths);
            ends[*side as usize] += i128::from(side.sign()) * shares;
        }
        let left = self.equity(agent, &margin, reference) - losses - ceiling(fees);
        let long = i128::from(margin.long) * ends[0].max(0) * i128::from(reference);
        let short = i128::from(margin.short) * (-ends[1]).max(0) * i128::from(reference);
        left * 10_000 >= long && left * 10_000 >= short
    }

    /// Why somebody with limits is to be taken out.
    pub(super) fn end_of(&self, agent: AgentIndex, limits: &TraderLimits) -> Option<Reason> {
        let (held, cash) = self.held.get(&agent).copied().unwrap_or_default();
        let last = self.last.map_or(0, Price::cents);
        if limits.loss.is_some_and(|loss| -(cash + held * last) >= loss) {
            return Some(Reason::LossLimit);
        }
        let (margin, band) = (limits.margin?, self.band?);
        let reference = self.reference.unwrap_or(band.opening_reference.cents());
        let equity = self.equity(agent, &margin, reference);
        let needed = i128::from(held.abs() * reference) * i128::from(margin.maintenance);
        (equity < 0 || equity * 10_000 < needed).then_some(Reason::Ruined)
    }
}

/// Converts micro-cents to whole cents, rounded up.
fn ceiling(microcents: i128) -> i128 {
    let cents = microcents / 1_000_000;
    if microcents > cents * 1_000_000 { cents + 1 } else { cents }
}
