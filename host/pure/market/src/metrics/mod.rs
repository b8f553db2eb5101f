//! What an episode was worth: measures of a trader and of the market, and bounded series for charts.
//!
//! A [`Collector`] listens to the event stream and computes every measure of [`KPIS`] in one pass, without keeping the stream.
//!
//! Invariants: sums are integers, or floats added in event order; only `libm` functions are used, so the same stream gives the
//! same bits everywhere. A measure that the sample cannot support is [`Measure::Missing`] with its reason, never an invented 0.
//! State within one request is never measured: the collector waits until the exchange has handled it whole.

mod account;
mod catalogue;
mod collector;
mod depth;
mod measure;
mod orders;
mod series;
mod spreads;
mod statistics;
mod tape;

pub use crate::fees::{Fee, Fees};
pub use catalogue::{Better, Group, KPI_COUNT, KPIS, Kpi, KpiInfo, Unit};
pub use collector::{Collected, Collector, Settings};
pub use depth::{DEPTH_COLUMNS, DEPTH_ROWS, DepthMap};
pub use measure::{FILLS_MIN, Measure, Measures, Missing, RETURNS_MIN, SHOCKS_MIN, Sample};
pub use series::{FILL_MARKS_MAX, FillMark, Range, SERIES_BUCKETS, Series, SignaturePoint};
