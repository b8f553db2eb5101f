//! What an episode of a run is called, where its randomness comes from, and what is left of it in the journal.
//!
//! Invariants: ids and seeds depend only on the run's seed, the task and the sample, never on the order or the machine; an id is a file name.

use std::collections::BTreeMap;

use std::collections::BTreeSet;

use assay_model::{Seed, Stream};
use assay_trace::{Outcome, Trajectory, stats};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::deeds::Deeds;
use super::spending::Spending;
use crate::later::ended_at;
use crate::sampling::SampleRate;
use crate::task::{TASK_ID_RULE, is_task_id};

/// Samples of one task: more would say nothing that these do not.
pub const SAMPLES_MAX: u32 = 10_000;
/// Episodes of one run, so that its plan and journal stay in memory with room to spare.
const EPISODES_MAX: usize = 1_000_000;

/// One episode to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EpisodeSpec {
    /// The task's id.
    pub task: String,
    /// Which sample of the task, from 1.
    pub sample: u32,
    /// Which attempt at the sample, from 1; more than one only after trouble that was not the model's.
    pub attempt: u32,
    /// The episode's seed: the same in each attempt.
    pub seed: Seed,
}

impl EpisodeSpec {
    /// The episode's name: `TASK.s1`, and `TASK.s1.a2` for a second attempt.
    #[must_use]
    pub fn id(&self) -> String {
        let Self { task, sample, attempt, .. } = self;
        if *attempt == 1 { format!("{task}.s{sample}") } else { format!("{task}.s{sample}.a{attempt}") }
    }

    /// The same episode once more.
    #[must_use]
    pub fn next_attempt(&self) -> Self {
        Self { attempt: self.attempt + 1, ..self.clone() }
    }

    /// What stays the same over attempts.
    pub(super) fn key(&self) -> (String, u32) {
        (self.task.clone(), self.sample)
    }
}

/// The seed of a sample: BLAKE3 over the run's seed, the task's id and the sample's number.
#[must_use]
pub fn episode_seed(run: Seed, task: &str, sample: u32) -> Seed {
    Seed(Stream::new(run, task, &format!("rollout sample {sample}")).bits())
}

/// Why there is no plan.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlanError {
    /// A task's id cannot be a file's name.
    #[error("the task id {id:?} cannot be the name of a file: {TASK_ID_RULE}")]
    TaskId {
        /// The id.
        id: String,
    },
    /// Two tasks have one id.
    #[error("two tasks have the id {id}")]
    Twice {
        /// The id.
        id: String,
    },
    /// There are none, or too many.
    #[error(
        "{tasks} tasks with {samples} samples each: a run has 1 to {EPISODES_MAX} episodes, and at most {SAMPLES_MAX} per task"
    )]
    Size {
        /// Tasks.
        tasks: usize,
        /// Samples of each.
        samples: u32,
    },
}

/// All episodes of a run in the order in which they begin: the first sample of every task, then the second, so that a run that is cut short has
/// seen as many tasks as it could.
///
/// # Errors
/// There are too many or none, or an id cannot be a file's name or is there twice.
pub fn plan(tasks: &[String], samples: u32, seed: Seed) -> Result<Vec<EpisodeSpec>, PlanError> {
    let mut ids = BTreeSet::new();
    for id in tasks {
        if !is_task_id(id) {
            return Err(PlanError::TaskId { id: id.clone() });
        }
        if !ids.insert(id) {
            return Err(PlanError::Twice { id: id.clone() });
        }
    }
    let episodes = tasks.len().saturating_mul(samples as usize);
    if samples > SAMPLES_MAX || !(1..=EPISODES_MAX).contains(&episodes) {
        return Err(PlanError::Size { tasks: tasks.len(), samples });
    }
    let spec = |task: &String, sample| EpisodeSpec {
        task: task.clone(),
        sample,
        attempt: 1,
        seed: episode_seed(seed, task, sample),
    };
    Ok((1..=samples).flat_map(|sample| tasks.iter().map(move |task| spec(task, sample))).collect())
}

/// What became of an episode: one line of the journal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpisodeRecord {
    /// The episode's name, which is its trajectory's.
    pub id: String,
    /// The task.
    pub task: String,
    /// The sample.
    pub sample: u32,
    /// The attempt that counts.
    pub attempt: u32,
    /// The seed.
    pub seed: Seed,
    /// What came out.
    pub result: EpisodeResult,
    /// How it ended, or why it has no score.
    pub reason: String,
    /// Turns of the model.
    pub steps: u64,
    /// Code that it ran, and what it called. Not in lines of earlier releases.
    #[serde(default, skip_serializing_if = "Deeds::is_nothing")]
    pub deeds: Deeds,
    /// Tokens, input and output, those of sub-agents included; none where a part is unknown.
    pub tokens: Option<u64>,
    /// Cost in micro-dollars, that of sub-agents included; none where a part is unknown.
    pub cost_microdollars: Option<u64>,
    /// What of these is known, where a part is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Spending>,
    /// What attempts before this one have used.
    #[serde(default, skip_serializing_if = "Spending::is_nothing")]
    pub earlier: Spending,
    /// Flags that were raised.
    pub flags: BTreeSet<String>,
    /// Wall time in nanoseconds.
    pub duration_ns: u64,
    /// The hash of the trajectory's last line: with it, whoever keeps it can tell whether the file was shortened. None where there is no file.
    pub hash: Option<String>,
}

/// What came out of an episode.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum EpisodeResult {
    /// It was scored.
    Scored {
        /// The score.
        reward: f64,
        /// What became of it.
        outcome: Outcome,
    },
    /// It was not.
    Unscored,
}

impl EpisodeRecord {
    /// What a trajectory says of its episode, without its figures; `None` where it has no score.
    pub(super) fn scored(spec: &EpisodeSpec, trajectory: &Trajectory) -> Option<Self> {
        let verdict = trajectory.verdict()?;
        let result = EpisodeResult::Scored { reward: verdict.reward()?, outcome: verdict.outcome()? };
        Some(Self { result, reason: verdict.reason().to_owned(), ..Self::unscored(spec, String::new()) })
    }

    /// An episode without a score, of which nothing is known yet but why.
    pub(super) fn unscored(spec: &EpisodeSpec, reason: String) -> Self {
        Self {
            id: spec.id(),
            task: spec.task.clone(),
            sample: spec.sample,
            attempt: spec.attempt,
            seed: spec.seed,
            result: EpisodeResult::Unscored,
            reason,
            steps: 0,
            deeds: Deeds::default(),
            tokens: None,
            cost_microdollars: None,
            known: None,
            earlier: Spending::default(),
            flags: BTreeSet::new(),
            duration_ns: 0,
            hash: None,
        }
    }

    /// Takes the figures of a trajectory, which spent so much with its sub-agents.
    pub(super) fn count(&mut self, trajectory: &Trajectory, hash: String, spending: Spending) {
        let stats = stats(trajectory);
        self.steps = trajectory.steps() as u64;
        self.deeds = Deeds::of(trajectory, &stats);
        self.spend(spending);
        self.flags = stats.flags;
        let began = trajectory.metadata().started_at;
        self.duration_ns = ended_at(trajectory).map_or(stats.duration_ns, |ended| ended.since(began).0);
        self.hash = Some(hash);
    }

    /// Takes what was spent.
    pub(super) fn spend(&mut self, spending: Spending) {
        (self.tokens, self.cost_microdollars) = (spending.all_tokens(), spending.all_cost());
        let is_partly_known = spending.tokens > 0 || spending.cost_microdollars > 0;
        self.known = (is_partly_known && (spending.tokens_unknown || spending.cost_unknown)).then_some(spending);
    }

    /// Takes what is not known for nothing: nobody was asked who costs anything.
    pub(super) fn costs_no_more(&mut self) {
        let spent = self.known.take().unwrap_or_default();
        self.tokens = self.tokens.or(Some(spent.tokens));
        self.cost_microdollars = self.cost_microdollars.or(Some(spent.cost_microdollars));
        self.earlier = self.earlier.known();
    }

    /// All that was used for the episode, its sub-agents and earlier attempts included.
    #[must_use]
    pub fn spending(&self) -> Spending {
        self.own_spending().plus(self.earlier)
    }

    /// The same without earlier attempts.
    pub(super) fn own_spending(&self) -> Spending {
        self.known.unwrap_or(Spending {
            tokens: self.tokens.unwrap_or(0),
            cost_microdollars: self.cost_microdollars.unwrap_or(0),
            tokens_unknown: self.tokens.is_none(),
            cost_unknown: self.cost_microdollars.is_none(),
        })
    }

    /// The score, where there is one.
    #[must_use]
    pub const fn reward(&self) -> Option<f64> {
        match self.result {
            EpisodeResult::Scored { reward, .. } => Some(reward),
            EpisodeResult::Unscored => None,
        }
    }

    /// Whether the episode keeps its trajectory and what was graded: it is in the sample, or flagged, or anything but a success.
    #[must_use]
    pub fn keeps_full_log(&self, rate: SampleRate) -> bool {
        rate.takes(&self.id) || !self.flags.is_empty() || !self.is_solved()
    }

    /// Whether the task was solved.
    #[must_use]
    pub const fn is_solved(&self) -> bool {
        matches!(self.result, EpisodeResult::Scored { outcome: Outcome::Success, .. })
    }
}

/// What finished, by task and sample.
pub(super) type Finished = BTreeMap<(String, u32), EpisodeRecord>;
