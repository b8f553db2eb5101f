//! The course of one episode: what a run and an observed market are both asked about.

use super::{maybe, number};
use assay_evaluate::SeriesRecord;
use std::fmt::Write as _;

/// After so long a fill is judged by the middle.
pub(super) const LATER_NS: u64 = 5_000_000_000;

/// What the course says to a question in these words, if it is one about it.
pub(super) fn answer(series: &SeriesRecord, words: &[&str]) -> Option<String> {
    match words {
        ["course", from, to] => course(series, from, to),
        ["volatility", from, to] => volatility(series, from, to),
        ["book", at] => book(series, at),
        _ => None,
    }
}

/// A time in nanoseconds, from seconds after the start of the series.
pub(super) fn moment(series: &SeriesRecord, seconds: &str) -> Option<u64> {
    let seconds: f64 = seconds.parse().ok().filter(|seconds: &f64| (0.0..1e6).contains(seconds))?;
    series.start_ns.checked_add((seconds * 1e9) as u64)
}

/// The bucket that a time lies in.
pub(super) fn bucket(series: &SeriesRecord, at_ns: u64) -> Option<usize> {
    usize::try_from(at_ns.checked_sub(series.start_ns)?.checked_div(series.step_ns)?).ok()
}

pub(super) fn seconds(series: &SeriesRecord, at_ns: u64) -> String {
    number(at_ns.saturating_sub(series.start_ns) as f64 / 1e9)
}

fn course(series: &SeriesRecord, from: &str, to: &str) -> Option<String> {
    let (from, to) = (bucket(series, moment(series, from)?)?, bucket(series, moment(series, to)?)?);
    let at = |values: &[Option<f64>], index: usize| maybe(values.get(index).copied().flatten());
    let mut text = format!("seed {}, at the end of each bucket; prices in cents, profit in dollars\n", series.seed);
    for index in (from..=to).take_while(|index| *index < series.position.last.len()) {
        let end = series.start_ns.saturating_add(series.step_ns.saturating_mul(index as u64 + 1));
        let pnl = series.pnl.last.get(index).copied().flatten();
        let pnl = pnl.map_or_else(|| "none".to_owned(), |cents| format!("{:.2}", cents / 100.0));
        let count = |values: &[u64]| values.get(index).copied().unwrap_or(0);
        let _infallible = writeln!(
            text,
            "second {}: bid {}, ask {}, position {}, profit {}, traded {} of which own {}",
            seconds(series, end),
            at(&series.bid, index),
            at(&series.ask, index),
            at(&series.position.last, index),
            pnl,
            count(&series.volume),
            count(&series.volume_own)
        );
    }
    Some(text)
}

/// How much the middle moved from bucket to bucket, with the strategy and with the baseline in its place.
fn volatility(series: &SeriesRecord, from: &str, to: &str) -> Option<String> {
    let (from, to) = (bucket(series, moment(series, from)?)?, bucket(series, moment(series, to)?)?);
    let told = |title: &str, values: &[Option<f64>]| {
        let last = to.min(values.len().saturating_sub(1));
        let mids: Vec<f64> = values.get(from..=last)?.iter().copied().flatten().filter(|mid| *mid > 0.0).collect();
        let moves: Vec<f64> = mids.windows(2).map(|pair| (pair[1] / pair[0] - 1.0) * 1e4).collect();
        let (low, high) = mids.iter().fold((f64::MAX, f64::MIN), |(low, high), mid| (low.min(*mid), high.max(*mid)));
        let (first, last) = (mids.first()?, mids.last()?);
        let mean = moves.iter().sum::<f64>() / moves.len().max(1) as f64;
        let squares = moves.iter().map(|one| (one - mean) * (one - mean)).sum::<f64>();
        let deviation = (moves.len() > 1).then(|| (squares / (moves.len() - 1) as f64).sqrt());
        Some(format!(
            "{title}: middle {} to {} cents, lowest {}, highest {}, standard deviation of its moves {} basis points a bucket\n",
            number(*first),
            number(*last),
            number(low),
            number(high),
            maybe(deviation)
        ))
    };
    let step = number(series.step_ns as f64 / 1e9);
    let mut text = format!("seed {}, buckets of {step} seconds\n", series.seed);
    text.push_str(&told("the market", &series.mid.last)?);
    if let Some(baseline) = told("the same with the baseline", &series.baseline_mid) {
        text.push_str(&baseline);
    }
    Some(text)
}

fn book(series: &SeriesRecord, at: &str) -> Option<String> {
    let depth = series.depth.as_ref()?;
    let since = moment(series, at)?.checked_sub(series.start_ns)?;
    let column = depth.columns.get(usize::try_from(since.checked_div(depth.step_ns)?).ok()?)?;
    let rows = column.iter().enumerate().filter(|(_, shares)| **shares > 0);
    let lines = rows.map(|(row, shares)| {
        let price = depth.price_low.saturating_add(depth.price_step.saturating_mul(row as i64));
        format!("{shares} shares from {price} cents\n")
    });
    let index = bucket(series, moment(series, at)?)?;
    let top = |values: &[Option<f64>]| maybe(values.get(index).copied().flatten());
    let head = format!(
        "seed {}, rows of {} cents, bid {}, ask {}\n",
        series.seed,
        depth.price_step,
        top(&series.bid),
        top(&series.ask)
    );
    Some(head + &lines.collect::<String>())
}
