//! Refinements: the list of sessions, one of them, and one of its candidates.

use super::controls::{button, field, token};
use super::folders::folders;
use super::layout::{Frame, Section, Topic, layout};
use crate::library::{Found, Scan, What};
use crate::place::Place;
use crate::text;
use assay_model::known_dollars;
use assay_refine::core::bandit::{by_model, by_operator};
use assay_refine::core::event::Program;
use assay_refine::core::place::Place as Slot;
use assay_refine::core::plan::WriterPlan;
use assay_refine::core::progress::Progress;
use assay_refine::core::state::{Candidate, State, Trial, mean};
use assay_refine::core::step::interval;
use assay_refine::council::{planned_line, verdict_line};
use assay_refine::evidence::cost;
use assay_refine::story::{Verdict, at_once, outcome, verdict};
use assay_work::jobs::Job;
use maud::{Markup, PreEscaped, html};

/// Candidates that are listed, the last ones.
const LISTED_MAX: usize = 500;
/// Promotion trials that are listed, the last ones.
const TRIALS_MAX: usize = 200;

/// A session as its folder has it.
pub(crate) struct Session<'a> {
    pub found: &'a Found,
    pub state: &'a State,
    pub is_running: bool,
    /// The job that works on it, or waits to.
    pub job: Option<&'a Job>,
    pub topic: Topic,
}

pub(crate) fn list(frame: Frame<'_>, scan: &Scan) -> String {
    let found: Vec<&Found> = scan.of(What::Refinement).collect();
    let body = html! {
        @if frame.can_start { p { a href="/refine/new" { "Refine a strategy" } } }
        @if found.is_empty() {
            p { "No session of a refinement is here. This makes one, without a model:" }
            pre { "assay refine --from examples/refine/mistuned_maker.rs --generations 6 --dir report/refine\nassay serve --runs report" }
        } @else { (folders(frame, found.into_iter())) }
    };
    layout(frame, "Refinements", Section::Refine, None, &body)
}

pub(crate) fn page(frame: Frame<'_>, session: &Session<'_>) -> String {
    let Session { found, state, is_running, .. } = session;
    let (plan, spent) = (state.plan(), state.spent());
    let markets: Vec<&str> = plan.markets.iter().map(|market| market.name.as_str()).collect();
    let body = html! {
        p class={ "verdict " (if verdict(state).is_some_and(|verdict| verdict.is_confirmed()) { "good" } else { "" }) } { (text::name(&outcome(state))) "." }
        dl {
            dt { "strategy" } dd { (text::name(&frame.told(&plan.strategy))) }
            dt { "markets" } dd { (text::name(&markets.join(", "))) }
            dt { "goal" } dd { (text::name(&plan.goal)) }
            dt { "writer" } dd { (writer(frame, &plan.writer)) }
            dt { "state" } dd {
                @match state.ended() {
                    Some(end) => { "over: " (end.words()) }
                    None if *is_running => "running",
                    None => "stopped; ",
                }
                @if state.ended().is_none() && !is_running { code { "assay refine resume" } " continues it" }
            }
            dt { "work" } dd { (text::counted(state.generation().saturating_sub(1) as usize, "generation", "generations")) ", " (text::counted(state.candidates().len(), "candidate", "candidates")) ", " (text::duration(state.at_ms())) }
            @if spent.replies > 0 { dt { "spent" } dd { (text::counted(spent.replies, "reply", "replies")) ", " (text::count(spent.tokens)) " tokens, cost " (known_dollars(spent.microdollars, true)) } }
        }
        @if let Some(form) = frame.form { (acts(frame, session, form)) }
        @if let Some(verdict) = verdict(state) { h2 { "Sealed seeds" } (sealed(&verdict)) }
        @if !state.trials().is_empty() {
            h2 { "Champions" }
            (climb(state))
            h2 { "Promotion trials" }
            (trials(frame, found, state))
        }
        @if state.ended().is_none() { h2 { "Now" } (now(state)) }
        @if let Some(planned) = state.planned() { h2 { "Proposed markets" } p { (assay_report::visible(&planned_line(planned), 2_000)) ". They count in no race, no trial and no seal." } }
        @if state.generation() > 1 { h2 { "What paid" } (paid(frame, state)) }
        @if !state.hints().is_empty() { h2 { "Hints" } ul { @for hint in state.hints() { li { (assay_report::visible(hint, 1_000)) } } } }
        h2 { "Candidates" }
        (candidates(frame, found, state))
    };
    layout(frame, &found.name, Section::Refine, Some(&session.topic), &body)
}

/// What can be done to a session.
fn acts(frame: Frame<'_>, session: &Session<'_>, form: &str) -> Markup {
    let Session { found, state, is_running, job, .. } = session;
    let is_over = state.ended().is_some();
    let act = |what: &str| format!("/refine/{}/{what}", found.id);
    html! {
        p class="buttons" {
            @if *is_running && !is_over { (button(form, &act("stop"), "Pause after the current step")) }
            @if let Some(job) = job {
                " " (button(form, &format!("/jobs/{}/stop", job.id), "Stop now")) " " (frame.link(&Place::Job(job.id.clone()), "its job"))
            } @else if frame.can_start && !is_running && !is_over { (button(form, &act("resume"), "Resume")) }
        }
        @if frame.can_start {
            @if !is_over && matches!(state.plan().writer, WriterPlan::Model { .. }) {
                form class="filter" method="post" action=(act("hint")) {
                    (token(form))
                    (field("hint", "a hint for the next candidates", "", ""))
                    button { "Give the hint" }
                }
            }
            form class="filter" method="post" action=(act("fork")) {
                (token(form))
                (field("at", &format!("fork after event, 1 to {}", state.seq()), &state.seq().to_string(), "number"))
                button { "Fork" }
            }
        }
    }
}

fn writer(frame: Frame<'_>, writer: &WriterPlan) -> Markup {
    match writer {
        WriterPlan::Tuner { parameters } => {
            html! { "tuner of " (text::counted(parameters.len(), "parameter", "parameters")) }
        }
        WriterPlan::Model(models) => {
            let names: Vec<&str> = models.writers().collect();
            html! { (text::name(&frame.told(&names.join(" or ")))) ", asked for: " (assay_report::visible(&models.goal, 1_000)) }
        }
    }
}

fn sealed(verdict: &Verdict) -> Markup {
    html! {
        p {
            "Used once, after everything was decided. Champion " (text::number(verdict.champion)) " points, origin " (text::number(verdict.origin))
            "; difference " (text::spread(verdict.champion - verdict.origin, Some(verdict.interval)))
            " over " (text::counted(verdict.blocks, "block", "blocks")) ", e-value " (text::number(verdict.e_value)) (verdict.at_once()) "."
        }
    }
}

fn gain(trial: &Trial) -> (f64, (f64, f64)) {
    let differences: Vec<f64> = trial.pairs.iter().map(|pair| pair.0 - pair.1).collect();
    (mean(&differences), interval(&differences))
}

/// The sum of proven gains over the trials, as a line of steps.
fn climb(state: &State) -> Markup {
    const WIDTH: f64 = 800.0;
    const HEIGHT: f64 = 160.0;
    let mut best = 0.0;
    let mut points = vec![0.0];
    for trial in state.trials() {
        let (gained, _) = gain(trial);
        if trial.promoted == Some(true) && gained.is_finite() {
            best += gained;
        }
        points.push(best);
    }
    let high = points.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let x = |index: usize| WIDTH * index as f64 / (points.len() - 1).max(1) as f64;
    let y = |value: f64| HEIGHT - 10.0 - (HEIGHT - 30.0) * (value / high);
    let mut line = format!("M{:.1} {:.1}", x(0), y(points[0]));
    for (index, value) in points.iter().enumerate().skip(1) {
        line.push_str(&format!("H{:.1}V{:.1}", x(index), y(*value)));
    }
    html! {
        figure {
            figcaption { strong { "Proven gain over the origin, by trial" } span class="key" { (text::number(best)) " points" } }
            div class="drawing" {
                svg viewBox="0 0 800 160" role="img" aria-label={ "Proven gain grows to " (text::number(best)) " points over " (text::counted(state.trials().len(), "trial", "trials")) } {
                    path class="axis g" d=(PreEscaped("M0 150H800")) {}
                    path class="l thick main" d=(line) {}
                }
            }
        }
    }
}

fn trials(frame: Frame<'_>, found: &Found, state: &State) -> Markup {
    let skipped = state.trials().len().saturating_sub(TRIALS_MAX);
    let answer = |trial: &Trial| match (trial.promoted, trial.any_veto()) {
        (Some(true), _) => "promoted".to_owned(),
        (Some(false), Some(veto)) => format!("veto: {}", text::name(&frame.told(veto))),
        (Some(false), None) => "not proven better".to_owned(),
        (None, _) => "open".to_owned(),
    };
    html! {
        @if skipped > 0 { p class="small" { (text::counted(skipped, "earlier trial", "earlier trials")) } }
        div class="scroll" tabindex="0" role="group" aria-label="Table" { table {
            thead { tr { th scope="col" { "Trial" } th scope="col" { "Challenger" } th scope="col" { "Against" } th class="number" scope="col" { "Blocks" } th class="number" scope="col" { "Difference, 95% interval" } th class="number" scope="col" { "E-value" } th class="number" scope="col" { "Needed" } th scope="col" { "Many seeds together" } th scope="col" { "Answer" } } }
            tbody {
                @for (index, trial) in state.trials().iter().enumerate().skip(skipped) {
                    @let (difference, range) = gain(trial);
                    tr data-row="" {
                        td { (index + 1) }
                        td { (candidate_link(frame, found, trial.candidate)) }
                        td { (candidate_link(frame, found, trial.champion)) }
                        td class="number" { (trial.pairs.len()) }
                        td class="number" { (text::spread(difference, Some(range))) }
                        td class="number" { (text::number(trial.wager.wealth())) }
                        td class="number" { (text::number(1.0 / state.plan().level(index + 1))) }
                        td { @if let Some(pooled) = &trial.pooled { (at_once(pooled)) } }
                        td class="prose" { (answer(trial)) }
                    }
                }
            }
        } }
    }
}

fn candidate_link(frame: Frame<'_>, found: &Found, slot: Slot) -> Markup {
    frame.link(&Place::Candidate(found.id, slot.to_string()), &slot.to_string())
}

fn candidates(frame: Frame<'_>, found: &Found, state: &State) -> Markup {
    let skipped = state.candidates().len().saturating_sub(LISTED_MAX);
    html! {
        @if skipped > 0 { p class="small" { (text::counted(skipped, "earlier candidate", "earlier candidates")) } }
        div class="scroll" tabindex="0" role="group" aria-label="Table" { table {
            thead { tr { th scope="col" { "Candidate" } th scope="col" { "From" } th class="number" scope="col" { "Gain" } th scope="col" { "What it tries" } th scope="col" { "Why rejected" } } }
            tbody {
                @for (slot, candidate) in state.candidates().iter().skip(skipped) {
                    tr data-row="" {
                        td { (candidate_link(frame, found, *slot)) @if *slot == state.champion() { " " span class="tag good" { "champion" } } }
                        td { @if let Some(parent) = candidate.parent { (candidate_link(frame, found, parent)) } }
                        td class="number" { (over(candidate)) }
                        td class="prose" { (text::name(&candidate.idea)) }
                        td class="prose" { (text::name(&frame.told(candidate.out.as_deref().unwrap_or_default()))) }
                    }
                }
            }
        } }
    }
}

fn over(candidate: &Candidate) -> String {
    candidate.gain.map_or_else(String::new, |(gain, met)| format!("{} over {met}", text::number(gain)))
}

/// Where its slots are, and who waits for what.
fn now(state: &State) -> Markup {
    let progress = Progress::of(state);
    let stages: Vec<String> =
        progress.stages.iter().map(|(stage, count)| format!("{count} {}", stage.word())).collect();
    html! { p { "Generation " (progress.generation.min(progress.generations)) " of " (progress.generations) ": " (stages.join(", ")) ". " (text::name(&progress.now())) "." } }
}

/// What candidates paid, by model and by what was asked for.
fn paid(frame: Frame<'_>, state: &State) -> Markup {
    let (models, operators) = (by_model(state, state.generation()), by_operator(state, state.generation()));
    html! {
        p class="small" { "A candidate pays the points that it has over the champion at least, by the 95% interval: on fresh seeds if it had a trial; 1 at most." }
        div class="scroll" tabindex="0" role="group" aria-label="Table" { table {
            thead { tr { th scope="col" { "Model, or what was asked for" } th class="number" scope="col" { "Candidates" } th class="number" scope="col" { "Champions" } th class="number" scope="col" { "Paid" } th class="number" scope="col" { "Tokens" } th class="number" scope="col" { "Cost" } } }
            tbody {
                @for arm in models.iter().chain(&operators) {
                    tr {
                        td class="id" { (text::name(&frame.told(&arm.name))) }
                        td class="number" { (arm.candidates) }
                        td class="number" { (arm.champions) }
                        td class="number" { (text::number(arm.payoff)) }
                        td class="number" { (text::count(arm.tokens)) }
                        td class="number" { (cost(arm.tokens, arm.microdollars)) }
                    }
                }
            }
        } }
    }
}

/// What a judge said of a candidate beside what was decided; or that nobody was asked.
fn judge(state: &State, slot: Slot) -> Markup {
    let trial = (1_u32..).zip(state.trials()).find(|(_, trial)| trial.candidate == slot);
    let Some((number, trial)) = trial else { return html! {} };
    let decided = match trial.promoted {
        Some(true) => "promoted",
        Some(false) => "not promoted",
        None => "open",
    };
    html! {
        dt { "trial " (number) } dd { (decided) ", by the formula" }
        dt { "judge" } dd {
            @match state.judged(number) {
                Some(judged) => (assay_report::visible(&verdict_line(judged), 4_000)),
                None => "none was asked",
            }
        }
    }
}

/// One candidate with its program.
pub(crate) fn candidate(
    frame: Frame<'_>,
    found: &Found,
    state: &State,
    slot: Slot,
    source: Option<&Result<String, String>>,
) -> Option<String> {
    let candidate = state.candidates().get(&slot)?;
    let body = html! {
        p {
            (frame.link(&Place::Refinement(found.id), "The session"))
            @if frame.can_start && candidate.program.is_some() { " · " a href={ "/edit?session=" (found.id) "&candidate=" (slot) } { "Open it in the editor" } }
        }
        dl {
            @if let Some(parent) = candidate.parent { dt { "from" } dd { (candidate_link(frame, found, parent)) } }
            dt { "what it tries" } dd { (assay_report::visible(&candidate.idea, 4_000)) }
            @if candidate.gain.is_some() { dt { "gain" } dd { (over(candidate)) } }
            @if let Some(out) = &candidate.out { dt { "why rejected" } dd { (assay_report::visible(&frame.told(out), 4_000)) } }
            (judge(state, slot))
            @if let Some(revised) = candidate.revised { dt { "its writer looked it over" } dd { @if revised { "and changed it" } @else { "and left it" } } }
            @if slot == state.champion() { dt { "place" } dd { "champion" } }
        }
        @if let Some(Program::Settings(values)) = &candidate.program { (settings(&state.plan().writer, values)) }
        @match source {
            Some(Ok(source)) => { h2 { "Source" } (text::block(source)) }
            Some(Err(why)) => p class="notice" { (text::words(&frame.told(why))) },
            None => {}
        }
    };
    Some(layout(frame, &format!("Candidate {slot} of {}", found.name), Section::Refine, None, &body))
}

fn settings(writer: &WriterPlan, values: &[f64]) -> Markup {
    let WriterPlan::Tuner { parameters } = writer else { return html! {} };
    html! {
        h2 { "Parameters" }
        div class="scroll" tabindex="0" role="group" aria-label="Table" { table {
            thead { tr { th scope="col" { "Parameter" } th class="number" scope="col" { "Origin" } th class="number" scope="col" { "Here" } } }
            tbody {
                @for (parameter, value) in parameters.iter().zip(values) {
                    tr { td { code { (text::name(&parameter.name)) } } td class="number" { (parameter.default) } td class="number" { (value) } }
                }
            }
        } }
    }
}
