//! `assay worlds run`: every admitted task a number of times in a folder; an existing run is resumed.

use super::probing::probed;
use super::{MachineOf, actor, load, proven, summary};
use crate::args::WorldsRunArgs;
use crate::commands::rollout::{
    Estimate, budget, conclude, prices, runtime, schedule_settings, stop_on_interrupt, unusable,
};
use crate::exit::{Exit, Failure};
use crate::ui;
use assay_llm::Budget;
use assay_model::Seed;
use assay_rollout::run::{
    self, EpisodeFiles, EpisodeRecord, EpisodeSpec, RunFolder, RunRecord, Trouble, TroubleKind, Watch,
};
use assay_world::Task;
use assay_world::words::nearest;
use assay_worlds::{Start, World};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(super) fn run(args: &WorldsRunArgs, machine: &MachineOf<'_>) -> Result<Exit, Failure> {
    let settings = schedule_settings(args.concurrency, args.attempts)?;
    if !(1..=run::SAMPLES_MAX).contains(&args.samples) {
        return Err(Failure::usage(format!("--samples must be 1 to {}", run::SAMPLES_MAX)));
    }
    let budget = budget(args.limits.budget_usd, args.limits.budget_tokens)?;
    let world = Arc::new(load(&args.world, machine)?);
    let tasks = chosen(&world, &args.task)?;
    let tasks = admitted(&world, tasks)?;
    let ids: Vec<String> = tasks.keys().cloned().collect();
    let episodes = run::plan(&ids, args.samples, Seed(args.actor.seed))
        .map_err(|error| Failure::usage(error).hint("--samples takes 1 to 10000"))?;
    let runtime = runtime()?;
    let agents = {
        let _within = runtime.enter();
        actor::agents(&args.actor.who, settings.concurrency, budget)?
    };
    if args.limits.dry_run {
        estimate(args, &tasks, budget).show(&prices(args.actor.who.prices.as_deref())?);
        return Ok(Exit::Success);
    }
    let settings_of = [
        ("agent", json!(agents.name())),
        ("faults", json!(args.actor.faults.profile().name())),
        ("model_url", json!(args.actor.who.model_url)),
        ("samples", json!(args.samples)),
        ("seed", json!(args.actor.seed)),
    ];
    let record = record(&world, &ids, settings_of);
    let mut folder = RunFolder::open(&args.out, &record, &episodes, args.retry_unscored).map_err(unusable)?;
    proven(&folder)?;
    let stop = stop_on_interrupt(
        "\ninterrupted: discarding running episodes, keeping finished ones (press again to stop immediately)",
    );
    let faults = args.actor.faults.profile();
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
    let end = runtime.block_on(run::run(&mut folder, settings, episode, &Lines, &stop));
    let records: Vec<EpisodeRecord> = folder.finished().cloned().collect();
    summary::show(&args.out, agents.name(), faults, episodes.len(), &records, &attacked(&world), args.format)?;
    conclude(&args.out, end, &records, episodes.len())
}

/// The tasks in which somebody attacks the agent.
pub(super) fn attacked(world: &World) -> BTreeSet<String> {
    world.tasks.iter().filter(|task| task.has_attacker()).map(|task| task.id.clone()).collect()
}

/// Tokens of a request to a model, about: policy, tools and what was said so far.
pub(super) const REQUEST_TOKENS: u64 = 8_000;

/// What a run would take.
fn estimate<'a>(args: &'a WorldsRunArgs, tasks: &Tasks, budget: Budget) -> Estimate<'a> {
    let turns: u64 = tasks.values().map(|task| u64::from(task.turns)).sum();
    let steps = ("turns", turns * u64::from(args.samples));
    let model = args.actor.who.model.as_deref();
    Estimate { tasks: tasks.len(), samples: args.samples, steps, model, request_tokens: REQUEST_TOKENS, budget }
}

fn unknown() -> Trouble {
    let why = "internal error: the plan names a task that was not loaded".to_owned();
    Trouble { kind: TroubleKind::Bug, why, hint: None }
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
            Err(why) => ui::warn(&format!("the task {} is not run: {why}", task.id)),
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
        ui::note(&ui::visible(&format!("{} will be tried again: {trouble}", spec.id())));
    }

    fn finished(&self, record: &EpisodeRecord) {
        ui::note(&ui::visible(&format!("{} {}", record.id, summary::result(record))));
    }
}
