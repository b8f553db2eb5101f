//! Two runs beside each other: every measure with its difference, one measure seed by seed, and the sources line by line.

use super::layout::{Frame, Section, layout};
use super::orders::{Parted, parted};
use crate::place::{Place, encoded};
use crate::text;
use assay_results::{Compared, expected_by_chance};
use assay_store::{Kind, Run, RunRow, Total};
use maud::{Markup, PreEscaped, html};

/// Measures that are listed.
const ROWS_MAX: usize = 2_000;
/// Seeds in the table below the drawing.
const SEEDS_MAX: usize = 200;
/// Lines of a difference between sources.
const LINES_MAX: usize = 4_000;

/// One of the two runs.
pub(crate) struct Side {
    pub run: Run,
    pub has_source: bool,
}

/// Everything about two runs.
pub(crate) struct Comparison<'a> {
    pub a: Side,
    pub b: Side,
    pub rows: &'a [Compared<'a>],
    /// The row whose seeds are drawn.
    pub drawn: Option<usize>,
    /// Lines in which A's source differs from B's, if both have one; none within if they cannot be told.
    pub changes: Option<Option<Vec<String>>>,
    /// Where the two did something different first, in one seed; none where they have no seed in common.
    pub orders: Option<Parted>,
}

/// Runs to choose from.
pub(crate) struct Choice<'a> {
    pub first: Option<&'a Run>,
    pub rows: &'a [RunRow],
    pub total: Total,
    /// From 0.
    pub page: u32,
}

pub(crate) fn both(frame: Frame<'_>, comparison: &Comparison<'_>) -> String {
    let Comparison { a, b, rows, .. } = comparison;
    let (tested, by_chance) = expected_by_chance(rows);
    let body = html! {
        (sides(frame, a, b))
        h2 { "Measures" }
        (measures(comparison))
        @if rows.iter().any(Compared::is_of_two_versions) {
            p class="notice" { "The runs saw different versions of a scenario: a difference may be the scenario's." }
        }
        @if tested > 1 {
            p class="small" {
                (tested) " differences were tested: chance alone would show about " (format!("{by_chance:.1}"))
                "; answers are after Holm's correction within groups of measures."
            }
        }
        @if let Some(row) = comparison.drawn.and_then(|drawn| rows.get(drawn)) { (seeds(row, shared(&a.run))) }
        @if let Some(orders) = &comparison.orders { (parted(frame, [&a.run, &b.run], orders)) }
        (source(comparison))
    };
    layout(frame, "Two runs compared", Section::Runs, None, &body)
}

/// What a pair of values shares.
fn shared(run: &Run) -> &'static str {
    if run.kind == Kind::Rollout { "task" } else { "seed" }
}

fn sides(frame: Frame<'_>, a: &Side, b: &Side) -> Markup {
    let row = |name: &str, side: &Side| {
        html! { tr data-row="" {
            th scope="row" { (name) }
            td class="short" { (frame.link(&Place::Run(side.run.id), side.run.id.to_string().get(..13).unwrap_or_default())) }
            td class="id" { (text::name(&side.run.subject)) }
            td class="short" { (text::moment(side.run.created.0)) }
        } }
    };
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="The two runs" { table {
            thead { tr { th scope="col" { "Side" } th scope="col" { "Run" } th scope="col" { "Strategy or model" } th scope="col" { "Started (UTC)" } } }
            tbody { (row("A", a)) (row("B", b)) }
        } }
        p {
            (frame.link(&Place::Compare(Some(b.run.id), Some(a.run.id)), "Exchange A and B")) " · "
            (frame.link(&Place::Compare(Some(a.run.id), None), "Compare A with another run"))
        }
    }
}

fn measures(comparison: &Comparison<'_>) -> Markup {
    let Comparison { a, b, rows, .. } = comparison;
    let shared = format!("{}s", shared(&a.run));
    let link = |row: &Compared<'_>| {
        let (measure, scenario) = (encoded(&row.a.measure), encoded(row.scenario));
        format!("/compare?a={}&b={}&measure={measure}&scenario={scenario}#seeds", a.run.id, b.run.id)
    };
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="Measures" { table {
            thead { tr {
                th scope="col" { "Measure" } th scope="col" { "Scenario" } th class="number" scope="col" { "A" } th class="number" scope="col" { "B" }
                th class="number" scope="col" { "A − B, 95% interval" } th scope="col" { "How" } th scope="col" { "Answer" }
            } }
            tbody {
                @for row in rows.iter().take(ROWS_MAX) {
                    tr data-row="" {
                        td {
                            @if row.pairs().is_empty() { (text::name(&row.a.measure)) } @else { a href=(link(row)) { (text::name(&row.a.measure)) } }
                            " " span class="unit" { (text::name(&row.a.unit)) }
                        }
                        td class="id" { (text::name(row.scenario)) }
                        td class="number" { (text::spread(row.a.spread.mean, row.a.spread.interval)) }
                        td class="number" { (text::spread(row.b.spread.mean, row.b.spread.interval)) }
                        td class="number" { (text::spread(row.estimate.mean, row.estimate.interval.map(|interval| (interval.low, interval.high)))) }
                        td class="whole" { (row.method.word()) ", " (row.estimate.n) " " (shared) }
                        td class="whole" { @if row.is_told() { strong { (row.answer()) } } @else { (row.answer()) } }
                    }
                }
            }
        } }
        @if rows.len() > ROWS_MAX { p class="small" { (text::counted(rows.len() - ROWS_MAX, "more measure", "more measures")) } }
    }
}

/// One measure, seed by seed.
fn seeds(row: &Compared<'_>, shared: &str) -> Markup {
    let pairs = row.pairs();
    let points: Vec<(f64, f64)> = pairs.iter().map(|(_, a, b)| (*b, *a)).collect();
    let (measure, scenario) = (text::name(&row.a.measure), text::name(row.scenario));
    let above = pairs.iter().filter(|(_, a, b)| a > b).count();
    let label = format!("{measure} of A against that of B, a dot for each {shared}");
    html! {
        h2 id="seeds" { (measure) " in " (scenario) ", " (shared) " by " (shared) }
        figure {
            figcaption { span class="key main dot" { "one " (shared) } span class="key line dashed muted" { "A as high as B" } }
            div class="drawing" tabindex="0" role="group" aria-label="Drawing" { (PreEscaped(assay_report::scatter(&points, &label))) }
            p class="small" {
                "Across: B. Up: A. Unit: " (text::name(&row.a.unit)) ". Above the dashed line, A has more: in "
                (above) " of " (text::counted(pairs.len(), shared, &format!("{shared}s"))) "."
            }
            details class="data" {
                summary { "As a table" }
                div class="scroll" tabindex="0" role="group" aria-label="Values" { table {
                    thead { tr { th scope="col" { (shared) } th class="number" scope="col" { "A" } th class="number" scope="col" { "B" } th class="number" scope="col" { "A − B" } } }
                    tbody {
                        @for (seed, a, b) in pairs.iter().take(SEEDS_MAX) {
                            tr { td { (seed) } td class="number" { (text::number(*a)) } td class="number" { (text::number(*b)) } td class="number" { (text::number(a - b)) } }
                        }
                    }
                } }
                @if pairs.len() > SEEDS_MAX { p class="small" { (text::count((pairs.len() - SEEDS_MAX) as u64)) " more; " code { "assay show ID --json" } " has all of them" } }
            }
        }
    }
}

fn source(comparison: &Comparison<'_>) -> Markup {
    let Comparison { a, b, changes, .. } = comparison;
    html! {
        @match changes {
            Some(Some(lines)) if lines.is_empty() => { h2 { "Source" } p { "Both ran the same source." } }
            Some(Some(lines)) => {
                h2 { "Source" }
                p class="small" { "Lines with " code { "−" } " are only in B, those with " code { "+" } " only in A." }
                (difference(lines))
            }
            Some(None) => { h2 { "Source" } p { "The sources differ, and are too long to be compared line by line, or are no text." } }
            None if a.has_source || b.has_source => { h2 { "Source" } p { "Only one of the runs has its source in the store." } }
            None => {}
        }
    }
}

/// Lines of a patch.
pub(super) fn difference(lines: &[String]) -> Markup {
    let of = |line: &str| match line.as_bytes().first() {
        Some(b'+') => ("added", "+"),
        Some(b'-') => ("removed", "−"),
        Some(b'@') => ("place", ""),
        _ => ("", " "),
    };
    html! {
        pre class="diff" tabindex="0" {
            @for line in lines.iter().take(LINES_MAX) {
                @let (class, sign) = of(line);
                span class=(class) { (sign) (text::words(if sign.is_empty() { line } else { line.get(1..).unwrap_or("") })) "\n" }
            }
        }
        @if lines.len() > LINES_MAX { p class="small" { (text::counted(lines.len() - LINES_MAX, "more line", "more lines")) } }
    }
}

/// A store without anything to choose from.
pub(crate) fn nothing(frame: Frame<'_>, why: &str) -> String {
    let body = html! {
        p class="notice" { (text::words(why)) }
        p { "Two runs can be compared once they are in the store: " code { "assay run my-strategy.rs" } " records one." }
    };
    layout(frame, "Compare", Section::Runs, None, &body)
}

pub(crate) fn choice(frame: Frame<'_>, choice: &Choice<'_>) -> String {
    let Choice { first, rows, total, page } = choice;
    let rows: Vec<&RunRow> = rows.iter().filter(|row| first.is_none_or(|first| first.id != row.run.id)).collect();
    let to = |id| match first {
        Some(first) => Place::Compare(Some(first.id), Some(id)),
        None => Place::Compare(Some(id), None),
    };
    let path = first.map_or_else(|| "/compare?".to_owned(), |first| format!("/compare?a={}&", first.id));
    let pages = total.runs.div_ceil(u64::from(super::runs::RUNS_PER_PAGE));
    let body = html! {
        @match first {
            Some(first) => { p { "Choose the run to compare " (frame.link(&Place::Run(first.id), &text::name(&first.subject))) " with." } }
            None => { p { "Choose the first of two runs." } }
        }
        @if rows.is_empty() { p { "There is no other run of this kind and market with figures here. " code { "assay run other-strategy.rs" } " records one." } }
        @else {
            div class="scroll" tabindex="0" role="group" aria-label="Runs" { table {
                thead { tr { th scope="col" { "Run" } th scope="col" { "Started (UTC)" } th scope="col" { "Kind" } th scope="col" { "Strategy or model" } th scope="col" { "Scenario" } th class="number" scope="col" { "PnL in cents, 95% interval" } } }
                tbody {
                    @for row in &rows {
                        tr data-row="" {
                            td class="short" { (frame.link(&to(row.run.id), row.run.id.to_string().get(..13).unwrap_or_default())) }
                            td class="short" { (text::moment(row.run.created.0)) }
                            td { (row.run.kind.word()) }
                            td class="id" { (text::name(&row.run.subject)) }
                            td class="id" { (text::name(&row.scenarios.join(", "))) }
                            td class="number" { @if let Some(kpi) = &row.kpi { (text::spread(kpi.mean, kpi.interval)) } }
                        }
                    }
                }
            } }
        }
        @if pages > 1 {
            nav aria-label="Pages of the list" {
                @if *page > 0 { a rel="prev" href={ (path) "page=" (page) } { "Newer" } }
                @if u64::from(*page) + 1 < pages { a rel="next" href={ (path) "page=" (page + 2) } { "Older" } }
            }
        }
    };
    let title = if first.is_some() { "Compare with another run" } else { "Compare" };
    layout(frame, title, Section::Runs, None, &body)
}
