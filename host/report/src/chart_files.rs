//! The charts of a run by themselves: as drawings that need no page, as tables, and as values for whoever draws a crosshair.
//!
//! Invariants: a file has the same marks as the page, and every interval of what it shows; no cell of a table begins a formula.

use crate::charts::{Chart, Sight, Window, charts};
use crate::format::NO_VALUE;
use crate::page::STYLE;
use assay_evaluate::RunRecord;
use maud::{Markup, html};
use serde_json::{Value, json};

fn all(record: &RunRecord, window: Option<Window>, is_full: bool) -> Option<Vec<Chart>> {
    let sight = Sight::of(record, window)?;
    let sight = if is_full { sight.in_full() } else { sight };
    Some(charts(&sight, &record.episodes))
}

fn one(record: &RunRecord, id: &str, window: Option<Window>, is_full: bool) -> Option<Chart> {
    all(record, window, is_full)?.into_iter().find(|chart| chart.id == id)
}

/// A chart of a run as an SVG document with the style of reports, light or dark to match the reader's settings. None if the run has no chart of that name, or nothing to draw.
#[must_use]
pub fn chart_svg(record: &RunRecord, id: &str, window: Option<Window>) -> Option<String> {
    let chart = one(record, id, window, false)?;
    let (view_box, drawing) = chart.drawing.as_ref().ok()?;
    let (width, height) = view_box.trim_start_matches("0 0 ").split_once(' ')?;
    let words: Markup = html! { title { (chart.title) } desc { (chart.reading) } };
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" viewBox=\"{view_box}\" width=\"{width}\" height=\"{height}\">{}\
         <style><![CDATA[{STYLE}\n.drawing {{ background: var(--paper); }}]]></style>{drawing}</svg>\n",
        words.into_string()
    ))
}

/// The values of a chart of a run as CSV, an interval in each row.
#[must_use]
pub fn chart_csv(record: &RunRecord, id: &str, window: Option<Window>) -> Option<String> {
    let chart = one(record, id, window, true)?;
    let line = |cells: &mut dyn Iterator<Item = String>| cells.collect::<Vec<_>>().join(",") + "\r\n";
    let head = line(&mut chart.table.head.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))));
    let rows = chart.table.rows.iter().map(|row| line(&mut row.iter().map(|cell| plain(cell))));
    Some(head + &rows.collect::<String>())
}

/// A cell without what only people read.
fn plain(cell: &str) -> String {
    if cell == NO_VALUE {
        String::new()
    } else {
        cell.replace([',', '\u{202f}', '\u{a0}'], "").replace('\u{2212}', "-")
    }
}

/// The values of all charts over time, an interval in each row, as the pages' crosshair shows them.
#[must_use]
pub fn chart_values(record: &RunRecord, window: Option<Window>) -> Option<Value> {
    let charts = all(record, window, true)?;
    let of = |chart: &Chart| json!({"id": chart.id, "title": chart.title, "head": chart.table.head, "rows": chart.table.rows});
    let seen = Sight::of(record, window)?.window();
    let charts: Vec<Value> = charts.iter().filter(|chart| chart.is_over_time()).map(of).collect();
    Some(json!({"from_ns": seen.from_ns, "to_ns": seen.to_ns, "charts": charts}))
}
