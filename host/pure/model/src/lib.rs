//! Words that every part of Assay shares: units, ids, seeds and random streams, the order protocol, the trading desk, what models cost, and what a
//! misspelt word was meant to be.
//!
//! Invariants: nothing here reads a clock, the environment, a file or a hash map's order; every type is plain data.
//! Absent on purpose: matching rules (they live in `assay-market`) and anything about WebAssembly.

mod budget;
mod cost;
mod desk;
mod fee;
mod feed;
mod holding;
mod order;
mod random;
mod terms;
mod units;
mod words;

pub use budget::{Budget, PYTHON_FUEL_FACTOR, PYTHON_MEMORY_BYTES};
pub use cost::{dollars, known_dollars};
pub use desk::{
    DEPTH_LEVELS, Desk, DeskLimit, FOLLOWED_MAX, LOG_BYTES_MAX, LogLine, OpenOrder, PRINTS_KEPT, Queued,
    REQUESTS_PER_CALLBACK_MAX, StrategyConfig, StrategyTerms, WAKEUPS_PER_CALLBACK_MAX,
};
pub use fee::Fee;
pub use feed::{Indicative, Phase, Print, SessionState};
pub use order::{
    Level, Liquidity, OrderId, OrderUpdate, Qualifiers, Quote, Reason, Request, RequestId, RequestKind, SYMBOLS_MAX,
    SymbolIndex, UpdateKind,
};
pub use random::{Seed, Stream};
pub use terms::{Display, PostOnly, Terms, TimeInForce, Trigger};
pub use units::{Cents, Nanos, PRICE_MAX_CENTS, Price, QUANTITY_MAX, Quantity, Side, TICK_CENTS, Time};
pub use words::nearest;
