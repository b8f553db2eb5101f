//! A report as somebody else may have written it: read, and looked at once, so that whatever shows it can rely on its shape.
//!
//! Invariants: what [`read`] returns has series of one length each, numbers that can be added up and drawn, and lists that a page can show; a report that
//! Assay wrote, of any version that still reads, passes.

use assay_evaluate::{
    DepthRecord, RangeRecord, RunRecord, SCHEMA_NAME, SCHEMA_VERSION, SchemaError, SeriesRecord, SignatureRecord,
    check_schema,
};

/// Buckets of a series. Assay makes 600.
const BUCKETS_MAX: usize = 20_000;
/// Columns of the book, and rows of a column. Assay makes 120 of 48.
const DEPTH_COLUMNS_MAX: usize = 2_000;
/// See [`DEPTH_COLUMNS_MAX`].
const DEPTH_ROWS_MAX: usize = 1_000;
/// Fills, and points of the profit of a seed.
const POINTS_MAX: usize = 20_000;
/// Grids of the volatility signature.
const GRIDS_MAX: usize = 100;
/// Measures, and their definitions.
const MEASURES_MAX: usize = 2_000;
/// The last moment of a session, in nanoseconds: what 63 bits hold.
const MOMENT_MAX: u64 = i64::MAX as u64;
/// The largest amount, price or quantity: what 64 bits hold.
const SIZE_MAX: f64 = 1e19;

/// Why a report cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It says that it is something else, or of a later version.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// It is no record of a run, or one of another version.
    #[error("it is damaged, or of another version of Assay: {0}")]
    Form(#[from] serde_json::Error),
    /// It is one in form, but says what cannot be.
    #[error("it is damaged: {place} {what}")]
    Content {
        /// Where, as a path of fields.
        place: &'static str,
        /// What is wrong there.
        what: &'static str,
    },
}

/// Reads the record of a run, `run.json`.
///
/// # Errors
/// [`ReadError`].
pub fn read(bytes: &[u8]) -> Result<RunRecord, ReadError> {
    check_schema(bytes, SCHEMA_NAME, SCHEMA_VERSION)?;
    let record: RunRecord = serde_json::from_slice(bytes)?;
    demand(record.measures.len() <= MEASURES_MAX, "measures", TOO_LONG)?;
    demand(record.summary.measures.len() <= MEASURES_MAX, "summary.measures", TOO_LONG)?;
    for episode in &record.episodes {
        demand(episode.pnl_curve.len() <= POINTS_MAX, "episodes.pnl_curve", TOO_LONG)?;
        demand(episode.pnl_curve.iter().all(|value| is_drawable(*value)), "episodes.pnl_curve", TOO_LARGE)?;
    }
    if let Some(series) = &record.series {
        course(series)?;
    }
    Ok(record)
}

const TOO_LONG: &str = "has more entries than Assay writes";
const TOO_LARGE: &str = "holds a number that is too large";
const UNEVEN: &str = "is not as long as series.volume";

fn demand(is_so: bool, place: &'static str, what: &'static str) -> Result<(), ReadError> {
    if is_so { Ok(()) } else { Err(ReadError::Content { place, what }) }
}

fn is_drawable(value: f64) -> bool {
    value.is_finite() && value.abs() <= SIZE_MAX
}

fn course(series: &SeriesRecord) -> Result<(), ReadError> {
    let buckets = series.volume.len();
    demand(buckets <= BUCKETS_MAX, "series.volume", TOO_LONG)?;
    moments(series.start_ns, series.step_ns, buckets, "series.step_ns")?;
    let ranges: [(&RangeRecord, &str); 5] = [
        (&series.mid, "series.mid"),
        (&series.spread, "series.spread"),
        (&series.position, "series.position"),
        (&series.pnl, "series.pnl"),
        (&series.drawdown, "series.drawdown"),
    ];
    for (range, place) in ranges {
        for values in [&range.last, &range.min, &range.max] {
            line(values, buckets, place)?;
        }
    }
    line(&series.bid, buckets, "series.bid")?;
    line(&series.ask, buckets, "series.ask")?;
    // A market without a strategy has no baseline.
    let baseline = &series.baseline_mid;
    line(baseline, if baseline.is_empty() { 0 } else { buckets }, "series.baseline_mid")?;
    demand(series.volume_own.len() == buckets, "series.volume_own", UNEVEN)?;
    // Records of 1.0 have none.
    let flow = series.order_flow.len();
    demand(flow == 0 || flow == buckets, "series.order_flow", UNEVEN)?;
    demand(series.fills.len() <= POINTS_MAX, "series.fills", TOO_LONG)?;
    signature(&series.signature, "series.signature")?;
    signature(&series.baseline_signature, "series.baseline_signature")?;
    series.depth.as_ref().map_or(Ok(()), |depth| book(series.start_ns, depth))
}

fn moments(start_ns: u64, step_ns: u64, steps: usize, place: &'static str) -> Result<(), ReadError> {
    let length = step_ns.checked_mul(steps as u64 + 1);
    let end = length.and_then(|length| start_ns.checked_add(length));
    demand(end.is_some_and(|end| end <= MOMENT_MAX), place, TOO_LARGE)
}

fn line(values: &[Option<f64>], buckets: usize, place: &'static str) -> Result<(), ReadError> {
    demand(values.len() == buckets, place, UNEVEN)?;
    demand(values.iter().flatten().all(|value| is_drawable(*value)), place, TOO_LARGE)
}

fn signature(points: &[SignatureRecord], place: &'static str) -> Result<(), ReadError> {
    demand(points.len() <= GRIDS_MAX, place, TOO_LONG)?;
    demand(points.iter().all(|point| point.step_seconds > 0), place, "holds a grid without a step")?;
    demand(points.iter().filter_map(|point| point.volatility).all(is_drawable), place, TOO_LARGE)
}

fn book(start_ns: u64, depth: &DepthRecord) -> Result<(), ReadError> {
    let rows = depth.columns.first().map_or(0, Vec::len);
    demand(depth.columns.len() <= DEPTH_COLUMNS_MAX && rows <= DEPTH_ROWS_MAX, "series.depth.columns", TOO_LONG)?;
    let is_even = depth.columns.iter().all(|column| column.len() == rows);
    demand(is_even, "series.depth.columns", "has columns of different lengths")?;
    demand(depth.price_step > 0, "series.depth.price_step", "is not above zero")?;
    moments(start_ns, depth.step_ns, depth.columns.len(), "series.depth.step_ns")
}
