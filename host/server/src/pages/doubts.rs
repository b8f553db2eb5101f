//! What is not as it should be in a run of episodes, each in a notice above its figures.

use super::layout::Frame;
use super::rollout::{Rollout, linked, place};
use crate::id::Name;
use crate::text;
use assay_rollout::run::{Altered, lines_in_words};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Of each kind, how many are listed.
const SHORT_MAX: usize = 20;

/// All notices of a run.
pub(super) fn all(frame: Frame<'_>, rollout: &Rollout<'_>) -> Markup {
    html! {
        (altered(frame, &rollout.stated.altered))
        (unsealed(frame, rollout))
        (contradicted(frame, rollout))
        (damaged(rollout))
        (unlisted(frame, rollout))
        (short(frame, rollout))
    }
}

/// That the record of the run is not as it was, where it is not, and what differs.
fn altered(frame: Frame<'_>, altered: &[Altered]) -> Markup {
    let shown = |words: &str| text::name(&frame.told(words));
    html! {
        @if !altered.is_empty() {
            div class="notice" {
                p {
                    code { "run.json" } " was changed after episodes had run: it differs from what their trajectories say in "
                    (text::counted(altered.len(), "setting", "settings")) ". What it says of the run is not proven."
                }
                ul {
                    @for one in altered.iter().take(SHORT_MAX) {
                        li { (text::name(&one.setting)) ": " (shown(&one.run)) " here, " (shown(&one.its)) " in " (text::name(&one.trajectory)) }
                    }
                }
                @if altered.len() > SHORT_MAX { p { (text::counted(altered.len() - SHORT_MAX, "more", "more")) } }
            }
        }
    }
}

/// That first lines of trajectories were changed, where some were.
fn unsealed(frame: Frame<'_>, rollout: &Rollout<'_>) -> Markup {
    let ids = &rollout.stated.unsealed;
    html! {
        @if !ids.is_empty() {
            div class="notice" {
                p {
                    (text::counted(ids.len(), "trajectory has", "trajectories have")) " a first line that was changed: its hash is not the one that it states. "
                    "What it says of settings is not compared with " code { "run.json" } "."
                }
                p { (some(frame, rollout, ids.iter().map(String::as_str))) }
            }
        }
    }
}

/// The first of some episodes, as links where their trajectories are there, and how many more there are.
fn some<'i>(frame: Frame<'_>, rollout: &Rollout<'_>, ids: impl ExactSizeIterator<Item = &'i str>) -> Markup {
    let names: BTreeSet<&str> = rollout.trajectories.iter().map(Name::as_str).collect();
    let more = ids.len().saturating_sub(SHORT_MAX);
    html! {
        @for id in ids.take(SHORT_MAX) { (linked(frame, rollout, id, &names, &html! { (text::name(id)) })) " " }
        @if more > 0 { (text::counted(more, "more", "more")) }
    }
}

/// That results are not believed, where some are not, and what differs.
fn contradicted(frame: Frame<'_>, rollout: &Rollout<'_>) -> Markup {
    let doubts = rollout.doubts;
    let names: BTreeSet<&str> = rollout.trajectories.iter().map(Name::as_str).collect();
    let episodes: BTreeSet<(&str, u32)> =
        doubts.iter().map(|doubt| (&*doubt.record.task, doubt.record.sample)).collect();
    let missing = doubts.iter().filter(|doubt| !names.contains(doubt.record.id.as_str())).count();
    let or_missing = if missing > 0 { ", or the trajectory is missing" } else { "" };
    html! {
        @if !doubts.is_empty() {
            div class="notice" {
                p {
                    (text::counted(episodes.len(), "episode is broken", "episodes are broken")) ": "
                    @if missing == doubts.len() { "the trajectory is missing, so what " code { "results.jsonl" } " says" }
                    @else { "what " code { "results.jsonl" } " says contradicts the trajectory" (or_missing) ", so it" }
                    " is not believed and counts nowhere on this page. "
                    "The run goes on once such a line is removed: the trajectory is then read again, or the episode run again."
                }
                ul {
                    @for doubt in doubts.iter().take(SHORT_MAX) {
                        li {
                            (linked(frame, rollout, &doubt.record.id, &names, &html! { (text::name(&doubt.record.id)) }))
                            ", line " (doubt.line) ": " (text::words(&doubt.why))
                        }
                    }
                }
                @if doubts.len() > SHORT_MAX { p { (text::counted(doubts.len() - SHORT_MAX, "more", "more")) } }
            }
        }
    }
}

/// That lines of results cannot be read, where some cannot, and what is wrong with them.
fn damaged(rollout: &Rollout<'_>) -> Markup {
    let lines = rollout.damaged;
    let way_out = if lines.len() == 1 {
        "it is removed: its episode is then read again, or run again."
    } else {
        "they are removed: their episodes are then read again, or run again."
    };
    html! {
        @if !lines.is_empty() {
            div class="notice" {
                p {
                    (text::counted(lines.len(), "line", "lines")) " of " code { "results.jsonl" } (if lines.len() == 1 { " is" } else { " are" })
                    " damaged, and left out of this page: " (lines_in_words(&lines.iter().map(|one| one.line).collect::<Vec<_>>()))
                    ". The run goes on once " (way_out)
                }
                ul { @for one in lines.iter().take(SHORT_MAX) { li { "Line " (one.line) ": " (text::words(&one.why)) } } }
                @if lines.len() > SHORT_MAX { p { (text::counted(lines.len() - SHORT_MAX, "more", "more")) } }
            }
        }
    }
}

/// That trajectories have lost their ends, where some have.
fn short(frame: Frame<'_>, rollout: &Rollout<'_>) -> Markup {
    let told: BTreeSet<&str> = rollout.doubts.iter().map(|doubt| doubt.record.id.as_str()).collect();
    let names: Vec<&Name> = rollout.shortened.iter().filter(|name| !told.contains(name.as_str())).collect();
    html! {
        @if !names.is_empty() {
            p class="notice" {
                (text::counted(names.len(), "trajectory", "trajectories")) " of finished episodes no longer hold the record that the result in " code { "results.jsonl" }
                " names: lines were removed or changed. "
                @for name in names.iter().take(SHORT_MAX) { (frame.link(&place(rollout.found, name), name.as_str())) " " }
                @if names.len() > SHORT_MAX { (text::counted(names.len() - SHORT_MAX, "more", "more")) }
            }
        }
    }
}

/// That episodes have ended without a line of results, where some have, and what adds them.
fn unlisted(frame: Frame<'_>, rollout: &Rollout<'_>) -> Markup {
    let ids = rollout.unlisted;
    let again = if rollout.has_rewards { "assay worlds run … --out" } else { "assay rollout run … --out" };
    html! {
        @if !ids.is_empty() {
            div class="notice" {
                p {
                    (text::counted(ids.len(), "episode has", "episodes have")) " ended but " (if ids.len() == 1 { "has" } else { "have" })
                    " no readable line in " code { "results.jsonl" } ", so " (if ids.len() == 1 { "it is" } else { "they are" })
                    " in no figure. Repeat the command of the run to add "
                    (if ids.len() == 1 { "it" } else { "them" }) ": "
                    @match rollout.record.command() {
                        Some(command) => { code { (text::name(&frame.told(command))) } }
                        None => { code { (again) } }
                    }
                }
                p { (some(frame, rollout, ids.iter().map(String::as_str))) }
            }
        }
    }
}
