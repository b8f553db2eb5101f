//! A measured number, or why there is none.

use super::catalogue::{KPI_COUNT, Kpi};
use std::fmt;

/// Returns of equity below which no Sharpe ratio is given.
pub const RETURNS_MIN: u64 = 30;
/// Of those, returns other than 0 below which none is given: a ratio of one jump says only how many steps there were.
pub const NONZERO_RETURNS_MIN: u64 = 10;
/// Returns of the mid below which no deviation of them is given: its own relative error is then 1/√(2·20), 16%. A half-hour session
/// has fewer than thirty minutes behind its warm-up and before its close.
pub const MID_RETURNS_MIN: u64 = 20;
/// Fills, or trades, below which no average over them is given.
pub const FILLS_MIN: u64 = 20;
/// Spread shocks below which no mean recovery time is given.
pub const SHOCKS_MIN: u64 = 20;

/// What a measure is made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sample {
    /// Returns on a time grid.
    Returns,
    /// Returns other than 0.
    NonzeroReturns,
    /// The trader's fills.
    Fills,
    /// The trader's fills whose later mid was known before the close.
    FillsWithLaterMid,
    /// Trades in the market.
    Trades,
    /// Trades in the market whose later mid was known before the close.
    TradesWithLaterMid,
    /// Orders submitted by the trader.
    Orders,
    /// Shares that rested in the book for the trader.
    RestingShares,
    /// Shares traded in the market.
    MarketShares,
    /// Two-sided quotes.
    Mids,
    /// Recovered spread shocks.
    Shocks,
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Returns => "returns",
            Self::NonzeroReturns => "returns other than 0",
            Self::Fills => "fills",
            Self::FillsWithLaterMid => "fills with a later mid",
            Self::Trades => "trades",
            Self::TradesWithLaterMid => "trades with a later mid",
            Self::Orders => "orders submitted",
            Self::RestingShares => "shares rested in the book",
            Self::MarketShares => "shares traded in the market",
            Self::Mids => "two-sided quotes",
            Self::Shocks => "spread shocks",
        })
    }
}

/// Why a measure has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// The sample is smaller than the least that supports the statistic.
    TooFew {
        /// Of what.
        sample: Sample,
        /// How many there were.
        have: u64,
        /// How many it takes.
        need: u64,
    },
    /// Every return is the same, so that a ratio to their deviation has no value.
    NoVariation,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew { sample, have, need } => write!(f, "{have} {sample}, at least {need} needed"),
            Self::NoVariation => f.write_str("returns do not vary"),
        }
    }
}

/// A measured number, or why there is none. Counts are exact up to 2^53.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Measure {
    /// A finite number in the unit of its [`KpiInfo`](super::KpiInfo).
    Value(f64),
    /// No number.
    Missing(Missing),
}

impl Measure {
    /// The number, if there is one.
    #[must_use]
    pub const fn value(self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(value),
            Self::Missing(_) => None,
        }
    }

    /// `compute()` if the sample holds at least `need`, else missing.
    pub(super) fn given(sample: Sample, have: u64, need: u64, compute: impl FnOnce() -> f64) -> Self {
        if have >= need { Self::Value(compute()) } else { Self::Missing(Missing::TooFew { sample, have, need }) }
    }

    /// `numerator / denominator`, missing when nothing was sampled.
    pub(super) fn ratio(numerator: u64, denominator: u64, sample: Sample) -> Self {
        Self::given(sample, denominator, 1, || numerator as f64 / denominator as f64)
    }
}

/// One [`Measure`] for each [`Kpi`].
#[derive(Clone, PartialEq, Debug)]
pub struct Measures(pub(super) [Measure; KPI_COUNT]);

impl std::ops::Index<Kpi> for Measures {
    type Output = Measure;
    fn index(&self, kpi: Kpi) -> &Measure {
        &self.0[kpi as usize]
    }
}
