//! The charts of a run: drawing, legend, how to read it, and the same as a table.
//!
//! Invariants: a chart holds a bounded number of marks and says when it leaves some out; nothing is told by colour alone; every chart names
//! its units and has a table of a few of its values for those who cannot see it.

mod course;
mod market;
mod scatter;
mod sight;
mod svg;

use crate::format::{NO_VALUE, clock};
use assay_evaluate::{EpisodeRecord, RangeRecord, SeriesRecord};
pub use scatter::scatter;
pub(crate) use sight::Sight;
pub use sight::Window;
use svg::{Axis, Panel, stack};
pub(crate) use svg::{LEFT, RIGHT, WIDTH};

/// Other seeds drawn in the profit chart: beyond, more lines make it no clearer.
pub(crate) const CURVES_MAX: usize = 200;
/// Bars of a chart: thin ones would run together.
const BARS: usize = 100;
/// Fills drawn: beyond, their marks hide each other.
const FILLS_MAX: usize = 200;

/// One chart with what is said about it.
pub(crate) struct Chart {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// Class of the swatch and what it stands for.
    pub(crate) legend: Vec<(&'static str, String)>,
    /// What is across, what is up, and what to look for.
    pub(crate) reading: String,
    /// View box and contents, or why there is nothing to draw.
    pub(crate) drawing: Result<(String, String), &'static str>,
    pub(crate) table: Table,
}

impl Chart {
    /// Whether time is across, as it is in most.
    pub(crate) fn is_over_time(&self) -> bool {
        self.id != "signature"
    }
}

/// Some of a chart's values.
pub(crate) struct Table {
    pub(crate) head: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<String>>,
}

/// All charts of a run.
pub(crate) fn charts(series: &Sight<'_>, episodes: &[EpisodeRecord]) -> Vec<Chart> {
    vec![
        market::price(series),
        market::depth(series),
        course::inventory(series),
        course::profit(series, episodes),
        course::drawdown(series),
        market::spread(series),
        market::volume(series),
        market::order_flow(series),
        market::signature(series),
    ]
}

/// Charts of a market without a strategy.
pub(crate) fn market_charts(series: &SeriesRecord) -> Vec<Chart> {
    let series = &Sight::whole(series);
    vec![
        market::price(series),
        market::depth(series),
        market::spread(series),
        market::volume(series),
        market::order_flow(series),
        market::signature(series),
    ]
}

/// Seconds that a bucket lasts.
fn bucket_seconds(series: &SeriesRecord) -> f64 {
    series.step_ns as f64 / 1e9
}

fn time_axis(series: &SeriesRecord) -> Axis {
    Axis::time(series.start_ns, bucket_seconds(series) * series.volume.len() as f64)
}

/// One panel over the session.
fn session_panel(series: &SeriesRecord, title: &str, height: f64, range: (f64, f64), is_money: bool) -> Panel {
    Panel::new(title, height, time_axis(series), Axis::values(range, is_money))
}

fn single(panel: Panel) -> Result<(String, String), &'static str> {
    Ok(stack(vec![panel]))
}

/// Values in the middles of buckets of `width` seconds.
fn points(values: &[Option<f64>], width: f64, factor: f64) -> impl Iterator<Item = Option<(f64, f64)>> {
    values.iter().enumerate().map(move |(index, value)| Some(((index as f64 + 0.5) * width, (*value)? * factor)))
}

/// The area between the least and the greatest value of each bucket.
fn band(panel: &mut Panel, range: &RangeRecord, width: f64, factor: f64) {
    let pairs = range.min.iter().zip(&range.max).enumerate();
    let points: Vec<_> = pairs
        .map(|(index, (low, high))| Some(((index as f64 + 0.5) * width, (*low)? * factor, (*high)? * factor)))
        .collect();
    panel.area("main", &points);
}

/// The least and the greatest value; zero without any.
fn bounds<'a>(values: impl Iterator<Item = &'a f64>) -> (f64, f64) {
    let found = values.fold(None, |range: Option<(f64, f64)>, &value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    });
    found.unwrap_or((0.0, 0.0))
}

fn scaled((low, high): (f64, f64), factor: f64) -> (f64, f64) {
    (low * factor, high * factor)
}

/// A table over time: at the ends of equal parts of the session, what `cells` says of that bucket.
fn over_time(
    series: &Sight<'_>,
    head: &[&'static str],
    mut cells: impl FnMut(std::ops::Range<usize>) -> Vec<String>,
) -> Table {
    let buckets = series.volume.len();
    let count = series.rows.min(buckets);
    // Where every interval has a row, it may last less than a second.
    let is_fine = count == buckets && !series.step_ns.is_multiple_of(1_000_000_000);
    let rows = (0..count).map(|row| {
        let (start, end) = (buckets * row / count, buckets * (row + 1) / count);
        let at = clock(series.start_ns.saturating_add(series.step_ns.saturating_mul(end as u64)), is_fine);
        std::iter::once(at).chain(cells(start..end)).collect()
    });
    Table { head: std::iter::once("until").chain(head.iter().copied()).collect(), rows: rows.collect() }
}

/// The values of a part, as far as there are any.
fn within<'a, T>(values: &'a [T], part: &std::ops::Range<usize>) -> &'a [T] {
    values.get(part.clone()).unwrap_or_default()
}

/// A value of a table, or a dash.
fn cell(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| NO_VALUE.to_owned(), |value| crate::format::grouped(value, decimals))
}

/// The value at the end of a part.
fn last(values: &[Option<f64>], part: &std::ops::Range<usize>) -> Option<f64> {
    *values.get(part.end.checked_sub(1)?)?
}

/// Every n-th item, so that at most `max` are left.
fn thinned<T>(items: &[T], max: usize) -> impl Iterator<Item = &T> {
    items.iter().step_by(items.len().div_ceil(max).max(1))
}
