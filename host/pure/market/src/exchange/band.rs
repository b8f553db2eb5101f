//! The price band: how far from a reference anybody may trade or quote, as on venues with limit-up and limit-down bands; and the reference,
//! by which positions are valued, too.
//!
//! Without a band an order at an absurd price becomes the touch as soon as a side of the book is empty, and whoever trades at the touch
//! trades with it. The reference is the mean price of the shares traded in the last minutes (the LULD plan has the mean of the trades of five), or
//! without a window the last trade, which anybody can walk. A mean in a window is made to be hard to move:
//! - It counts shares, not trades, and of no trade more than a tenth of [`PriceBand::shares`].
//! - It goes back beyond the window as far as it takes to rest on that many shares of trades among others; at first the opening reference
//!   stands for them.
//! - Trades with a watched trader (a strategy) on either side count together for a fifth at most.
//! - It goes further from the opening reference than [`PriceBand::session_basis_points`] only as far as the mean of trades among others does: a
//!   market may trend without end, and no strategy takes it there with its own trades.

use assay_model::{Nanos, Price, Side, Time};
use std::collections::VecDeque;

/// Of the weight of the trades among others, how much those with watched traders come to at most: a fifth of the whole.
const OTHERS_OVER_WATCHED: i64 = 4;
/// Of the shares that the reference rests on, how much one trade counts for at most.
const SHARES_OVER_TRADE: u32 = 10;

/// A band around a reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PriceBand {
    /// The reference before the first trade.
    pub opening_reference: Price,
    /// Half its width, in hundredths of a per cent of the reference; at least a cent. [`UNLIMITED`](Self::UNLIMITED) for a reference alone.
    pub basis_points: u32,
    /// The reference is the mean price of the shares traded for so long, as of the request's arrival. Zero: the last trade, and nothing of what
    /// follows holds.
    pub window: Nanos,
    /// Shares that the reference rests on at least; a tenth of them is the most that one trade counts for.
    pub shares: u32,
    /// How far trades with watched traders may take the reference from the opening one, in hundredths of a per cent of that.
    pub session_basis_points: u32,
}

impl PriceBand {
    /// A width that forbids nothing.
    pub const UNLIMITED: u32 = u32::MAX;
    /// What a scenario's references rest on: ten round lots.
    pub const SHARES: u32 = 1_000;
    /// Widths of the band that a scenario's reference may go from the opening one: room for one and a half further bands either way.
    pub const SESSION_WIDTHS: u32 = 3;

    /// So many hundredths of a per cent off `price`.
    fn off(price: Price, side: Side, basis_points: u32) -> i64 {
        price.cents() + side.sign() * (price.cents() * i64::from(basis_points) / 10_000)
    }
}

/// Trades of one kind in the window: when, with the value and the number of the shares that count of those at one time.
#[derive(Debug, Default)]
struct Pool {
    trades: VecDeque<(Time, i64, i64)>,
    value: i64,
    shares: i64,
}

impl Pool {
    fn add(&mut self, at: Time, price: Price, shares: u32) {
        let shares = i64::from(shares);
        let value = price.cents() * shares;
        match self.trades.back_mut() {
            Some((last, values, number)) if *last == at => (*values, *number) = (*values + value, *number + shares),
            _ => self.trades.push_back((at, value, shares)),
        }
        self.value += value;
        self.shares += shares;
    }

    /// When the oldest trades may go, if `keep` shares stay.
    fn oldest(&self, keep: i64) -> Option<Time> {
        self.trades.front().filter(|(_, _, shares)| self.shares - shares >= keep).map(|(at, _, _)| *at)
    }

    fn drop_before(&mut self, from: Time, keep: i64) {
        while self.oldest(keep).is_some_and(|at| at < from)
            && let Some((_, value, shares)) = self.trades.pop_front()
        {
            self.value -= value;
            self.shares -= shares;
        }
    }
}

/// A band and what its reference is now.
#[derive(Debug)]
pub(super) struct Band {
    rule: PriceBand,
    reference: Price,
    others: Pool,
    watched: Pool,
    /// Until when the reference stays as it is if nothing trades; the past after a trade.
    fresh_until: Time,
}

impl Band {
    pub(super) fn new(rule: PriceBand) -> Self {
        let rule = PriceBand { shares: rule.shares.max(1), ..rule };
        let mut others = Pool::default();
        others.add(Time(0), rule.opening_reference, rule.shares);
        Self { rule, reference: rule.opening_reference, others, watched: Pool::default(), fresh_until: Time(u64::MAX) }
    }

    /// Takes in a trade; with a watched trader on either side or not.
    #[inline]
    pub(super) fn trade(&mut self, at: Time, price: Price, shares: u32, is_watched: bool) {
        if self.rule.window == Nanos(0) {
            self.reference = price;
            return;
        }
        let shares = shares.min((self.rule.shares / SHARES_OVER_TRADE).max(1));
        let pool = if is_watched { &mut self.watched } else { &mut self.others };
        pool.add(at, price, shares);
        self.fresh_until = Time(0);
    }

    /// Brings the reference up to date.
    #[inline]
    pub(super) fn refresh(&mut self, now: Time) {
        if now > self.fresh_until {
            self.refresh_mean(now);
        }
    }

    #[inline(never)]
    fn refresh_mean(&mut self, now: Time) {
        let PriceBand { window, shares: keep, opening_reference, session_basis_points, .. } = self.rule;
        let from = Time(now.0.saturating_sub(window.0));
        self.others.drop_before(from, i64::from(keep));
        self.watched.drop_before(from, 0);
        let oldest = [self.others.oldest(i64::from(keep)), self.watched.oldest(0)];
        self.fresh_until = oldest.into_iter().flatten().min().map_or(Time(u64::MAX), |at| at + window);
        let Pool { value, shares, .. } = self.others;
        let alone = value / shares;
        let counted = self.watched.shares.min(shares / OTHERS_OVER_WATCHED);
        if counted == 0 {
            self.reference = Price::clamped(alone);
            return;
        }
        // Wide, because a day's value times its shares fits no 64 bits.
        let watched = i128::from(self.watched.value) * i128::from(counted) / i128::from(self.watched.shares);
        let mean = (value + watched as i64) / (shares + counted);
        let [lowest, highest] =
            [Side::Sell, Side::Buy].map(|side| PriceBand::off(opening_reference, side, session_basis_points));
        self.reference = Price::clamped(mean.clamp(lowest.min(alone), highest.max(alone)));
    }

    /// What a share is worth by it.
    pub(super) fn reference(&self) -> Price {
        self.reference
    }

    /// Whether it forbids anything.
    pub(super) fn is_limited(&self) -> bool {
        self.rule.basis_points != PriceBand::UNLIMITED
    }

    /// The worst price within the band for somebody who trades on `side`.
    pub(super) fn edge(&self, side: Side) -> Price {
        let reference = self.reference.cents();
        let edge = PriceBand::off(self.reference, side, self.rule.basis_points);
        Price::clamped(if edge == reference { reference + side.sign() } else { edge })
    }

    pub(super) fn contains(&self, price: Price) -> bool {
        (self.edge(Side::Sell)..=self.edge(Side::Buy)).contains(&price)
    }

    pub(super) fn opening_reference(&self) -> Price {
        self.rule.opening_reference
    }
}
