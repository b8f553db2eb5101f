//! `assay worlds run`: every admitted task a number of times in a folder; an existing run is resumed.

use super::actor::{self, ActorSettings};
use super::probing::probed;
use super::{MachineOf, load, proven, summary};
use crate::face;
use crate::rollout::{Estimate, budget, conclude, prices, runtime, schedule_settings, stop_on_interrupt, unusable};
use crate::settings::FiguresFormat;
use crate::{Ending, Failure};
use assay_llm::Budget;
use assay_model::Seed;
use assay_rollout::run::{
    EpisodeFiles, EpisodeRecord, EpisodeSpec, RunFolder, RunRecord, SAMPLES_MAX, Trouble, Watch, plan,
};
use assay_world::Task;
use assay_world::words::nearest;
use assay_worlds::{Start, World};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// What a run may cost.
#[derive(Clone, Debug, Default)]
pub struct SpendingSettings {
    /// Dollars at most, which needs a price for the model; unlimited if absent.
    pub budget_usd: Option<f64>,
    /// Tokens at most, input and output together; unlimited if absent.
    pub budget_tokens: Option<u64>,
    /// Say what would be run and what it would take, and begin nothing.
    pub dry_run: bool,
}

/// Who runs in which world, and how often.
#[derive(Clone, Debug)]
pub struct RunSettings {
    /// The world's folder.
    pub world: PathBuf,
    /// Who acts, and where.
    pub actor: ActorSettings,
    /// Only these tasks; all of them if there are none.
    pub task: Vec<String>,
    /// Episodes of each task.
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

/// Lets an agent work on the tasks of a world, and scores what it leaves behind.
///
/// # Errors
/// The settings are wrong, no task passes its probes, episodes have no score, it was interrupted, or the machine fails.
pub fn run(settings: &RunSettings, machine: &MachineOf<'_>) -> Result<Ending, Failure> {
    let schedule = schedule_settings(settings.concurrency, settings.attempts)?;
    if !(1..=SAMPLES_MAX).contains(&settings.samples) {
        return Err(Failure::usage(format!("--samples must be 1 to {SAMPLES_MAX}")));
    }
    let budget = budget(settings.limits.budget_usd, settings.limits.budget_tokens)?;
    let world = Arc::new(load(&settings.world, machine)?);
    let tasks = chosen(&world, &settings.task)?;
    let tasks = admitted(&world, tasks)?;
    let ids: Vec<String> = tasks.keys().cloned().collect();
    let episodes = plan(&ids, settings.samples, Seed(settings.actor.seed))
        .map_err(|error| Failure::usage(error).hint("--samples takes 1 to 10000"))?;
    let runtime = runtime()?;
    let agents = {
        let _within = runtime.enter();
        actor::agents(&settings.actor.who, schedule.concurrency, budget)?
    };
    if settings.limits.dry_run {
        estimate(settings, &tasks, budget).show(&prices(settings.actor.who.prices.as_deref())?);
        return Ok(Ending::Success);
    }
    let faults = settings.actor.faults;
    let decisive = [
        ("agent", json!(agents.name())),
        ("faults", json!(faults.name())),
        ("model_url", json!(settings.actor.who.model_url)),
        ("samples", json!(settings.samples)),
        ("seed", json!(settings.actor.seed)),
    ];
    let record = record(&world, &ids, decisive);
    let mut folder = RunFolder::open(&settings.out, &record, &episodes, settings.retry_unscored).map_err(unusable)?;
    proven(&folder)?;
    let stop = stop_on_interrupt(
        "\ninterrupted: discarding running episodes, keeping finished ones (press again to stop immediately)",
    );
    let episode = |spec: EpisodeSpec, _, files: EpisodeFiles| {
        let task = tasks.get(&spec.task).cloned();
        let (world, agents) = (Arc::clone(&world), Arc::clone(&agents));
        async move {
            let task = task.ok_or_else(unknown)?;
            let start = Start { world, task, spec, faults, agent: agents.name().to_owned(), run: None };
            let mut agent = agents.agent(&start.task, start.spec.sample);
            assay_worlds::run(&start, &mut *agent, &files, None).await.map(|_| ())
        }
    };
    let end = runtime.block_on(assay_rollout::run::run(&mut folder, schedule, episode, &Lines, &stop));
    let records: Vec<EpisodeRecord> = folder.finished().cloned().collect();
    summary::show(&settings.out, agents.name(), faults, episodes.len(), &records, &attacked(&world), settings.format)?;
    conclude(&settings.out, end, &records, episodes.len())
}

/// The tasks in which somebody attacks the agent.
pub(super) fn attacked(world: &World) -> BTreeSet<String> {
    world.tasks.iter().filter(|task| task.has_attacker()).map(|task| task.id.clone()).collect()
}

/// Tokens of a request to a model, about: policy, tools and what was said so far.
pub(super) const REQUEST_TOKENS: u64 = 8_000;

/// What a run would take.
fn estimate<'a>(settings: &'a RunSettings, tasks: &Tasks, budget: Budget) -> Estimate<'a> {
    let turns: u64 = tasks.values().map(|task| u64::from(task.turns)).sum();
    let steps = ("turns", turns * u64::from(settings.samples));
    let model = settings.actor.who.model.as_deref();
    Estimate { tasks: tasks.len(), samples: settings.samples, steps, model, request_tokens: REQUEST_TOKENS, budget }
}

fn unknown() -> Trouble {
    Trouble::bug("the plan names a task that was not loaded")
}

pub(super) type Tasks = BTreeMap<String, Arc<Task>>;

/// The tasks that were asked for.
pub(super) fn chosen(world: &World, wanted: &[String]) -> Result<Tasks, Failure> {
    let all = || world.tasks.iter().map(|task| task.id.as_str());
    if let Some(unknown) = wanted.iter().find(|id| !all().any(|known| known == id.as_str())) {
        let near = nearest(unknown, all()).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        return Err(Failure::usage(format!("there is no task {unknown:?}"))
            .hint(format!("{near}the tasks are {}", all().collect::<Vec<_>>().join(", "))));
    }
    let is_wanted = |task: &&Arc<Task>| wanted.is_empty() || wanted.contains(&task.id);
    Ok(world.tasks.iter().filter(is_wanted).map(|task| (task.id.clone(), Arc::clone(task))).collect())
}

/// Those of the tasks that pass their probes; the others are named.
pub(super) fn admitted(world: &World, tasks: Tasks) -> Result<Tasks, Failure> {
    let mut admitted = Tasks::new();
    let tasks: Vec<Arc<Task>> = tasks.into_values().collect();
    for (task, found) in tasks.iter().zip(probed(world, &tasks)) {
        match found {
            Ok(()) => {
                admitted.insert(task.id.clone(), Arc::clone(task));
            }
            Err(why) => face::warn(&format!("the task {} is not run: {why}", task.id)),
        }
    }
    if admitted.is_empty() {
        return Err(Failure::usage("no task passes its probes").hint("`assay worlds check DIR` says why"));
    }
    Ok(admitted)
}

/// Everything that the results depend on: what is common to all runs in a world, and these settings.
pub(super) fn record<const N: usize>(world: &World, ids: &[String], settings: [(&str, Value); N]) -> RunRecord {
    let common = [("assay", json!(env!("CARGO_PKG_VERSION"))), ("world", json!(world.definition.name))];
    let settings: BTreeMap<String, Value> =
        common.into_iter().chain(settings).map(|(name, value)| (name.to_owned(), value)).collect();
    let digest = |id: &String| (id.clone(), world.digests.get(id).cloned().unwrap_or_default());
    RunRecord::new(settings, ids.iter().map(digest).collect())
}

/// A line for each finished episode.
pub(super) struct Lines;

impl Watch for Lines {
    fn began(&self, _: &EpisodeSpec) {}

    fn will_retry(&self, spec: &EpisodeSpec, trouble: &Trouble) {
        face::note(&face::visible(&format!("{} will be tried again: {trouble}", spec.id())));
    }

    fn finished(&self, record: &EpisodeRecord) {
        face::note(&face::visible(&format!("{} {}", record.id, summary::result(record))));
    }
}
