//! Two trajectories side by side: what was done in each, and where they part.

use super::layout::{Frame, Section, layout};
use crate::chain::Break;
use crate::id::{ItemId, Name};
use crate::place::Place;
use crate::text;
use assay_trace::{Action, Diff, EpisodeResult, Row};
use maud::{Markup, html};

/// Rows that are shown.
const ROWS_MAX: usize = 1_000;
/// Equal actions before the first that differs that are shown.
const BEFORE: usize = 10;
/// Characters of what an action was given.
const ARGUMENTS_CHARS_MAX: usize = 600;

/// A list to choose the other one from.
pub(crate) fn choice(frame: Frame<'_>, id: &ItemId, others: &[Name]) -> String {
    let body = html! {
        p { "Compare " (frame.link(&Place::Trajectory(id.clone(), 0), id.name.as_str())) " with another trajectory of its folder." }
        @if others.is_empty() { p { "There is no other one." } }
        @else {
            form class="filter" method="get" action={ "/t/" (id) "/compare" } {
                label { "the other one"
                    select name="with" { @for name in others { option value={ (id.folder) "." (name) } { (name) } } }
                }
                button { "Compare" }
            }
        }
    };
    layout(frame, &format!("Compare {}", id.name), Section::Rollouts, None, &body)
}

/// `broken` is the first record of each that is not as it was written.
pub(crate) fn page(
    frame: Frame<'_>,
    (left, right): (&ItemId, &ItemId),
    diff: &Diff,
    broken: [Option<Break>; 2],
) -> String {
    let link = |id: &ItemId| frame.link(&Place::Trajectory(id.clone(), 0), id.name.as_str());
    let body = html! {
        @for (id, at) in [left, right].into_iter().zip(broken) {
            @if let Some(at) = at {
                p class="small" { (link(id)) ":" }
                (super::broken::notice(frame, id, at))
            }
        }
        p class="lead" { (verdict(diff)) }
        dl {
            dt { (link(left)) } dd { (result(diff.left_result.as_ref())) ", " (text::counted(diff.left.len(), "action", "actions")) }
            dt { (link(right)) } dd { (result(diff.right_result.as_ref())) ", " (text::counted(diff.right.len(), "action", "actions")) }
        }
        @if let Some(state) = &diff.first_state {
            p {
                "The same was done, and another state came of it: in step " (state.left_step) " here and " (state.right_step) " there"
                @if let Some(after) = &state.after { ", after " code { (text::name(&after.tool)) } }
                @if !state.parts.is_empty() { "; these parts differ: " (text::words(&state.parts.join(", "))) }
                "."
            }
        }
        (table(diff, left, right))
        p class="small" { "An action is the same if tool and arguments are. What was said along the way, and times, do not count." }
    };
    layout(frame, &format!("{} and {}", left.name, right.name), Section::Rollouts, None, &body)
}

fn verdict(diff: &Diff) -> Markup {
    html! {
        @match &diff.first_action {
            Some(first) => {
                @if first.same_before == 0 { "They part at the " a href="#first" { "first action" } "." }
                @else { (text::counted(first.same_before, "action is", "actions are")) " the same, then they " a href="#first" { "part" } "." }
            }
            None if diff.is_same() => "They are the same.",
            None => "The same was done in both.",
        }
    }
}

fn result(result: Option<&EpisodeResult>) -> Markup {
    html! {
        @match result {
            Some(result) => {
                (result.outcome.replace('_', " "))
                @if let Some(reward) = result.reward { ", reward " (text::number(reward)) }
                @if !result.reason.is_empty() { " (" (text::name(&result.reason)) ")" }
            }
            None => "not over",
        }
    }
}

fn table(diff: &Diff, left: &ItemId, right: &ItemId) -> Markup {
    let is_same = |row: &Row| matches!(row, Row::Both { .. });
    let first = diff.alignment.iter().position(|row| !is_same(row));
    let from = first.unwrap_or(0).saturating_sub(BEFORE);
    let rows = diff.alignment.iter().enumerate().skip(from).take(ROWS_MAX);
    let left_out = diff.alignment.len().saturating_sub(from + ROWS_MAX);
    html! {
        @if from > 0 { p class="small" { (text::counted(from, "equal action before these is", "equal actions before these are")) " not shown." } }
        div class="scroll" tabindex="0" role="group" aria-label="Actions side by side" { table class="aside" {
            thead { tr { th scope="col" { "" } th scope="col" { (left.name) } th scope="col" { (right.name) } } }
            tbody {
                @for (place, row) in rows {
                    tr data-row="" id=[(first == Some(place)).then_some("first")] {
                        @match row {
                            Row::Both { left, right } => {
                                td { "same" } td { (action(diff.left.get(*left))) } td { (action(diff.right.get(*right))) }
                            }
                            Row::Left(left) => { td class="doubtful" { "only here" } td { (action(diff.left.get(*left))) } td {} }
                            Row::Right(right) => { td class="doubtful" { "only there" } td {} td { (action(diff.right.get(*right))) } }
                        }
                    }
                }
            }
        } }
        @if left_out > 0 { p class="small" { (text::counted(left_out, "more action", "more actions")) } }
    }
}

fn action(action: Option<&Action>) -> Markup {
    html! {
        @if let Some(action) = action {
            p class="small" { "step " (action.step) ": " (text::name(&action.tool)) }
            pre { (shown(&action.arguments)) }
        }
    }
}

/// What an action was given, with its lines.
fn shown(arguments: &str) -> String {
    let cut: String = arguments.chars().take(ARGUMENTS_CHARS_MAX).collect();
    let more = if cut.len() < arguments.len() { "\u{2026}" } else { "" };
    let lines: Vec<String> = cut.split('\n').map(|line| assay_report::visible(line, ARGUMENTS_CHARS_MAX)).collect();
    format!("{}{more}", lines.join("\n"))
}
