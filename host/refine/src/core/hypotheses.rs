//! What was tried, and what became of it: each candidate is a hypothesis, its idea in its writer's words, which are not trusted.

use super::place::Place;
use super::state::{Candidate, State};

/// What became of an idea.
#[derive(Clone, PartialEq, Debug)]
pub enum Fate {
    /// No program came of it, or it was out before it met anybody: why.
    Out(String),
    /// It won a trial on seeds that nobody had seen: which, from 1.
    Confirmed(usize),
    /// It led its generation, and a trial did not show that it is better: which, from 1.
    NotConfirmed(usize),
    /// It met the champion on seeds of the search, and had no trial.
    Raced,
    /// Nothing yet.
    Open,
}

/// A candidate with its fate.
#[derive(Clone, PartialEq, Debug)]
pub struct Hypothesis<'a> {
    /// Which.
    pub place: Place,
    /// The candidate.
    pub candidate: &'a Candidate,
    /// What became of it.
    pub fate: Fate,
}

/// Every candidate but the origin, in the order in which they came.
#[must_use]
pub fn hypotheses(state: &State) -> Vec<Hypothesis<'_>> {
    let tried = state.candidates().iter().filter(|(place, _)| **place != Place::ORIGIN);
    tried
        .map(|(place, candidate)| Hypothesis { place: *place, candidate, fate: fate(state, *place, candidate) })
        .collect()
}

fn fate(state: &State, place: Place, candidate: &Candidate) -> Fate {
    if let Some(why) = &candidate.out {
        return Fate::Out(why.clone());
    }
    let trial = state.trials().iter().enumerate().find(|(_, trial)| trial.candidate == place);
    match trial.map(|(index, trial)| (index + 1, trial.promoted)) {
        Some((number, Some(true))) => Fate::Confirmed(number),
        Some((number, Some(false))) => Fate::NotConfirmed(number),
        None if candidate.gain.is_some() => Fate::Raced,
        Some((_, None)) | None => Fate::Open,
    }
}

impl Hypothesis<'_> {
    /// What it gained over the champion that it met, on seeds of the search; nothing of other seeds.
    #[must_use]
    pub fn gained(&self) -> Option<String> {
        self.candidate.gain.map(|(gain, met)| format!("{gain:+.2} over {met}"))
    }
}
