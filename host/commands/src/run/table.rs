//! The table that ends a run: strategy, baseline, difference with its interval; then what was used and what was hit.

use crate::face;
use assay_evaluate::score::{Axis, ChangeRecord, PartRecord, ScoreRecord};
use assay_evaluate::{
    Difference, MarketsRecord, MeasureSummary, Moments, ProfileRecord, RunRecord, outcome_detail, outcome_name,
};
use assay_sandbox::Outcome;

/// The measures on the screen; the report has them all.
const SHOWN: [&str; 14] = [
    "pnl",
    "max_drawdown",
    "sharpe",
    "inventory_final",
    "inventory_sd",
    "orders",
    "fills",
    "fill_rate_orders",
    "order_to_trade",
    "participation",
    "effective_spread_paid",
    "realised_spread_earned_5s",
    "spread",
    "volume",
];

/// Functions of a profile on the screen.
const FUNCTIONS_SHOWN: usize = 10;
/// Characters of their names.
const FUNCTION_CHARS: usize = 60;

/// The whole closing text.
pub(crate) fn render(record: &RunRecord, scenario: &str) -> String {
    let rows: Vec<_> = SHOWN
        .iter()
        .filter_map(|key| record.summary.measures.iter().find(|measure| measure.key == *key))
        .map(|measure| row(record, measure))
        .collect();
    let header = ["measure", "strategy", "baseline", "difference", "95% interval", ""];
    format!(
        "\n{} on {scenario}, {} seeds{}\n\n{}\n\n{}{}{}",
        face::visible(&record.strategy.file_name),
        record.episodes.len(),
        record
            .baseline
            .as_ref()
            .map_or_else(String::new, |baseline| { format!(", beside {}", face::visible(&baseline.file_name)) }),
        face::table(&header, &rows),
        evidence(record),
        record.score.as_ref().map_or_else(String::new, |score| format!("{}\n\n", score_of(score))),
        usage(record)
    )
}

/// The score, its axes, and what the market changed by.
fn score_of(score: &ScoreRecord) -> String {
    let axes = score.tree.axes();
    let rows: Vec<_> = axes.iter().map(|axis| axis_row(axis)).collect();
    let table = if rows.is_empty() {
        String::new()
    } else {
        format!("{}\n\n", face::left_table(&["axis", "points", "95% interval", "weight", "", "measured"], &rows, 6))
    };
    let changes = score.markets.iter().flat_map(|market| &market.changes).filter_map(change_of);
    let changes: Vec<String> = changes.collect();
    let changes = if changes.is_empty() {
        String::new()
    } else {
        format!("compared with the baseline: {}\n", changes.join(", "))
    };
    let next = assay_report::traded_too_little(score).map_or_else(String::new, |next| format!("\nto try next: {next}"));
    format!("{table}{changes}{}{next}", headline(score))
}

/// The score in a line.
pub(crate) fn headline(score: &ScoreRecord) -> String {
    let goal = score.goal.name();
    let reason = || face::visible(score.reason.as_deref().unwrap_or("nothing to go on"));
    let Some(value) = score.value else {
        return format!("{} for the goal {goal}: {}", face::bad("no score"), reason());
    };
    if score.reason.is_some() {
        return format!("score {value:.1} of 10, goal {goal}: {}: {}", face::bad("vetoed"), reason());
    }
    let interval = score
        .interval
        .map_or_else(|| "no interval".to_owned(), |interval| format!("95% {:.1} … {:.1}", interval.low, interval.high));
    let idle = score.idle_in_words();
    format!(
        "score {value:.1} of 10 ({interval}; doing nothing scores {idle}), goal {goal}, rules of version {}",
        score.version
    )
}

fn axis_row(axis: &PartRecord) -> Vec<String> {
    const BAR: usize = 10;
    let filled = axis.value.map_or(0, |value| (value.round() as usize).min(BAR));
    let measured = axis.parts.iter().filter_map(|part| Some(format!("{} {}", part.name, measured(part)?)));
    let measured: Vec<String> = measured.collect();
    vec![
        axis.name.clone(),
        axis.value.map_or_else(|| "none".to_owned(), |value| format!("{value:.1}")),
        axis.interval.map_or_else(String::new, |interval| format!("{:.1} … {:.1}", interval.low, interval.high)),
        axis.weight.map_or_else(String::new, |weight| format!("{:.0}%", weight * 100.0)),
        format!("{}{}", "█".repeat(filled), "░".repeat(BAR - filled)),
        if axis.value.is_some() { measured.join(", ") } else { axis.note.clone().unwrap_or_default() },
    ]
}

/// A measure behind an axis: a plain number, or a percentage.
fn measured(part: &PartRecord) -> Option<String> {
    let value = part.value?;
    Some(match part.name.as_str() {
        "return_on_drawdown" | "net_half_spreads" => format!("{value:.2}"),
        _ => format!("{:+.1}%", value * 100.0),
    })
}

fn change_of(change: &ChangeRecord) -> Option<String> {
    let interval = change.interval.filter(|interval| interval.low != interval.high)?;
    let percent = |share: f64| format!("{:+.1}", share * 100.0);
    let unit = if change.is_difference { " pp" } else { "%" };
    Some(format!(
        "{} {}{unit} ({} … {})",
        change.title,
        percent(change.change?),
        percent(interval.low),
        percent(interval.high)
    ))
}

/// One row a market, and the score over all.
pub(crate) fn markets(record: &MarketsRecord) -> String {
    let axes: Vec<&str> = Axis::ALL.iter().map(|axis| axis.name()).collect();
    let points = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| format!("{value:.1}"));
    let rows = record.markets.iter().map(|market| {
        let pnl = market.measures.iter().find(|row| row.key == "pnl").and_then(|row| row.strategy.mean);
        let found = market.score.tree.axes();
        let axis = |name: &&str| found.iter().find(|part| part.name == **name).and_then(|part| part.value);
        let mut row = vec![face::visible(&market.scenario), points(market.score.value)];
        row.extend(axes.iter().map(|name| points(axis(name))));
        row.push(pnl.map_or_else(|| "none".to_owned(), |cents| number(cents, "cents")));
        row
    });
    let mut header = vec!["market", "score"];
    header.extend(&axes);
    header.push("PnL ($)");
    let rows: Vec<_> = rows.collect();
    format!("\n{}\n\nall markets: {}", face::table(&header, &rows), headline(&record.score))
}

/// What the figures rest on: shortfall and worst seed, chance, and what to know before they are believed.
fn evidence(record: &RunRecord) -> String {
    let evidence = &record.summary.evidence;
    let tail = evidence.tail.as_ref().map(|tail| {
        format!(
            "PnL: worst 5% of seeds ${} on average, worst ${} in seed {}",
            grouped(tail.expected_shortfall / 100.0, 2),
            grouped(tail.worst / 100.0, 2),
            tail.worst_seed
        )
    });
    let cautions = evidence.cautions.iter().map(|caution| format!("{}: {caution}", face::doubtful("caution")));
    let lines: Vec<String> = tail.into_iter().chain(evidence.chance()).chain(cautions).collect();
    if lines.is_empty() { String::new() } else { format!("{}\n\n", lines.join("\n")) }
}

fn row(record: &RunRecord, measure: &MeasureSummary) -> Vec<String> {
    let definition = record.measures.iter().find(|definition| definition.key == measure.key);
    let (title, unit) = definition
        .map_or((measure.key.as_str(), ""), |definition| (definition.title.as_str(), definition.unit.as_str()));
    let (difference, interval, mark) =
        difference(&measure.difference, unit, definition.map_or("", |definition| definition.better.as_str()));
    vec![
        format!("{title}{}", label(unit)),
        mean(&measure.strategy, unit),
        mean(&measure.baseline, unit),
        difference,
        interval,
        mark,
    ]
}

fn mean(moments: &Moments, unit: &str) -> String {
    moments.mean.map_or_else(|| "none".to_owned(), |value| number(value, unit))
}

fn difference(difference: &Difference, unit: &str, better: &str) -> (String, String, String) {
    let mean = difference.mean.map_or_else(|| "none".to_owned(), |value| number(value, unit));
    let Some(interval) = &difference.interval else { return (mean, "none".to_owned(), String::new()) };
    let mark = match (better, difference.is_told(), interval.low > 0.0) {
        ("higher", true, true) | ("lower", true, false) => "better",
        ("higher", true, false) | ("lower", true, true) => "worse",
        _ => "",
    };
    (mean, format!("{} … {}", number(interval.low, unit), number(interval.high, unit)), mark.to_owned())
}

/// Cents are shown in dollars.
fn label(unit: &str) -> &'static str {
    match unit {
        "cents" => " ($)",
        "cents_per_share" => " (¢/share)",
        "basis_points" => " (bp)",
        "fraction" => " (%)",
        "shares" => " (shares)",
        "seconds" => " (s)",
        _ => "",
    }
}

fn number(value: f64, unit: &str) -> String {
    match unit {
        "cents" => grouped(value / 100.0, 2),
        "fraction" => grouped(value * 100.0, 1),
        "count" | "shares" => grouped(value, 1),
        _ => grouped(value, 2),
    }
}

/// With thousands separators, and no minus on a zero.
fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let digits = whole.len();
    let separated = whole.char_indices().flat_map(|(index, digit)| {
        let separator = (index > 0 && (digits - index).is_multiple_of(3)).then_some(',');
        separator.into_iter().chain([digit])
    });
    let is_zero = text.chars().all(|c| matches!(c, '0' | '.'));
    let sign = if value < 0.0 && !is_zero { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction}", separated.collect::<String>())
}

fn usage(record: &RunRecord) -> String {
    let usage = &record.summary.usage;
    let callbacks = usage.callbacks.iter().filter(|callback| callback.calls > 0).map(|callback| {
        let share = 100.0 * callback.fuel_max as f64 / callback.fuel_limit.max(1) as f64;
        vec![
            callback.callback.to_string(),
            grouped(callback.calls as f64, 0),
            grouped(callback.fuel_mean.unwrap_or(0.0), 0),
            grouped(callback.fuel_p50.unwrap_or(0) as f64, 0),
            grouped(callback.fuel_p99.unwrap_or(0) as f64, 0),
            grouped(callback.fuel_max as f64, 0),
            format!("{share:.2}%"),
            callback.dearest.map_or_else(String::new, |call| format!("seed {}, {}", call.seed, clock(call.at_ns))),
        ]
    });
    let head = ["fuel", "calls", "mean", "p50", "p99", "max", "of budget", "max was in"];
    let table = face::table(&head, &callbacks.collect::<Vec<_>>());
    let functions = record.profile.as_ref().map_or_else(String::new, |profile| format!("\n\n{}", functions(profile)));
    let limits = match record.summary.limits_hit.as_slice() {
        [] => "none".to_owned(),
        limits => {
            limits.iter().map(|limit| format!("{} ({} seeds)", limit.what, limit.seeds)).collect::<Vec<_>>().join("; ")
        }
    };
    format!(
        "{table}{functions}\n\nfuel used {} in all, {} in the most expensive episode; peak memory {} KiB; limits hit: {limits}",
        grouped(usage.fuel as f64, 0),
        grouped(usage.fuel_episode_max as f64, 0),
        grouped((usage.memory_bytes_peak / 1024) as f64, 0),
    )
}

/// The functions with the most fuel of their own.
fn functions(profile: &ProfileRecord) -> String {
    let share = |fuel: u64| format!("{:.1}%", 100.0 * fuel as f64 / profile.fuel.max(1) as f64);
    let rows = profile.functions.iter().take(FUNCTIONS_SHOWN).map(|function| {
        let name: String = face::visible(&function.name).chars().take(FUNCTION_CHARS).collect();
        let (own, calls) = (grouped(function.fuel_self as f64, 0), grouped(function.calls as f64, 0));
        vec![name, calls, own, share(function.fuel_self), share(function.fuel_total)]
    });
    let head = format!("function, seed {}", profile.seed);
    face::table(&[head.as_str(), "calls", "own fuel", "own", "with calls"], &rows.collect::<Vec<_>>())
}

/// Time of day.
fn clock(at_ns: u64) -> String {
    let milliseconds = at_ns / 1_000_000;
    let (seconds, milliseconds) = (milliseconds / 1_000, milliseconds % 1_000);
    format!("{:02}:{:02}:{:02}.{milliseconds:03}", seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60)
}

/// What the first failed episode says, for the error's hint.
pub(crate) fn first_failure(record: &RunRecord) -> String {
    let failed =
        record.episodes.iter().find(|episode| episode.outcome != Outcome::Finished || episode.stopped.is_some());
    failed.map_or_else(String::new, |episode| {
        format!(
            "seed {}: {}",
            episode.seed,
            face::visible(&outcome_detail(episode).unwrap_or_else(|| outcome_name(episode)))
        )
    })
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_grouped_and_signed() {
        for (value, unit, text) in [
            (0.0, "cents", "0.00"),
            (-0.4, "cents", "0.00"),
            (-123_456_789.0, "cents", "-1,234,567.89"),
            (0.125, "fraction", "12.5"),
            (1_000.0, "count", "1,000.0"),
            (999.94, "shares", "999.9"),
        ] {
            assert_eq!(number(value, unit), text, "{value} {unit}");
        }
    }
}
