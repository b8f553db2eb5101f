//! What episodes use from outside, opened once for a run: models, sessions, a test bench.

use super::plan::Plan;
use crate::args::EpisodeArgs;
use crate::exit::Failure;
use crate::settings::Machine;
use assay_llm::{Budget, Keys, ModelSpec, PriceTable};
use assay_rollout::ports::{BenchError, Job, Model, Sessions, TestBench, TestRun};
use assay_world::Tree;
use futures::future::BoxFuture;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

/// The word for the script that each task brings along.
const SCRIPTS_OF_TASKS: &str = "scripted";
/// The largest price table.
const PRICES_BYTES_MAX: u64 = 1 << 20;

/// See the module documentation.
pub(super) struct Engines {
    pub(super) models: Models,
    pub(super) sessions: Arc<dyn Sessions>,
    pub(super) bench: Arc<dyn TestBench>,
}

/// Who answers in which task.
pub(super) enum Models {
    /// One for all.
    One(Arc<dyn Model>),
    /// One for each task, by its id.
    Each(BTreeMap<String, Arc<dyn Model>>, Arc<dyn Model>),
}

impl Models {
    pub(super) fn of(&self, task: &str) -> Arc<dyn Model> {
        match self {
            Self::One(model) => Arc::clone(model),
            Self::Each(models, otherwise) => Arc::clone(models.get(task).unwrap_or(otherwise)),
        }
    }
}

/// Opens all of them, for so many episodes at once. Must be called within a runtime.
pub(super) fn open(
    machine: &Machine,
    plan: &Plan,
    args: &EpisodeArgs,
    budget_microdollars: Option<u64>,
    concurrency: NonZeroUsize,
    outputs: &Path,
) -> Result<Engines, Failure> {
    let models = models(plan, args, budget_microdollars, concurrency)?;
    let bench = bench(machine, plan, args, outputs)?;
    let sessions = sessions(machine, plan, concurrency)?;
    Ok(Engines { models, sessions, bench })
}

fn models(
    plan: &Plan,
    args: &EpisodeArgs,
    budget_microdollars: Option<u64>,
    concurrency: NonZeroUsize,
) -> Result<Models, Failure> {
    let budget = Budget { tokens: None, microdollars: budget_microdollars };
    let run = assay_llm::Run::new(budget, prices(args.prices.as_deref())?);
    let settings = assay_llm::Settings {
        base_url: args.model_url.clone(),
        keys: Keys::from_lookup(|name| std::env::var(name).ok()),
        reasoning: None,
        record: None,
        limits: assay_llm::Limits::STANDARD,
        retry: assay_llm::Retry::STANDARD,
        concurrency_max: concurrency.get(),
    };
    let open = |spec: &ModelSpec| {
        assay_llm::open(spec, &settings, &run).map_err(|error| super::usage(&error, error.hint().as_deref()))
    };
    if args.model != SCRIPTS_OF_TASKS {
        let spec = ModelSpec::parse(&args.model).map_err(|error| super::usage(&error, Some(&error.hint())))?;
        return Ok(Models::One(open(&spec)?));
    }
    let mut models = BTreeMap::new();
    for task in &plan.tasks {
        let Some(path) = &task.model else {
            return Err(Failure::usage(format!("the task {} brings no script along", task.id()))
                .hint("name a model, for example --model openai:gpt-4.1-mini, or a script: --model scripted:FILE"));
        };
        models.insert(task.id().to_owned(), open(&ModelSpec::Scripted(path.clone()))?);
    }
    let otherwise = models.values().next().map(Arc::clone);
    let otherwise = otherwise.ok_or_else(|| Failure::usage("there are no tasks"))?;
    Ok(Models::Each(models, otherwise))
}

fn prices(path: Option<&Path>) -> Result<PriceTable, Failure> {
    let Some(path) = path else { return Ok(PriceTable::built_in()) };
    let failed = |error: &dyn std::fmt::Display| {
        Failure::usage(format!("failed to read the prices {}: {error}", path.display()))
            .hint("docs/models.md describes the file")
    };
    if path.metadata().map_err(|error| failed(&error))?.len() > PRICES_BYTES_MAX {
        return Err(failed(&format!("it has more than {PRICES_BYTES_MAX} bytes")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    Ok(PriceTable::built_in().overridden_by(PriceTable::parse(&text).map_err(|error| failed(&error))?))
}

fn bench(_: &Machine, _: &Plan, _: &EpisodeArgs, _: &Path) -> Result<Arc<dyn TestBench>, Failure> {
    Ok(Arc::new(NoBench))
}

fn sessions(_: &Machine, _: &Plan, _: NonZeroUsize) -> Result<Arc<dyn Sessions>, Failure> {
    Err(Failure::infrastructure("there is no Python engine in this build"))
}

/// No engine at all.
struct NoBench;

impl TestBench for NoBench {
    fn run(&self, _: Job) -> BoxFuture<'_, Result<TestRun, BenchError>> {
        Box::pin(async { Err(BenchError::NoEngine { why: "none is part of this build".to_owned() }) })
    }

    fn repository<'a>(&'a self, _: &'a str, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Result<Tree, BenchError>> {
        Box::pin(async { Err(BenchError::NoEngine { why: "none is part of this build".to_owned() }) })
    }
}
