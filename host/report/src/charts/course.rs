//! Charts of the strategy: inventory against the price, profit, drawdown.

use super::svg::stack;
use super::{
    CURVES_MAX, Chart, Sight, band, bounds, bucket_seconds, cell, last, over_time, points, scaled, session_panel,
    single, within,
};
use crate::format::count;
use assay_evaluate::EpisodeRecord;

pub(super) fn inventory(series: &Sight<'_>) -> Chart {
    let width = bucket_seconds(series);
    let position = &series.position.last;
    let mids = scaled(bounds(series.mid.last.iter().flatten()), 0.01);
    let mut price = session_panel(series, "$ a share", 130.0, mids, true);
    // A line reaches to the next point, so that there is no gap where the colour changes.
    let held = |wanted: fn(f64) -> bool| {
        let is = |index: usize| position.get(index).copied().flatten().is_some_and(wanted);
        let points = points(&series.mid.last, width, 0.01).enumerate();
        points.map(|(index, point)| point.filter(|_| is(index) || index > 0 && is(index - 1))).collect::<Vec<_>>()
    };
    price.line("baseline", points(&series.mid.last, width, 0.01));
    price.line("buy thick", held(|shares| shares > 0.0));
    price.line("sell thick dashed", held(|shares| shares < 0.0));

    let range = bounds(series.position.min.iter().chain(&series.position.max).flatten().chain(&[0.0]));
    let mut shares = session_panel(series, "shares held", 130.0, range, false);
    let part = |long: bool| {
        let points = position.iter().enumerate().map(|(index, value)| {
            let value = value.unwrap_or_default();
            let value = if long { value.max(0.0) } else { value.min(0.0) };
            Some(((index as f64 + 0.5) * width, 0.0, value))
        });
        points.collect::<Vec<_>>()
    };
    shares.area("buy", &part(true));
    shares.area("sell", &part(false));
    shares.line("main", points(position, width, 1.0));
    shares.level(0.0);
    Chart {
        id: "inventory",
        title: "Inventory against price",
        legend: vec![
            ("line buy", "long".to_owned()),
            ("line dashed sell", "short".to_owned()),
            ("line baseline", "flat".to_owned()),
        ],
        reading: "Across: exchange time, the same for both. Above: mid in dollars, marked while shares are held. Below: shares held at the end of each \
                  interval. Long while the price rises, or short while it falls, earns."
            .to_owned(),
        drawing: if range == (0.0, 0.0) { Err("The strategy never held a share.") } else { Ok(stack(vec![price, shares])) },
        table: over_time(series, &["shares held", "least", "most", "mid ($)"], |part| {
            let range = |values: &[Option<f64>]| bounds(within(values, &part).iter().flatten());
            vec![
                cell(last(position, &part), 0),
                cell(Some(range(&series.position.min).0), 0),
                cell(Some(range(&series.position.max).1), 0),
                cell(last(&series.mid.last, &part).map(|cents| cents * 0.01), 3),
            ]
        }),
    }
}

pub(super) fn profit(series: &Sight<'_>, episodes: &[EpisodeRecord]) -> Chart {
    let width = bucket_seconds(series);
    let others: Vec<&EpisodeRecord> =
        episodes.iter().filter(|episode| episode.seed != series.seed).take(CURVES_MAX).collect();
    let every = others.iter().flat_map(|episode| &episode.pnl_curve);
    let range = bounds(series.pnl.min.iter().chain(&series.pnl.max).flatten().chain(every).chain(&[0.0]));
    let mut panel = session_panel(series, "$", 250.0, scaled(range, 0.01), true);
    panel.level(0.0);
    let curves = others.iter().flat_map(|episode| {
        let wide = width * series.total as f64 / episode.pnl_curve.len().max(1) as f64;
        let (before, length) = (width * series.seen.start as f64, width * series.seen.len() as f64);
        let points = episode.pnl_curve.iter().enumerate();
        let points = points.map(move |(index, cents)| ((index as f64 + 1.0) * wide - before, cents * 0.01));
        // A gap ends each curve.
        points.filter(move |(at, _)| (0.0..=length).contains(at)).map(Some).chain([None])
    });
    panel.line("baseline thin", curves);
    band(&mut panel, &series.pnl, width, 0.01);
    panel.line("main thick", points(&series.pnl.last, width, 0.01));
    let mut legend = vec![("line main", format!("seed {}", series.seed))];
    let left_out = episodes.len().saturating_sub(others.len() + 1);
    match (others.len(), left_out) {
        (0, _) => {}
        (shown, 0) => legend.push(("line baseline", format!("the {shown} other seeds"))),
        (shown, left_out) => {
            legend
                .push(("line baseline", format!("{shown} other seeds ({} more in run.json)", count(left_out as u64))));
        }
    }
    Chart {
        id: "pnl",
        title: "PnL",
        legend,
        reading: "Across: exchange time. Up: equity less starting cash in dollars, marked at the mid. Doing nothing stays at 0.".to_owned(),
        drawing: if range == (0.0, 0.0) { Err("No profit or loss was made.") } else { single(panel) },
        table: over_time(series, &["PnL ($)", "least ($)", "most ($)"], |part| {
            let range = |values: &[Option<f64>]| bounds(within(values, &part).iter().flatten());
            vec![
                cell(last(&series.pnl.last, &part).map(|cents| cents * 0.01), 2),
                cell(Some(range(&series.pnl.min).0 * 0.01), 2),
                cell(Some(range(&series.pnl.max).1 * 0.01), 2),
            ]
        }),
    }
}

pub(super) fn drawdown(series: &Sight<'_>) -> Chart {
    let width = bucket_seconds(series);
    let fall = |cents: &Option<f64>| -cents.unwrap_or_default() * 0.01;
    let deepest = bounds(series.drawdown.max.iter().flatten().chain(&[0.0])).1;
    let mut panel = session_panel(series, "$", 150.0, (-deepest * 0.01, 0.0), true);
    let points: Vec<_> = series
        .drawdown
        .max
        .iter()
        .enumerate()
        .map(|(index, cents)| Some(((index as f64 + 0.5) * width, 0.0, fall(cents))))
        .collect();
    panel.area("sell", &points);
    panel.line("sell", points.iter().map(|point| point.map(|(x, _, y)| (x, y))));
    panel.level(0.0);
    Chart {
        id: "drawdown",
        title: "Drawdown",
        legend: vec![("line sell", "fall below the highest equity so far".to_owned())],
        reading: "Across: exchange time. Up: dollars of equity below its highest so far; 0 is a new high.".to_owned(),
        drawing: if deepest == 0.0 { Err("Equity was never below its highest so far.") } else { single(panel) },
        table: over_time(series, &["greatest fall ($)"], |part| {
            let deepest = within(&series.drawdown.max, &part).iter().flatten().copied().reduce(f64::max);
            vec![cell(deepest.map(|cents| cents * 0.01), 2)]
        }),
    }
}
