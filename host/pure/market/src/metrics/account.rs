//! The trader's books over all symbols: positions, cash, average cost, realised and unrealised profit, drawdown.
//!
//! Invariant: cash − starting cash + fees = realised − basis, exactly, after every fill: what average-cost rounding takes from
//! one it gives to the other.

use crate::fees::{Fees, MICROCENTS as MICROS};
use assay_model::{Liquidity, Price, SYMBOLS_MAX, Side, SymbolIndex};

/// Shares of one symbol, what they cost, and what one was last worth in half cents.
#[derive(Clone, Copy, Debug, Default)]
struct Holding {
    position: i64,
    basis: i128,
    mid: Option<i64>,
}

impl Holding {
    /// `None` with shares held and no mid yet.
    fn unrealised(&self) -> Option<i128> {
        match self.mid {
            _ if self.position == 0 => Some(0),
            Some(mid) => Some(i128::from(self.position) * i128::from(mid) * (MICROS / 2) - self.basis),
            None => None,
        }
    }
}

/// See the module documentation. All amounts are in micro-cents unless named otherwise.
#[derive(Debug)]
pub(super) struct Account {
    fees: Fees,
    /// By symbol.
    holdings: [Holding; SYMBOLS_MAX],
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
            holdings: [Holding::default(); SYMBOLS_MAX],
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
        self.position_absolute_max = self.position_absolute_max.max(self.position().unsigned_abs());
    }

    /// Marks a symbol at a mid given in half cents. With shares held and no mid yet, equity stays where it was last known.
    pub(super) fn mark(&mut self, symbol: SymbolIndex, mid_half_cents: Option<i64>) {
        self.holdings[usize::from(symbol.0)].mid = mid_half_cents;
        if let Some(unrealised) = self.unrealised() {
            self.equity_change = self.realised + unrealised - self.fees_paid;
            self.equity_change_max = self.equity_change_max.max(self.equity_change);
            self.drawdown_max = self.drawdown_max.max(self.drawdown());
        }
    }

    fn unrealised(&self) -> Option<i128> {
        self.holdings.iter().map(Holding::unrealised).sum()
    }

    fn drawdown(&self) -> i128 {
        self.equity_change_max - self.equity_change
    }

    /// What a symbol was last marked at, in half cents.
    pub(super) fn mid(&self, symbol: SymbolIndex) -> Option<i64> {
        self.holdings[usize::from(symbol.0)].mid
    }

    /// Shares of the first symbol.
    pub(super) fn position(&self) -> i64 {
        self.holdings[0].position
    }

    pub(super) fn position_absolute_max(&self) -> u64 {
        self.position_absolute_max
    }

    pub(super) fn realised_cents(&self) -> f64 {
        to_cents(self.realised)
    }

    /// `None` with shares held and no mid to mark them at.
    pub(super) fn unrealised_cents(&self) -> Option<f64> {
        self.unrealised().map(to_cents)
    }

    pub(super) fn fees_cents(&self) -> f64 {
        to_cents(self.fees_paid)
    }

    /// Equity less starting cash, in micro-cents, as last marked.
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
