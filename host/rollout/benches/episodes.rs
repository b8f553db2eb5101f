//! 1,000 episodes at once in one process: how late the scheduler is, and what an episode holds in memory. Then as many episodes as it can of a
//! model that answers at once: how many a second, with no engine.
//!
//! Every episode is a whole one: loop, Python session, trajectory on disk with a sync for each step. Only the model, which answers after a
//! while from a script, and the tests, which pass at once, are not real. A ticker with a period of a millisecond measures by how much it is
//! late. Where the interpreter was not made (`make setup-python-guest`), nothing is measured and the bench says so.
//!
//! `--json` prints one JSON line a figure.

use std::collections::BTreeMap;
use std::error::Error;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use assay_grade::task::Public;
use assay_model::Seed;
use assay_rollout::episode::{self, Ports, Start};
use assay_rollout::ports::{
    BenchError, Graded, Grader, Model, ModelError, ModelReply, ModelRequest, Sessions, SoFar, TestRun, Unwatched,
};
use assay_rollout::python::PythonSessions;
use assay_rollout::run::{
    self, CellThreads, EpisodeFiles, EpisodeRecord, EpisodeSpec, RunEnd, RunFolder, RunRecord, ScheduleSettings, Stop,
    Trouble, WallClock, Watch, Work,
};
use assay_rollout::{Settings, Submission};
use assay_sandbox::python::{PythonEngine, PythonSettings, locate_component};
use assay_trace::score::{Finite, ScoreNode};
use assay_trace::{Outcome, Part, Role, TrajectoryId, Usage, Verdict};
use assay_tree::{Limits as TreeLimits, Tree};
use futures::future::BoxFuture;
use serde_json::json;
use tokio::sync::Barrier;

const EPISODES: usize = 1_000;
/// Replies of the model in an episode.
const STEPS: usize = 4;
/// A quick model; slower ones make for less work at once.
const REPLY: Duration = Duration::from_millis(250);
/// Of a model that answers at once: as many episodes as a small machine runs at a time.
const QUICK_AT_ONCE: usize = 64;
const QUICK_EPISODES: usize = 500;
/// What the ticker aims at.
const PERIOD: Duration = Duration::from_millis(1);
/// The bars.
const LAG_BAR_MS: f64 = 5.0;

fn main() -> ExitCode {
    // Started as a helper by the sandbox, this program is what `assay` would be.
    match std::env::args().nth(1).as_deref() {
        Some("jail") => return assay_jail::helper_main(),
        Some("precompile") => return assay_sandbox::precompile_main(),
        _ => {}
    }
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
fn print(lines: &[serde_json::Value]) {
    lines.iter().for_each(|line| println!("{line}"));
}

#[expect(clippy::print_stderr, reason = "a program for people")]
fn note(text: &str) {
    eprintln!("{text}");
}

/// Answers by the number of the step, after a while; the first answer waits until every episode has asked, if that many run at once.
struct Script {
    all: Option<Barrier>,
    reply: Duration,
    resident_bytes: Mutex<u64>,
}

impl Script {
    fn new(all: Option<usize>, reply: Duration) -> Arc<Self> {
        Arc::new(Self { all: all.map(Barrier::new), reply, resident_bytes: Mutex::new(0) })
    }
}

impl Model for Script {
    fn name(&self) -> &'static str {
        "bench"
    }

    fn ask(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            let step = request.messages.iter().filter(|message| message.role() == Role::Assistant).count();
            if let Some(all) = self.all.as_ref().filter(|_| step == 1)
                && all.wait().await.is_leader()
            {
                // Every session has run a cell by now.
                *self.resident_bytes.lock().expect("nobody panicked") = resident_bytes();
            }
            if !self.reply.is_zero() {
                tokio::time::sleep(self.reply).await;
            }
            let code = match step {
                0 => "words = open('a.py').read().split()\nprint(len(words))".to_owned(),
                _ if step + 1 < STEPS => format!("open('a.py', 'a').write('# {step}')\nprint(sum(range(20_000)))"),
                _ => "finish('done')".to_owned(),
            };
            Ok(ModelReply {
                parts: vec![Part::text(format!("```repl\n{code}\n```"))],
                tool_calls: Vec::new(),
                usage: Some(Usage { input: 1_000, output: 100, ..Usage::default() }),
                cost_microdollars: None,
                retries: 0,
                stop_reason: None,
            })
        })
    }
}

/// Everything passes.
struct Passes;

impl Grader for Passes {
    fn grade(&self, _: Submission, _: SoFar) -> BoxFuture<'_, Graded> {
        let score = ScoreNode::scored("score", Finite::new(1.0).expect("finite"));
        let at = assay_rollout::ports::Clock::now(&WallClock);
        let verdict = Verdict::scored(at, "bench", Outcome::Success, "passes", score).expect("a score");
        Box::pin(async { Graded { verdict, events: Vec::new(), feedback: Ok(String::new()), contradiction: None } })
    }

    fn shell(&self, _: String, _: Tree) -> BoxFuture<'_, Result<TestRun, BenchError>> {
        Box::pin(async { Err(BenchError::Invalid { why: "there is no shell".to_owned() }) })
    }
}

struct Count(AtomicUsize);

impl Watch for Count {
    fn began(&self, _: &EpisodeSpec) {}
    fn will_retry(&self, _: &EpisodeSpec, trouble: &Trouble) {
        note(&format!("again: {trouble}"));
    }
    fn finished(&self, record: &EpisodeRecord) {
        if record.is_solved() {
            self.0.fetch_add(1, Ordering::Relaxed);
        } else {
            note(&record.reason);
        }
    }
}

fn sessions(cache: &std::path::Path) -> Result<Arc<dyn Sessions>, Box<dyn Error>> {
    let component = locate_component(None, |name| std::env::var(name).ok())?;
    let mut settings = PythonSettings::new(component, cache.to_owned(), std::env::current_exe()?);
    let sessions = NonZeroUsize::new(EPISODES).unwrap_or(NonZeroUsize::MIN);
    settings.sessions = u32::try_from(EPISODES)?;
    let inner = Arc::new(PythonSessions::new(PythonEngine::open(&settings)?));
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    Ok(Arc::new(CellThreads::new(inner, cores, sessions)?))
}

/// Runs episodes to their ends: seconds, and by how much each tick was late, in milliseconds.
fn drive(
    episodes: usize,
    at_once: usize,
    model: &Arc<Script>,
    sessions: &Arc<dyn Sessions>,
) -> Result<(f64, Vec<f64>), Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    let tasks: Vec<String> = (0..episodes).map(|number| format!("t{number}")).collect();
    let plan = run::plan(&tasks, 1, Seed(1))?;
    let record = RunRecord::new(BTreeMap::new(), tasks.iter().map(|task| (task.clone(), String::new())).collect());
    let mut folder = RunFolder::open(&home.path().join("run"), &record, &plan, false)?;
    let mut base = Tree::new(TreeLimits { bytes_max: 64 << 20, inodes_max: 10_000 });
    let text = b"print('a file of the repository')\n".repeat(100);
    base.put(b"a.py", text.as_slice().into(), assay_model::Time(0))?;

    let runtime = run::runtime()?;
    let (model, sessions, count) = (Arc::clone(model), Arc::clone(sessions), Count(AtomicUsize::new(0)));
    let episode = move |spec: EpisodeSpec, _: Work, files: EpisodeFiles| {
        let ports = Ports {
            model: Arc::clone(&model) as Arc<dyn Model>,
            helper_model: None,
            sessions: Arc::clone(&sessions),
            grader: Arc::new(Passes),
            sinks: Arc::new(files),
            clock: Arc::new(WallClock),
            supervisor: Arc::new(Unwatched),
            observer: Arc::new(Unwatched),
        };
        one(ports, spec, base.fork())
    };
    let settings =
        ScheduleSettings { concurrency: NonZeroUsize::new(at_once).unwrap_or(NonZeroUsize::MIN), attempts: 1 };
    let started = Instant::now();
    let (end, lags) = runtime.block_on(async {
        let over = Arc::new(AtomicBool::new(false));
        let ticker = tokio::spawn(tick(Arc::clone(&over)));
        let end = run::run(&mut folder, settings, episode, &count, &Stop::new()).await;
        over.store(true, Ordering::Relaxed);
        (end, ticker.await)
    });
    let seconds = started.elapsed().as_secs_f64();
    let solved = count.0.into_inner();
    if end != RunEnd::Complete || solved != episodes {
        return Err(format!("{solved} of {episodes} episodes ended well: {end:?}").into());
    }
    Ok((seconds, lags?))
}

fn measure() -> Result<Vec<serde_json::Value>, Box<dyn Error>> {
    let sessions = sessions(&std::env::temp_dir().join("assay-bench-episodes"))?;
    let before = resident_bytes();
    let model = Script::new(Some(EPISODES), REPLY);
    let (seconds, mut lags) = drive(EPISODES, EPISODES, &model, &sessions)?;
    lags.sort_by(f64::total_cmp);
    let at = |share: f64| lags[((lags.len() - 1) as f64 * share) as usize];
    let held = *model.resident_bytes.lock().map_err(|_| "poisoned")?;
    let each = held.saturating_sub(before) as f64 / EPISODES as f64 / f64::from(1 << 20);
    note(&format!(
        "{EPISODES} episodes of {STEPS} steps in {seconds:.1} s; lag p50 {:.2} ms, p99 {:.2} ms, most {:.2} ms over {} ticks",
        at(0.5),
        at(0.99),
        at(1.0),
        lags.len()
    ));
    let (quick, _) = drive(QUICK_EPISODES, QUICK_AT_ONCE, &Script::new(None, Duration::ZERO), &sessions)?;
    let rate = QUICK_EPISODES as f64 / quick;
    note(&format!("{QUICK_EPISODES} episodes of a model that answers at once: {rate:.1} a second"));
    let line = |id: &str, value: f64, unit: &str, versus: &str, bar: Option<f64>| {
        let ratio = bar.map(|bar| value / bar);
        json!({"id": id, "median": value, "unit": unit, "versus": versus, "versus_median": bar, "ratio": ratio})
    };
    Ok(vec![
        line("episodes-lag-p99-ms", at(0.99), "ms", "the bar, with real Python sessions", Some(LAG_BAR_MS)),
        line("episode-rss-mib", each, "MiB", "nothing: stated, after one cell of each", None),
        line("rollout-episodes-per-s", rate, "episodes/s", "nothing: stated, four steps each, every step synced", None),
    ])
}

async fn one(ports: Ports, spec: EpisodeSpec, base: Tree) -> Result<(), Trouble> {
    let start = Start {
        id: TrajectoryId::new(spec.id()).map_err(Trouble::bug)?,
        run: None,
        attempt: spec.sample,
        seed: spec.seed,
        task: Public {
            repository: "bench".to_owned(),
            instance_id: spec.task,
            problem_statement: "It is broken.".to_owned(),
            language: "python".to_owned(),
        },
        folder: "/testbed".to_owned(),
        base,
        versions: BTreeMap::new(),
        hashes: BTreeMap::new(),
        tags: Vec::new(),
    };
    let ended = episode::run(&ports, start, &Settings::standard()).await;
    ended.verdict.outcome().map(|_| ()).ok_or_else(|| Trouble::bug(ended.verdict.reason()))
}

/// How late each tick was, in milliseconds.
async fn tick(over: Arc<AtomicBool>) -> Vec<f64> {
    let mut lags = Vec::new();
    while !over.load(Ordering::Relaxed) {
        let due = Instant::now() + PERIOD;
        tokio::time::sleep_until(due.into()).await;
        lags.push(due.elapsed().as_secs_f64() * 1e3);
    }
    lags
}

/// Resident memory of this process, from `/proc/self/statm`; 0 where there is none.
fn resident_bytes() -> u64 {
    const PAGE_BYTES: u64 = 4_096;
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * PAGE_BYTES
}
