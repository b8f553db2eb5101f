//! Runs in worlds: the list, and one of them as a grid of tasks and samples with the reward of each.

use super::folders::folders;
use super::layout::{Frame, Section, layout};
use super::rollout::Rollout;
use super::rollouts::{facts, flags, grid, intervals, unscored};
use crate::library::{Found, Scan, What};
use crate::text;
use assay_rollout::run::{EpisodeResult, PassAt};
use maud::{Markup, html};
use std::collections::BTreeMap;

pub(crate) fn list(frame: Frame<'_>, scan: &Scan) -> String {
    // Of a damaged one nobody knows whether it is a run in a world.
    let is_shown = |found: &&Found| matches!(found.what, What::World | What::Damaged);
    let found: Vec<&Found> = scan.found.iter().filter(is_shown).collect();
    let body = html! {
        @if frame.can_start { p { a href="/worlds/new" { "Start a run in a world" } } }
        @if found.is_empty() {
            p { "No run in a world is here. This makes one, without a model that costs anything:" }
            pre tabindex="0" { "assay worlds run examples/worlds/support-desk --agent scripted --out report/desk\nassay serve --runs report" }
        } @else { (folders(frame, found.into_iter())) }
    };
    layout(frame, "Worlds", Section::Worlds, None, &body)
}

/// One run. `all` is the chance that all of some samples solve a task.
pub(crate) fn page(frame: Frame<'_>, run: &Rollout<'_>, all: &[PassAt]) -> String {
    let figures = run.figures;
    let named = |sign: &str, passes: &[PassAt]| -> Vec<_> {
        passes.iter().map(|pass| (format!("pass{sign}{}", pass.k), pass.value)).collect()
    };
    let mut rows = named("@", &figures.pass_at);
    rows.extend(named("^", all));
    rows.extend(figures.reward.iter().map(|reward| ("mean reward".to_owned(), *reward)));
    let body = html! {
        (facts(frame, run, &["world", "agent", "model", "faults", "samples", "seed"]))
        h2 { "Chance of solving a task" }
        (intervals(&rows))
        p class="small" { "pass@k: at least one of k samples solves the task; pass^k: all k of them do." }
        h2 { "Outcomes" }
        (outcomes(run))
        h2 { "Tasks and samples" }
        p class="small" { "The number is the reward. A link opens what the agent said and called, and what it changed with each step." }
        (grid(frame, run))
        p class="small" { "Tasks that fail their probes are not run; " code { "assay worlds check DIR" } " says why." }
        @if !figures.flags.is_empty() { h2 { "Flags to look at" } (flags(frame, run)) }
        @if !figures.unscored.is_empty() { h2 { "Unscored" } (unscored(frame, figures)) }
    };
    layout(frame, &run.found.name, Section::Worlds, Some(&run.topic), &body)
}

fn outcomes(run: &Rollout<'_>) -> Markup {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for record in run.finished {
        let name = match record.result {
            EpisodeResult::Scored { outcome, .. } => outcome.name(),
            EpisodeResult::Unscored => "unscored",
        };
        *counts.entry(name).or_default() += 1;
    }
    html! {
        @if counts.is_empty() { p class="small" { "No episode has ended yet." } }
        @else { ul class="plain" { @for (name, count) in counts { li { (text::count(count as u64)) " × " (name.replace('_', " ")) } } } }
    }
}
