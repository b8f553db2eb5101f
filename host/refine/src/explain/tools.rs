//! Questions that a model may ask about a run, answered from its record. Nothing is run, and nothing outside the record is read.
//!
//! Invariants: an answer repeats nothing of the question, so every number in it is the run's; it is bounded; what a strategy logged stands on lines of
//! its own, without control characters. Absent: who the counterparties were, which the record does not say.

use assay_evaluate::{EpisodeRecord, MeasureMap, RunRecord, SeriesRecord, outcome_name};
use assay_model::Side;
use std::fmt::Write as _;

/// Bytes of an answer.
pub const ANSWER_BYTES_MAX: usize = 4_000;
/// After so long a fill is judged by the middle.
const LATER_NS: u64 = 5_000_000_000;
/// Characters of a line that a strategy logged.
const LOG_CHARS_MAX: usize = 200;

/// What the record says to a question; for one that it cannot answer, why.
#[must_use]
pub fn answer(record: &RunRecord, question: &str) -> String {
    let words: Vec<&str> = question.split_whitespace().collect();
    let episode = |seed: &str| {
        let seed: u64 = seed.parse().ok()?;
        record.episodes.iter().find(|episode| episode.seed == seed)
    };
    let found = match words.as_slice() {
        ["seeds"] => Some(record.episodes.iter().map(seed_line).collect()),
        ["seed", seed] => episode(seed).map(measures),
        ["curve", seed] => episode(seed).map(curve),
        ["log", seed] => episode(seed).map(log),
        ["measure", key] => measure(record, key),
        ["fills", from, to] => record.series.as_ref().and_then(|series| fills(series, from, to)),
        ["course", from, to] => record.series.as_ref().and_then(|series| course(series, from, to)),
        ["book", at] => record.series.as_ref().and_then(|series| book(series, at)),
        _ => None,
    };
    let mut text = found.unwrap_or_else(|| "The record has no answer to that question.".to_owned());
    if text.len() > ANSWER_BYTES_MAX {
        text.truncate(text.floor_char_boundary(ANSWER_BYTES_MAX));
        text.push_str("\n(cut: ask for less)");
    }
    if text.is_empty() { "Nothing.".to_owned() } else { text }
}

/// The seed that did worst against the trader in its place, with everything that was measured: what every explanation begins with.
#[must_use]
pub fn worst(record: &RunRecord) -> String {
    let paired =
        |episode: &EpisodeRecord| Some(value(&episode.measures, "pnl")? - value(&episode.baseline_measures, "pnl")?);
    let scored = record.episodes.iter().filter_map(|episode| Some((paired(episode)?, episode)));
    let worst = scored.min_by(|a, b| a.0.total_cmp(&b.0));
    worst.map_or(String::new(), |(_, episode)| {
        format!("The worst seed against the baseline is {}:\n{}", episode.seed, measures(episode))
    })
}

fn value(measures: &MeasureMap, key: &str) -> Option<f64> {
    measures.get(key)?.value.filter(|value| value.is_finite())
}

/// Four decimals at most.
fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn maybe(value: Option<f64>) -> String {
    value.map_or_else(|| "none".to_owned(), number)
}

fn seed_line(episode: &EpisodeRecord) -> String {
    format!(
        "seed {}: {}, pnl {}, baseline {}, fills {}\n",
        episode.seed,
        outcome_name(episode),
        maybe(value(&episode.measures, "pnl")),
        maybe(value(&episode.baseline_measures, "pnl")),
        maybe(value(&episode.measures, "fills"))
    )
}

fn measures(episode: &EpisodeRecord) -> String {
    let mut text = seed_line(episode);
    for key in episode.measures.keys() {
        let (own, other) = (value(&episode.measures, key), value(&episode.baseline_measures, key));
        if own.is_some() {
            let _infallible = writeln!(text, "{key}: {}, baseline {}", maybe(own), maybe(other));
        }
    }
    text
}

fn curve(episode: &EpisodeRecord) -> String {
    let points: Vec<String> = episode.pnl_curve.iter().map(|cents| format!("{:.2}", cents / 100.0)).collect();
    format!("profit in dollars at the ends of {} equal parts of the session: {}", points.len(), points.join(", "))
}

fn log(episode: &EpisodeRecord) -> String {
    let line = |text: &str| -> String {
        let plain = |c: char| if c.is_control() || assay_validator::is_hidden(c) { ' ' } else { c };
        text.chars().take(LOG_CHARS_MAX).map(plain).collect()
    };
    episode.log.iter().map(|one| format!("{}\n", line(&one.text))).collect()
}

fn measure(record: &RunRecord, key: &str) -> Option<String> {
    let definition = record.measures.iter().find(|definition| definition.key == key)?;
    let mut text = format!("{} ({}): {}\n", definition.title, definition.unit, definition.definition);
    for episode in &record.episodes {
        let (own, other) = (value(&episode.measures, key), value(&episode.baseline_measures, key));
        let _infallible = writeln!(text, "seed {}: {}, baseline {}", episode.seed, maybe(own), maybe(other));
    }
    Some(text)
}

/// A time in nanoseconds, from seconds after the start of the series.
fn moment(series: &SeriesRecord, seconds: &str) -> Option<u64> {
    let seconds: f64 = seconds.parse().ok().filter(|seconds: &f64| (0.0..1e6).contains(seconds))?;
    series.start_ns.checked_add((seconds * 1e9) as u64)
}

/// The bucket that a time lies in.
fn bucket(series: &SeriesRecord, at_ns: u64) -> Option<usize> {
    usize::try_from(at_ns.checked_sub(series.start_ns)?.checked_div(series.step_ns)?).ok()
}

fn seconds(series: &SeriesRecord, at_ns: u64) -> String {
    number(at_ns.saturating_sub(series.start_ns) as f64 / 1e9)
}

fn fills(series: &SeriesRecord, from: &str, to: &str) -> Option<String> {
    let (from, to) = (moment(series, from)?, moment(series, to)?);
    let mid = |at_ns: u64| series.mid.last.get(bucket(series, at_ns)?).copied().flatten();
    let mut text =
        format!("seed {}, {} fills in all, thinned to {}\n", series.seed, series.fills_total, series.fills.len());
    for fill in series.fills.iter().filter(|fill| (from..=to).contains(&fill.at_ns)) {
        let (verb, sign) = match fill.side {
            Side::Buy => ("bought", 1.0),
            Side::Sell => ("sold", -1.0),
        };
        let (now, later) = (mid(fill.at_ns), fill.at_ns.checked_add(LATER_NS).and_then(mid));
        let against = now.zip(later).map(|(now, later)| sign * (now - later));
        let _infallible = writeln!(
            text,
            "second {}: {verb} {} at {} cents, {}; middle {}, 5 seconds later {}: {} cents against it",
            seconds(series, fill.at_ns),
            fill.quantity,
            fill.price,
            if fill.maker { "maker" } else { "taker" },
            maybe(now),
            maybe(later),
            maybe(against)
        );
    }
    Some(text)
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
