//! What a recorded market can and cannot say, and how far each seed has left the record.

use crate::compared::stand_in;
use crate::format::{count, grouped};
use crate::sections::{SEED_ROWS_MAX, more};
use assay_evaluate::{RecordingRecord, ReplayRecord, RunRecord};
use maud::{Markup, html};

/// What is not modelled, for a person who reads the result.
const LIMITS: [(&str, &str); 5] = [
    (
        "Nobody reacts.",
        "The other orders are a recording. They do not see the strategy, so its impact neither attracts others nor drives them away, and the price \
         recovers as recorded, not as it really would have.",
    ),
    (
        "Liquidity that the strategy takes is missing later.",
        "Recorded changes and cancels of orders that the strategy has taken come too late, and recorded takers find less; they do not change what \
         they do.",
    ),
    (
        "Orders behind the strategy stay.",
        "A recorded taker hits whoever is first. If that is the strategy, the order that was hit in the recording stays in the book beyond its recorded end.",
    ),
    (
        "Hidden liquidity is known only where it traded.",
        "Hidden orders that never traded are not in the record. Those that did exist only for the instant in which they traded.",
    ),
    (
        "Seeds do not change the background.",
        "Each seed meets the same recorded orders. Intervals over seeds show the randomness of the strategy, and of any agents that trade beside the \
         recording, but not that of other market days.",
    ),
];

/// The section, if the market was a recorded one.
pub(crate) fn replay(record: &RunRecord) -> Option<Markup> {
    let recording = record.scenario.recording.as_ref()?;
    Some(html! {
        section id="replay" {
            h2 { "Recorded market" }
            p class="notice" {
                "This market is a recording. A good result here shows what the strategy could have earned on that day, from orders that did not react to it."
            }
            dl { @for (what, why) in LIMITS { dt { (what) } dd { (why) } } }
            (contents(recording))
            (divergence(record))
        }
    })
}

fn contents(recording: &RecordingRecord) -> Markup {
    html! {
        h3 { "What was recorded" }
        dl {
            dt { "Recorded requests" } dd { (count(recording.requests)) ", " (count(recording.halts)) " trading halts, BLAKE3 " code { (recording.hash) } }
            @if let Some(findings) = &recording.findings {
                dt { "Messages" } dd { (count(findings.messages)) " in the session, " (count(findings.messages_outside)) " outside" }
                dt { "Shares executed" } dd { (count(findings.executed)) " against visible orders, " (count(findings.executed_hidden)) " against hidden ones" }
                dt { "Shares left out" } dd { (count(findings.hidden_left_out)) " of hidden executions, " (count(findings.crosses_left_out)) " of crosses and halts" }
                dt { "Shares known as levels only" } dd { (count(findings.revealed)) }
                dt { "Shares executed out of turn" } dd { (count(findings.out_of_order)) }
            }
        }
    }
}

fn divergence(record: &RunRecord) -> Markup {
    let rows = || record.episodes.iter().filter_map(|episode| Some((episode, episode.replay?)));
    html! {
        h3 { "How far each seed left the record" }
        div class="scroll" {
            table {
                caption { "With the strategy; shares, but for the last two columns" }
                thead { tr {
                    th scope="col" class="number" { "Seed" }
                    th scope="col" class="number" { "Traded as recorded" }
                    th scope="col" class="number" { "Taken by the strategy" }
                    th scope="col" class="number" { "Taken from it" }
                    th scope="col" class="number" { "Recorded takers unfilled" }
                    th scope="col" class="number" { "Of recorded volume" }
                    th scope="col" class="number" { "Late requests" }
                    th scope="col" class="number" { "Refused orders" }
                } }
                tbody {
                    @for (episode, replay) in rows().take(SEED_ROWS_MAX) {
                        (row(episode.seed, &replay))
                    }
                }
            }
        }
        (more(rows().count(), SEED_ROWS_MAX))
        p class="small" {
            "Unfilled, late and refused: beyond those of the baseline, in which the same recording plays with " (stand_in(record)) " in place of the strategy. "
            "Taken by and from: includes agents that trade beside the recording."
        }
    }
}

fn row(seed: u64, replay: &ReplayRecord) -> Markup {
    let ReplayRecord { strategy: with, baseline: without } = replay;
    let unfilled = with.unfilled.saturating_sub(without.unfilled);
    let recorded = without.traded.saturating_add(without.taken_from_others);
    html! {
        tr {
            th scope="row" class="number" { (seed) }
            td class="number" { (count(with.traded)) }
            td class="number" { (count(with.taken_by_others)) }
            td class="number" { (count(with.taken_from_others)) }
            td class="number" { (count(unfilled)) }
            td class="number" { (grouped(unfilled as f64 / recorded.max(1) as f64 * 100.0, 2)) " %" }
            td class="number" { (count(with.late.saturating_sub(without.late))) }
            td class="number" { (count(with.refused.saturating_sub(without.refused))) }
        }
    }
}
