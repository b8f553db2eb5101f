//! What comes next: a function of the state.

use super::event::{Body, End};
use super::place::Place;
use super::state::{Candidate, State, Trial, mean};
use super::wager::BURN_IN;
use std::ops::Range;

/// Standard errors by which the true difference of a trial may lie above its mean before the trial is given up.
const OPTIMISM: f64 = 1.5;
/// Student's t at 97.5% is near this for the blocks of any trial.
const SPREAD: f64 = 2.0;

/// What is to be done.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// Fill these slots of the open generation.
    Write(Vec<Place>),
    /// Run these on the probe seeds.
    Probe(Vec<Place>),
    /// Score these on the search seeds of the generation.
    Score {
        /// Which, in order of slots.
        candidates: Vec<Place>,
        /// Blocks.
        blocks: Range<u32>,
    },
    /// Compare on fresh seeds.
    Compare {
        /// The trial, counted from 1.
        trial: u32,
        /// The challenger.
        candidate: Place,
        /// Its opponent.
        champion: Place,
        /// Blocks.
        blocks: Range<u32>,
    },
    /// Compare on many fresh seeds, taken together.
    Pool {
        /// The trial, counted from 1.
        trial: u32,
        /// The challenger, whose blocks have won.
        candidate: Place,
        /// Its opponent.
        champion: Place,
        /// Blocks.
        blocks: Range<u32>,
    },
    /// Ask which markets to look at besides.
    Plan,
    /// Ask what a model thinks of the challenger of a trial that was decided.
    Judge {
        /// The trial, counted from 1.
        trial: u32,
    },
    /// Nothing but to write down what follows from the events.
    Note(Body),
    /// Compare champion and origin on the sealed seeds.
    Unseal {
        /// The champion.
        champion: Place,
        /// Blocks.
        blocks: Range<u32>,
    },
    /// The session is over.
    Over(End),
}

/// What a session may still use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Means {
    /// All that it needs.
    Enough,
    /// Too little money or too few tokens for another request. What was written is still tried, as it has been paid for and running it costs neither.
    NoRequests,
    /// No time: nothing is begun any more.
    NoTime,
}

/// What comes next, with these means.
#[must_use]
pub fn next(state: &State, means: Means) -> Step {
    if let Some(why) = state.ended() {
        return Step::Over(why);
    }
    let rules = &state.plan().rules;
    let generation = state.generation();
    if means == Means::NoTime {
        return finish(state, End::Budget);
    }
    if let Some(open) = state.trials().last().filter(|trial| trial.promoted.is_none()) {
        return trial(state, open, state.trials().len());
    }
    // A generation that was decided is closed before anything is asked about the end.
    if state.trials().last().is_some_and(|trial| trial.candidate.generation == generation && generation > 0) {
        return after_trial(state, state.trials().len() as u32);
    }
    let is_new = !state.candidates().keys().any(|place| place.generation == generation);
    if is_new && let Some(why) = end(state) {
        return finish(state, why);
    }
    // The origin is not asked for.
    let may_write = means == Means::Enough || generation == 0;
    if is_new && !may_write {
        return finish(state, End::Budget);
    }
    let slots = (0..rules.slots(generation)).map(|slot| Place { generation, slot });
    let empty: Vec<Place> = slots.filter(|place| !state.candidates().contains_key(place)).collect();
    if !empty.is_empty() && may_write {
        return Step::Write(empty);
    }
    let unprobed = of(state, generation, |candidate| candidate.print.is_none() && candidate.out.is_none());
    if !unprobed.is_empty() {
        return Step::Probe(unprobed);
    }
    if generation == 0 {
        let plans = state.plan().writer.models().is_some_and(|models| models.plan_model.is_some());
        let is_planned = !plans || state.planned().is_some() || means != Means::Enough;
        return if is_planned { Step::Note(Body::Closed { generation }) } else { Step::Plan };
    }
    race(state, generation)
}

/// A judge is heard once everything is decided, so it cannot decide anything.
fn after_trial(state: &State, trial: u32) -> Step {
    let is_judged = state.plan().writer.models().is_none_or(|models| models.judge_model.is_none());
    if is_judged || state.judged(trial).is_some() {
        return Step::Note(Body::Closed { generation: state.generation() });
    }
    Step::Judge { trial }
}

/// Candidates of a generation that fit, in order of slots.
fn of(state: &State, generation: u32, fits: impl Fn(&Candidate) -> bool) -> Vec<Place> {
    let all = state.candidates().iter().filter(|(place, _)| place.generation == generation);
    all.filter(|(_, candidate)| fits(candidate)).map(|(place, _)| *place).collect()
}

/// Successive halving over the search seeds, the champion beside all others.
fn race(state: &State, generation: u32) -> Step {
    let rules = &state.plan().rules;
    let points = |place: Place| state.candidates().get(&place).map_or(&[][..], |candidate| &candidate.points[..]);
    let mut alive = of(state, generation, |candidate| candidate.out.is_none());
    let champion = state.champion();
    let mut seen = 0;
    for (rung, &blocks) in rules.rungs.iter().enumerate() {
        if alive.is_empty() {
            break;
        }
        let behind = |place: &Place| points(*place).len() < blocks as usize;
        let late: Vec<Place> = alive.iter().copied().chain([champion]).filter(behind).collect();
        if !late.is_empty() {
            return Step::Score { candidates: late, blocks: seen..blocks };
        }
        seen = blocks;
        let is_last = rung + 1 == rules.rungs.len();
        let keep = if is_last { 1 } else { alive.len().div_ceil(rules.keep_one_in.max(1) as usize) };
        let of_rung = |place: Place| mean(&points(place)[..blocks as usize]);
        // Equal points: the lower slot.
        alive.sort_by(|a, b| of_rung(*b).total_cmp(&of_rung(*a)).then(a.cmp(b)));
        alive.truncate(keep);
        alive.sort_unstable();
    }
    let best = alive.first().copied().filter(|best| mean(points(*best)) > mean(points(champion)));
    match best {
        None => Step::Note(Body::Closed { generation }),
        Some(candidate) => compare(state, state.trials().len() + 1, candidate, champion, 0),
    }
}

fn compare(state: &State, number: usize, candidate: Place, champion: Place, seen: usize) -> Step {
    let rules = &state.plan().rules;
    let from = seen as u32;
    // The burn-in decides nothing, so the first look comes after it.
    let batch = if seen == 0 { rules.batch_blocks.saturating_add(BURN_IN as u32) } else { rules.batch_blocks };
    let to = from.saturating_add(batch.max(1)).min(rules.trial_blocks).max(from + 1);
    Step::Compare { trial: number as u32, candidate, champion, blocks: from..to }
}

/// Goes on with a trial, or decides it.
fn trial(state: &State, open: &Trial, number: usize) -> Step {
    let needed = 1.0 / state.plan().level(number);
    let (wealth, seen) = (open.wager.wealth(), open.pairs.len());
    let rules = &state.plan().rules;
    if open.awaits_seeds(needed, rules) {
        let (candidate, champion) = (open.candidate, open.champion);
        return Step::Pool { trial: number as u32, candidate, champion, blocks: 0..rules.pooled_blocks };
    }
    let promoted = open.is_won(needed, rules);
    let is_over = open.veto.is_some()
        || open.pooled.is_some()
        || seen >= rules.trial_blocks as usize
        || is_hopeless(open, needed, rules.trial_blocks as usize - seen);
    if !promoted && !is_over {
        return compare(state, number, open.candidate, open.champion, seen);
    }
    Step::Note(Body::Decided {
        trial: number as u32,
        candidate: open.candidate,
        promoted,
        e_value: wealth,
        needed,
        blocks: seen as u32,
    })
}

/// Whether a trial cannot be won any more: even if the true difference were [`OPTIMISM`] standard errors above the mean, the wealth would not reach what
/// is needed in the blocks that are left. The best bet on a difference of d standard deviations grows the logarithm of the wealth by d²/2 a block (J. L.
/// Kelly, Bell System Technical Journal 35, 1956). Giving up promotes nobody, so the level holds whatever this says.
fn is_hopeless(open: &Trial, needed: f64, left: usize) -> bool {
    let n = open.pairs.len() as f64;
    let centre = mean_of(&open.pairs, |pair| pair.0 - pair.1);
    let squares = open.pairs.iter().map(|pair| (pair.0 - pair.1 - centre) * (pair.0 - pair.1 - centre)).sum::<f64>();
    let deviation = (squares / (n - 1.0).max(1.0)).sqrt();
    if deviation <= 0.0 {
        return centre <= 0.0;
    }
    let at_best = centre / deviation + OPTIMISM / n.sqrt();
    at_best <= 0.0 || libm::log(open.wager.wealth()) + left as f64 * at_best * at_best / 2.0 < libm::log(needed)
}

/// Why the session ends before the open generation, if it does.
fn end(state: &State) -> Option<End> {
    let rules = &state.plan().rules;
    let proven = state.trials().iter().rev().find(|trial| trial.promoted == Some(true));
    if proven.is_some_and(|trial| low(&trial.pairs.iter().map(|pair| pair.0).collect::<Vec<_>>()) >= rules.target) {
        return Some(End::Target);
    }
    if state.generation() > rules.generations {
        return Some(End::Generations);
    }
    if state.trials().len() >= rules.trials_max as usize {
        return Some(End::Validation);
    }
    (rules.plateau > 0 && state.since_gain() >= rules.plateau).then_some(End::Plateau)
}

/// The sealed comparison if there is something to confirm, then the end.
fn finish(state: &State, why: End) -> Step {
    if state.champion() != Place::ORIGIN && state.may_unseal() {
        return Step::Unseal { champion: state.champion(), blocks: 0..state.plan().rules.sealed_blocks };
    }
    Step::Note(Body::Ended { why })
}

/// The lower end of an interval of the mean, about 95%.
#[must_use]
pub fn low(values: &[f64]) -> f64 {
    interval(values).0
}

/// An interval of the mean, about 95%: the mean less and plus two standard errors.
#[must_use]
pub fn interval(values: &[f64]) -> (f64, f64) {
    let (n, centre) = (values.len() as f64, mean(values));
    if values.len() < 2 {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    let variance = values.iter().map(|value| (value - centre) * (value - centre)).sum::<f64>() / (n - 1.0);
    let margin = SPREAD * (variance / n).sqrt();
    (centre - margin, centre + margin)
}

fn mean_of(pairs: &[(f64, f64)], value: impl Fn(&(f64, f64)) -> f64) -> f64 {
    mean(&pairs.iter().map(value).collect::<Vec<_>>())
}
