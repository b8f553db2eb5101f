//! Where a session is, for somebody who looks on: a function of the state, so a table, a page and a program say the same.

use super::node::{Node, Visit};
use super::place::Place;
use super::plan::WriterPlan;
use super::purpose::Purpose;
use super::state::{Candidate, Spent, State, Trial, mean};
use super::step::{Means, Step, interval, next};
use serde::Serialize;
use std::collections::BTreeMap;

/// Where a slot of the open generation is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Nothing has been done for it, or it waits for others.
    Waiting,
    /// Its program is asked for, or drawn.
    Writing,
    /// A model explains what the program that it begins with did.
    Explaining,
    /// Its program is checked and built.
    Validating,
    /// It runs.
    Executing,
    /// It has run, and is compared with others.
    Aggregating,
    /// It is in the race or in a trial no more.
    Done,
    /// No program came of it, or it is out.
    Failed,
}

impl Stage {
    /// In a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Writing => "writing",
            Self::Explaining => "explaining",
            Self::Validating => "validating",
            Self::Executing => "executing",
            Self::Aggregating => "aggregating",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

/// A comparison on fresh seeds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Lead {
    /// The trial, counted from 1.
    pub trial: usize,
    /// Who is compared.
    pub candidate: Place,
    /// With whom.
    pub against: Place,
    /// Blocks so far.
    pub blocks: usize,
    /// Mean points over the opponent.
    pub mean: f64,
    /// 95% interval of the mean; `None` of fewer than two blocks.
    pub interval: Option<(f64, f64)>,
    /// The evidence.
    pub e_value: f64,
    /// What is needed.
    pub needed: f64,
}

/// See the module documentation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Progress {
    /// The open generation.
    pub generation: u32,
    /// Generations at most.
    pub generations: u32,
    /// Slots of the open generation by where they are.
    pub stages: BTreeMap<Stage, u32>,
    /// The champion.
    pub champion: Place,
    /// How it became champion; `None` for the origin.
    pub proven: Option<Lead>,
    /// The trial that is going on.
    pub trial: Option<Lead>,
    /// What was spent on models.
    pub spent: Spent,
    /// The nodes of the loop that have begun and not ended, the innermost one last.
    pub nodes: Vec<Visit>,
    /// Who waits for what.
    pub waits: String,
}

impl Progress {
    /// Of a session that is at work.
    #[must_use]
    pub fn of(state: &State) -> Self {
        let step = next(state, Means::Enough);
        let trials = || state.trials().iter().enumerate();
        let lead = |(index, trial): (usize, &Trial)| lead(state, index + 1, trial);
        Self {
            generation: state.generation(),
            generations: state.plan().rules.generations,
            stages: stages(state, &step),
            champion: state.champion(),
            proven: trials().rfind(|(_, trial)| trial.promoted == Some(true)).map(lead),
            trial: trials().next_back().filter(|(_, trial)| trial.promoted.is_none()).map(lead),
            spent: state.spent(),
            nodes: state.open().to_vec(),
            waits: waits(state, &step),
        }
    }
}

impl Progress {
    /// The nodes that are open and who waits for what: `write › validate: 2.1 waits for its checks`.
    #[must_use]
    pub fn now(&self) -> String {
        let nodes: Vec<&str> = self.nodes.iter().map(|visit| visit.node.word()).collect();
        if nodes.is_empty() { self.waits.clone() } else { format!("{}: {}", nodes.join(" › "), self.waits) }
    }
}

fn lead(state: &State, number: usize, trial: &Trial) -> Lead {
    let differences: Vec<f64> = trial.pairs.iter().map(|pair| pair.0 - pair.1).collect();
    Lead {
        trial: number,
        candidate: trial.candidate,
        against: trial.champion,
        blocks: differences.len(),
        mean: mean(&differences),
        interval: (differences.len() > 1).then(|| interval(&differences)),
        e_value: trial.wager.wealth(),
        needed: 1.0 / state.plan().level(number),
    }
}

fn stages(state: &State, step: &Step) -> BTreeMap<Stage, u32> {
    let generation = state.generation();
    let mut stages = BTreeMap::new();
    if matches!(step, Step::Over(_)) {
        return stages;
    }
    for slot in 0..state.plan().rules.slots(generation) {
        let place = Place { generation, slot };
        let stage = match state.candidates().get(&place) {
            Some(candidate) => stage(step, place, candidate),
            None => unwritten(state, step, place),
        };
        *stages.entry(stage).or_insert(0) += 1;
    }
    stages
}

fn stage(step: &Step, place: Place, candidate: &Candidate) -> Stage {
    if candidate.out.is_some() {
        return Stage::Failed;
    }
    match step {
        Step::Probe(places) if places.contains(&place) => Stage::Executing,
        Step::Write(_) | Step::Probe(_) => Stage::Waiting,
        Step::Score { candidates, .. } if candidates.contains(&place) => Stage::Executing,
        // Whoever was dropped has seen fewer blocks.
        Step::Score { blocks, .. } if candidate.points.len() >= blocks.end as usize => Stage::Aggregating,
        Step::Compare { candidate, .. } | Step::Pool { candidate, .. } if *candidate == place => Stage::Executing,
        _ => Stage::Done,
    }
}

fn unwritten(state: &State, step: &Step, place: Place) -> Stage {
    let Step::Write(places) = step else { return Stage::Waiting };
    if places.first() != Some(&place) {
        return Stage::Waiting;
    }
    match (state.open().last().map(|visit| visit.node), open(state, place)) {
        (Some(Node::Explain), _) | (_, Some((Purpose::Explaining, _))) => Stage::Explaining,
        (Some(Node::Validate), _) => Stage::Validating,
        (_, None) if has_answer(state, place) => Stage::Validating,
        _ => Stage::Writing,
    }
}

/// Whether a program was asked for and came.
fn has_answer(state: &State, place: Place) -> bool {
    let is_program = |attempt| matches!(Purpose::of(attempt), Purpose::Writing | Purpose::Reviewing);
    state.requests(place).any(|(attempt, reply)| is_program(attempt) && reply.hash.is_some())
}

/// The request that a slot waits for, and of which model.
fn open(state: &State, place: Place) -> Option<(Purpose, u32)> {
    let of = |place: Place, purpose| state.open_request(place, purpose).map(|(_, reply)| (purpose, reply.model));
    let own = of(place, Purpose::Reviewing).or_else(|| of(place, Purpose::Writing));
    // A program is explained under its own place, whichever slot it is for.
    own.or_else(|| state.candidates().keys().rev().find_map(|parent| of(*parent, Purpose::Explaining)))
}

fn waits(state: &State, step: &Step) -> String {
    let number = |count: usize, words: &str| match count {
        1 => format!("1 candidate {}", words.replacen("wait", "waits", 1)),
        many => format!("{many} candidates {words}"),
    };
    match step {
        Step::Write(places) => places.first().map_or_else(String::new, |place| written(state, *place)),
        Step::Probe(places) => number(places.len(), "wait for the probe seeds"),
        Step::Score { candidates, blocks } => {
            number(candidates.len(), &format!("wait for search blocks {} to {}", blocks.start + 1, blocks.end))
        }
        Step::Compare { trial, candidate, champion, blocks } => {
            format!(
                "{candidate} and {champion} wait for fresh blocks {} to {} of trial {trial}",
                blocks.start + 1,
                blocks.end
            )
        }
        Step::Pool { trial, candidate, champion, blocks } => {
            let seeds = blocks.len() * state.plan().rules.block_seeds as usize;
            format!("{candidate} and {champion} wait for {seeds} fresh seeds together, which decide trial {trial}")
        }
        Step::Plan => format!("the session waits for {} (planning)", name(state, Purpose::Planning, 0)),
        Step::Judge { trial } => {
            format!("the verdict on trial {trial} waits for {} (judging)", name(state, Purpose::Judging, 0))
        }
        Step::Unseal { champion, .. } => format!("{champion} and the origin wait for the sealed seeds"),
        Step::Note(_) => "nobody waits".to_owned(),
        Step::Over(why) => format!("it is over: {}", why.words()),
    }
}

fn written(state: &State, place: Place) -> String {
    match (&state.plan().writer, open(state, place)) {
        _ if place == Place::ORIGIN => "the origin waits to be written down".to_owned(),
        (WriterPlan::Tuner { .. }, _) => format!("{place} waits for the tuner"),
        (_, Some((purpose, model))) => {
            format!("{place} waits for {} ({})", name(state, purpose, model), purpose.word())
        }
        (_, None) if has_answer(state, place) => format!("{place} waits for its checks"),
        (_, None) => format!("{place} waits for what its writer is told"),
    }
}

/// The model that is asked.
fn name(state: &State, purpose: Purpose, model: u32) -> &str {
    let Some(models) = state.plan().writer.models() else { return "nobody" };
    match purpose {
        Purpose::Writing | Purpose::Reviewing => models.writers().nth(model as usize).unwrap_or(&models.model),
        Purpose::Explaining => models.explain_model.as_deref().unwrap_or(&models.model),
        Purpose::Planning => models.plan_model.as_deref().unwrap_or(&models.model),
        Purpose::Judging => models.judge_model.as_deref().unwrap_or(&models.model),
    }
}
