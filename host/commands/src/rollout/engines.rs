//! What episodes use from outside, opened once for a run: models, sessions, a test bench.

use super::plan::Plan;
use super::settings::EpisodeSettings;
use super::words;
use crate::bench::{self, BenchSetup, Waits};
use crate::face;
use crate::prepare;
use crate::settings::Machine;
use crate::{Failure, chain};
use assay_docker::{DockerBench, EngineUrl};
use assay_files::Links;
use assay_llm::{Budget, Keys, ModelSpec, PriceTable, Provider, Reasoning};
use assay_rollout::ports::{Model, Sessions};
use assay_rollout::python::PythonSessions;
use assay_rollout::run::{CellThreads, Stop};
use assay_rollout::task::LoadedTask;
use assay_sandbox::python::{OpenError, PYTHON_COMPONENT_HINT, PythonEngine, PythonSettings, locate_component};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

/// Under which name records hold the hash of the Python interpreter.
pub(crate) const PYTHON_HASH: &str = "python";
/// The word for the script that each task brings along.
const SCRIPTS_OF_TASKS: &str = "scripted";
/// After how long it is said that the interpreter is being prepared: one that was compiled before is there at once.
const OPENING_SILENCE_MAX: Duration = Duration::from_secs(2);
/// How often that is said.
const OPENING_SAID_EVERY: Duration = Duration::from_secs(30);
/// The largest price table.
const PRICES_BYTES_MAX: u64 = 1 << 20;

/// What acts in episodes.
pub(super) struct Agents {
    pub(super) models: Models,
    pub(super) python: Python,
    /// Which price tables costs are computed from.
    pub(super) prices: String,
}

/// Sessions, and the hash of the interpreter that they run: they behave the same only on the same one.
pub(crate) struct Python {
    pub(crate) sessions: Arc<dyn Sessions>,
    pub(crate) hash: String,
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

/// Opens the bench of a run. `concurrency` limits episodes under way at once. Must be called within a runtime.
pub(super) fn bench(
    machine: &Machine,
    plan: &Plan,
    episode: &EpisodeSettings,
    concurrency: NonZeroUsize,
    outputs: &Path,
    waits: Waits,
) -> Result<Arc<DockerBench>, Failure> {
    let cache = episode.image_cache.clone().unwrap_or_else(|| machine.cache.join("images"));
    let tasks = plan.tasks.iter().map(|task| &**task);
    let images = (cache, episode.images_max);
    Ok(Arc::new(open_bench(plan.engine.clone(), images, outputs, tasks, concurrency, waits)?))
}

/// Opens the Python sessions of a run; nothing where it is asked to stop meanwhile. The first start of a release compiles the interpreter, which takes
/// minutes on a busy machine: it is done on a thread that nobody has to wait for, and what it makes is kept only once it is whole.
pub(super) fn python(
    runtime: &Runtime,
    stop: &Stop,
    machine: &Machine,
    plan: &Plan,
    concurrency: NonZeroUsize,
) -> Result<Option<Python>, Failure> {
    // While a sub-agent works, its sender's session waits.
    let levels = 1 + plan.settings.calls.sub_agent_depth;
    let machine = machine.clone();
    let (told, mut opened) = oneshot::channel();
    let open = move || {
        // Where the run was asked to stop, nobody listens.
        let _ = told.send(open_sessions(&machine, levels, concurrency));
    };
    std::thread::Builder::new()
        .name("interpreter".to_owned())
        .spawn(open)
        .map_err(|error| Failure::infrastructure(format!("failed to start a thread: {error}")))?;
    let began = Instant::now();
    runtime.block_on(async {
        let mut said = tokio::time::interval_at((began + OPENING_SILENCE_MAX).into(), OPENING_SAID_EVERY);
        loop {
            tokio::select! {
                ended = &mut opened => {
                    let gone = |_| Failure::infrastructure("internal error: the Python interpreter was not opened");
                    return ended.map_err(gone)?.map(Some);
                }
                () = stop.asked() => return Ok(None),
                _ = said.tick() => face::note(&format!(
                    "preparing the Python interpreter, which is compiled once on each machine ({} so far)",
                    words::duration(began.elapsed()),
                )),
            }
        }
    })
}

/// Who acts in the episodes of a run.
pub(super) fn agents(models: Models, python: Python, episode: &EpisodeSettings) -> Result<Agents, Failure> {
    let prices = prices(episode.prices.as_deref())?.versions().join("; ");
    Ok(Agents { models, python, prices })
}

/// Opens the models. No request is made, but whatever a user can get wrong about them is found.
pub(super) fn models(
    plan: &Plan,
    episode: &EpisodeSettings,
    budget: Budget,
    concurrency: NonZeroUsize,
) -> Result<Models, Failure> {
    let run = assay_llm::Run::new(budget, prices(episode.prices.as_deref())?);
    let settings = assay_llm::Settings {
        base_url: episode.model_url.clone(),
        keys: Keys::from_lookup(|name| std::env::var(name).ok()),
        reasoning: episode.reasoning.as_deref().map(reasoning).transpose()?,
        record: episode.record.clone(),
        needs_price: plan.settings.limits.cost_microdollars.is_some(),
        limits: assay_llm::Limits::STANDARD,
        retry: assay_llm::Retry::STANDARD,
        concurrency_max: concurrency.get(),
        waits: |_, _| (),
    };
    let open = |spec: &ModelSpec| {
        assay_llm::open(spec, &settings, &run).map_err(|error| super::usage(&error, error.hint().as_deref()))
    };
    if episode.model != SCRIPTS_OF_TASKS {
        let spec = ModelSpec::parse(&episode.model).map_err(|error| super::usage(&error, Some(&error.hint())))?;
        refuse_what_is_never_taken(&spec, episode)?;
        return Ok(Models::One(open(&spec)?));
    }
    if episode.record.is_some() {
        return Err(Failure::usage("--record records one model, but here each task comes with its own script")
            .hint("name one script: --model scripted:FILE; a script does not need a cassette, though"));
    }
    let mut models = BTreeMap::new();
    for task in &plan.tasks {
        let Some(path) = &task.model else {
            return Err(Failure::usage(format!("the task {} does not come with a script", task.id()))
                .hint("name a model, for example --model openai:gpt-4.1-mini, or a script: --model scripted:FILE"));
        };
        models.insert(task.id().to_owned(), open(&ModelSpec::Scripted(path.clone()))?);
    }
    let otherwise = models.values().next().map(Arc::clone);
    let otherwise = otherwise.ok_or_else(|| Failure::usage("there are no tasks"))?;
    Ok(Models::Each(models, otherwise))
}

/// Settings that a provider refuses together, before anything is paid. Source: Anthropic's "Extended thinking", "Feature compatibility".
fn refuse_what_is_never_taken(spec: &ModelSpec, episode: &EpisodeSettings) -> Result<(), Failure> {
    let thinks = episode.reasoning.as_deref().is_some_and(|level| level != "off");
    let is_heated = !episode.temperature.is_empty() || episode.temperature_step.is_some();
    if thinks && is_heated && matches!(spec, ModelSpec::Hosted { provider: Provider::Anthropic, .. }) {
        return Err(Failure::usage("Anthropic does not accept a temperature while a model thinks")
            .hint("omit --temperature, or use --reasoning off"));
    }
    Ok(())
}

fn reasoning(text: &str) -> Result<Reasoning, Failure> {
    Reasoning::parse(text).ok_or_else(|| {
        Failure::usage(format!("--reasoning {text} is not a valid level"))
            .hint("use off, low, medium, high, or a number of tokens: for example --reasoning 4096")
    })
}

/// The prices of models: the built-in ones, with those of a file in their place.
pub(crate) fn prices(path: Option<&Path>) -> Result<PriceTable, Failure> {
    let Some(path) = path else { return Ok(PriceTable::built_in()) };
    let failed = |error: &dyn std::fmt::Display| {
        Failure::usage(format!("failed to read the prices {}: {error}", path.display()))
            .hint("docs/models.md describes the file")
    };
    let text = assay_files::read_text(path, Links::Followed, PRICES_BYTES_MAX).map_err(|error| failed(&error))?;
    Ok(PriceTable::built_in().overridden_by(PriceTable::parse(&text).map_err(|error| failed(&error))?))
}

/// The bench for these tasks, with `episodes` episodes at once. Must be called within a runtime. Of images it is said where their repositories are kept, and
/// how many that were pulled stay.
pub(crate) fn open_bench<'a>(
    url: EngineUrl,
    (image_cache, pulled_max): (PathBuf, Option<NonZeroUsize>),
    outputs: &Path,
    tasks: impl IntoIterator<Item = &'a LoadedTask>,
    concurrency: NonZeroUsize,
    waits: Waits,
) -> Result<DockerBench, Failure> {
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    // A grading keeps a processor busy, whatever the number of episodes.
    let jobs = cores.min(concurrency).get();
    let setup = BenchSetup { url, image_cache, outputs, jobs, images: bench::images(tasks), pulled_max, waits };
    bench::open_bench(setup)
}

/// Python sessions for `episodes` episodes, `levels` of each, on threads of their own.
pub(crate) fn open_sessions(machine: &Machine, levels: u32, concurrency: NonZeroUsize) -> Result<Python, Failure> {
    let failed = |error: &dyn std::error::Error| {
        Failure::infrastructure(format!("there is no Python interpreter for the model: {}", chain(error)))
    };
    let component = locate_component(None, |name| std::env::var(name).ok())
        .map_err(|error| failed(&error).hint(PYTHON_COMPONENT_HINT))?;
    let mut settings = PythonSettings::new(component, machine.cache.join("artifacts"), machine.helper.clone());
    let episodes = u32::try_from(concurrency.get()).unwrap_or(u32::MAX);
    let sessions = episodes.saturating_mul(levels);
    settings.sessions = sessions;
    let engine = PythonEngine::open(&settings).map_err(|error| match &error {
        OpenError::Guest(_) => failed(&error).hint(PYTHON_COMPONENT_HINT),
        _ => failed(&error),
    })?;
    prepare::warn_of_cache(engine.origin(), engine.cache_warning());
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let hash = engine.component_hash().to_string();
    let sessions = NonZeroUsize::new(sessions as usize).unwrap_or(NonZeroUsize::MIN);
    let threads = CellThreads::new(Arc::new(PythonSessions::new(engine)), cores, sessions);
    Ok(Python { sessions: Arc::new(threads.map_err(|error| failed(&error))?), hash })
}
