//! Verdicts in the store: each is a run there, named by everything that decides it, so that it is there once however often it is given.
//!
//! Invariants: a verdict comes to the store after it is where it was asked for, and the store never changes it; of hidden seeds nothing is recorded but
//! their commitment and figures over all of them; a verdict is not replaced by the news that there is none.

use super::examine::Examined;
use super::plan::{Market, Plan};
use super::settings::GateSettings;
use super::submissions::Entry;
use crate::command_line::{command_line, path_word};
use crate::ledger::{self, About, Ended, Place, Register};
use assay_gate::verdict::Seeds;
use assay_gate::{Decision, Verdict};
use assay_store::{Iteration, Kind, Known, Kpi, RunEntry, RunId, Scenario, Status, Time, Trouble};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Instant;

/// Separates these names from all others; changes whenever what goes into them does.
const ID_CONTEXT: &str = "assay.gate 1";
/// What the verdict is called among the files of its run.
const FILE_NAME: &str = "verdict.json";

/// When work on a submission began.
#[derive(Clone, Copy)]
pub(super) struct Begun {
    at: Time,
    clock: Instant,
}

impl Begun {
    pub(super) fn now() -> Self {
        Self { at: Time::now(), clock: Instant::now() }
    }
}

/// See the module documentation.
pub(super) struct VerdictLedger<'a> {
    plan: &'a Plan,
    settings: &'a GateSettings,
    register: Register,
    scenarios: Vec<Scenario>,
    /// Hash of what all verdicts of this start depend on: policy, release, markets, seeds.
    inputs: String,
}

impl<'a> VerdictLedger<'a> {
    /// Opens the store, if there is to be one. One that cannot be had is a warning.
    pub(super) fn open(plan: &'a Plan, settings: &'a GateSettings, place: Option<&Place>) -> Self {
        let mut seen = BTreeSet::new();
        let scenarios = plan.markets.iter().map(|market| ledger::scenario_of(&market.scenario));
        let scenarios = scenarios.filter(|scenario| seen.insert(scenario.hash.clone())).collect();
        let markets: Vec<_> = plan.markets.iter().map(|market| (market.scenario_hash(), seeds(market))).collect();
        let inputs = json!([plan.policy.hash, Plan::tool(), markets]).to_string();
        let inputs = blake3::hash(inputs.as_bytes()).to_string();
        Self { plan, settings, register: Register::open(place), scenarios, inputs }
    }

    /// Records a verdict of this start.
    pub(super) fn given(&self, entry: &Entry, examined: &Examined, begun: Begun) {
        let Examined { verdict, kpis } = examined;
        let finished = begun.at.after(begun.clock.elapsed());
        let known = if verdict.decision == Decision::Unscored { Known::KeptIfCompleted } else { Known::Replaced };
        self.register.record(|| {
            let mut run = self.run(entry, verdict, begun.at, kpis);
            run.run.started = Some(begun.at);
            run.run.finished = Some(finished);
            ended(run, verdict, known)
        });
    }

    /// Records a verdict of an earlier start, if the store lacks it. What was measured then is not known any more, nor when.
    pub(super) fn kept(&self, entry: &Entry, verdict: &Verdict) {
        self.register.record(|| {
            let mut run = self.run(entry, verdict, Time::now(), &[]);
            run.run.started = None;
            ended(run, verdict, Known::KeptIfCompleted)
        });
    }

    /// What the store calls a verdict of this start, if there is a store.
    pub(super) fn name(&self, verdict: &Verdict) -> Option<String> {
        self.register.is_open().then(|| self.id(verdict).to_string())
    }

    /// Lets go of the store.
    pub(super) fn close(self) {
        self.register.close();
    }

    fn run(&self, entry: &Entry, verdict: &Verdict, created: Time, kpis: &[Kpi]) -> RunEntry {
        let about = About {
            id: self.id(verdict),
            kind: Kind::Gate,
            subject: verdict.submission.name.clone(),
            command: self.command(entry),
            scenarios: self.scenarios.clone(),
        };
        let mut entry = ledger::begun(about, created);
        let (status, trouble) = match verdict.decision {
            Decision::Unscored => (Status::Failed, Some(Trouble { error: verdict.summary.clone(), backtrace: None })),
            Decision::Pass | Decision::Fail | Decision::Rejected => (Status::Completed, None),
        };
        entry.run.status = status;
        entry.run.trouble = trouble;
        entry.run.verdict = Some(verdict.decision.word().to_owned());
        // The interpreter is the same for all Python files.
        let hash = verdict.submission.component_hash.as_ref().or(verdict.submission.hash.as_ref());
        entry.run.subject_hash = hash.cloned();
        // Two names of one market are one market.
        let mut seen = BTreeSet::new();
        let is_first = |kpi: &&Kpi| seen.insert((kpi.scenario.clone(), kpi.measure.clone()));
        entry.kpis = kpis.iter().filter(is_first).cloned().collect();
        entry
    }

    /// The same for the same verdict, whoever gives it and whenever: it names submission, policy, release, markets and seeds,
    /// and the day where one counts. What another compiler or interpreter gave takes its place.
    fn id(&self, verdict: &Verdict) -> RunId {
        let submission = &verdict.submission;
        let is_dated = submission.hash.as_deref().is_some_and(|hash| self.plan.is_dated(hash));
        let day = self.plan.today.filter(|_| is_dated).map(|day| day.to_string());
        let content = json!([ID_CONTEXT, self.inputs, submission.name, submission.hash, day]);
        RunId::of_content(content.to_string().as_bytes())
    }

    fn command(&self, entry: &Entry) -> String {
        let (path, policy) = (path_word(&entry.path), path_word(&self.settings.policy));
        let mut words = vec!["assay", "gate", &path, "--policy", &policy];
        words.extend(self.settings.feedback.then_some("--feedback"));
        words.extend(self.settings.date.iter().flat_map(|date| ["--date", date.as_str()]));
        command_line(&words)
    }
}

/// The run with the verdict as its file, and its only iteration.
fn ended(mut entry: RunEntry, verdict: &Verdict, known: Known) -> Ended {
    let run = &entry.run;
    entry.iterations = vec![Iteration {
        number: 1,
        status: run.status,
        source_hash: verdict.submission.hash.clone(),
        trouble: run.trouble.clone(),
        started: run.started,
        finished: run.finished,
    }];
    // A verdict is plain data: it can always be written.
    let mut file = serde_json::to_vec_pretty(verdict).unwrap_or_default();
    file.push(b'\n');
    Ended { entry, files: vec![(FILE_NAME.to_owned(), file)], known }
}

/// The seeds of a market as verdicts tell of them.
fn seeds(market: &Market) -> Seeds {
    match &market.hidden {
        None => Seeds::Public { seeds: market.seeds.as_slice().iter().map(|seed| seed.0).collect() },
        Some(hidden) => {
            Seeds::Hidden { count: hidden.seeds.as_slice().len() as u64, commitment: hidden.commitment.clone() }
        }
    }
}
