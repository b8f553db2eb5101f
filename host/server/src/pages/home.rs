//! The first page: what runs, what needs a person, what was last.

use super::folders::folders;
use super::jobs::table;
use super::layout::{Frame, Section, Topic, layout};
use super::runs::{is_lost, run_table};
use crate::library::Scan;
use crate::place::Place;
use crate::text;
use assay_store::{RunRow, Status};
use assay_work::jobs::Job;
use maud::{Markup, html};

/// What the first page shows.
pub(crate) struct Home<'a> {
    /// The newest runs of the store, or why there are none.
    pub runs: Result<&'a [RunRow], String>,
    /// Its newest verdicts.
    pub verdicts: &'a [RunRow],
    pub scan: &'a Scan,
    /// Jobs that wait or run.
    pub jobs: &'a [Job],
    pub topic: Topic,
}

pub(crate) fn page(frame: Frame<'_>, home: &Home<'_>) -> String {
    let runs = home.runs.as_deref().unwrap_or_default();
    let (running, ended): (Vec<&RunRow>, Vec<&RunRow>) =
        runs.iter().partition(|row| !row.run.status.is_end() && !is_lost(&row.run));
    let needy: Vec<&RunRow> =
        ended.iter().copied().filter(|row| row.run.status == Status::Failed || is_lost(&row.run)).take(10).collect();
    let body = html! {
        @if let Err(why) = &home.runs { p class="notice" { (text::words(why)) } }
        @if runs.is_empty() && home.scan.found.is_empty() { (nothing(frame)) }
        @if !home.jobs.is_empty() { h2 { "Jobs" } (table(frame, home.jobs)) }
        @if !running.is_empty() { h2 { "Running" } (run_table(frame, &running)) }
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
        @for trouble in &home.scan.troubles { p class="small" { (text::words(trouble)) } }
    };
    layout(frame, "Now", Section::Home, Some(&home.topic), &body)
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
