//! Games of several strategies in one market: ranks, profit by seat, who paid whom.

use super::layout::{Frame, Section, layout};
use crate::text;
use assay_evaluate::{ArenaRecord, FAILED_NOTE, FlowRecord, Interval, PairRecord};
use maud::{Markup, html};

/// Entrants, flows and pairs that are listed, each.
const ROWS_MAX: usize = 500;

pub(crate) fn page(frame: Frame<'_>, name: &str, record: &ArenaRecord) -> String {
    let feeders: Vec<&FlowRecord> = record.flows.iter().filter(|flow| flow.feeds).take(ROWS_MAX).collect();
    let linked = record.pairs.iter().filter(|pair| pair.linked).take(ROWS_MAX);
    let body = html! {
        p class="small" { (text::name(name)) }
        @if !record.complete { p class="notice" { "The games were interrupted: " (record.games.len()) " of " (record.seeds.len()) " were finished." } }
        @if !record.unscored.is_empty() { p class="notice" { (text::counted(record.unscored.len(), "game", "games")) " could not be played." } }
        dl {
            dt { "market" } dd { (text::name(&record.scenario.name)) }
            dt { "games" } dd { (record.games.len()) }
            dt { "command" } dd { code { (text::words(&frame.told(&record.command))) } }
            dt { "assay" } dd { (text::name(&record.tool.assay)) }
        }
        h2 { "Ratings" }
        (entrants(record))
        @if !record.pairs.is_empty() { h2 { "Between each two" } (pairs(&record.pairs)) }
        @if !record.flows.is_empty() { h2 { "Who pays whom, beyond the mid" } (flows(&record.flows)) }
        @for flow in feeders {
            p class="notice" { (text::name(&flow.from)) " feeds " (text::name(&flow.to)) ": $" (dollars(flow.excess_cents)) " a game more than is usual here." }
        }
        @for pair in linked {
            p class="notice" { (text::name(&pair.worse)) " loses where " (text::name(&pair.better)) " wins, and trades mostly with it: at " (format!("{:.0}", pair.meeting_odds.unwrap_or_default())) " times the odds of chance." }
        }
    };
    layout(frame, &format!("Arena in {}", record.scenario.name), Section::Runs, None, &body)
}

fn dollars(cents: f64) -> String {
    format!("{:.2}", cents / 100.0)
}

fn within(mean: Option<f64>, interval: Option<Interval>) -> String {
    match (mean, interval) {
        (Some(mean), Some(interval)) => {
            format!("{} [{}, {}]", dollars(mean), dollars(interval.low), dollars(interval.high))
        }
        (Some(mean), None) => dollars(mean),
        (None, _) => "none".to_owned(),
    }
}

fn entrants(record: &ArenaRecord) -> Markup {
    let seats = record.entrants.iter().map(|entrant| entrant.pnl_by_seat_cents.len()).max().unwrap_or(0).min(ROWS_MAX);
    let none = html! { span class="missing" { "none" } };
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="Ratings" { table {
            thead { tr {
                th scope="col" { "Rank" } th scope="col" { "Strategy" } th class="number" scope="col" { "Rating, 95% interval" } th class="number" scope="col" { "Profit a game ($), 95% interval" }
                @for seat in 1..=seats { th class="number" scope="col" { "Seat " (seat) " ($)" } }
                th class="number" scope="col" { "Failed" }
            } }
            tbody {
                @for entrant in record.listed().into_iter().take(ROWS_MAX) {
                    tr data-row="" {
                        td { @match entrant.rating { Some(rating) => (rating.rank), None => (none) } }
                        td class="id" { (text::name(&entrant.name)) }
                        td class="number" { @match entrant.rating_words() { Some(words) => (words), None => (none) } }
                        td class="number" { (within(entrant.pnl_mean_cents, entrant.pnl_interval)) }
                        @for seat in 0..seats { td class="number" { @match entrant.pnl_by_seat_cents.get(seat).copied().flatten() { Some(mean) => (dollars(mean)), None => (none) } } }
                        td class="number" { (entrant.failed_words(record.games.len())) }
                    }
                }
            }
        } }
        @if record.entrants.iter().any(|entrant| entrant.failed > 0) { p class="notice" { (FAILED_NOTE) } }
    }
}

fn pairs(pairs: &[PairRecord]) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="Pairs" { table {
            thead { tr { th scope="col" { "Higher" } th scope="col" { "Lower" } th class="number" scope="col" { "Difference a game ($), joint 95%" } } }
            tbody {
                @for pair in pairs.iter().take(ROWS_MAX) {
                    tr { td class="id" { (text::name(&pair.better)) } td class="id" { (text::name(&pair.worse)) } td class="number" { (within(Some(pair.difference_cents), pair.interval)) } }
                }
            }
        } }
    }
}

fn flows(flows: &[FlowRecord]) -> Markup {
    let mut flows: Vec<&FlowRecord> = flows.iter().collect();
    flows.sort_by(|a, b| b.paid_cents.total_cmp(&a.paid_cents));
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="Flows" { table {
            thead { tr { th scope="col" { "From" } th scope="col" { "To" } th class="number" scope="col" { "Shares a game" } th class="number" scope="col" { "Paid a game ($)" } th class="number" scope="col" { "Excess ($), joint 95%" } } }
            tbody {
                @for flow in flows.into_iter().take(ROWS_MAX) {
                    tr data-row="" {
                        td class="id" { (text::name(&flow.from)) } td class="id" { (text::name(&flow.to)) } td class="number" { (format!("{:.0}", flow.shares)) }
                        td class="number" { (dollars(flow.paid_cents)) } td class="number" { (within(Some(flow.excess_cents), flow.interval)) }
                    }
                }
            }
        } }
    }
}
