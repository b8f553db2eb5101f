//! A session while it goes: a table that is redrawn on a terminal, a line for each event elsewhere, or the events as JSON.

use crate::face::{self, Bar};
use assay_model::known_dollars;
use assay_refine::core::event::{Body, Event};
use assay_refine::core::place::Place;
use assay_refine::core::progress::{Lead, Progress};
use assay_refine::core::state::{State, Trial, mean};
use assay_refine::core::step::interval;
use assay_refine::council::{planned_line, verdict_line};
use assay_refine::evidence::plain;
use assay_refine::story;
use std::time::Duration;

/// How often the table is drawn without news.
const REDRAW: Duration = Duration::from_millis(500);

/// See the module documentation.
pub(super) struct Table {
    /// Where somebody watches, and events are not wanted as they are.
    bar: Option<Bar>,
    json: bool,
}

impl Table {
    /// A table of a session that is at work, or events as they come.
    pub(super) fn new(state: &State, json: bool) -> Self {
        // What is waited for comes last, with the time since the last event.
        let bar = (face::is_interactive() && !json).then(|| face::bar("   Running {msg}  {elapsed}", None));
        if let Some(bar) = &bar {
            bar.enable_steady_tick(REDRAW);
            draw(bar, state);
        }
        Self { bar, json }
    }

    /// Takes the table off the screen.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// One event, as it comes.
    pub(super) fn show(&self, state: &State, event: &Event) {
        if self.json {
            face::out_json(&serde_json::to_string(event).unwrap_or_default());
            return;
        }
        let shown = line(state, event);
        let Some(bar) = &self.bar else {
            if let Some((verb, text)) = shown {
                face::step(verb, &text);
            }
            return;
        };
        if let Some((verb, text)) = shown.filter(|_| is_lasting(&event.body)) {
            bar.suspend(|| face::step(verb, &text));
        }
        draw(bar, state);
    }
}

fn draw(bar: &Bar, state: &State) {
    bar.reset_elapsed();
    bar.set_message(rows(&Progress::of(state), state.at_ms()).join("\n           "));
}

/// What stays on the screen above the table.
const fn is_lasting(body: &Body) -> bool {
    matches!(
        body,
        Body::Planned(_)
            | Body::Unwritten { .. }
            | Body::Decided { .. }
            | Body::Judged(_)
            | Body::Closed { .. }
            | Body::Unsealed { .. }
    )
}

/// The rows of the table.
fn rows(progress: &Progress, at_ms: u64) -> Vec<String> {
    let stages = progress.stages.iter().map(|(stage, count)| format!("{count} {}", stage.word()));
    let candidates: Vec<String> = stages.collect();
    let mut rows = vec![format!(
        "generation {} of {} · {}",
        progress.generation.min(progress.generations),
        progress.generations,
        candidates.join(" · ")
    )];
    let best = progress.proven.as_ref().map_or_else(|| format!("{}, as it began", progress.champion), found);
    rows.push(format!("champion {best}"));
    if let Some(lead) = &progress.trial {
        rows.push(format!("trial {}: {}, {} needed", lead.trial, found(lead), plain(lead.needed)));
    }
    let spent = progress.spent;
    let dollars = spent.microdollars as f64 / 1e6;
    let models = match spent.replies {
        0 => String::new(),
        replies => format!(" · {replies} replies, {} tokens, ${dollars:.4}", spent.tokens),
    };
    rows.push(format!("{:.0} s of work{models}", at_ms as f64 / 1e3));
    rows.push(face::dim(&face::visible(&progress.now())));
    rows
}

/// `2.4 has +0.312 (+0.120 to +0.504) over 0.0, 48 blocks, e-value 1,250`
fn found(lead: &Lead) -> String {
    let range = lead.interval.map_or_else(String::new, |(low, high)| format!(" ({low:+.3} to {high:+.3})"));
    format!(
        "{} has {:+.3}{range} over {}, {} blocks, e-value {}",
        lead.candidate,
        lead.mean,
        lead.against,
        lead.blocks,
        plain(lead.e_value)
    )
}

fn line(state: &State, event: &Event) -> Option<(&'static str, String)> {
    let rungs = &state.plan().rules.rungs;
    Some(match &event.body {
        Body::Written { candidate, idea, .. } if *candidate != Place::ORIGIN => {
            ("Written", format!("{candidate}: {}", face::visible(idea)))
        }
        Body::Left { candidate, why: Some(why), .. } => {
            ("Refused", format!("{candidate}: {}", face::visible(why.lines().next().unwrap_or_default())))
        }
        Body::Unwritten { candidate, why } => ("Unwritten", format!("{candidate}: {}", face::visible(why))),
        Body::Probed { candidate, .. } => {
            let out = state.candidates().get(candidate)?.out.as_ref()?;
            ("Out", format!("{candidate}: {}", face::visible(out)))
        }
        Body::Scored { candidate, .. } => {
            let points = &state.candidates().get(candidate)?.points;
            let name = if *candidate == state.champion() { "champion " } else { "" };
            (
                "Scored",
                format!("{name}{candidate}: {:.2} over {} of {} blocks", mean(points), points.len(), rungs.last()?),
            )
        }
        Body::Compared { trial, candidate, .. } => {
            let trial_state = state.trials().last()?;
            let differences: Vec<f64> = trial_state.pairs.iter().map(|pair| pair.0 - pair.1).collect();
            (
                "Trial",
                format!(
                    "{trial}: {candidate} against {}: {:+.3} over {} fresh blocks, e-value {} of {}",
                    trial_state.champion,
                    mean(&differences),
                    differences.len(),
                    plain(trial_state.wager.wealth()),
                    plain(1.0 / state.plan().level(*trial as usize))
                ),
            )
        }
        Body::Pooled { candidate, found, .. } => {
            let champion = state.trials().last()?.champion;
            let (seeds, scores) = (found.seeds, story::at_once(found));
            ("Pooled", format!("{candidate} against {champion} over {seeds} fresh seeds together: {scores}"))
        }
        Body::Decided { candidate, promoted: true, .. } => ("Promoted", format!("{candidate} is the champion")),
        Body::Decided { candidate, promoted: false, .. } => {
            let veto = state.trials().last().and_then(Trial::any_veto);
            let why = veto.map_or_else(
                || format!("{candidate} is not certainly better"),
                |veto| format!("{candidate} has a veto: {}", face::visible(veto)),
            );
            ("Kept", format!("{}: {why}", state.champion()))
        }
        Body::Planned(planned) => ("Planned", face::visible(&planned_line(planned))),
        Body::Judged(judged) => ("Judged", format!("{}: {}", judged.candidate, face::visible(&verdict_line(judged)))),
        Body::Closed { generation } if *generation > 0 => ("Closed", closed(state, *generation)),
        Body::Unsealed { .. } => {
            let verdict = story::verdict(state)?;
            (
                "Unsealed",
                format!(
                    "champion {:.2}, origin {:.2}: {} over {} blocks, e-value {}{}",
                    verdict.champion,
                    verdict.origin,
                    verdict.difference(),
                    verdict.blocks,
                    plain(verdict.e_value),
                    verdict.at_once()
                ),
            )
        }
        _ => return None,
    })
}

/// A generation that is over: the champion and its evidence, what became of the candidates, what was spent.
fn closed(state: &State, generation: u32) -> String {
    let of: Vec<_> = state.candidates().iter().filter(|(place, _)| place.generation == generation).collect();
    let out = of.iter().filter(|(_, candidate)| candidate.out.is_some()).count();
    let mut text = format!("generation {generation}: the champion is {}", state.champion());
    if let Some(trial) = state.trials().iter().rev().find(|trial| trial.promoted == Some(true)) {
        let differences: Vec<f64> = trial.pairs.iter().map(|pair| pair.0 - pair.1).collect();
        let (low, high) = interval(&differences);
        text.push_str(&format!(
            ", {:+.3} ({low:+.3} to {high:+.3}) over {}, e-value {}",
            mean(&differences),
            trial.champion,
            plain(trial.wager.wealth())
        ));
    }
    text.push_str(&format!("; {} of {} candidates raced", of.len() - out, of.len()));
    let spent = state.spent();
    if spent.replies > 0 {
        let replies = if spent.replies == 1 { "reply" } else { "replies" };
        text.push_str(&format!(
            "; {} {replies}, {} tokens, cost {}",
            spent.replies,
            spent.tokens,
            known_dollars(spent.microdollars, spent.replies > 0)
        ));
    }
    text
}
