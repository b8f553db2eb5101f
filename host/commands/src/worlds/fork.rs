//! `assay worlds fork`: goes on from a step of a recorded episode, in a run's folder of its own.

use super::actor::{self, AgentSettings};
use super::run::{Lines, REQUEST_TOKENS, SpendingSettings};
use super::{MachineOf, load, proven, summary};
use crate::face;
use crate::rollout::{Estimate, budget, conclude, prices, runtime, schedule_settings, stop_on_interrupt, unusable};
use crate::settings::FiguresFormat;
use crate::trace;
use crate::{Ending, Failure};
use assay_llm::Budget;
use assay_rollout::run::{self, EpisodeFiles, EpisodeRecord, EpisodeSpec, RunFolder, RunRecord};
use assay_worlds::{Fork, ForkError, World};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where to go on, with whom, and how often.
#[derive(Clone, Debug)]
pub struct ForkSettings {
    /// The world's folder.
    pub world: PathBuf,
    /// The trajectory of an episode, and the step after which to go on: `EPISODE@STEP`.
    pub episode: String,
    /// Who goes on.
    pub who: AgentSettings,
    /// Episodes that go on from the step.
    pub samples: u32,
    /// Episodes at once; the results do not depend on it.
    pub concurrency: usize,
    /// Attempts at an episode whose infrastructure fails.
    pub attempts: u32,
    /// What it may cost.
    pub limits: SpendingSettings,
    /// Folder for the results; an existing run is resumed.
    pub out: PathBuf,
    /// Also try again what has no score yet.
    pub retry_unscored: bool,
    /// How to write the summary.
    pub format: FiguresFormat,
}

/// Makes the steps of an episode again up to the one that is named, and has an agent go on from there.
///
/// # Errors
/// The settings are wrong, a step comes out otherwise than it was recorded, episodes have no score, it was interrupted, or the machine fails.
pub fn fork(settings: &ForkSettings, machine: &MachineOf<'_>) -> Result<Ending, Failure> {
    let schedule = schedule_settings(settings.concurrency, settings.attempts)?;
    if !(1..=run::SAMPLES_MAX).contains(&settings.samples) {
        return Err(Failure::usage(format!("--samples must be 1 to {}", run::SAMPLES_MAX)));
    }
    let (path, step) = place(&settings.episode)?;
    let budget = budget(settings.limits.budget_usd, settings.limits.budget_tokens)?;
    let world = Arc::new(load(&settings.world, machine)?);
    let trajectory = trace::trajectory(path)?;
    let runtime = runtime()?;
    let fork = runtime.block_on(Fork::at(&world, &trajectory, step)).map_err(|error| unforkable(&error, path))?;
    face::note(&format!("{step} steps come out as recorded, state {}", &fork.root.to_string()[..16]));
    let agents = {
        let _within = runtime.enter();
        actor::agents(&settings.who, schedule.concurrency, budget)?
    };
    if settings.limits.dry_run {
        estimate(settings, &fork, budget).show(&prices(settings.who.prices.as_deref())?);
        return Ok(Ending::Success);
    }
    let name = format!("{}.at{step}", fork.parent.as_str());
    let mut episodes = run::plan(std::slice::from_ref(&name), settings.samples, fork.spec.seed)
        .map_err(|error| Failure::usage(error).hint("the name of the trajectory is that of its first line"))?;
    // A fork has the draws of the episode that it comes from.
    episodes.iter_mut().for_each(|spec| spec.seed = fork.spec.seed);
    let attacked: BTreeSet<String> = fork.task.has_attacker().then(|| name.clone()).into_iter().collect();
    let record = record(settings, &world, &fork, agents.name(), name);
    let mut folder = RunFolder::open(&settings.out, &record, &episodes, settings.retry_unscored).map_err(unusable)?;
    proven(&folder)?;
    let stop = stop_on_interrupt(
        "\ninterrupted: discarding running episodes, keeping finished ones (press again to stop immediately)",
    );
    let faults = fork.faults;
    let fork = Arc::new(fork);
    let episode = |spec: EpisodeSpec, _, files: EpisodeFiles| {
        let (world, agents, fork) = (Arc::clone(&world), Arc::clone(&agents), Arc::clone(&fork));
        async move {
            let mut agent = fork.agent(agents.agent(&fork.task, spec.sample));
            let start = fork.start(&world, spec, agents.name().to_owned());
            assay_worlds::run(&start, &mut *agent, &fork.sinks(&files), None).await.map(|_| ())
        }
    };
    let end = runtime.block_on(run::run(&mut folder, schedule, episode, &Lines, &stop));
    let records: Vec<EpisodeRecord> = folder.finished().cloned().collect();
    summary::show(&settings.out, agents.name(), faults, episodes.len(), &records, &attacked, settings.format)?;
    conclude(&settings.out, end, &records, episodes.len())
}

/// What it would take.
fn estimate<'a>(settings: &'a ForkSettings, fork: &Fork, budget: Budget) -> Estimate<'a> {
    let left = u64::from(fork.task.turns).saturating_sub(fork.step as u64);
    let (steps, model) = (("turns", left * u64::from(settings.samples)), settings.who.model.as_deref());
    Estimate { tasks: 1, samples: settings.samples, steps, model, request_tokens: REQUEST_TOKENS, budget }
}

/// The file and the step of EPISODE@STEP.
pub(super) fn place(text: &str) -> Result<(&Path, usize), Failure> {
    let found = text.rsplit_once('@').and_then(|(path, step)| Some((Path::new(path), step.parse().ok()?)));
    found.filter(|(path, _)| !path.as_os_str().is_empty()).ok_or_else(|| {
        Failure::usage(format!("{text:?} is not EPISODE@STEP"))
            .hint("name a trajectory and a step, for example runs/desk/episodes/TASK.s1.jsonl@3")
    })
}

fn unforkable(error: &ForkError, path: &Path) -> Failure {
    Failure::usage(format!("failed to fork {}: {error}", path.display())).hint(hint(error))
}

/// What to do about it.
pub(super) const fn hint(error: &ForkError) -> &'static str {
    match error {
        ForkError::Foreign(_) => "name the world's folder with which the episode was run, unchanged",
        ForkError::Step { .. } | ForkError::Absent { .. } => "`assay trace show FILE` shows the steps",
        ForkError::Differs { .. } => "the record is damaged, or another release of Assay has made it",
    }
}

/// Everything that the results depend on.
fn record(settings: &ForkSettings, world: &World, fork: &Fork, agent: &str, name: String) -> RunRecord {
    let decisive: BTreeMap<String, Value> = [
        ("agent", json!(agent)),
        ("assay", json!(env!("CARGO_PKG_VERSION"))),
        ("faults", json!(fork.faults.name())),
        ("forked_from", json!({ "trajectory": fork.parent, "step": fork.step, "state": fork.root.to_string() })),
        ("model_url", json!(settings.who.model_url)),
        ("samples", json!(settings.samples)),
        ("seed", json!(fork.spec.seed)),
        ("world", json!(world.definition.name)),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    let digest = world.digests.get(&fork.task.id).cloned().unwrap_or_default();
    RunRecord::new(decisive, BTreeMap::from([(name, digest)]))
}
