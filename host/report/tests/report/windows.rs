//! Windows of the charts, and charts as files.

use crate::support::record;
use assay_evaluate::RunRecord;
use assay_report::{Manner, Window, body, body_served, chart_csv, chart_svg, chart_values, charts_section};
use assay_sandbox::Outcome;

const CHARTS: [&str; 8] = ["price", "depth", "inventory", "pnl", "drawdown", "spread", "volume", "order-flow"];

fn ground() -> (RunRecord, u64, u64) {
    let record = record(2, Outcome::Finished);
    let series = record.series.as_ref().expect("a course");
    let (start, step) = (series.start_ns, series.step_ns);
    (record, start, step)
}

/// Intervals of a window, as the values of the charts have them.
fn seen(record: &RunRecord, window: Option<Window>) -> (u64, u64, usize) {
    let values = chart_values(record, window).expect("a course");
    let charts = values["charts"].as_array().expect("charts");
    let rows = charts.iter().find(|chart| chart["id"] == "price").and_then(|chart| chart["rows"].as_array());
    let number = |name: &str| values[name].as_u64().expect("a number");
    (number("from_ns"), number("to_ns"), rows.expect("rows").len())
}

#[test]
fn a_window_is_what_was_asked_for_as_far_as_there_is_a_course() {
    let (record, start, step) = ground();
    let total = record.series.as_ref().expect("a course").volume.len() as u64;
    let end = start + total * step;
    assert_eq!(seen(&record, None), (start, end, total as usize));
    for (from_ns, to_ns) in [
        (start, end),
        (0, u64::MAX),
        (start + 20 * step, start + 40 * step),
        (start + 20 * step + 1, start + 40 * step - 1),
        (start + 5 * step, start + 5 * step + 1),
        (end - 1, end + 5),
        (0, 1),
        (u64::MAX - 1, u64::MAX),
    ] {
        let (from, to, rows) = seen(&record, Some(Window { from_ns, to_ns }));
        let what = format!("{from_ns} to {to_ns}: {from} to {to}");
        assert!(start <= from && from < to && to <= end, "{what}");
        assert_eq!((to - from) / step, rows as u64, "{what}");
        assert!(rows >= 8, "{what}: {rows}");
        // Nothing of what was asked for is missing.
        assert!(from <= from_ns.clamp(start, end - step) && to >= to_ns.clamp(start + step, end), "{what}");
    }
}

#[test]
fn every_chart_is_a_file_in_any_window() {
    let (record, start, step) = ground();
    let part = Some(Window { from_ns: start + 20 * step, to_ns: start + 60 * step });
    for id in CHARTS {
        for window in [None, part] {
            let csv = chart_csv(&record, id, window).unwrap_or_else(|| panic!("{id}"));
            let columns: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
            assert!(columns.len() > 2 && columns.iter().all(|count| *count == columns[0]), "{id}\n{csv}");
        }
        let svg = chart_svg(&record, id, part).unwrap_or_else(|| panic!("{id}"));
        assert!(svg.starts_with("<svg xmlns=") && svg.contains("<![CDATA[") && svg.ends_with("</svg>\n"), "{id}");
        assert!(!svg.contains("NaN") && !svg.contains("<script"), "{id}");
    }
    assert!(chart_csv(&record, "beauty", None).is_none() && chart_svg(&record, "beauty", None).is_none());
    let whole = chart_csv(&record, "price", None).expect("a chart");
    let cut = chart_csv(&record, "price", part).expect("a chart");
    // The same values in the window and in the whole.
    let lines: Vec<&str> = cut.lines().skip(1).collect();
    assert!(lines.iter().all(|line| whole.lines().any(|one| one == *line)), "{cut}");
    let mut empty = record;
    empty.series = None;
    assert!(chart_csv(&empty, "price", None).is_none() && chart_values(&empty, None).is_none());
}

#[test]
fn only_a_server_offers_windows_and_files() {
    let (record, start, step) = ground();
    let plain = body(&record);
    assert!(!plain.contains("data-chart") && !plain.contains(".csv") && !plain.contains("data-address"));
    let window = Some(Window { from_ns: start + 20 * step, to_ns: start + 60 * step });
    let manner = Manner { window, address: Some("/runs/x") };
    let served = body_served(&record, manner);
    let section = charts_section(&record, manner);
    assert!(served.contains(&section));
    for words in [
        "data-address=\"/runs/x\"",
        "href=\"/runs/x/charts/price.csv?from=",
        ">Earlier<",
        ">Later<",
        ">Further<",
        "href=\"/runs/x#charts\">All<",
        "data-chart=\"pnl\"",
        "This is a part of the session.",
    ] {
        assert!(section.contains(words), "{words}\n{section}");
    }
    let all = charts_section(&record, Manner { window: None, address: Some("/runs/x") });
    assert!(!all.contains(">All<") && !all.contains(">Earlier<") && all.contains(">First half<"), "{all}");
}
