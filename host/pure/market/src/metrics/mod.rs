//! What an episode was worth: measures of a trader and of the market, and bounded series for charts.
//!
//! A [`Collector`] listens to the event stream and computes every measure of [`KPIS`] in one pass, without keeping the stream.
//!
//! Invariants: sums are integers, or floats added in event order; only `libm` functions are used, so the same stream gives the
//! same bits everywhere. A measure that the sample cannot support is [`Measure::Missing`] with its reason, never an invented 0.
//! State within one request is never measured: the collector waits until the exchange has handled it whole.
//! Nothing that the trader merely quotes is worth anything to it: its position is marked at, and closed against, the book without its own
//! orders (see `marks.rs` and `liquidation.rs`), and its own trades are judged by that book's mid. Measures begin when it may trade.

mod account;
mod catalogue;
mod collector;
mod depth;
mod liquidation;
mod marks;
mod measure;
mod measured;
mod orders;
mod series;
mod sharpe;
mod spreads;
mod statistics;
mod tape;

pub use crate::fees::{Fee, Fees};
pub use catalogue::{Better, Group, KPI_COUNT, KPIS, Kpi, KpiInfo, Unit};
pub use collector::{Collected, Collector, Settings};
pub use depth::{DEPTH_COLUMNS, DEPTH_ROWS, DepthMap};
pub use liquidation::PENALTY_BASIS_POINTS;
pub use marks::MARK_WINDOW;
pub use measure::{
    FILLS_MIN, MID_RETURNS_MIN, Measure, Measures, Missing, NONZERO_RETURNS_MIN, RETURNS_MIN, SHOCKS_MIN, Sample,
};
pub use series::{FILL_MARKS_MAX, FillMark, Range, SERIES_BUCKETS, Series, SignaturePoint};
