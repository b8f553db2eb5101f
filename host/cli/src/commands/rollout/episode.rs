//! One episode of a run, with everything that it needs from outside, and what its end means for the run.

use super::engines::{Engines, PYTHON_HASH};
use super::plan::{self, Plan};
use assay_rollout::episode::{self, Ended, Ports, Start};
use assay_rollout::grading::{ArtifactFolder, TaskGrader};
use assay_rollout::ports::{BenchError, Observer, Supervisor, TestBench};
use assay_rollout::run::{EpisodeFiles, EpisodeSpec, Trouble, TroubleKind, WallClock};
use assay_rollout::task::{LoadedTask, Workspace, WorkspaceError};
use assay_rollout::{Exit, Settings};
use assay_trace::TrajectoryId;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::runtime::Handle;
use tokio::sync::OnceCell;

/// Everything that the episodes of a run share.
pub(super) struct Shared {
    engines: Engines,
    settings: Settings,
    grading: assay_rollout::grading::GradeSettings,
    tasks: BTreeMap<String, Entry>,
    /// The name of the run, for records.
    run: String,
    /// Whether the model has answered at all: a refusal before that is not the episode's.
    answered: AtomicBool,
}

/// A task, with its files once an episode has needed them.
struct Entry {
    task: Arc<LoadedTask>,
    workspace: OnceCell<Arc<Workspace>>,
}

/// Who looks on.
pub(super) struct Audience {
    pub(super) supervisor: Arc<dyn Supervisor>,
    pub(super) observer: Arc<dyn Observer>,
}

impl Shared {
    pub(super) fn new(plan: &Plan, engines: Engines, run: String) -> Arc<Self> {
        let entry = |task: &Arc<LoadedTask>| Entry { task: Arc::clone(task), workspace: OnceCell::new() };
        Arc::new(Self {
            engines,
            settings: plan.settings.clone(),
            grading: plan.grading.clone(),
            tasks: plan.tasks.iter().map(|task| (task.id().to_owned(), entry(task))).collect(),
            run,
            answered: AtomicBool::new(false),
        })
    }

    /// Runs an episode to its score.
    pub(super) async fn episode(
        self: Arc<Self>,
        spec: EpisodeSpec,
        files: EpisodeFiles,
        audience: Audience,
    ) -> Result<(), Trouble> {
        let entry = self.tasks.get(&spec.task).ok_or_else(|| bug("the plan names a task that was not loaded"))?;
        let workspace = entry.workspace.get_or_try_init(|| self.workspace(&entry.task)).await?;
        let id = TrajectoryId::new(spec.id()).map_err(|error| bug(&error.to_string()))?;
        let start = Start {
            id,
            run: Some(self.run.clone()),
            attempt: spec.sample,
            seed: spec.seed,
            task: entry.task.public().clone(),
            folder: entry.task.task.bench.folder.clone(),
            base: workspace.base().fork(),
            versions: BTreeMap::from([("assay".to_owned(), env!("CARGO_PKG_VERSION").to_owned())]),
            hashes: BTreeMap::from([
                ("task".to_owned(), plan::digest(&entry.task)),
                (PYTHON_HASH.to_owned(), self.engines.python.hash.clone()),
            ]),
            tags: Vec::new(),
        };
        let mut settings = self.settings.clone();
        if !entry.task.shell {
            settings.calls.shell_commands = 0;
        }
        let ended = episode::run(&self.ports(&spec, entry, workspace, files, audience), start, &settings).await;
        if ended.steps > 0 {
            self.answered.store(true, Ordering::Relaxed);
        }
        match ended.verdict.outcome() {
            Some(_) => Ok(()),
            None => Err(self.trouble(&ended)),
        }
    }

    fn ports(
        &self,
        spec: &EpisodeSpec,
        entry: &Entry,
        workspace: &Arc<Workspace>,
        files: EpisodeFiles,
        audience: Audience,
    ) -> Ports {
        let grader = TaskGrader::new(
            Arc::clone(&self.engines.bench) as Arc<dyn TestBench>,
            Arc::new(WallClock),
            Arc::clone(&entry.task),
            Arc::clone(workspace),
            self.grading.clone(),
            spec.id(),
            Some(ArtifactFolder { root: files.folder().to_owned(), inside: files.artifacts().to_owned() }),
        );
        Ports {
            model: self.engines.models.of(&spec.task),
            helper_model: None,
            sessions: Arc::clone(&self.engines.python.sessions),
            grader: Arc::new(grader),
            sinks: Arc::new(files),
            clock: Arc::new(WallClock),
            supervisor: audience.supervisor,
            observer: audience.observer,
        }
    }

    /// Waits for what undone episodes left in the engine to be taken away. Call it when no episode runs any more.
    pub(super) async fn close(self: Arc<Self>) {
        if let Some(shared) = Arc::into_inner(self)
            && let Some(bench) = Arc::into_inner(shared.engines.bench)
        {
            bench.close().await;
        }
    }

    /// The task's files. Reading a folder blocks, so it has a thread of its own.
    async fn workspace(&self, task: &Arc<LoadedTask>) -> Result<Arc<Workspace>, Trouble> {
        let (task, bench, handle) = (Arc::clone(task), Arc::clone(&self.engines.bench), Handle::current());
        let read = tokio::task::spawn_blocking(move || handle.block_on(task.workspace(&*bench)));
        match read.await.map_err(|error| bug(&error.to_string()))? {
            Ok(workspace) => Ok(Arc::new(workspace)),
            Err(WorkspaceError::Bench(error)) => Err(of_bench(&error)),
            Err(WorkspaceError::Load(error)) => {
                Err(Trouble { kind: TroubleKind::Lasting, why: error.to_string(), hint: error.hint })
            }
        }
    }

    /// What an end without a score means for the run.
    fn trouble(&self, ended: &Ended) -> Trouble {
        let answered = self.answered.load(Ordering::Relaxed);
        let kind = match ended.exit {
            Exit::Budget | Exit::PriceUnknown => TroubleKind::Fatal,
            Exit::ModelRefused if !answered => TroubleKind::Fatal,
            exit if exit.is_infrastructure() => TroubleKind::Passing,
            // The rest has ended: a script, a person, tests that could not run although they were tried again.
            _ => TroubleKind::Lasting,
        };
        Trouble { kind, why: ended.verdict.reason().to_owned(), hint: None }
    }
}

fn of_bench(error: &BenchError) -> Trouble {
    let kind = match error {
        BenchError::NoEngine { .. } | BenchError::NoImage { .. } | BenchError::Invalid { .. } => TroubleKind::Lasting,
        BenchError::Resting { .. } | BenchError::Failed { .. } => TroubleKind::Passing,
    };
    Trouble { kind, why: error.to_string(), hint: error.hint().map(str::to_owned) }
}

fn bug(why: &str) -> Trouble {
    Trouble { kind: TroubleKind::Bug, why: format!("internal error: {why}"), hint: None }
}
