//! The first page: what runs, what needs a person, what was last.

use super::folders::folders;
use super::jobs::table;
use super::layout::{Frame, Section, Topic, layout};
use super::runs::run_table;
use crate::library::Scan;
use crate::place::Place;
use crate::spending::{Bill, Cost};
use crate::text;
use assay_model::known_dollars;
use assay_store::{RunRow, Status};
use assay_work::jobs::Job;
use maud::{Markup, html};

/// What the first page shows.
pub(crate) struct Home<'a> {
    /// The newest runs of the store.
    pub runs: &'a [RunRow],
    /// What is to be said of the store.
    pub trouble: Option<String>,
    /// Whether there are no other runs: the store has been read, or is not there yet.
    pub is_known: bool,
    /// Its newest verdicts.
    pub verdicts: &'a [RunRow],
    pub scan: &'a Scan,
    /// Jobs that wait or run.
    pub jobs: &'a [Job],
    /// What models have cost.
    pub bill: &'a Bill,
    pub topic: Topic,
}

pub(crate) fn page(frame: Frame<'_>, home: &Home<'_>) -> String {
    let runs = home.runs;
    let (running, ended): (Vec<&RunRow>, Vec<&RunRow>) =
        runs.iter().partition(|row| !row.run.status.is_end() && !row.run.is_lost());
    let needy: Vec<&RunRow> =
        ended.iter().copied().filter(|row| row.run.status == Status::Failed || row.run.is_lost()).take(10).collect();
    let body = html! {
        @if let Some(why) = &home.trouble { p class="notice" { (text::words(&frame.told(why))) } }
        @if home.is_known && runs.is_empty() && home.scan.found.is_empty() { (nothing(frame)) }
        @if !home.jobs.is_empty() { h2 { "Jobs" } (table(frame, home.jobs)) }
        @if !running.is_empty() { h2 { "Running" } (run_table(frame, &running)) }
        @if *home.bill != Bill::default() { h2 { "Spent on models" } (spent(home.bill)) }
        @if !needy.is_empty() { h2 { "Needs attention" } (run_table(frame, &needy)) }
        @if !home.verdicts.is_empty() {
            h2 { "Latest verdicts" }
            (run_table(frame, &home.verdicts.iter().collect::<Vec<_>>()))
            p { (frame.link(&Place::Gates, "All verdicts")) }
        }
        @if !ended.is_empty() {
            h2 { "Latest runs" }
            (run_table(frame, &ended[..ended.len().min(10)]))
            p { (frame.link(&Place::Runs, "All runs")) }
        }
        @if !home.scan.found.is_empty() { h2 { "Folders" } (folders(frame, home.scan.found.iter())) }
        @for trouble in &home.scan.troubles { p class="small" { (text::words(&frame.told(trouble))) } }
    };
    layout(frame, "Now", Section::Home, Some(&home.topic), &body)
}

/// Today and in all, by kind of work.
fn spent(bill: &Bill) -> Markup {
    let Bill { rollouts, worlds, refinements, behind, unreadable } = bill;
    let all = rollouts.plus(*worlds).plus(*refinements);
    let rows = [("rollouts", rollouts), ("runs in worlds", worlds), ("refinements", refinements), ("all", &all)];
    let unknown = |cost: &Cost| if cost.is_partly_unknown { " *" } else { "" };
    let dollars = |cost: &Cost| {
        let more = if cost.microdollars > 0 { unknown(cost) } else { "" };
        known_dollars(cost.microdollars, cost.is_partly_unknown) + more
    };
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="Spent on models" { table {
            thead { tr {
                th scope="col" { "On" } th class="number" scope="col" { "Tokens today (UTC)" } th class="number" scope="col" { "Dollars today" }
                th class="number" scope="col" { "Tokens in all" } th class="number" scope="col" { "Dollars in all" }
            } }
            tbody {
                @for (name, spent) in rows {
                    tr {
                        th scope="row" { (name) }
                        @for cost in [&spent.today, &spent.total] {
                            td class="number" { (text::count(cost.tokens)) (unknown(cost)) }
                            td class="number" { (dollars(cost)) }
                        }
                    }
                }
            }
        } }
        p class="small" {
            "Of the folders below."
            @if all.total.is_partly_unknown { " * At least: what some requests cost is not known." }
            @if *behind > 0 { " " (text::counted(*behind, "folder has", "folders have")) " still to be read: reload the page." }
            @if *unreadable > 0 { " " (text::counted(*unreadable, "folder", "folders")) " cannot be read." }
        }
    }
}

fn nothing(frame: Frame<'_>) -> Markup {
    html! {
        @if frame.can_start { p { "Nothing has been run yet. " a href="/edit" { "Write a strategy" } " and run it, or use the command line:" } }
        @else {        p { "Nothing has been run yet. These fill the page:" } }
        pre {
            "assay new my-strategy && assay run my-strategy.rs      a strategy in a market\n"
            "assay refine --from my-strategy.rs                     a better one\n"
            "assay rollout run examples/bugs --model scripted       bug fixes by a model\n"
            "assay serve --runs report --runs refine --runs rollout   the folders where they leave their results, as far as they are there"
        }
    }
}
