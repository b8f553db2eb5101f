//! A session in the store: one run however often it is resumed, with an iteration for each candidate, its log, its story, its champion and its candidates.
//!
//! Invariants: what is stored is computed from the log, so it is the same on any number of threads and in any store; the folder is the truth.

use crate::command_line::{command_line, path_word};
use crate::ledger::{About, Kept, scenario_of};
use assay_market::Scenario;
use assay_refine::core::bandit::{operator_of, payoff};
use assay_refine::core::event::Program;
use assay_refine::core::hypotheses::{Fate, hypotheses};
use assay_refine::core::place::Place;
use assay_refine::core::plan::{Plan, WriterPlan};
use assay_refine::core::seeds::{Family, block};
use assay_refine::core::state::{State, mean};
use assay_refine::core::step::interval;
use assay_refine::core::tuner;
use assay_refine::journal::{self, LOG_BYTES_MAX, LOG_NAME};
use assay_refine::source::with_defaults;
use assay_refine::story;
use assay_store::{Better, Iteration, Kind, Kpi, RunId, Spread, Status, Trouble};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Candidates with their code, in one file of the run.
const CANDIDATES_NAME: &str = "candidates.jsonl";
/// Bytes of that file: what finds no room is in the session's folder.
const CANDIDATES_BYTES_MAX: usize = 64 << 20;

/// What is known before anything runs.
pub(super) fn about(path: &Path, state: &State, scenarios: &[Scenario]) -> About {
    let plan = state.plan();
    let whole = whole(path);
    let content = json!(["assay.refine", whole.to_string_lossy(), plan, state.seed()]);
    About {
        id: RunId::of_content(content.to_string().as_bytes()),
        kind: Kind::Refine,
        subject: plan.strategy.clone(),
        command: command(&whole),
        scenarios: scenarios.iter().map(scenario_of).collect(),
    }
}

/// Goes on with it, or shows what it came to.
fn command(path: &Path) -> String {
    let id = path.file_name().unwrap_or_default().to_string_lossy();
    let dir = path_word(path.parent().unwrap_or(Path::new(".")));
    command_line(&["assay", "refine", "resume", &id, "--dir", &dir])
}

/// A path from the root on, so that it is found from everywhere.
fn whole(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

/// Keeps what there is by now.
pub(super) fn keep(kept: &mut Kept, path: &Path, state: &State, files: &[(&str, String)]) {
    let run = &mut kept.entry.run;
    run.subject_hash = Some(state.plan().source_hash.clone());
    run.verdict = Some(verdict(state).to_owned());
    kept.entry.iterations = iterations(path, state);
    kept.entry.kpis = kept.entry.scenarios.first().map_or_else(Vec::new, |scenario| kpis(state, &scenario.hash));
    kept.files = files.iter().map(|(name, text)| ((*name).to_owned(), text.clone().into_bytes())).collect();
    // A log that cannot be read is no reason not to keep the rest.
    if let Ok(log) = assay_files::read(&path.join(LOG_NAME), assay_files::Links::Followed, LOG_BYTES_MAX) {
        kept.files.push((LOG_NAME.to_owned(), log));
    }
    kept.files.push((CANDIDATES_NAME.to_owned(), candidates(path, state)));
}

/// The answer in a word or two.
fn verdict(state: &State) -> &'static str {
    match story::verdict(state) {
        _ if state.champion() == Place::ORIGIN && state.ended().is_none() => "nothing better yet",
        _ if state.champion() == Place::ORIGIN => "nothing better",
        Some(verdict) if verdict.is_confirmed() => "better",
        Some(_) => "not confirmed",
        None => "better, not sealed",
    }
}

/// The source of a candidate; `None` for a slot of which nothing came.
fn source(path: &Path, state: &State, place: Place) -> Option<String> {
    match (state.candidates().get(&place)?.program.as_ref()?, &state.plan().writer) {
        (Program::Source(hash), _) => journal::program(path, hash).ok(),
        (Program::Settings(_), WriterPlan::Tuner { parameters }) => {
            let values = tuner::settings(state, place, parameters);
            with_defaults(&journal::program(path, &state.plan().source_hash).ok()?, parameters, &values).ok()
        }
        (Program::Settings(_), WriterPlan::Model(_)) => None,
    }
}

/// One for each candidate, in the order of their places.
fn iterations(path: &Path, state: &State) -> Vec<Iteration> {
    let is_over = state.ended().is_some();
    let one = |(index, (place, candidate)): (usize, (&Place, &assay_refine::core::state::Candidate))| Iteration {
        number: u32::try_from(index + 1).unwrap_or(u32::MAX),
        status: match &candidate.out {
            Some(_) => Status::Failed,
            None if is_over || place.generation < state.generation() => Status::Completed,
            None => Status::Running,
        },
        source_hash: source(path, state, *place).map(|text| blake3::hash(text.as_bytes()).to_hex().to_string()),
        trouble: candidate.out.as_ref().map(|out| Trouble { error: out.clone(), backtrace: None }),
        started: None,
        finished: None,
    };
    state.candidates().iter().enumerate().map(one).collect()
}

/// What the sealed seeds say, block by block. A block goes by its first seed, so that only sessions with the same seeds are paired.
fn kpis(state: &State, scenario: &str) -> Vec<Kpi> {
    let Some(pairs) = state.sealed() else { return Vec::new() };
    let Plan { rules, .. } = state.plan();
    let key = |index: usize| {
        let seeds = block(state.seed(), Family::Sealed, index as u32, rules.block_seeds);
        seeds.first().map_or(0, |seed| seed.0)
    };
    let kpi = |measure: &str, value: fn(&(f64, f64)) -> f64| {
        let values: Vec<f64> = pairs.iter().map(value).collect();
        let mut samples: Vec<(u64, f64)> =
            values.iter().enumerate().map(|(index, value)| (key(index), *value)).collect();
        samples.sort_by_key(|sample| sample.0);
        let interval = (values.len() > 1).then(|| interval(&values));
        let n = u32::try_from(values.len()).unwrap_or(u32::MAX);
        Kpi {
            scenario: scenario.to_owned(),
            measure: measure.to_owned(),
            unit: "points".to_owned(),
            better: Better::Higher,
            spread: Spread { n, mean: mean(&values), interval },
            samples,
        }
    };
    vec![
        kpi("sealed_gain", |pair| pair.0 - pair.1),
        kpi("sealed_champion", |pair| pair.0),
        kpi("sealed_origin", |pair| pair.1),
    ]
}

/// Each candidate as a line of JSON: what it came from, what it tries, what became of it, its code.
fn candidates(path: &Path, state: &State) -> Vec<u8> {
    let mut text = Vec::new();
    for one in hypotheses(state) {
        let (result, trial) = match &one.fate {
            Fate::Out(_) => ("out", None),
            Fate::Confirmed(trial) => ("confirmed", Some(*trial)),
            Fate::NotConfirmed(trial) => ("not_confirmed", Some(*trial)),
            Fate::Raced => ("raced", None),
            Fate::Open => ("open", None),
        };
        let decided = trial.and_then(|trial| state.trials().get(trial.checked_sub(1)?)).map(|trial| {
            let differences: Vec<f64> = trial.pairs.iter().map(|pair| pair.0 - pair.1).collect();
            json!({"against": trial.champion, "blocks": differences.len(), "difference": mean(&differences), "e_value": trial.wager.wealth()})
        });
        let line = json!({
            "candidate": one.place, "parent": one.candidate.parent, "crossed_with": one.candidate.other,
            "idea": one.candidate.idea, "result": result, "why_out": one.candidate.out,
            "gain": one.candidate.gain.map(|gain| gain.0), "trial": decided,
            "source": source(path, state, one.place), "operator": operator_of(state, one.place, one.candidate).word(),
            "paid": payoff(state, one.place, one.candidate), "revised": one.candidate.revised,
            "judge": trial.and_then(|trial| state.judged(u32::try_from(trial).ok()?)),
        });
        let line = format!("{line}\n");
        if text.len() + line.len() > CANDIDATES_BYTES_MAX {
            break;
        }
        text.extend(line.as_bytes());
    }
    text
}
