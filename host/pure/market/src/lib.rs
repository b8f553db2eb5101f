//! A deterministic simulated exchange and the agents that trade on it.
//!
//! Same scenario, same seed, same trader: the same bytes in the event log, whatever the machine or the number of threads.

pub mod book;
mod event;
pub mod exchange;
mod fees;
pub mod log;
pub mod metrics;
mod oracle;
mod owner;
pub mod realism;
pub mod replay;
mod rows;
mod scenario;
mod series;
mod simulation;
mod steps;
mod trader;

pub use event::{AGENTS_MAX, AgentIndex, Event, EventKind, LeftOut, LevelChange, OthersQuote, Session};
pub use exchange::{
    Breaker, EventSink, Exchange, FILL_STEPS_MAX, Halt, LimitPause, Margin, OPEN_ORDERS_MAX, PriceBand,
    QUEUE_STEPS_MAX, SelfTrade, SessionState, TRAILING_STOPS_MAX, TraderLimits, Venue,
};
pub use fees::{Fee, Fees};
pub use log::{EventLog, LogSummary};
pub use oracle::Fundamental;
pub use rows::{DataError, DataFault, GZIP_MAGIC, LINE_BYTES_MAX, ROWS_MAX};
pub use scenario::{
    AgentGroup, AgentKind, DealerSettings, Draft, DrawnHalt, Ending, ExecutionPlan, ExecutionSettings, FindBase,
    FlowSettings, FundamentalSettings, HawkesSettings, InformedSettings, Jitter, LATENCY_MAX, LEVELS_MAX,
    MarketMakerSettings, MessageKind, MessageSettings, MetaorderSettings, MomentumSettings, NetworkSettings,
    NoiseSettings, OrderSize, OtherSymbol, POSITION_LIMIT_MAX, Preset, ReplayMarket, ReplaySource, SCENARIO_BYTES_MAX,
    SEATS_MAX, STARTING_CASH_MAX, STARTING_CASH_MIN, Scenario, ScenarioData, ScenarioError, ScenarioFault, SizeRange,
    SizeShape, SpooferSettings, TICK_INTERVAL_MIN, Thinking, ValueSettings, WAKE_INTERVAL_MIN, WINDOW_MAX, nearest,
    presets,
};
pub use series::{FundamentalSeries, SERIES_ROWS_MAX};
pub use simulation::{
    Episode, INITIALIZE_BEFORE_OPEN, REQUESTS_IN_FLIGHT_MAX, REQUESTS_PER_EPISODE_MAX, ReplayCounts, RosterEntry,
    SeatSummary, StopCause, Summary, WAKEUP_DELAY_MIN, WAKEUPS_PENDING_MAX, WAKEUPS_PER_EPISODE_MAX, roster, simulate,
    simulate_seats,
};
pub use trader::{FuelOf, Inert, Trader, Until};
