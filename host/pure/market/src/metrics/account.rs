//! The trader's books over all symbols: positions, cash, average cost, realised and unrealised profit, drawdown, liquidation.
//!
//! Invariant: cash − starting cash + fees = realised − basis, exactly, after every fill: what average-cost rounding takes from
//! one it gives to the other.

use super::liquidation::proceeds;
use super::marks::{Mark, Mean};
use crate::fees::{Fees, MICROCENTS as MICROS};
use assay_model::{Level, Liquidity, Price, SYMBOLS_MAX, Side, SymbolIndex, Time};

/// Shares of one symbol, what they cost, and what one is worth.
#[derive(Debug, Default)]
struct Holding {
    position: i64,
    basis: i128,
    /// The last two-sided mid of the whole book, in half cents.
    mid: Option<i64>,
    /// The mid without the trader's own orders.
    mark: Mark,
    /// What the position was closed for, once it has been.
    proceeds: Option<i128>,
}

impl Holding {
    /// At the last mid; `None` with shares held and no mid yet.
    fn unrealised(&self) -> Option<i128> {
        match self.mid {
            _ if self.position == 0 => Some(0),
            Some(mid) => Some(i128::from(self.position) * i128::from(mid) * (MICROS / 2) - self.basis),
            None => None,
        }
    }

    /// At the mark; `None` with shares held and no mark yet.
    fn marked(&mut self, at: Time) -> Option<i128> {
        if self.position == 0 {
            return Some(0);
        }
        let Mean { sum, duration } = self.mark.mean(at)?;
        Some((i128::from(self.position) * sum * (MICROS / 2)).div_euclid(duration) - self.basis)
    }
}

/// See the module documentation. All amounts are in micro-cents unless named otherwise.
#[derive(Debug)]
pub(super) struct Account {
    fees: Fees,
    /// By symbol.
    holdings: [Holding; SYMBOLS_MAX],
    /// Symbols in which shares are held.
    held: usize,
    realised: i128,
    fees_paid: i128,
    position_absolute_max: u64,
    equity_change: i128,
    equity_change_max: i128,
    drawdown_max: i128,
}

impl Account {
    pub(super) fn new(fees: Fees) -> Self {
        Self {
            fees,
            holdings: Default::default(),
            held: 0,
            realised: 0,
            fees_paid: 0,
            position_absolute_max: 0,
            equity_change: 0,
            equity_change_max: 0,
            drawdown_max: 0,
        }
    }

    /// Books a fill. Shares that reduce the position realise their profit against the average cost; the rest opens or adds.
    pub(super) fn fill(&mut self, symbol: SymbolIndex, side: Side, price: Price, quantity: u32, liquidity: Liquidity) {
        self.fees_paid += self.fees.of(liquidity, price, quantity);
        let Holding { position, basis, .. } = &mut self.holdings[usize::from(symbol.0)];
        let price = i128::from(price.cents()) * MICROS;
        let held = i128::from(position.unsigned_abs());
        let signed = side.sign() * i64::from(quantity);
        let closes = if position.signum() == -side.sign() { held.min(i128::from(quantity)) } else { 0 };
        if closes > 0 {
            // At `closes == held` the whole basis goes, so rounding never outlives a position.
            let removed = *basis * closes / held;
            self.realised += i128::from(position.signum()) * closes * price - removed;
            *basis -= removed;
        }
        *basis += i128::from(side.sign()) * (i128::from(quantity) - closes) * price;
        *position += signed;
        self.held = self.holdings.iter().filter(|holding| holding.position != 0).count();
        self.position_absolute_max = self.position_absolute_max.max(self.position().unsigned_abs());
    }

    /// A symbol's last two-sided mid is this, in half cents.
    pub(super) fn mid_is(&mut self, symbol: SymbolIndex, half_cents: i64) {
        self.holdings[usize::from(symbol.0)].mid = Some(half_cents);
    }

    /// A symbol's two-sided mid without the trader's own orders is this from `at` on, in half cents.
    pub(super) fn mark(&mut self, symbol: SymbolIndex, at: Time, half_cents: i64) {
        self.holdings[usize::from(symbol.0)].mark.set(at, half_cents);
    }

    /// Looks at equity as of `at`. With shares held and no mark yet, it stays where it was last known.
    pub(super) fn look(&mut self, at: Time) {
        let mut unrealised = Some(0);
        if self.held > 0 {
            unrealised = self.holdings.iter_mut().map(|holding| holding.marked(at)).sum();
        }
        if let Some(unrealised) = unrealised {
            self.see(self.realised + unrealised - self.fees_paid);
        }
    }

    fn see(&mut self, equity_change: i128) {
        self.equity_change = equity_change;
        self.equity_change_max = self.equity_change_max.max(equity_change);
        self.drawdown_max = self.drawdown_max.max(self.drawdown());
    }

    /// Closes a symbol's position against these levels, bids if shares are held and offers if they are owed; they are asked for only if
    /// it takes any.
    pub(super) fn close<I: Iterator<Item = Level>>(
        &mut self,
        symbol: SymbolIndex,
        at: Time,
        levels: impl FnOnce(Side) -> I,
    ) {
        let Self { holdings, fees, .. } = self;
        let holding = &mut holdings[usize::from(symbol.0)];
        let side = if holding.position > 0 { Side::Buy } else { Side::Sell };
        holding.proceeds = (holding.position != 0).then(|| {
            let mark = holding.mark.mean(at);
            proceeds((holding.position, holding.basis), levels(side), mark, fees)
        });
    }

    /// Takes the value of everything closed for equity. What has not been closed by then is closed against an empty book.
    pub(super) fn liquidate(&mut self, at: Time) {
        for symbol in (0..SYMBOLS_MAX as u8).map(SymbolIndex) {
            let Holding { position, proceeds, .. } = &self.holdings[usize::from(symbol.0)];
            if *position != 0 && proceeds.is_none() {
                self.close(symbol, at, |_| std::iter::empty());
            }
        }
        let closed = |holding: &Holding| holding.proceeds.map_or(0, |proceeds| proceeds - holding.basis);
        self.see(self.realised + self.holdings.iter().map(closed).sum::<i128>() - self.fees_paid);
    }

    fn unrealised(&self) -> Option<i128> {
        self.holdings.iter().map(Holding::unrealised).sum()
    }

    fn drawdown(&self) -> i128 {
        self.equity_change_max - self.equity_change
    }

    /// Shares of the first symbol.
    pub(super) fn position(&self) -> i64 {
        self.holdings[0].position
    }

    /// Whether shares of any symbol are held or owed.
    pub(super) fn holds(&self) -> bool {
        self.held > 0
    }

    pub(super) fn position_absolute_max(&self) -> u64 {
        self.position_absolute_max
    }

    pub(super) fn realised_cents(&self) -> f64 {
        to_cents(self.realised)
    }

    /// At the last mid; `None` with shares held and no mid to mark them at.
    pub(super) fn unrealised_cents(&self) -> Option<f64> {
        self.unrealised().map(to_cents)
    }

    /// Realised and unrealised profit less fees, at the last mid.
    pub(super) fn at_mid_cents(&self) -> Option<f64> {
        self.unrealised().map(|unrealised| to_cents(self.realised + unrealised - self.fees_paid))
    }

    /// What it cost to close everything, against the last mid.
    pub(super) fn liquidation_cost_cents(&self) -> Option<f64> {
        self.unrealised().map(|unrealised| to_cents(self.realised + unrealised - self.fees_paid - self.equity_change))
    }

    pub(super) fn fees_cents(&self) -> f64 {
        to_cents(self.fees_paid)
    }

    /// Equity less starting cash, in micro-cents, as last looked at.
    pub(super) fn equity_change(&self) -> i128 {
        self.equity_change
    }

    pub(super) fn equity_change_cents(&self) -> f64 {
        to_cents(self.equity_change)
    }

    pub(super) fn drawdown_cents(&self) -> f64 {
        to_cents(self.drawdown())
    }

    pub(super) fn drawdown_max_cents(&self) -> f64 {
        to_cents(self.drawdown_max)
    }
}

/// Exact up to 2^53 micro-cents (90 million dollars), correctly rounded beyond.
fn to_cents(micros: i128) -> f64 {
    micros as f64 / MICROS as f64
}
