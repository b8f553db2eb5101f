//! Rollouts: the list of folders, and one of them as a grid of tasks and attempts, in parts that runs in worlds share.

use super::doubts;
use super::folders::folders;
use super::layout::{Frame, Section, layout};
use super::rollout::{Rollout, linked, place};
use crate::id::Name;
use crate::library::{Found, Scan, What};
use crate::text;
use assay_model::known_dollars;
use assay_rollout::run::{Doubt, EpisodeRecord, EpisodeResult, Figures, Interval};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// Tasks of a grid.
pub(crate) const TASKS_MAX: usize = 1_000;
/// Attempts at a task that are shown.
const SAMPLES_MAX: u32 = 32;
/// Trajectories that are listed where there is no grid.
const LISTED_MAX: usize = 2_000;
/// Flagged episodes that are listed.
const FLAGGED_MAX: usize = 200;

/// How many episodes have a result, and of how many where some have none.
fn how_many(rollout: &Rollout<'_>) -> String {
    let episodes = rollout.figures.episodes;
    match rollout.record.planned().filter(|_| rollout.is_unfinished()) {
        Some(planned) => {
            format!("{} of {}", text::count(episodes as u64), text::counted(planned, "episode", "episodes"))
        }
        None => text::counted(episodes, "episode", "episodes"),
    }
}

pub(crate) fn list(frame: Frame<'_>, scan: &Scan) -> String {
    // Of a damaged one nobody knows whether it is a rollout.
    let found: Vec<&Found> = scan
        .found
        .iter()
        .filter(|found| matches!(found.what, What::Rollout | What::Trajectories | What::Damaged))
        .collect();
    let body = html! {
        @if frame.can_start { p { a href="/rollouts/new" { "Start a rollout" } } }
        @if found.is_empty() {
            p { "No folder of a rollout is here. This makes one, without a model that costs anything:" }
            pre { "assay rollout run examples/bugs --model scripted --out report/bugs\nassay serve --runs report" }
        } @else { (folders(frame, found.into_iter())) }
    };
    layout(frame, "Rollouts", Section::Rollouts, None, &body)
}

/// Trajectories that belong to nothing else, or to something that cannot be read.
pub(crate) fn trajectories(frame: Frame<'_>, found: &Found, names: &[Name]) -> String {
    let body = html! {
        @if let Some(why) = &found.damage {
            p class="notice" { "This is a rollout or a run in a world, and its record cannot be read: " (text::words(&frame.told(why))) }
            @if !names.is_empty() { p { "Its episodes are there all the same:" } }
        }
        p class="small" { (text::counted(names.len(), "trajectory", "trajectories")) }
        ul class="plain" {
            @for name in names.iter().take(LISTED_MAX) { li data-row="" { (frame.link(&place(found, name), name.as_str())) } }
        }
        @if names.len() > LISTED_MAX { p class="small" { (text::counted(names.len() - LISTED_MAX, "more", "more")) } }
    };
    layout(frame, &found.name, Section::Rollouts, None, &body)
}

pub(crate) fn page(frame: Frame<'_>, rollout: &Rollout<'_>) -> String {
    let Rollout { found, figures, .. } = rollout;
    let body = html! {
        (facts(frame, rollout, &["model", "samples", "seed", "rule"]))
        h2 { "Chance of solving a task" }
        (chances(figures))
        h2 { "Tasks and attempts" }
        (grid(frame, rollout))
        @if !figures.flags.is_empty() { h2 { "Flags to look at" } (flags(frame, rollout)) }
        @if !figures.unscored.is_empty() {
            h2 { "Unscored" }
            (unscored(frame, figures))
        }
    };
    layout(frame, &found.name, Section::Rollouts, Some(&rollout.topic), &body)
}

/// What the run is, and how far it has come. `names` are settings.
pub(super) fn facts(frame: Frame<'_>, rollout: &Rollout<'_>, names: &[&str]) -> Markup {
    let Rollout { record, figures, .. } = rollout;
    let setting = |name: &str| {
        let value = record.settings.get(name).filter(|value| !value.is_null())?;
        Some(text::name(&frame.told(&value.as_str().map_or_else(|| value.to_string(), str::to_owned))))
    };
    html! {
        (doubts::all(frame, rollout))
        dl {
            @for name in names {
                @if let Some(value) = setting(name) { dt { (name) } dd { (value) } }
            }
            dt { @if rollout.is_unfinished() { "so far" } @else { "finished" } }
            dd { (how_many(rollout)) ": " (figures.solved) " solved, " (figures.failed) " not, " (figures.unscored.values().sum::<usize>()) " unscored" }
            dt { "spent" } dd {
                (text::count(figures.tokens)) " tokens, cost " (known_dollars(figures.cost_microdollars, figures.cost_unknown > 0))
                @if figures.cost_unknown > 0 { "; the cost of " (text::counted(figures.cost_unknown, "episode", "episodes")) " is not known" }
            }
            @if let Some(command) = record.command() { dt { "command" } dd { code { (text::name(&frame.told(command))) } } }
        }
    }
}

/// Why episodes have no score.
pub(super) fn unscored(frame: Frame<'_>, figures: &Figures) -> Markup {
    html! { ul { @for (why, count) in figures.unscored.iter().take(50) { li { (count) ": " (assay_report::visible(&frame.told(why), 500)) } } } }
}

fn chances(figures: &Figures) -> Markup {
    let mut rows: Vec<(String, Interval)> =
        figures.pass_at.iter().map(|pass| (format!("pass@{}", pass.k), pass.value)).collect();
    rows.extend(figures.reward.iter().map(|reward| ("mean reward".to_owned(), *reward)));
    intervals(&rows)
}

/// Figures with what is known of them.
pub(super) fn intervals(rows: &[(String, Interval)]) -> Markup {
    html! {
        @if rows.is_empty() { p class="small" { "Nothing has been scored yet." } }
        @else {
            div class="scroll" tabindex="0" role="group" aria-label="Figures" { table {
                thead { tr { th scope="col" { "Measure" } th class="number" scope="col" { "Value, 95% interval" } th class="number" scope="col" { "Tasks" } th class="number" scope="col" { "Episodes" } } }
                tbody {
                    @for (name, value) in rows {
                        tr {
                            td { (name) }
                            td class="number" { (text::spread(value.estimate, value.low.zip(value.high))) }
                            td class="number" { (value.tasks) }
                            td class="number" { (value.episodes) }
                        }
                    }
                }
            } }
        }
    }
}

/// Tasks and samples.
pub(super) fn grid(frame: Frame<'_>, rollout: &Rollout<'_>) -> Markup {
    let mut cells: BTreeMap<(&str, u32), &EpisodeRecord> = BTreeMap::new();
    for record in rollout.finished {
        cells.insert((&record.task, record.sample), record);
    }
    let doubts: BTreeMap<(&str, u32), &Doubt> =
        rollout.doubts.iter().map(|doubt| ((doubt.record.task.as_str(), doubt.record.sample), doubt)).collect();
    let names: BTreeSet<&str> = rollout.trajectories.iter().map(Name::as_str).collect();
    let planned = rollout.record.settings.get("samples").and_then(serde_json::Value::as_u64).unwrap_or(1);
    let most = cells.keys().chain(doubts.keys()).map(|(_, sample)| *sample).max().unwrap_or(1);
    let samples = u32::try_from(planned).unwrap_or(u32::MAX).max(most).clamp(1, SAMPLES_MAX);
    let tasks = &rollout.record.tasks;
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="Table" { table class="grid" {
            thead { tr { th scope="col" { "Task" } @for sample in 1..=samples { th scope="col" { (sample) } } } }
            tbody {
                @for task in tasks.keys().take(TASKS_MAX) {
                    tr data-row="" {
                        th class="id" scope="row" { (text::name(task)) }
                        @for sample in 1..=samples {
                            @let place = (task.as_str(), sample);
                            td {
                                @match (cells.get(&place), doubts.get(&place)) {
                                    (None, Some(doubt)) => (linked(frame, rollout, &doubt.record.id, &names, &html! { span class="tag bad" { "broken" } })),
                                    (record, _) => (cell(frame, rollout, record.copied(), &format!("{task}.s{sample}"), &names)),
                                }
                            }
                        }
                    }
                }
            }
        } }
        @if tasks.len() > TASKS_MAX { p class="small" { (text::counted(tasks.len() - TASKS_MAX, "more task", "more tasks")) } }
        @if most > SAMPLES_MAX { p class="small" { "Only the first " (SAMPLES_MAX) " attempts are shown." } }
    }
}

fn cell(
    frame: Frame<'_>,
    rollout: &Rollout<'_>,
    record: Option<&EpisodeRecord>,
    id: &str,
    names: &BTreeSet<&str>,
) -> Markup {
    let (class, word, id) = match record {
        Some(record) => match record.result {
            EpisodeResult::Scored { .. } if record.is_solved() => ("tag good", "solved".to_owned(), record.id.as_str()),
            EpisodeResult::Scored { outcome, .. } => ("tag bad", outcome.name().replace('_', " "), record.id.as_str()),
            EpisodeResult::Unscored => ("tag doubtful", "unscored".to_owned(), record.id.as_str()),
        },
        None if names.contains(id) && rollout.is_running => ("tag", "under way".to_owned(), id),
        None if names.contains(id) => ("tag", "unfinished".to_owned(), id),
        None => return html! { span class="missing" { "–" } },
    };
    let is_flagged = record.is_some_and(|record| !record.flags.is_empty());
    let reward = record.filter(|_| rollout.has_rewards).and_then(EpisodeRecord::reward);
    let shown = html! {
        span class=(class) { (word) @if let Some(reward) = reward { " " (text::number(reward)) } @if is_flagged { " ⚑" } }
    };
    linked(frame, rollout, id, names, &shown)
}

/// Episodes that somebody should look at.
pub(super) fn flags(frame: Frame<'_>, rollout: &Rollout<'_>) -> Markup {
    let names: BTreeSet<&str> = rollout.trajectories.iter().map(Name::as_str).collect();
    let flagged: Vec<&EpisodeRecord> = rollout.finished.iter().filter(|record| !record.flags.is_empty()).collect();
    html! {
        ul {
            @for record in flagged.iter().take(FLAGGED_MAX) {
                li data-row="" {
                    @match record.id.parse::<Name>() {
                        Ok(name) if names.contains(record.id.as_str()) => (frame.link(&place(rollout.found, &name), name.as_str())),
                        _ => (text::name(&record.id)),
                    }
                    ": " (text::name(&record.flags.iter().map(String::as_str).collect::<Vec<_>>().join(", ")))
                }
            }
        }
        @if flagged.len() > FLAGGED_MAX { p class="small" { (text::counted(flagged.len() - FLAGGED_MAX, "more", "more")) } }
    }
}
