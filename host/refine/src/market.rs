//! The bench of real markets: candidates run in the sandbox, and each block is scored as `assay run` scores a run.
//!
//! Invariants: what is measured does not depend on the number of threads; what a candidate does wrong costs points, what fails on our side ends the
//! step; the baselines of a seed are run once for all candidates that meet on it; nothing is measured or kept of an episode but what its score needs.

use crate::core::event::{Behaviour, Pooled, Program};
use crate::session::{Bench, Points, Probe, Trouble};
use assay_evaluate::score::{Value, combined_value, pooled};
use assay_evaluate::{
    Baselines, Confidence, EpisodeRecord, EvaluateError, Goal, Guest, MeasureMap, RunRecord, Seeds, StrategyRecord,
    ToolRecord, Trial, episodes, evaluate, outcome_detail, outcome_name,
};
use assay_market::Scenario;
use assay_model::Seed;
use assay_sandbox::python::PythonProgram;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

/// Seeds whose baselines are kept at a time: each takes some 100 KB in each market. A generation meets on fewer.
const SEEDS_KEPT: usize = 256;
/// Seeds that two candidates run on in turn, so that the baselines of no more are kept.
const SEEDS_AT_ONCE: usize = 128;
/// The highest confidence that an interval can be asked for, in percent: levels below are decided at this.
const PERCENT_MAX: f64 = 99.99;
/// Bytes of what a candidate says about its failure.
const FAILURE_BYTES_MAX: usize = 300;

/// A candidate, ready to run.
#[derive(Clone)]
pub enum Loaded {
    /// A compiled one.
    Compiled(assay_sandbox::Program),
    /// A Python one.
    Python(PythonProgram),
}

/// Makes candidates ready: checked, built, loaded.
pub type Load<'a> = dyn Fn(&Program) -> Result<Loaded, Trouble> + 'a;

/// See the module documentation.
pub struct Markets<'a> {
    scenarios: &'a [Scenario],
    unseen: &'a [Scenario],
    goal: Goal,
    threads: NonZeroUsize,
    load: &'a Load<'a>,
    cancel: &'a AtomicBool,
    shelf: Mutex<Shelf>,
    unseen_shelf: Mutex<Shelf>,
}

/// Baselines of the seeds that were used last.
#[derive(Default)]
struct Shelf {
    seeds: BTreeSet<u64>,
    baselines: Vec<std::sync::Arc<Baselines>>,
}

/// How a market is run: what comes out is a record, more or less of it.
type Run<'a> = dyn Fn(&Trial<'_>, &Guest) -> Result<RunRecord, EvaluateError> + 'a;

impl<'a> Markets<'a> {
    /// These markets. Once `cancel` is set, what is under way is abandoned.
    #[must_use]
    pub fn new(
        scenarios: &'a [Scenario],
        goal: Goal,
        threads: NonZeroUsize,
        load: &'a Load<'a>,
        cancel: &'a AtomicBool,
    ) -> Self {
        let unseen_shelf = Mutex::default();
        Self { scenarios, unseen: &[], goal, threads, load, cancel, shelf: Mutex::default(), unseen_shelf }
    }

    /// With the markets of the sealed family.
    #[must_use]
    pub fn with_unseen(mut self, scenarios: &'a [Scenario]) -> Self {
        self.unseen = scenarios;
        self
    }

    /// Runs a candidate in each market on these seeds: whole records, for a reader.
    ///
    /// # Errors
    /// [`Trouble`], never for what the candidate does.
    pub fn records(&self, program: &Program, seeds: &[Seed]) -> Result<Vec<RunRecord>, Trouble> {
        let whole = |trial: &Trial<'_>, guest: &Guest| evaluate(trial, guest, &(), self.cancel);
        self.run((self.scenarios, &self.shelf), program, seeds, &whole)
    }

    /// What a candidate does in each market on these seeds, in a line: its score, its profit beside that of the trader in its place, its fills.
    ///
    /// # Errors
    /// [`Trouble`], never for what the candidate does.
    pub fn brief(&self, program: &Program, seeds: &[Seed]) -> Result<String, Trouble> {
        let records = self.episodes((self.scenarios, &self.shelf), program, seeds)?;
        let mean = |record: &RunRecord, of: fn(&EpisodeRecord) -> &MeasureMap, key: &str, unit: f64| {
            let value = |episode| of(episode).get(key)?.value.filter(|value| value.is_finite());
            let values: Vec<f64> = record.episodes.iter().filter_map(value).collect();
            let whole = values.iter().sum::<f64>() / values.len() as f64 / unit;
            if values.is_empty() { "none".to_owned() } else { format!("{whole:.2}") }
        };
        let line = |record: &RunRecord| {
            let score = combined_value(self.goal, &[record]);
            let ended = record.episodes.iter().filter(|episode| outcome_name(episode) == "finished").count();
            format!(
                "{}: {} points, profit {} dollars (the trader in its place: {}), {} fills, {ended} of {} seeds finished\n",
                record.scenario.name,
                score.value.map_or_else(|| "no".to_owned(), |value| format!("{value:.2}")),
                mean(record, |episode| &episode.measures, "pnl", 100.0),
                mean(record, |episode| &episode.baseline_measures, "pnl", 100.0),
                mean(record, |episode| &episode.measures, "fills", 1.0),
                record.episodes.len()
            )
        };
        Ok(records.iter().map(line).collect())
    }

    /// The episodes alone, which are all that a score needs.
    fn episodes(
        &self,
        markets: (&[Scenario], &Mutex<Shelf>),
        program: &Program,
        seeds: &[Seed],
    ) -> Result<Vec<RunRecord>, Trouble> {
        self.run(markets, program, seeds, &|trial, guest| episodes(trial, guest, self.cancel))
    }

    fn run(
        &self,
        (scenarios, shelf): (&[Scenario], &Mutex<Shelf>),
        program: &Program,
        seeds: &[Seed],
        run: &Run<'_>,
    ) -> Result<Vec<RunRecord>, Trouble> {
        let loaded = (self.load)(program)?;
        let trouble = |error: &dyn std::fmt::Display| Trouble::Infrastructure(error.to_string());
        let seeds = Seeds::list(seeds.iter().map(|seed| seed.0).collect()).map_err(|error| trouble(&error))?;
        let baselines = baselines(scenarios, shelf, seeds.as_slice());
        let mut records = Vec::new();
        for (scenario, baselines) in scenarios.iter().zip(&baselines) {
            let guest = match &loaded {
                Loaded::Compiled(program) => Guest::new(program.clone(), scenario.budget),
                Loaded::Python(program) => Guest::python(program.clone(), scenario.budget),
            };
            let trial = Trial {
                scenario,
                seeds: &seeds,
                threads: self.threads,
                tool: ToolRecord { assay: String::new(), wasmtime: String::new() },
                command: String::new(),
                strategy: nobody(),
                findings: Vec::new(),
                findings_omitted: 0,
                recorder: None,
                baselines: Some(baselines),
            };
            let record = run(&trial, &guest).map_err(|error| trouble(&error))?;
            if !record.complete {
                return Err(Trouble::Interrupted);
            }
            if let Some(unscored) = record.unscored.first() {
                return Err(Trouble::Infrastructure(format!(
                    "seed {} was not scored: {}",
                    unscored.seed, unscored.what
                )));
            }
            records.push(record);
        }
        Ok(records)
    }
}

fn baselines(scenarios: &[Scenario], shelf: &Mutex<Shelf>, seeds: &[Seed]) -> Vec<std::sync::Arc<Baselines>> {
    let mut shelf = shelf.lock().unwrap_or_else(PoisonError::into_inner);
    shelf.seeds.extend(seeds.iter().map(|seed| seed.0));
    if shelf.baselines.is_empty() || shelf.seeds.len() > SEEDS_KEPT {
        shelf.seeds = seeds.iter().map(|seed| seed.0).collect();
        shelf.baselines = scenarios.iter().map(|scenario| std::sync::Arc::new(Baselines::new(scenario))).collect();
    }
    shelf.baselines.clone()
}

/// How a program traded in these records: means over the episodes; a program without fills has no resting ones.
fn behaviour(records: &[RunRecord]) -> Option<Behaviour> {
    let mean = |key: &str| {
        let value = |episode: &EpisodeRecord| episode.measures.get(key)?.value.filter(|value| value.is_finite());
        let values: Vec<f64> = records.iter().flat_map(|record| &record.episodes).filter_map(value).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    Some(Behaviour { fills: mean("fills")?, maker_share: mean("maker_share").unwrap_or(0.0) })
}

/// Scores each block of what ran: `score` is given the records of one block, and what it says of each is taken together.
fn by_block<T>(
    records: &mut [RunRecord],
    blocks: &[Vec<Seed>],
    mut score: impl FnMut(&[RunRecord]) -> Result<T, Trouble>,
) -> Result<Vec<T>, Trouble> {
    let mut episodes: Vec<BTreeMap<u64, EpisodeRecord>> = records
        .iter_mut()
        .map(|record| std::mem::take(&mut record.episodes).into_iter().map(|one| (one.seed, one)).collect())
        .collect();
    let mut found = Vec::new();
    for block in blocks {
        for (record, episodes) in records.iter_mut().zip(&mut episodes) {
            record.seeds = block.iter().map(|seed| seed.0).collect();
            record.episodes = block.iter().filter_map(|seed| episodes.remove(&seed.0)).collect();
        }
        found.push(score(records)?);
    }
    Ok(found)
}

/// Adds the episodes of more seeds to the records of each market.
fn add(records: &mut Vec<RunRecord>, more: Vec<RunRecord>) {
    if records.is_empty() {
        *records = more;
        return;
    }
    for (record, more) in records.iter_mut().zip(more) {
        record.seeds.extend(more.seeds);
        record.episodes.extend(more.episodes);
    }
}

/// What a score is worth; one without a value is our doing.
fn value(score: &Value) -> Result<f64, Trouble> {
    score.value.ok_or_else(|| {
        let why = score.reason.clone().unwrap_or_default();
        Trouble::Infrastructure(format!("a block has no score: {why}"))
    })
}

/// Records of candidates are only scored, never kept.
fn nobody() -> StrategyRecord {
    StrategyRecord {
        file_name: "the program".to_owned(),
        source: None,
        source_hash: None,
        component_hash: String::new(),
        sdk_version: None,
        rustc_version: None,
    }
}

impl Bench for Markets<'_> {
    fn probe(&self, program: &Program, seeds: &[Seed]) -> Result<Probe, Trouble> {
        let records = self.episodes((self.scenarios, &self.shelf), program, seeds)?;
        let mut hasher = blake3::Hasher::new();
        let mut failure = None;
        for (scenario, record) in self.scenarios.iter().zip(&records) {
            for episode in &record.episodes {
                hasher.update(episode.event_log_hash.as_bytes());
                let what = outcome_name(episode);
                if what != "finished" && failure.is_none() {
                    let detail = outcome_detail(episode).map(|detail| format!(": {detail}")).unwrap_or_default();
                    let mut text = format!("{}: {what}{detail}", scenario.name);
                    text.truncate(text.floor_char_boundary(FAILURE_BYTES_MAX));
                    failure = Some(text);
                }
            }
        }
        let behaviour = behaviour(&records);
        Ok(Probe { print: hasher.finalize().to_hex().to_string(), failure, behaviour })
    }

    fn score(&self, program: &Program, blocks: &[Vec<Seed>]) -> Result<Points, Trouble> {
        let all: Vec<Seed> = blocks.iter().flatten().copied().collect();
        let mut records = self.episodes((self.scenarios, &self.shelf), program, &all)?;
        let score = |records: &[RunRecord]| combined_value(self.goal, &records.iter().collect::<Vec<_>>());
        let scores = by_block(&mut records, blocks, |records| Ok(score(records)))?;
        let mut found = Points::default();
        if self.scenarios.len() > 1 {
            found.by_market.resize(self.scenarios.len(), Vec::new());
        }
        for score in scores {
            found.points.push(value(&score)?);
            for (market, points) in found.by_market.iter_mut().zip(&score.by_market) {
                market.push(points.unwrap_or(1.0));
            }
            found.veto = found.veto.take().or(score.reason);
        }
        Ok(found)
    }

    fn pool(&self, challenger: &Program, champion: &Program, seeds: &[Seed], level: f64) -> Result<Pooled, Trouble> {
        let (mut new, mut old) = (Vec::new(), Vec::new());
        for seeds in seeds.chunks(SEEDS_AT_ONCE) {
            add(&mut new, self.episodes((self.scenarios, &self.shelf), challenger, seeds)?);
            add(&mut old, self.episodes((self.scenarios, &self.shelf), champion, seeds)?);
        }
        let trouble = |why: String| Trouble::Infrastructure(format!("many seeds together have no score: {why}"));
        let confidence = Confidence::percent((100.0 * (1.0 - level)).min(PERCENT_MAX));
        let confidence = confidence.ok_or_else(|| trouble(format!("{level} is no level")))?;
        let (new, old): (Vec<_>, Vec<_>) = (new.iter().collect(), old.iter().collect());
        let found = pooled(self.goal, &new, &old, confidence).map_err(trouble)?;
        let count = u32::try_from(seeds.len()).unwrap_or(u32::MAX);
        let (challenger, champion) = (found.ours, found.theirs);
        Ok(Pooled { seeds: count, challenger, champion, at_least: found.at_least, veto: found.veto })
    }

    fn score_unseen(&self, program: &Program, blocks: &[Vec<Seed>]) -> Result<Vec<Vec<f64>>, Trouble> {
        let all: Vec<Seed> = blocks.iter().flatten().copied().collect();
        let mut records = self.episodes((self.unseen, &self.unseen_shelf), program, &all)?;
        let scored = by_block(&mut records, blocks, |records| {
            records.iter().map(|record| value(&combined_value(self.goal, &[record]))).collect::<Result<Vec<f64>, _>>()
        })?;
        Ok((0..self.unseen.len()).map(|market| scored.iter().map(|block| block[market]).collect()).collect())
    }
}
