//! Three naive strategies, whose profit says what a market gives away: a maker with a fixed spread, a follower of the last minute, and one who trades
//! against it. Whoever knows nothing and reacts to nothing but this must earn about nothing after fees.
//!
//! Each acts once a second, or once a minute, with [`LOT`] shares, and is flat again [`FLAT_BEFORE`] the close:
//!
//! - *Maker*: bids and offers a lot on each side of the mid, at half of the market's mean spread of the day, which it is told, whatever happens; no more on
//!   a side on which it holds [`LOTS_MAX`] lots.
//! - *Trend*: when the mid has moved by more than [`SIGNAL`] times the mean absolute move of the minutes so far, holds a lot in that direction until the
//!   opposite signal. Fewer signals cost less, so that what is measured is the market and not its spread.
//! - *Reversal*: the same in the opposite direction.
//!
//! Invariants: prices are those without own orders; equity is marked at the mean mid of the last ten seconds; a strategy that never trades has no Sharpe ratio.

use assay_model::{Desk, Nanos, OrderUpdate, Qualifiers, RequestKind, Seed, Side, StrategyConfig, Time};
use std::ops::ControlFlow;

use crate::trader::Until;
use crate::{Scenario, Trader, simulate};

/// Shares of an order.
pub const LOT: i64 = 100;
/// Most lots that the maker holds, long or short.
pub const LOTS_MAX: i64 = 5;
/// A move larger than this many mean absolute moves is a signal: about one minute in a hundred.
pub const SIGNAL: f64 = 4.0;
/// Days that each seed stands for, where the Sharpe ratio is estimated: that of one day has a standard error of 16 at least, that of a hundred one of 1.6, which a limit of 5
/// cannot bear. The further days have seeds that are [`DAYS_APART`] apart.
pub const DAYS: u64 = 6;
/// Far more than anybody numbers seeds.
pub const DAYS_APART: u64 = 1 << 32;
/// No position is held in the last part of a session.
pub const FLAT_BEFORE: Nanos = Nanos::from_secs(60);

const MINUTE: usize = 60;
/// Mids whose mean marks a position.
const MARKED: usize = 10;
/// Minutes that must have passed before a move can be called large.
const MINUTES_MIN: usize = 10;
/// Least changes of equity that give a ratio.
const CHANGES_MIN: usize = 30;
/// Minutes of trading in a year: 252 days of six and a half hours.
const MINUTES_A_YEAR: f64 = 252.0 * 390.0;

/// One of the strategies; see the module documentation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reference {
    /// Makes a market with a fixed spread.
    Maker,
    /// Follows the last minute.
    Trend,
    /// Trades against the last minute.
    Reversal,
}

impl Reference {
    /// Each of them.
    pub const ALL: [Self; 3] = [Self::Maker, Self::Trend, Self::Reversal];
}

/// The mean of the annualised Sharpe ratios of the changes of equity a minute, after fees, of the [`DAYS`] of a seed, in a market whose mean spread is `spread`
/// cents; `None` if it never traded or traded too briefly. Days that are given up because `is_over` says so do not count.
#[must_use]
pub fn sharpe(
    scenario: &Scenario,
    seed: Seed,
    reference: Reference,
    spread: f64,
    is_over: &dyn Fn() -> bool,
) -> Option<f64> {
    let seeds = (0..DAYS).map(|day| Seed(seed.0.wrapping_add(day * DAYS_APART)));
    let of_day = |seed| {
        let mut player = Until::new(Player::new(reference, scenario.new_desk(seed), spread), is_over);
        simulate(scenario, seed, &mut player, &mut ());
        sharpe_of_day(&player.into_finished()?)
    };
    let ratios: Vec<f64> = seeds.filter_map(of_day).collect();
    (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64)
}

fn sharpe_of_day(player: &Player) -> Option<f64> {
    let changes: Vec<f64> = player.equity.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let count = changes.len() as f64;
    let mean = changes.iter().sum::<f64>() / count;
    let variance = changes.iter().map(|change| (change - mean) * (change - mean)).sum::<f64>() / count;
    let ratio = mean / variance.sqrt() * MINUTES_A_YEAR.sqrt();
    (changes.len() >= CHANGES_MIN && ratio.is_finite()).then_some(ratio)
}

struct Player {
    reference: Reference,
    desk: Desk,
    /// When it is next due; its own wake-ups do not depend on the scenario's ticks.
    next: Time,
    flat_from: Time,
    /// The mid of each second so far at which there was one.
    mids: Vec<f64>,
    /// Distance of the maker's quotes from the mid, in cents.
    half_spread: f64,
    /// Prices at which it last quoted.
    quoted: Option<(i64, i64)>,
    /// The mid at the last whole minute, and the absolute moves so far.
    minute_mid: Option<f64>,
    moves: (usize, f64),
    seconds: usize,
    /// In cents, at each whole minute.
    equity: Vec<f64>,
}

impl Player {
    fn new(reference: Reference, desk: Desk, spread: f64) -> Self {
        Self {
            reference,
            desk,
            next: Time(0),
            flat_from: Time(0),
            mids: Vec::new(),
            half_spread: spread / 2.0,
            quoted: None,
            minute_mid: None,
            moves: (0, 0.0),
            seconds: 0,
            equity: Vec::new(),
        }
    }

    /// The best price of a side without own orders, in cents.
    fn best(&self, side: Side) -> Option<i64> {
        let others = self.desk.depth(side).iter().find(|level| {
            let own = self.desk.open_orders().filter(|order| order.side == side && order.price == level.price.cents());
            own.map(|order| order.remaining).sum::<u64>() < level.quantity
        });
        others.map(|level| level.price.cents())
    }

    /// One second's work.
    fn act(&mut self) {
        if let (Some(bid), Some(ask)) = (self.best(Side::Buy), self.best(Side::Sell)) {
            self.mids.push(f64::midpoint(bid as f64, ask as f64));
        }
        self.seconds += 1;
        let flat = self.desk.now() >= self.flat_from;
        if self.seconds.is_multiple_of(MINUTE) {
            self.mark();
            if self.reference != Reference::Maker && !flat {
                self.follow();
            }
        }
        if flat {
            self.withdraw();
            self.hold(0);
        } else if self.reference == Reference::Maker {
            self.quote();
        }
    }

    fn mark(&mut self) {
        let last = &self.mids[self.mids.len().saturating_sub(MARKED)..];
        if last.is_empty() {
            return;
        }
        let mid = last.iter().sum::<f64>() / last.len() as f64;
        self.equity.push(self.desk.cash() as f64 + self.desk.position() as f64 * mid);
    }

    /// Trades on the last minute's move if that was large.
    fn follow(&mut self) {
        let Some(mid) = self.mids.last().copied() else { return };
        if let Some(before) = self.minute_mid {
            let (count, sum) = self.moves;
            let change = mid - before;
            if count >= MINUTES_MIN && change.abs() > SIGNAL * sum / count as f64 {
                let with = if change > 0.0 { LOT } else { -LOT };
                self.hold(if self.reference == Reference::Trend { with } else { -with });
            }
            self.moves = (count + 1, sum + change.abs());
        }
        self.minute_mid = Some(mid);
    }

    /// Buys or sells at market until it holds `target` shares.
    fn hold(&mut self, shares: i64) {
        let missing = shares - self.desk.position();
        let side = if missing > 0 { Side::Buy } else { Side::Sell };
        // What was sent before may still be on its way.
        if missing != 0 && self.desk.open_orders_all() == 0 {
            self.send(RequestKind::Market { side, quantity: missing.unsigned_abs() });
        }
    }

    fn withdraw(&mut self) {
        if self.quoted.take().is_some() {
            self.send(RequestKind::CancelAll);
        }
    }

    /// Quotes around the mid, unless the quotes stand already.
    fn quote(&mut self) {
        let (Some(mid), half_spread) = (self.mids.last(), self.half_spread) else { return };
        let prices = ((mid - half_spread).round() as i64, (mid + half_spread).round() as i64);
        if self.quoted == Some(prices) && self.desk.open_orders_all() == 2 {
            return;
        }
        self.withdraw();
        self.quoted = Some(prices);
        let position = self.desk.position();
        for (side, price) in [(Side::Buy, prices.0), (Side::Sell, prices.1)] {
            if position * side.sign() <= (LOTS_MAX - 1) * LOT {
                let qualifiers = Qualifiers { post_only: true, ..Qualifiers::default() };
                self.send(RequestKind::Limit { side, price, quantity: LOT as u64, qualifiers });
            }
        }
    }

    /// The desk's limits are far above what is asked here.
    fn send(&mut self, kind: RequestKind) {
        let _ = self.desk.submit(kind);
    }
}

impl Trader for Player {
    fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }

    fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()> {
        self.desk.mute_market_data();
        self.next = config.market_open;
        self.flat_from = Time(config.market_close.0.saturating_sub(FLAT_BEFORE.0));
        let _ = self.desk.wake_at(self.next);
        ControlFlow::Continue(())
    }

    fn on_tick(&mut self) -> ControlFlow<()> {
        if self.desk.now() >= self.next {
            self.next = self.next + Nanos::SECOND;
            let _ = self.desk.wake_at(self.next);
            self.act();
        }
        ControlFlow::Continue(())
    }

    fn on_market_data(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn on_order_update(&mut self, _: &OrderUpdate) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        self.mark();
        ControlFlow::Continue(())
    }
}
