//! What counts for how much: axes, the measures behind them, their scales, the goals and their weights, and every threshold, as data.
//!
//! Invariants: a scale is piecewise linear, monotone, and runs from 1 to 10; the weights of a goal add up to 1. `docs/score.md` holds these
//! tables word for word, which a test checks. A change to anything in this file changes what a score means: raise
//! [`SCORE_VERSION`](super::SCORE_VERSION).

use crate::score_record::Goal;
use serde::{Deserialize, Serialize};

/// The least number of points, and what a vetoed score is.
pub const POINTS_MIN: f64 = 1.0;
/// The greatest number of points.
pub const POINTS_MAX: f64 = 10.0;
/// Points of an effect on the market that is none.
pub const NEUTRAL_EFFECT: f64 = 5.0;
/// Points of no profit, of no reward for risk, and of an execution that pays what every taker pays.
pub const NEUTRAL: f64 = 3.0;

/// Share of requests that the exchange rejected, over all seeds, beyond which the score is vetoed.
pub const REJECTED_SHARE_MAX: f64 = 0.25;
/// Rejections below which their share is not judged.
pub const REJECTIONS_JUDGED_MIN: f64 = 20.0;
/// Loss in one seed, as a share of the starting cash, that counts as ruin even if nobody stopped the strategy.
pub const RUIN_SHARE: f64 = 0.5;
/// Points above doing nothing that a total may have for each point by which a leading axis is above its neutral.
pub const CEILING_PER_POINT: f64 = 1.5;
/// Points of an effect on the market at or below which, with certainty, the total is held at that of doing nothing.
pub const HARM_POINTS: f64 = 1.0;
/// Shares traded, as a share of the baseline's volume, below which execution is not measured.
pub const PARTICIPATION_MIN: f64 = 0.005;
/// Drawdown that is added to each seed's own, as a share of the starting cash: a ratio to nothing is not a merit.
pub const DRAWDOWN_FLOOR: f64 = 0.000_1;
/// What an empty side costs the spread: it counts as this multiple of the baseline's spread.
pub const EMPTY_SPREAD_FACTOR: f64 = 10.0;
/// Cost of a share whose cost cannot be measured, in half spreads.
pub const UNMEASURED_COST: f64 = 2.0;
/// Seeds in the tail: the worst one in this many, rounded up.
pub const TAIL_ONE_IN: usize = 10;

/// What is judged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Profit after all costs.
    Profit,
    /// Reward for the risk taken, and rare large losses.
    Risk,
    /// What trading cost or earned a share.
    Execution,
    /// Effect on volatility.
    Volatility,
    /// Effect on the spread.
    Spread,
    /// Effect on the size at both sides, and on the time a side is empty.
    Liquidity,
}

impl Axis {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 6] =
        [Self::Profit, Self::Risk, Self::Execution, Self::Volatility, Self::Spread, Self::Liquidity];

    /// Its name in data and on the screen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Profit => "profit",
            Self::Risk => "risk",
            Self::Execution => "execution",
            Self::Volatility => "volatility",
            Self::Spread => "spread",
            Self::Liquidity => "liquidity",
        }
    }

    /// Whether it is about the market rather than the strategy.
    #[must_use]
    pub const fn is_effect(self) -> bool {
        matches!(self, Self::Volatility | Self::Spread | Self::Liquidity)
    }

    /// Points of a strategy that neither wins nor loses by it.
    #[must_use]
    pub const fn neutral(self) -> f64 {
        if self.is_effect() { NEUTRAL_EFFECT } else { NEUTRAL }
    }

    /// Points of a strategy that does nothing: without a position there is no risk to judge, without a fill no execution, and what is missing
    /// counts as the least.
    #[must_use]
    pub const fn idle(self) -> f64 {
        match self {
            Self::Risk | Self::Execution => POINTS_MIN,
            Self::Profit | Self::Volatility | Self::Spread | Self::Liquidity => self.neutral(),
        }
    }
}

/// Points by the value of a measure, linear between the knots and flat beyond them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scale(pub &'static [(f64, f64)]);

impl Scale {
    /// Points of a value.
    #[must_use]
    pub fn at(&self, value: f64) -> f64 {
        let knots = self.0;
        let beyond = knots.partition_point(|(x, _)| *x < value);
        match (beyond.checked_sub(1).map(|before| &knots[before]), knots.get(beyond)) {
            (None, Some((_, points))) | (Some((_, points)), None) => *points,
            (Some((x0, y0)), Some((x1, y1))) => y0 + (y1 - y0) * (value - x0) / (x1 - x0),
            (None, None) => POINTS_MIN,
        }
    }
}

/// How a measure compares strategy and baseline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// Sum over seeds of one thing by the sum of another.
    Ratio,
    /// Mean with the strategy by mean of the baseline, less 1.
    Change,
    /// Mean with the strategy less mean of the baseline.
    Difference,
}

/// One measure behind an axis.
#[derive(Clone, Copy, Debug)]
pub struct Gauge {
    /// Of which axis.
    pub axis: Axis,
    /// Name in data.
    pub key: &'static str,
    /// How it is formed.
    pub comparison: Comparison,
    /// What it is, in one line.
    pub what: &'static str,
    /// Points by its value.
    pub scale: Scale,
    /// It can only take points away: where nothing can be better, being no worse is not a merit.
    pub harm_only: bool,
}

const MORE_IS_WORSE: Scale =
    Scale(&[(-0.5, 10.0), (-0.25, 8.5), (-0.1, 6.5), (0.0, 5.0), (0.1, 4.0), (0.2, 3.0), (0.5, 1.0)]);
const LESS_IS_WORSE: Scale =
    Scale(&[(-0.5, 1.0), (-0.25, 3.0), (-0.1, 4.0), (0.0, 5.0), (0.2, 6.5), (1.0, 8.5), (3.0, 10.0)]);
const EMPTY_TIME: Scale = Scale(&[(-0.05, 10.0), (0.0, 5.0), (0.01, 3.0), (0.05, 1.0)]);

/// Every measure behind an axis. An axis with several counts the worst of them.
pub const GAUGES: [Gauge; 10] = [
    Gauge {
        axis: Axis::Profit,
        key: "capture",
        comparison: Comparison::Ratio,
        what: "PnL at liquidation value after fees ÷ what takers paid in the baseline (half the effective spread × volume)",
        scale: Scale(&[(-0.1, 1.0), (0.0, 3.0), (0.005, 4.0), (0.02, 6.0), (0.05, 8.0), (0.1, 9.0), (0.2, 10.0)]),
        harm_only: false,
    },
    Gauge {
        axis: Axis::Risk,
        key: "return_on_drawdown",
        comparison: Comparison::Ratio,
        what: "PnL ÷ (largest drawdown, the session's loss at least, + 1 bp of the starting cash)",
        scale: Scale(&[(-1.0, 1.0), (0.0, 3.0), (0.25, 4.5), (0.5, 6.0), (1.0, 7.5), (2.0, 9.0), (4.0, 10.0)]),
        harm_only: false,
    },
    Gauge {
        axis: Axis::Execution,
        key: "net_half_spreads",
        comparison: Comparison::Ratio,
        what: "(realised half spread earned − realised half spread paid, at 60 s, − fees) a share ÷ the baseline's effective half spread",
        scale: Scale(&[(-2.0, 1.0), (-1.0, 3.0), (-0.5, 4.5), (0.0, 6.0), (0.5, 8.0), (1.0, 10.0)]),
        harm_only: false,
    },
    Gauge {
        axis: Axis::Volatility,
        key: "volatility_10s",
        comparison: Comparison::Change,
        what: "change of volatility on a 10 s grid",
        scale: MORE_IS_WORSE,
        harm_only: false,
    },
    Gauge {
        axis: Axis::Spread,
        key: "spread",
        comparison: Comparison::Change,
        what: "change of the quoted spread, time with an empty side as ten of the baseline's spreads",
        scale: MORE_IS_WORSE,
        harm_only: false,
    },
    Gauge {
        axis: Axis::Spread,
        key: "market_effective_spread",
        comparison: Comparison::Change,
        what: "change of the effective spread of all trades",
        scale: MORE_IS_WORSE,
        harm_only: false,
    },
    Gauge {
        axis: Axis::Liquidity,
        key: "bid_size",
        comparison: Comparison::Change,
        what: "change of the size at the best bid",
        scale: LESS_IS_WORSE,
        harm_only: false,
    },
    Gauge {
        axis: Axis::Liquidity,
        key: "ask_size",
        comparison: Comparison::Change,
        what: "change of the size at the best offer",
        scale: LESS_IS_WORSE,
        harm_only: false,
    },
    Gauge {
        axis: Axis::Liquidity,
        key: "bid_empty_time",
        comparison: Comparison::Difference,
        what: "change of the share of the session without a bid",
        scale: EMPTY_TIME,
        harm_only: true,
    },
    Gauge {
        axis: Axis::Liquidity,
        key: "ask_empty_time",
        comparison: Comparison::Difference,
        what: "change of the share of the session without an offer",
        scale: EMPTY_TIME,
        harm_only: true,
    },
];

/// Points taken from the risk axis by the mean loss of the worst seeds (one in [`TAIL_ONE_IN`]), as a share of the starting cash.
pub const TAIL_LOSS: Scale = Scale(&[(0.0, 0.0), (0.01, 1.0), (0.05, 3.0), (0.25, 6.0)]);

/// A goal's weights and what leads it.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Which goal.
    pub goal: Goal,
    /// Its name in data and on the command line.
    pub name: &'static str,
    /// Weights in the order of [`Axis::ALL`].
    pub weights: [f64; 6],
    /// Axes of which one must be above its neutral, certainly, for a total above that of doing nothing.
    pub leads: &'static [Axis],
}

/// Every goal.
pub const PROFILES: [Profile; 5] = [
    Profile {
        goal: Goal::Balanced,
        name: "balanced",
        weights: [0.35, 0.20, 0.20, 0.08, 0.08, 0.09],
        leads: &[Axis::Profit],
    },
    Profile {
        goal: Goal::Profit,
        name: "profit",
        weights: [0.60, 0.15, 0.10, 0.05, 0.05, 0.05],
        leads: &[Axis::Profit],
    },
    Profile { goal: Goal::Risk, name: "risk", weights: [0.20, 0.50, 0.10, 0.06, 0.07, 0.07], leads: &[Axis::Profit] },
    Profile {
        goal: Goal::Execution,
        name: "execution",
        weights: [0.15, 0.15, 0.50, 0.06, 0.07, 0.07],
        leads: &[Axis::Profit, Axis::Execution],
    },
    Profile {
        goal: Goal::Impact,
        name: "impact",
        weights: [0.15, 0.10, 0.15, 0.20, 0.20, 0.20],
        leads: &[Axis::Profit, Axis::Volatility, Axis::Spread, Axis::Liquidity],
    },
];

impl Goal {
    /// Weights and leads.
    #[must_use]
    pub const fn profile(self) -> &'static Profile {
        &PROFILES[self as usize]
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.profile().name
    }

    /// The total of a strategy that does nothing.
    #[must_use]
    pub fn idle(self) -> f64 {
        Axis::ALL.iter().zip(&self.profile().weights).map(|(axis, weight)| axis.idle() * weight).sum()
    }
}
