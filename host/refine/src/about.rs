//! A session for programs: what the command line prints with `--json`, and the pages answer.
//!
//! Invariant: everything is a function of the log, so whoever asks is told the same.

use crate::core::bandit::{Arm, by_model, by_operator, operator_of};
use crate::core::place::Place;
use crate::core::progress::Progress;
use crate::core::state::{State, mean};
use crate::core::step::interval;
use crate::journal::Kept;
use crate::story;
use serde_json::{Value, json};

/// How a session stands, in a word.
#[must_use]
pub const fn status(kept: &Kept) -> &'static str {
    match (kept.state.ended(), kept.is_running) {
        (Some(_), _) => "done",
        (None, true) => "running",
        (None, false) => "interrupted",
    }
}

/// A session in short.
#[must_use]
pub fn session(id: &str, kept: &Kept) -> Value {
    let (state, spent) = (&kept.state, kept.state.spent());
    let (verdicts, agreed) = state.agreement();
    let arms = |arms: Vec<Arm>| -> Vec<Value> { arms.iter().map(arm).collect() };
    json!({
        "session": id, "status": status(kept), "events": state.seq(), "generation": state.generation(),
        "candidates": state.candidates().len().saturating_sub(1), "champion": state.champion().to_string(),
        "outcome": story::outcome(state), "ended": state.ended(), "seconds": state.at_ms() as f64 / 1e3,
        "replies": spent.replies, "tokens": spent.tokens, "microdollars": spent.microdollars,
        "requests_lost": spent.lost, "progress": Progress::of(state),
        "judge": {"verdicts": verdicts, "agreed": agreed}, "planned": state.planned(),
        "models": arms(by_model(state, state.generation())), "operators": arms(by_operator(state, state.generation())),
    })
}

fn arm(arm: &Arm) -> Value {
    json!({
        "name": arm.name, "candidates": arm.candidates, "champions": arm.champions, "paid": arm.payoff,
        "tokens": arm.tokens, "microdollars": arm.microdollars,
    })
}

/// What the sealed seeds say, if they were used.
#[must_use]
pub fn sealed(state: &State) -> Option<Value> {
    let verdict = story::verdict(state)?;
    let (low, high) = verdict.interval;
    Some(json!({
        "champion": verdict.champion, "origin": verdict.origin, "low": low, "high": high,
        "e_value": verdict.e_value, "blocks": verdict.blocks, "confirmed": verdict.is_confirmed(),
        "pooled": verdict.pooled,
    }))
}

/// Every promotion trial, with what a judge said of it.
#[must_use]
pub fn trials(state: &State) -> Vec<Value> {
    let trial = |(number, trial): (u32, &crate::core::state::Trial)| {
        let differences: Vec<f64> = trial.pairs.iter().map(|pair| pair.0 - pair.1).collect();
        let (low, high) = interval(&differences);
        json!({
            "trial": number, "candidate": trial.candidate, "champion": trial.champion, "blocks": trial.pairs.len(),
            "mean": mean(&differences), "low": low, "high": high, "e_value": trial.wager.wealth(),
            "needed": 1.0 / state.plan().level(number as usize), "veto": trial.any_veto(), "pooled": trial.pooled,
            "promoted": trial.promoted,
            "judged": state.judged(number),
        })
    };
    (1..).zip(state.trials()).map(trial).collect()
}

/// A candidate; none of a slot that nothing was done for.
#[must_use]
pub fn candidate(state: &State, place: Place) -> Option<Value> {
    let candidate = state.candidates().get(&place)?;
    let mut value = json!({
        "id": place, "operator": operator_of(state, place, candidate), "is_champion": place == state.champion(),
    });
    if let (Value::Object(value), Ok(Value::Object(fields))) = (&mut value, serde_json::to_value(candidate)) {
        value.extend(fields);
    }
    Some(value)
}
