//! The ways in which the host calls a strategy.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The five ways in which the host calls a strategy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Callback {
    /// Before the market opens; instantiation counts as part of it.
    Initialize,
    /// A tick or a wake-up.
    OnTick,
    /// A new quote.
    OnMarketData,
    /// News of a request or an order.
    OnOrderUpdate,
    /// After the close.
    OnSimulationEnd,
}

impl Callback {
    /// All of them, in the order of [`Usage`](crate::Usage)'s fields.
    pub const ALL: [Self; 5] =
        [Self::Initialize, Self::OnTick, Self::OnMarketData, Self::OnOrderUpdate, Self::OnSimulationEnd];

    /// The name in the guest interface.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Initialize => "initialize",
            Self::OnTick => "on-tick",
            Self::OnMarketData => "on-market-data",
            Self::OnOrderUpdate => "on-order-update",
            Self::OnSimulationEnd => "on-simulation-end",
        }
    }
}

impl fmt::Display for Callback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
