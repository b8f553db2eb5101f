//! The result: verdict, headline, and measures of strategy, baseline and their difference.

use crate::compared::{own_interval, stand_in};
use crate::format::{NO_VALUE, Shown, counted, shown, visible};
use crate::sections::LINE_CHARS_MAX;
use assay_evaluate::{Difference, MeasureDefinition, MeasureSummary, Moments, RunRecord, RunVerdict, TailRecord};
use maud::{Markup, html};

/// The measures of the first table, by key.
const HEADLINE: [&str; 14] = [
    "pnl",
    "max_drawdown",
    "sharpe",
    "inventory_sd",
    "fills",
    "fill_rate_orders",
    "order_to_trade",
    "participation",
    "shortfall",
    "spread",
    "volume",
    "return_sd_60s",
    "bid_size",
    "one_sided_time",
];
/// With fewer seeds, an interval relies on normally distributed differences.
const SEEDS_FEW: u64 = 30;
/// Titles of the groups of measures, in order.
const GROUPS: [(&str, &str); 5] = [
    ("profit", "Profit and risk"),
    ("inventory", "Inventory"),
    ("orders", "Orders and fills"),
    ("execution", "Execution"),
    ("market", "Market"),
];

/// The verdict in a few words, for the title and the heading.
pub(crate) fn verdict(record: &RunRecord) -> (&'static str, String) {
    let scored = record.episodes.len();
    let failed = record.episodes.iter().filter(|episode| !episode.succeeded()).count();
    match record.verdict {
        RunVerdict::Finished => ("good", format!("Finished in {}", counted(scored, "seed", "seeds"))),
        RunVerdict::Failed => ("bad", format!("Failed in {failed} of {}", counted(scored, "seed", "seeds"))),
        RunVerdict::Unscored => ("unknown", "Not scored".to_owned()),
    }
}

/// The verdict, what it rests on, and the headline table.
pub(crate) fn result(record: &RunRecord) -> Markup {
    let (class, verdict) = verdict(record);
    let rows = HEADLINE.iter().filter_map(|key| record.summary.measures.iter().find(|row| row.key == *key));
    html! {
        section id="result" {
            p class={ "verdict " (class) } { (verdict) }
            @if record.verdict == RunVerdict::Failed {
                @for outcome in &record.summary.outcomes {
                    p { (visible(&outcome.what, LINE_CHARS_MAX)) " in " (counted(outcome.seeds as usize, "seed", "seeds")) ", first in seed " (outcome.first_seed) }
                }
            }
            @if let Some(sentence) = headline(record) { p class="lead" { (sentence) } }
            @for notice in notices(record) { p class="notice" { (notice) } }
            (table("Means over the scored seeds", rows, record, false))
            p class="small" {
                "Baseline: the same market and seeds, with " (stand_in(record)) " in place of the strategy. Difference: strategy minus baseline, "
                "seed by seed, with its 95% interval: the wider of Student's t and Hall's interval, which allows for skewness, at each end. \u{25b2} better, \u{25bc} worse, "
                "\u{25c6} different: significant after Holm's correction over all measures of the group. "
                @if let Some(chance) = record.summary.evidence.chance() { (chance) }
            }
            @if let Some(tail) = &record.summary.evidence.tail { p class="small" { (shortfall(tail)) } }
        }
    }
}

fn headline(record: &RunRecord) -> Option<String> {
    let pnl = record.summary.measures.iter().find(|row| row.key == "pnl")?;
    let shown = shown("cents");
    let mean = shown.with_unit(pnl.strategy.mean?);
    Some(match own_interval(record, "pnl") {
        Some(interval) => format!(
            "Mean PnL {mean} per session; 95% interval {} to {}.",
            shown.with_unit(interval.low),
            shown.with_unit(interval.high)
        ),
        None => format!("PnL {mean} in the one scored seed; one seed has no interval."),
    })
}

/// The worst of the profit, in a sentence.
fn shortfall(tail: &TailRecord) -> String {
    let shown = shown("cents");
    format!(
        "Expected shortfall, the mean PnL of the worst 5% of seeds: {} ({:.1} of {} observations; below 20 it is the worst one). Worst: {} in seed {}.",
        shown.with_unit(tail.expected_shortfall),
        tail.tail_observations,
        tail.observations,
        shown.with_unit(tail.worst),
        tail.worst_seed
    )
}

/// What of a run is of which symbol, if its market has several.
pub(crate) fn symbols_note(record: &RunRecord) -> Option<String> {
    let [first, others @ ..] = record.scenario.symbols.as_slice() else { return None };
    (!others.is_empty()).then(|| {
        let (first, others) = (visible(first, LINE_CHARS_MAX), visible(&others.join(", "), LINE_CHARS_MAX));
        format!(
            "The market trades {first} and {others}. Profit, fees, drawdown, Sharpe ratio, orders, fills and participation cover all symbols; inventory, spreads, charts \
             and everything about the market cover only {first}."
        )
    })
}

fn notices(record: &RunRecord) -> Vec<String> {
    let mut notices = Vec::new();
    let asked = record.seeds.len();
    if !record.complete {
        let left_out = record.not_run.len();
        notices.push(format!("Interrupted: {left_out} of {asked} seeds were not run. All figures cover the others."));
    }
    if !record.unscored.is_empty() {
        let unscored = counted(record.unscored.len(), "seed is", "seeds are");
        notices.push(format!(
            "{unscored} unscored because of a failure that was not the strategy's fault, and left out of all figures."
        ));
    }
    notices.extend(symbols_note(record));
    if record.scenario.recording.is_some() {
        notices.push(
            "The market is a recording: nobody reacts to the strategy, and every seed meets the same orders. See Recorded market.".to_owned(),
        );
    }
    notices.extend(record.scenario.gives_away().map(|what| {
        let what = visible(&what, LINE_CHARS_MAX);
        format!("This market gives profit away: {what}. Profit here is not evidence of skill.")
    }));
    notices.extend(record.summary.evidence.cautions.iter().map(|caution| visible(caution, 2 * LINE_CHARS_MAX)));
    let scored = record.episodes.len() as u64;
    if (1..SEEDS_FEW).contains(&scored) {
        notices.push(format!("Fewer than {SEEDS_FEW} seeds: treat the intervals as a first impression."));
    }
    notices
}

/// Every measure with its definition, by group.
pub(crate) fn measures(record: &RunRecord) -> Markup {
    html! {
        section id="measures" {
            h2 { "All measures" }
            @for (group, title) in GROUPS {
                (table(title, record.summary.measures.iter().filter(|row| definition(record, row).is_some_and(|d| d.group == group)), record, true))
            }
        }
    }
}

fn definition<'a>(record: &'a RunRecord, row: &MeasureSummary) -> Option<&'a MeasureDefinition> {
    record.measures.iter().find(|definition| definition.key == row.key)
}

fn table<'a>(title: &str, rows: impl Iterator<Item = &'a MeasureSummary>, record: &RunRecord, whole: bool) -> Markup {
    html! {
        div class="scroll" {
            table class="measures" {
                caption { (title) }
                colgroup { @for column in ["name", "unit", "value", "value", "value", "interval", "seeds"] { col class=(column); } }
                thead {
                    tr {
                        th scope="col" { "Measure" }
                        th scope="col" class="unit" { "Unit" }
                        th scope="col" class="number" { "Strategy" }
                        th scope="col" class="number" { "Baseline" }
                        th scope="col" class="number" { "Difference" }
                        th scope="col" class="number" { "95% interval" }
                        th scope="col" class="number" { "Seeds" }
                    }
                }
                tbody {
                    @for row in rows {
                        @if let Some(definition) = definition(record, row) { (measure(row, definition, whole)) }
                    }
                }
            }
        }
    }
}

fn measure(row: &MeasureSummary, definition: &MeasureDefinition, whole: bool) -> Markup {
    let shown = shown(&definition.unit);
    let (class, mark) = judgement(&row.difference, &definition.better);
    html! {
        tr {
            th scope="row" {
                (visible(&definition.title, LINE_CHARS_MAX))
                @if whole { span class="definition" { (visible(&definition.definition, 4 * LINE_CHARS_MAX)) " " code { (visible(&definition.key, LINE_CHARS_MAX)) } } }
            }
            td class="unit" { (shown.unit) }
            td class="number" { (cell(&row.strategy, shown, whole)) }
            td class="number" { (cell(&row.baseline, shown, whole)) }
            td class={ "number " (class) } {
                @match row.difference.mean {
                    Some(mean) => { (mark) (shown.number(mean)) }
                    None => (no_value(row.difference.missing.as_deref(), false)),
                }
            }
            td class="number" {
                @match row.difference.interval {
                    Some(interval) if interval.degenerate => { span title="Every seed has the same difference" { "all the same" } }
                    Some(interval) => { (shown.number(interval.low)) " to " (shown.number(interval.high)) }
                    None => (no_value(row.difference.missing.as_deref(), false)),
                }
            }
            td class="number" { (row.difference.n.max(row.strategy.n)) }
        }
    }
}

/// A mean, with its deviation where there is room.
fn cell(moments: &Moments, shown: Shown, whole: bool) -> Markup {
    html! {
        @match moments.mean {
            Some(mean) => {
                (shown.number(mean))
                @if whole { @if let Some(sd) = moments.sd { span class="sd" { "\u{b1}\u{a0}" (shown.number(sd)) } } }
            }
            None => (no_value(moments.missing.as_deref(), whole)),
        }
    }
}

/// A dash that says why, in words where there is room.
fn no_value(reason: Option<&str>, whole: bool) -> Markup {
    let reason = reason.map(|reason| visible(reason, LINE_CHARS_MAX));
    let reason = reason.as_deref();
    html! {
        span class="missing" title=[reason] { (NO_VALUE) }
        @if whole { @if let Some(reason) = reason { span class="sd" { (reason) } } }
    }
}

/// Whether the difference is one, and for the better or the worse; never by colour alone.
fn judgement(difference: &Difference, better: &str) -> (&'static str, &'static str) {
    let Some(interval) = difference.interval.filter(|_| difference.is_told()) else {
        return ("", "");
    };
    match (better, interval.low > 0.0) {
        ("higher", true) | ("lower", false) => ("good", "\u{25b2}\u{a0}"),
        ("higher", false) | ("lower", true) => ("bad", "\u{25bc}\u{a0}"),
        _ => ("", "\u{25c6}\u{a0}"),
    }
}
