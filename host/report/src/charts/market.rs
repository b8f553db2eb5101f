//! Charts of the market: price with fills, depth, spread, volume, order flow, volatility signature.

use super::svg::{Axis, Mark, Panel};
use super::{
    BARS, Chart, FILLS_MAX, Sight, Table, band, bounds, bucket_seconds, cell, last, over_time, points, scaled,
    session_panel, single, thinned, within,
};
use crate::format::{clock, count, grouped};
use assay_evaluate::{DepthRecord, FillRecord, RangeRecord, SignatureRecord};
use assay_model::Side;

/// Shades of the heat map: the eye tells no more apart.
const SHADES: [&str; 5] = ["main h1", "main h2", "main h3", "main h4", "main h5"];
/// Share of the cells with orders in them at which each shade begins.
const SHADE_QUANTILES: [f64; 5] = [0.0, 0.3, 0.6, 0.8, 0.95];

/// Kinds of fills: side, whether made, mark, its class, the legend's, and what it means.
const FILLS: [(Side, bool, Mark, &str, &str, &str); 4] = [
    (Side::Buy, true, Mark::Up, "o buy", "up open buy", "bought, making"),
    (Side::Sell, true, Mark::Down, "o sell", "down open sell", "sold, making"),
    (Side::Buy, false, Mark::Up, "f buy", "up buy", "bought, taking"),
    (Side::Sell, false, Mark::Down, "f sell", "down sell", "sold, taking"),
];

pub(super) fn price(series: &Sight<'_>) -> Chart {
    let width = bucket_seconds(series);
    let shown: Vec<&FillRecord> = thinned(&series.fills, FILLS_MAX).collect();
    let prices: Vec<f64> = shown.iter().map(|fill| fill.price as f64).collect();
    let mids = series.mid.min.iter().chain(&series.mid.max).chain(&series.baseline_mid).flatten();
    let range = scaled(bounds(mids.chain(&prices)), 0.01);
    let mut panel = session_panel(series, "$ a share", 250.0, range, true);
    panel.line("baseline", points(&series.baseline_mid, width, 0.01));
    band(&mut panel, &series.mid, width, 0.01);
    panel.line("main", points(&series.mid.last, width, 0.01));
    let has_baseline = !series.baseline_mid.is_empty();
    let mut legend = vec![("line main", "mid, with its range".to_owned())];
    if has_baseline {
        legend.push(("line baseline", format!("mid {}", series.other_market())));
    }
    for (side, maker, mark, class, key, meaning) in FILLS {
        let place =
            |fill: &&FillRecord| (fill.at_ns.saturating_sub(series.start_ns) as f64 / 1e9, fill.price as f64 * 0.01);
        let chosen = shown.iter().filter(|fill| fill.side == side && fill.maker == maker);
        let places: Vec<(f64, f64)> = chosen.map(place).collect();
        if !places.is_empty() {
            panel.marks(class, mark, places);
            legend.push((key, meaning.to_owned()));
        }
    }
    let fills = match (shown.len() as u64, series.fills_total) {
        (_, 0) => "no fills".to_owned(),
        (shown, total) if shown == total => format!("{} fills", count(total)),
        (shown, total) => format!("{} of {} fills, evenly chosen", count(shown), count(total)),
    };
    let other = if series.baseline.is_some() { "with the baseline ($)" } else { "without the strategy ($)" };
    let heads = ["mid ($)", "least ($)", "greatest ($)", other];
    let table = over_time(series, &heads[..if has_baseline { 4 } else { 3 }], |part| {
        let range = |values: &[Option<f64>]| bounds(within(values, &part).iter().flatten());
        let mid = last(&series.mid.last, &part);
        let mut cells = vec![
            cell(mid.map(|cents| cents * 0.01), 3),
            cell(mid.map(|_| range(&series.mid.min).0 * 0.01), 3),
            cell(mid.map(|_| range(&series.mid.max).1 * 0.01), 3),
            cell(last(&series.baseline_mid, &part).map(|cents| cents * 0.01), 3),
        ];
        cells.truncate(if has_baseline { 4 } else { 3 });
        cells
    });
    Chart {
        id: "price",
        title: if has_baseline { "Price and fills" } else { "Price" },
        legend,
        reading: if has_baseline {
            let moved = match &series.baseline {
                Some(name) => format!("moves the market in another way than {name}"),
                None => "has moved the market".to_owned(),
            };
            format!(
                "Across: exchange time. Up: dollars per share. A triangle's tip is at the price of a fill ({fills}). Where the two lines diverge, the \
                 strategy {moved}."
            )
        } else {
            "Across: exchange time. Up: dollars per share.".to_owned()
        },
        drawing: single(panel),
        table,
    }
}

pub(super) fn depth(series: &Sight<'_>) -> Chart {
    let chart =
        |legend, reading, drawing, table| Chart { id: "depth", title: "Depth", legend, reading, drawing, table };
    let empty = Table { head: Vec::new(), rows: Vec::new() };
    let Some(depth) = &series.depth else {
        return chart(Vec::new(), String::new(), Err("The book never had two sides when it was sampled."), empty);
    };
    let mut shares: Vec<u64> = depth.columns.iter().flatten().copied().filter(|shares| *shares > 0).collect();
    shares.sort_unstable();
    let Some(most) = shares.last() else {
        return chart(
            Vec::new(),
            String::new(),
            Err("No order rested near the price when the book was sampled."),
            empty,
        );
    };
    let mut floors = SHADE_QUANTILES.map(|quantile| shares[((shares.len() - 1) as f64 * quantile) as usize]).to_vec();
    floors.dedup();
    let rows = depth.columns.iter().map(Vec::len).max().unwrap_or_default();
    let edge = |row: usize| (depth.price_low as f64 + row as f64 * depth.price_step as f64 - 0.5) * 0.01;
    let mut panel = session_panel(series, "$ a share", 300.0, (edge(0), edge(rows)), true);
    let seconds = depth.step_ns as f64 / 1e9;
    let first_shade = SHADES.len() - floors.len();
    for (shade, floor) in floors.iter().enumerate() {
        let ceiling = floors.get(shade + 1).copied().unwrap_or(u64::MAX);
        let stretches = stretches(depth, |shares| (*floor..ceiling).contains(&shares));
        let boxes = stretches
            .into_iter()
            .map(|(row, from, to)| [(from as f64 * seconds, edge(row)), (to as f64 * seconds, edge(row + 1))]);
        panel.boxes(SHADES[first_shade + shade], boxes);
    }
    let mid = || points(&series.mid.last, bucket_seconds(series), 0.01);
    panel.line("halo", mid());
    panel.line("sell", mid());
    let ranges = floors.iter().enumerate().map(|(shade, floor)| {
        let to = floors.get(shade + 1).map_or(*most, |next| next - 1);
        let text = if to > *floor { format!("{} to {}", count(*floor), count(to)) } else { count(*floor) };
        (SHADES[first_shade + shade], text)
    });
    let mut legend = vec![("line sell", "mid".to_owned())];
    legend.extend(ranges);
    legend.push(("", "shares".to_owned()));
    let reading = format!(
        "Across: exchange time, sampled every {} s. Up: dollars per share, {} \u{a2} per row. The darker a cell, the more visible shares rest there: \
         bids below the mid, offers above.",
        seconds_shown(seconds),
        depth.price_step
    );
    chart(legend, reading, single(panel), depth_table(series, depth))
}

/// Runs of neighbouring columns in one row whose shares are wanted: row, first column, and the one behind the last. Takes time for the cells that there are,
/// whatever the lengths of the columns.
fn stretches(depth: &DepthRecord, wanted: impl Fn(u64) -> bool) -> Vec<(usize, usize, usize)> {
    let is_wanted = |column: usize, row: usize| {
        let cell = depth.columns.get(column).and_then(|cells| cells.get(row));
        cell.is_some_and(|shares| *shares > 0 && wanted(*shares))
    };
    let mut found = Vec::new();
    for (column, cells) in depth.columns.iter().enumerate() {
        for row in 0..cells.len() {
            let goes_on = column > 0 && is_wanted(column - 1, row);
            if is_wanted(column, row) && !goes_on {
                let length = (column..).take_while(|next| is_wanted(*next, row)).count();
                found.push((row, column, column + length));
            }
        }
    }
    found.sort_unstable();
    found
}

/// Shares together, as many as can be counted.
fn sum_of(shares: &[u64]) -> u64 {
    shares.iter().fold(0, |sum, shares| sum.saturating_add(*shares))
}

/// Signed shares together.
fn net(flow: &[i64]) -> f64 {
    flow.iter().fold(0_i64, |sum, shares| sum.saturating_add(*shares)) as f64
}

fn depth_table(series: &Sight<'_>, depth: &DepthRecord) -> Table {
    let rows =
        thinned(&depth.columns, series.rows).zip((0..).step_by(depth.columns.len().div_ceil(series.rows).max(1)));
    let rows = rows.map(|(column, index)| {
        let at = series.start_ns.saturating_add(depth.step_ns.saturating_mul(index + 1));
        let most = column.iter().enumerate().max_by_key(|(_, shares)| **shares);
        let place = most.filter(|(_, shares)| **shares > 0).map(|(row, shares)| {
            let price = depth.price_low as f64 + row as f64 * depth.price_step as f64;
            (grouped(price * 0.01, 2), count(*shares))
        });
        let (price, shares) = place.unwrap_or_else(|| (crate::format::NO_VALUE.to_owned(), "0".to_owned()));
        vec![clock(at, false), count(sum_of(column)), price, shares]
    });
    Table { head: vec!["at", "shares shown", "fullest row from ($)", "shares in it"], rows: rows.collect() }
}

/// The spread, cut off above what nearly all of it fits into: an empty book at the open would flatten the rest of the day.
pub(super) fn spread(series: &Sight<'_>) -> Chart {
    let mut sorted: Vec<f64> = series.spread.max.iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    let highest = sorted.last().copied().unwrap_or_default();
    let usual = sorted.get(sorted.len() * 19 / 20).copied().unwrap_or_default();
    let cut = if highest > 4.0 * usual { 3.0 * usual } else { highest };
    let clip =
        |values: &[Option<f64>]| values.iter().map(|value| value.map(|value| value.min(cut))).collect::<Vec<_>>();
    let RangeRecord { last: ends, min, max } = &series.spread;
    let clipped = RangeRecord { last: clip(ends), min: clip(min), max: clip(max) };
    let mut panel = session_panel(series, "\u{a2} a share", 170.0, (0.0, cut), false);
    band(&mut panel, &clipped, bucket_seconds(series), 1.0);
    panel.line("main", points(&clipped.last, bucket_seconds(series), 1.0));
    let mut legend = vec![("line main", "spread, with its range".to_owned())];
    if cut < highest {
        legend.push(("", format!("cut off at {}, highest {}", grouped(cut, 0), grouped(highest, 0))));
    }
    Chart {
        id: "spread",
        title: "Spread",
        legend,
        reading:
            "Across: exchange time. Up: best offer minus best bid in cents per share; interrupted while a side is empty."
                .to_owned(),
        drawing: single(panel),
        table: over_time(series, &["spread (\u{a2})", "greatest (\u{a2})"], |part| {
            let greatest = within(&series.spread.max, &part).iter().flatten().copied().reduce(f64::max);
            vec![cell(last(&series.spread.last, &part), 0), cell(greatest, 0)]
        }),
    }
}

pub(super) fn volume(series: &Sight<'_>) -> Chart {
    let every = series.volume.len().div_ceil(BARS).max(1);
    let sums = |values: &[u64]| values.chunks(every).map(|bucket| sum_of(bucket) as f64).collect::<Vec<_>>();
    let (all, own) = (sums(&series.volume), sums(&series.volume_own));
    let seconds = bucket_seconds(series) * every as f64;
    let mut panel = session_panel(series, "shares", 170.0, bounds(all.iter().chain(&[0.0])), false);
    for (values, class) in [(&all, "baseline"), (&own, "main")] {
        panel.boxes(class, bars(values, seconds));
    }
    panel.level(0.0);
    Chart {
        id: "volume",
        title: "Volume",
        legend: match series.baseline_mid.is_empty() {
            true => vec![("box baseline", "everyone".to_owned())],
            false => vec![("box baseline", "everyone".to_owned()), ("box main", "the strategy's share".to_owned())],
        },
        reading: format!("Across: exchange time. Up: shares traded in each {} s.", seconds_shown(seconds)),
        drawing: single(panel),
        table: over_time(series, &["shares traded", "by the strategy"], |part| {
            let sum = |values: &[u64]| count(sum_of(within(values, &part)));
            vec![sum(&series.volume), sum(&series.volume_own)]
        }),
    }
}

/// Seconds without decimals that are none.
fn seconds_shown(seconds: f64) -> String {
    let tenths = (seconds * 10.0).round() / 10.0;
    grouped(tenths, usize::from(tenths.fract() != 0.0))
}

/// Bars from zero, each `seconds` wide, with a little air between them.
fn bars(values: &[f64], seconds: f64) -> impl Iterator<Item = [(f64, f64); 2]> {
    values.iter().enumerate().filter(|(_, value)| **value != 0.0).map(move |(index, value)| {
        let left = index as f64 * seconds;
        [(left + seconds * 0.1, value.min(0.0)), (left + seconds * 0.9, value.max(0.0))]
    })
}

pub(super) fn order_flow(series: &Sight<'_>) -> Chart {
    let every = series.order_flow.len().div_ceil(BARS).max(1);
    let sums: Vec<f64> = series.order_flow.chunks(every).map(net).collect();
    let seconds = bucket_seconds(series) * every as f64;
    let mut panel = session_panel(series, "shares", 190.0, bounds(sums.iter().chain(&[0.0])), false);
    let signed = |sign: f64| sums.iter().map(|sum| if sum * sign > 0.0 { *sum } else { 0.0 }).collect::<Vec<_>>();
    panel.boxes("buy", bars(&signed(1.0), seconds));
    panel.boxes("sell", bars(&signed(-1.0), seconds));
    panel.level(0.0);
    let drawing =
        if sums.is_empty() { Err("This record was written by a version without order flow.") } else { single(panel) };
    Chart {
        id: "order-flow",
        title: "Order-flow imbalance",
        legend: vec![("box buy", "pressure to buy".to_owned()), ("box sell", "pressure to sell".to_owned())],
        reading: format!(
            "Across: exchange time. Up: shares in each {} s that joined the best bid or left the best offer, less those that left the best bid or \
             joined the best offer (Cont, Kukanov and Stoikov 2014). Above zero, the price tends to rise in the same interval.",
            seconds_shown(seconds)
        ),
        drawing,
        table: over_time(series, &["imbalance (shares)", "mid ($)"], |part| {
            let flow = series.order_flow.get(part.clone()).map(net);
            vec![cell(flow, 0), cell(last(&series.mid.last, &part).map(|cents| cents * 0.01), 3)]
        }),
    }
}

pub(super) fn signature(series: &Sight<'_>) -> Chart {
    let lines = [(&series.signature, "main", Mark::Dot), (&series.baseline_signature, "baseline", Mark::Square)];
    let shown = |points: &[SignatureRecord]| {
        let shown = points.iter().filter_map(|point| Some((point.step_seconds as f64, point.volatility? * 100.0)));
        shown.collect::<Vec<_>>()
    };
    let values: Vec<f64> = lines.iter().flat_map(|line| shown(line.0)).map(|(_, value)| value).collect();
    let marks = |points: &[SignatureRecord]| {
        points.iter().map(|point| (point.step_seconds as f64, format!("{} s", point.step_seconds))).collect::<Vec<_>>()
    };
    let y = Axis::values(bounds(values.iter().chain(&[0.0])), false);
    let mut panel = Panel::new("% a year", 190.0, Axis::ratios(marks(&series.signature)), y);
    for (line, class, mark) in lines.into_iter().rev() {
        let points = shown(line);
        panel.line(class, points.iter().copied().map(Some));
        panel.marks(&format!("f {class}"), mark, points);
    }
    let has_baseline = !series.baseline_signature.is_empty();
    let rows = series.signature.iter().enumerate().map(|(index, with)| {
        let percent = |point: &SignatureRecord| cell(point.volatility.map(|value| value * 100.0), 2);
        let mut cells = vec![with.step_seconds.to_string(), count(with.returns), percent(with)];
        cells.extend(series.baseline_signature.get(index).map(percent));
        cells
    });
    let head = match has_baseline {
        true if series.baseline.is_some() => {
            vec!["step (s)", "returns", "with the strategy (%)", "with the baseline (%)"]
        }
        true => vec!["step (s)", "returns", "with the strategy (%)", "without it (%)"],
        false => vec!["step (s)", "returns", "volatility (%)"],
    };
    let table = Table { head, rows: rows.collect() };
    let left_out = series.signature.iter().filter(|point| point.volatility.is_none()).count();
    let note = if left_out > 0 { " Grids with fewer than 30 returns are left out." } else { "" };
    Chart {
        id: "signature",
        title: "Volatility signature",
        legend: match has_baseline {
            true => vec![("dot main", "with the strategy".to_owned()), ("square baseline", series.other_market())],
            false => vec![("dot main", "volatility".to_owned())],
        },
        reading: format!(
            "Across: step of the grid on which the mid is sampled. Up: annualised volatility. Flat is a random walk; high on the left is a price that \
             bounces back, rising to the right is one that trends.{note}"
        ),
        drawing: if values.is_empty() {
            Err("No grid has the 30 returns that a volatility takes.")
        } else {
            single(panel)
        },
        table,
    }
}
