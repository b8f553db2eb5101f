//! What of a course is drawn: all of it, or a window, and how many rows a chart's table has.
//!
//! Invariants: a window has at least a few intervals, and begins where a column of the book does, so one time axis fits all panels.

use crate::compared::chosen;
use assay_evaluate::{DepthRecord, FillRecord, RangeRecord, RunRecord, SeriesRecord};
use std::borrow::Cow;
use std::ops::{Deref, Range};

/// Rows of a chart's table on a page.
const ROWS: usize = 12;
/// Intervals of a window at least: fewer show no course.
const INTERVALS_MIN: usize = 8;

/// A window of exchange time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// From here.
    pub from_ns: u64,
    /// To here.
    pub to_ns: u64,
}

/// See the module documentation.
pub(crate) struct Sight<'a> {
    series: Cow<'a, SeriesRecord>,
    /// Rows of a table, at most.
    pub(crate) rows: usize,
    /// The intervals that are seen, of how many.
    pub(crate) seen: Range<usize>,
    pub(crate) total: usize,
    /// The strategy that was chosen as the baseline; none for the trader that does nothing.
    pub(crate) baseline: Option<String>,
}

impl Deref for Sight<'_> {
    type Target = SeriesRecord;

    fn deref(&self) -> &SeriesRecord {
        &self.series
    }
}

impl<'a> Sight<'a> {
    /// All of a course, with tables of a few rows.
    pub(crate) fn whole(series: &'a SeriesRecord) -> Self {
        let total = series.volume.len();
        Self { series: Cow::Borrowed(series), rows: ROWS, seen: 0..total, total, baseline: None }
    }

    /// A window of the course of a run, or all without one. `None` if the run has no course.
    pub(crate) fn of(record: &'a RunRecord, window: Option<Window>) -> Option<Self> {
        let series = record.series.as_ref()?;
        let whole = Self { baseline: chosen(record), ..Self::whole(series) };
        let seen = window.and_then(|window| intervals(series, window)).filter(|seen| *seen != whole.seen);
        Some(match seen {
            Some(seen) => Self { series: Cow::Owned(cut(series, &seen)), seen, ..whole },
            None => whole,
        })
    }

    /// What the market of the baseline is, in words.
    pub(crate) fn other_market(&self) -> String {
        match &self.baseline {
            Some(name) => format!("with {name} in place of the strategy"),
            None => "without the strategy".to_owned(),
        }
    }

    /// The same with as many rows as there are intervals.
    pub(crate) fn in_full(self) -> Self {
        Self { rows: usize::MAX, ..self }
    }

    /// Whether it is less than all of the course.
    pub(crate) fn is_part(&self) -> bool {
        self.seen != (0..self.total)
    }

    /// The times between which it is.
    pub(crate) fn window(&self) -> Window {
        let length = self.step_ns.saturating_mul(self.volume.len() as u64);
        Window { from_ns: self.start_ns, to_ns: self.start_ns.saturating_add(length) }
    }
}

/// The intervals of a window; none of a course that has none.
fn intervals(series: &SeriesRecord, window: Window) -> Option<Range<usize>> {
    let (total, step) = (series.volume.len(), series.step_ns.max(1));
    let place = |at: u64| usize::try_from(at.saturating_sub(series.start_ns) / step).unwrap_or(usize::MAX).min(total);
    let (from, to) = (place(window.from_ns), place(window.to_ns.saturating_add(step - 1)));
    let least = INTERVALS_MIN.min(total);
    let to = to.max(from.saturating_add(least)).min(total);
    let from = from.min(to.saturating_sub(least));
    // A column of the book may be as wide as several intervals.
    let column = series.depth.as_ref().map_or(1, |depth| depth.step_ns / step);
    let from = from - from % usize::try_from(column.max(1)).unwrap_or(1);
    (total > 0).then_some(from..to)
}

fn part<T: Clone>(values: &[T], seen: &Range<usize>) -> Vec<T> {
    values.get(seen.clone()).map(<[T]>::to_vec).unwrap_or_default()
}

fn cut(series: &SeriesRecord, seen: &Range<usize>) -> SeriesRecord {
    let range = |range: &RangeRecord| RangeRecord {
        last: part(&range.last, seen),
        min: part(&range.min, seen),
        max: part(&range.max, seen),
    };
    let start_ns = series.start_ns.saturating_add(series.step_ns.saturating_mul(seen.start as u64));
    let end_ns = series.start_ns.saturating_add(series.step_ns.saturating_mul(seen.end as u64));
    let fills: Vec<FillRecord> =
        series.fills.iter().filter(|fill| (start_ns..end_ns).contains(&fill.at_ns)).copied().collect();
    let are_all = series.fills.len() as u64 == series.fills_total;
    let depth = series.depth.as_ref().map(|depth| {
        let step = depth.step_ns.max(1);
        let place = |at: u64| usize::try_from(at.saturating_sub(series.start_ns) / step).unwrap_or(usize::MAX);
        let columns = place(start_ns)..place(end_ns.saturating_add(step - 1)).min(depth.columns.len());
        DepthRecord { columns: part(&depth.columns, &columns), ..depth.clone() }
    });
    SeriesRecord {
        seed: series.seed,
        start_ns,
        step_ns: series.step_ns,
        mid: range(&series.mid),
        baseline_mid: part(&series.baseline_mid, seen),
        bid: part(&series.bid, seen),
        ask: part(&series.ask, seen),
        spread: range(&series.spread),
        volume: part(&series.volume, seen),
        volume_own: part(&series.volume_own, seen),
        position: range(&series.position),
        pnl: range(&series.pnl),
        drawdown: range(&series.drawdown),
        fills_total: if are_all { fills.len() as u64 } else { series.fills_total },
        fills,
        order_flow: part(&series.order_flow, seen),
        signature: series.signature.clone(),
        baseline_signature: series.baseline_signature.clone(),
        depth,
    }
}
