//! The scorecard as a Markdown table that also reads well in a terminal.

use super::{GATES, Score, gates};
use std::fmt::Write as _;

/// Characters of a drawing: fine enough to see on which side of a limit the band lies.
const DRAWING: usize = 31;

/// The scorecard of one scenario over `episodes` seeds.
#[must_use]
pub fn report(scenario: &str, episodes: usize, scores: &[Score]) -> String {
    let passed = gates(scores);
    let failed: Vec<&str> = GATES.iter().zip(passed).filter_map(|(gate, passed)| (!passed).then_some(*gate)).collect();
    let verdict = match failed.as_slice() {
        [] => "it passes all thirteen gates".to_owned(),
        _ => format!("it passes {} of thirteen gates; not: {}", GATES.len() - failed.len(), failed.join(", ")),
    };
    let width = scores.iter().map(|score| score.statistic.name.len()).max().unwrap_or(0);
    let mut text = format!("## {scenario}\n\nOver {episodes} seeds {verdict}.\n\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "| gate |      | {:width$} |  centre | 95 % interval      | middle 90 %        | limits         | {:DRAWING$} |",
        "statistic", "interval between limits"
    );
    let _ = writeln!(
        text,
        "|-----:|------|{:-<1$}|--------:|--------------------|--------------------|----------------|{2:-<3$}|",
        "",
        width + 2,
        "",
        DRAWING + 2
    );
    for score in scores {
        let verdict = if score.passes() { "pass" } else { "FAIL" };
        let centre = score.centre.map_or_else(|| "none".to_owned(), |centre| format!("{centre:.3}"));
        let interval = score.interval.map_or_else(|| "none".to_owned(), |(low, high)| span(low, high, 3));
        let statistic = score.statistic;
        let _ = writeln!(
            text,
            "| {:4} | {verdict} | {:width$} | {centre:>7} | {interval:18} | {:18} | {:14} | {} |",
            statistic.gate,
            statistic.name,
            span(score.band.0, score.band.1, 3),
            span(statistic.least, statistic.most, 1),
            draw(score)
        );
    }
    text
}

/// `0.1 to 0.5`; one-sided where an end is infinite.
fn span(least: f64, most: f64, decimals: usize) -> String {
    match (least.is_finite(), most.is_finite()) {
        (true, true) => format!("{least:.decimals$} to {most:.decimals$}"),
        (true, false) => format!("{least:.decimals$} and up"),
        (false, true) => format!("{most:.decimals$} and down"),
        _ => "none".to_owned(),
    }
}

/// The interval as `-`, its centre as `o`, the limits as `[` and `]`. The drawing spans limits and interval, or, without one of the limits, twice the
/// distance from zero to the other one at least.
fn draw(score: &Score) -> String {
    let Some(centre) = score.centre else { return " ".repeat(DRAWING) };
    let (low, high) = score.interval.unwrap_or((centre, centre));
    let statistic = score.statistic;
    let end = if statistic.most.is_finite() { statistic.most } else { (2.0 * statistic.least).max(centre * 1.5) };
    let start = if statistic.least.is_finite() { statistic.least } else { (-2.0 * statistic.most).min(centre * 1.5) };
    let (from, until) = (low.max(-2.0 * start.abs()).min(start), high.min(2.0 * end.abs()).max(end));
    let scale = (DRAWING - 1) as f64 / (until - from);
    // The cast saturates at zero.
    let place = |value: f64| (((value - from) * scale).round() as usize).min(DRAWING - 1);
    let mut line = [' '; DRAWING];
    line[place(low)..=place(high)].fill('-');
    if statistic.least.is_finite() {
        line[place(statistic.least)] = '[';
    }
    if statistic.most.is_finite() {
        line[place(statistic.most)] = ']';
    }
    line[place(centre)] = 'o';
    line.iter().collect()
}
