//! The score on the page: the number, what held it down, the axes with bars, and what the market changed by.

use crate::format::{NO_VALUE, counted, grouped, shown, visible};
use assay_evaluate::score::{Axis, ChangeRecord, MarketScoreRecord, PartRecord, PartRule, ScoreRecord};
use assay_evaluate::{Interval, RunRecord};
use maud::{Markup, html};

/// Characters shown of a note.
const NOTE_CHARS_MAX: usize = 300;

/// The section of a run.
pub(crate) fn score(record: &RunRecord) -> Markup {
    html! {
        section id="score" {
            h2 { "Score" }
            @match &record.score {
                None => p { "This record was written before Assay had scores." },
                Some(score) => {
                    (number(score))
                    (axes(&score.tree))
                    @for market in &score.markets { (market_part(market)) }
                }
            }
        }
    }
}

/// The number in words, with what held it down.
pub(crate) fn number(score: &ScoreRecord) -> Markup {
    html! {
        p class="lead" { (sentence(score)) }
        @for (_, part) in score.tree.walk() {
            @if let Some(note) = struck(part) { p class="notice" { (note) } }
        }
        @if let Some(next) = traded_too_little(score) { p { "To try next: " (visible(&next, NOTE_CHARS_MAX)) "." } }
        p class="small" {
            "From 1 to 10, version " (score.version) " of the rules in docs/score.md. A gain counts at the lower end of its interval, a loss at its mean. "
            "An axis that the strategy kept from being measured counts as 1."
        }
    }
}

/// The score in a sentence.
pub(crate) fn sentence(score: &ScoreRecord) -> String {
    let goal = score.goal.name();
    match (score.value, score.interval, &score.reason) {
        (Some(value), _, Some(reason)) => {
            format!("Score {} of 10 for the goal {goal}: vetoed. {}", points(value), visible(reason, NOTE_CHARS_MAX))
        }
        (Some(value), Some(interval), None) => format!(
            "Score {} of 10 for the goal {goal}; 95% interval {} to {}. Doing nothing scores {}.",
            points(value),
            points(interval.low),
            points(interval.high),
            score.idle_in_words()
        ),
        (Some(value), None, None) => format!("Score {} of 10 for the goal {goal}; no interval.", points(value)),
        (None, _, reason) => {
            let reason = reason.as_deref().unwrap_or("nothing to go on");
            format!("No score for the goal {goal}: {}.", visible(reason, NOTE_CHARS_MAX))
        }
    }
}

/// What a ceiling says, if it holds the sum below it down.
pub(crate) fn struck(part: &PartRecord) -> Option<String> {
    if part.rule != PartRule::Ceiling {
        return None;
    }
    let sum = part.parts.iter().find(|part| part.rule == PartRule::WeightedSum)?.value?;
    let limits = part.parts.iter().filter(|part| part.rule == PartRule::Limit);
    let lowest = limits.filter_map(|limit| Some((limit.value?, limit))).min_by(|a, b| a.0.total_cmp(&b.0))?;
    (lowest.0 < sum - 0.005).then(|| {
        let note = lowest.1.note.as_deref().unwrap_or_default();
        format!(
            "Held at {} {} ({}); the axes alone would make {}",
            points(lowest.0),
            lowest.1.name,
            visible(note, NOTE_CHARS_MAX),
            points(sum)
        )
    })
}

/// The axes of a market.
pub(crate) fn axes(tree: &PartRecord) -> Markup {
    let axes = tree.axes();
    html! {
        @if !axes.is_empty() {
            div class="scroll" {
                table {
                    caption { "Axes" }
                    thead { tr {
                        th scope="col" { "Axis" }
                        th scope="col" { "1 to 10" }
                        th scope="col" class="number" { "Points" }
                        th scope="col" class="number" { "95% interval" }
                        th scope="col" class="number" { "Weight" }
                        th scope="col" { "Measured" }
                    } }
                    tbody { @for axis in axes { (axis_row(axis)) } }
                }
            }
        }
    }
}

fn axis_row(axis: &PartRecord) -> Markup {
    html! {
        tr {
            th scope="row" { (axis.name) }
            td { @if let Some(value) = axis.value { meter min="1" max="10" value=(format!("{value:.2}")) { (points(value)) } } }
            td class="number" { (axis.value.map_or_else(|| NO_VALUE.to_owned(), points)) }
            td class="number" { (axis.interval.map_or_else(|| NO_VALUE.to_owned(), |interval| format!("{} to {}", points(interval.low), points(interval.high)))) }
            td class="number" { (axis.weight.map_or_else(|| NO_VALUE.to_owned(), |weight| format!("{:.0}%", weight * 100.0))) }
            td {
                @if let Some(note) = &axis.note { (visible(note, NOTE_CHARS_MAX)) " " }
                @for part in &axis.parts {
                    div class="small" title=[part.note.as_deref()] { (measure(part)) }
                }
            }
        }
    }
}

/// A measure behind an axis, in its own unit.
pub(crate) fn measure(part: &PartRecord) -> String {
    let Some(value) = part.value else { return format!("{}: none", part.name) };
    let is_ratio = matches!(part.name.as_str(), "return_on_drawdown" | "net_half_spreads");
    let shown = |value: f64| if is_ratio { grouped(value, 2) } else { format!("{}%", grouped(value * 100.0, 2)) };
    let interval = part
        .interval
        .map_or_else(String::new, |interval| format!(" ({} to {})", shown(interval.low), shown(interval.high)));
    format!("{} {}{interval}", part.name, shown(value))
}

/// What the market changed by, and the worst seed.
fn market_part(market: &MarketScoreRecord) -> Markup {
    html! {
        @if !market.changes.is_empty() {
            div class="scroll" {
                table {
                    caption { "The market compared with the baseline, over " (counted(market.seeds as usize, "seed", "seeds")) }
                    thead { tr {
                        th scope="col" { "Measure" }
                        th scope="col" class="number" { "Change" }
                        th scope="col" class="number" { "95% interval" }
                    } }
                    tbody { @for change in &market.changes { (change_row(change)) } }
                }
            }
        }
        @if let Some(worst) = market.worst_seed {
            p class="small" { "Worst seed: " (worst.seed) ", PnL " (shown("cents").with_unit(worst.pnl)) ". A change is the ratio of two means over the seeds, less 1." }
        }
    }
}

fn change_row(change: &ChangeRecord) -> Markup {
    let (value, interval) = change_text(change);
    html! {
        tr {
            th scope="row" { (change.title) }
            td class="number" { span title=[change.missing.as_deref()] { (value) } }
            td class="number" { (interval) }
        }
    }
}

/// A change and its interval in percent, or in hundredths of the session.
fn change_text(change: &ChangeRecord) -> (String, String) {
    let unit = if change.is_difference { " pp" } else { "%" };
    let signed = |value: f64| {
        let text = grouped(value * 100.0, 2);
        if value > 0.0 && text.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
            format!("+{text}{unit}")
        } else {
            format!("{text}{unit}")
        }
    };
    let both = |Interval { low, high, .. }| format!("{} to {}", signed(low), signed(high));
    let dash = || NO_VALUE.to_owned();
    (change.change.map_or_else(dash, signed), change.interval.map_or_else(dash, both))
}

/// Points with one decimal.
pub(crate) fn points(value: f64) -> String {
    grouped(value, 1)
}

/// Why there is no score for execution if the strategy is the reason, and what to try.
#[must_use]
pub fn traded_too_little(score: &ScoreRecord) -> Option<String> {
    let axes = score.tree.axes();
    let execution = axes.into_iter().find(|part| part.name == Axis::Execution.name() && part.value.is_none())?;
    let why = execution.note.as_deref().filter(|note| note.contains("shares"))?;
    let why = why.split(';').next().unwrap_or(why);
    Some(format!(
        "it traded too little for an execution score, which then counts as 1 ({why}): quote nearer the touch, in larger orders, or more often"
    ))
}
