//! The page of a market without a strategy: its course, its measures, who trades, what moves it, halts and jumps, and the facts of real markets.

use crate::charts::market_charts;
use crate::format::{NO_VALUE, clock, count, counted, grouped, shown, visible};
use crate::page::{POLICY, STYLE};
use crate::sections::figure;
use assay_evaluate::{KindRecord, MeasureDefinition, ObservationRecord, ObservedMeasure};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Characters shown of a name.
const NAME_CHARS_MAX: usize = 120;
/// Characters shown of the scenario's text.
const TEXT_CHARS_MAX: usize = 100_000;
/// Rows of a table of halts.
const HALT_ROWS_MAX: usize = 20;

/// The page of an observation as one self-contained HTML document. `facts` is the scorecard of real markets' facts, if the session is long enough.
#[must_use]
pub fn render_observation(record: &ObservationRecord, facts: Option<&str>) -> String {
    let name = visible(&record.scenario.name, NAME_CHARS_MAX);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "Assay " (record.tool.assay) };
                title { (name) ": a market without a strategy" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    p class="brand" { "Assay" }
                    h1 { (name) }
                    p { (visible(&record.scenario.summary, 4 * NAME_CHARS_MAX)) }
                    nav aria-label="Sections" {
                        @for (id, title) in [("charts", "Charts"), ("market", "Market"), ("who", "Who trades"), ("events", "Halts and jumps")] {
                            a href={ "#" (id) } { (title) }
                        }
                        @if facts.is_some() { a href="#facts" { "Facts" } }
                        a href="#scenario" { "Scenario" }
                    }
                }
                main {
                    (course(record))
                    (measures(record))
                    (kinds(record))
                    (events(record))
                    @if let Some(facts) = facts {
                        section id="facts" {
                            h2 { "Facts of real markets" }
                            p class="small" { "Each line is a statistic of a fact that real markets show, with its median over the seeds and its limits; docs/realism.md has the sources." }
                            pre { (visible_lines(facts)) }
                        }
                    }
                    section id="scenario" {
                        h2 { "Scenario" }
                        pre { (visible_lines(&record.scenario.text)) }
                        p { "Reproduce: " code { (visible(&record.command, 10 * NAME_CHARS_MAX)) } }
                    }
                }
                footer { p { "The same data as JSON: observation.json, next to this page." } }
            }
        }
    };
    page.into_string()
}

fn visible_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| visible(line, NAME_CHARS_MAX * 4)).collect();
    visible_prefix(&lines.join("\n"))
}

fn visible_prefix(text: &str) -> String {
    text.chars().take(TEXT_CHARS_MAX).collect()
}

fn course(record: &ObservationRecord) -> Markup {
    html! {
        section id="charts" {
            h2 { "Charts" }
            @if !record.not_run.is_empty() {
                p class="notice" { "Interrupted: " (record.not_run.len()) " of " (counted(record.seeds.len(), "seed", "seeds")) " were not run." }
            }
            @match &record.series {
                None => p { "No seed was run, so there is nothing to draw." },
                Some(series) => {
                    p class="small" { "Seed " (series.seed) ", exchange time." }
                    @for chart in market_charts(series) { (figure(&chart)) }
                }
            }
        }
    }
}

fn measures(record: &ObservationRecord) -> Markup {
    html! {
        section id="market" {
            h2 { "Market" }
            div class="scroll" {
                table {
                    caption { "Over " (counted(record.seeds.len() - record.not_run.len(), "seed", "seeds")) }
                    thead { tr {
                        th scope="col" { "Measure" }
                        th scope="col" { "Unit" }
                        th scope="col" class="number" { "Mean" }
                        th scope="col" class="number" { "95% interval" }
                        th scope="col" class="number" { "Lowest seed" }
                        th scope="col" class="number" { "Greatest seed" }
                    } }
                    tbody {
                        @for row in &record.measures {
                            @if let Some(definition) = record.definitions.iter().find(|definition| definition.key == row.key) { (measure(row, definition)) }
                        }
                    }
                }
            }
        }
    }
}

fn measure(row: &ObservedMeasure, definition: &MeasureDefinition) -> Markup {
    let shown = shown(&definition.unit);
    html! {
        tr {
            th scope="row" { (definition.title) span class="definition" { (definition.definition) " " code { (definition.key) } } }
            td class="unit" { (shown.unit) }
            td class="number" { (shown.number_or_dash(row.mean)) }
            td class="number" { (row.interval.map_or_else(|| NO_VALUE.to_owned(), |interval| format!("{} to {}", shown.number(interval.low), shown.number(interval.high)))) }
            td class="number" { (shown.number_or_dash(row.least)) }
            td class="number" { (shown.number_or_dash(row.greatest)) }
        }
    }
}

fn kinds(record: &ObservationRecord) -> Markup {
    html! {
        section id="who" {
            h2 { "Who trades, and what moves the price" }
            div class="scroll" {
                table {
                    caption { "Kinds of agents, as the scenario names them; averages per session" }
                    thead { tr {
                        th scope="col" { "Kind" }
                        th scope="col" class="number" { "Agents" }
                        th scope="col" class="number" { "Of volume" }
                        th scope="col" class="number" { "Taken" }
                        th scope="col" class="number" { "Requests" }
                        th scope="col" class="number" { "Profit at the mid $" }
                        th scope="col" class="number" { "95% interval $" }
                        th scope="col" class="number" { "A share \u{a2}" }
                        th scope="col" class="number" { "Impact, 5 s \u{a2}" }
                        th scope="col" { "Of price moves" }
                        th scope="col" class="number" { "" }
                    } }
                    tbody { @for kind in &record.kinds { (kind_row(kind)) } }
                }
            }
            p class="small" {
                "Of volume: their share of both sides of all trades. Taken: the share of their volume that they traded as takers. Profit: before fees, with shares held valued at the last mid. "
                "Impact: how far the mid is 5 s later in the direction of their trades as takers. Of price moves: the share of all squared changes of the mid that came with "
                "their requests, which says whose hand moves the price, not why."
            }
        }
    }
}

fn kind_row(kind: &KindRecord) -> Markup {
    let percent = |share: f64| format!("{}%", grouped(share * 100.0, 1));
    let (money, dash) = (shown("cents"), || NO_VALUE.to_owned());
    html! {
        tr {
            th scope="row" { (visible(&kind.name, NAME_CHARS_MAX)) }
            td class="number" { (count(kind.agents)) }
            td class="number" { (percent(kind.volume_share)) }
            td class="number" { (kind.taker_share.map_or_else(dash, percent)) }
            td class="number" { (grouped(kind.requests, 0)) }
            td class="number" { (money.number(kind.pnl_at_mid)) }
            td class="number" { (kind.pnl_interval.map_or_else(dash, |interval| format!("{} to {}", money.number(interval.low), money.number(interval.high)))) }
            td class="number" { (kind.pnl_per_share.map_or_else(dash, |cents| grouped(cents, 2))) }
            td class="number" { (kind.impact_5s.map_or_else(dash, |cents| grouped(cents, 2))) }
            td { meter min="0" max="1" value=(format!("{:.4}", kind.moves_share)) { (percent(kind.moves_share)) } }
            td class="number" { (percent(kind.moves_share)) }
        }
    }
}

fn events(record: &ObservationRecord) -> Markup {
    html! {
        section id="events" {
            h2 { "Halts and jumps" }
            @if record.halts_total == 0 { p { "Trading was never halted." } } @else {
                p { (counted(record.halts_total as usize, "halt or auction", "halts and auctions")) " in all seeds." }
                div class="scroll" {
                    table {
                        caption { "The first of them" }
                        thead { tr { th scope="col" class="number" { "Seed" } th scope="col" { "From" } th scope="col" { "Until" } } }
                        tbody {
                            @for halt in record.halts.iter().take(HALT_ROWS_MAX) {
                                tr {
                                    th scope="row" class="number" { (halt.seed) }
                                    td { (clock(halt.at_ns, true)) }
                                    td { (halt.until_ns.map_or_else(|| "the close".to_owned(), |at| clock(at, true))) }
                                }
                            }
                        }
                    }
                }
            }
            @if !record.jumps.is_empty() {
                div class="scroll" {
                    table {
                        caption { "The largest moves within one minute, at most one per seed" }
                        thead { tr { th scope="col" class="number" { "Seed" } th scope="col" { "Minute" } th scope="col" class="number" { "Basis points" } } }
                        tbody {
                            @for jump in &record.jumps {
                                tr {
                                    th scope="row" class="number" { (jump.seed) }
                                    td { (clock(jump.at_ns, false)) }
                                    td class="number" { (grouped(jump.basis_points, 1)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
