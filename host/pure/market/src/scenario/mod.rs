//! Scenarios: a TOML file that says which market an episode happens in.
//!
//! Invariant: a [`Scenario`] is made by [`Scenario::parse`] or, if it names data files, by [`Draft::complete`] only, so every number in it has been checked against its named limit and
//! nothing below checks again; whoever changes a field of one answers for it. All quantities are in the units of `assay-model`: cents, shares, nanoseconds.
//! Absent on purpose: seeds (an episode's, not a scenario's) and anything about how a strategy is scored.

mod agents;
mod capital;
mod clock;
mod draft;
mod drawn;
mod drawn_halt;
mod error;
mod fundamental;
mod limits;
mod overlay;
mod parse;
mod population;
mod presets;
mod read;
mod recorded;
mod settings;
mod symbols;
mod venue;

pub use agents::{
    AgentGroup, AgentKind, DealerSettings, Ending, ExecutionSettings, FlowSettings, HawkesSettings, InformedSettings,
    MarketMakerSettings, MetaorderSettings, MomentumSettings, NoiseSettings, SizeRange, SpooferSettings, ValueSettings,
};
pub use draft::{Draft, ScenarioData};
pub use drawn::ExecutionPlan;
pub use drawn_halt::DrawnHalt;
pub use error::{ScenarioError, ScenarioFault};
pub use limits::{
    LATENCY_MAX, LEVELS_MAX, POSITION_LIMIT_MAX, SCENARIO_BYTES_MAX, STARTING_CASH_MAX, STARTING_CASH_MIN,
    TICK_INTERVAL_MIN, WAKE_INTERVAL_MIN, WINDOW_MAX,
};
pub use overlay::FindBase;
pub use presets::{Preset, nearest, presets};
pub use recorded::{ReplayMarket, ReplaySource};
pub(crate) use settings::Prefix;
pub use settings::{
    FundamentalSettings, Jitter, MessageKind, MessageSettings, NetworkSettings, OrderSize, OtherSymbol, SEATS_MAX,
    Scenario, SizeShape, Thinking,
};
