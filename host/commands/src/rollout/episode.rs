//! One episode of a run, with everything that it needs from outside, and what its end means for the run.

use super::engines::{Agents, PYTHON_HASH};
use super::plan::Plan;
use assay_docker::DockerBench;
use assay_rollout::episode::{self, Ended, Ports, Start};
use assay_rollout::grading::{ArtifactFolder, TaskGrader};
use assay_rollout::later::{LaterError, Ungraded};
use assay_rollout::ports::{BenchError, Observer, Phase, Progress, Supervisor, TestBench};
use assay_rollout::run::{
    BenchNews, EpisodeFiles, EpisodeGrader, EpisodeSpec, PatientBench, Trouble, TroubleKind, WallClock, Work,
    Workspaces,
};
use assay_rollout::task::{LoadedTask, Workspace, WorkspaceError};
use assay_rollout::{Exit, Settings, Worth};
use assay_trace::{TrajectoryId, Usage};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Everything that the episodes of a run share.
pub(super) struct Shared {
    /// What acts; nothing where episodes are only graded.
    agents: Option<Agents>,
    docker: Arc<DockerBench>,
    settings: Settings,
    grading: assay_rollout::grading::GradeSettings,
    bench: Arc<PatientBench>,
    tasks: Workspaces,
    /// The digest of each task, by its id.
    digests: BTreeMap<String, String>,
    /// The name of the run, for records.
    run: String,
    /// Whether the model has answered at all: a refusal before that is not the episode's.
    answered: AtomicBool,
}

/// Who looks on.
pub(super) struct Audience {
    pub(super) supervisor: Arc<dyn Supervisor>,
    pub(super) observer: Arc<dyn Observer>,
}

/// An episode's task with its files.
struct Place<'s> {
    task: &'s Arc<LoadedTask>,
    workspace: Arc<Workspace>,
}

impl Shared {
    /// What the episodes of a plan share; `tell` is told when the engine fails and when it answers again.
    pub(super) fn new(
        plan: &Plan,
        docker: Arc<DockerBench>,
        agents: Option<Agents>,
        run: String,
        tell: impl Fn(BenchNews) + Send + Sync + 'static,
    ) -> Arc<Self> {
        let bench = Arc::clone(&docker) as Arc<dyn TestBench>;
        Arc::new(Self {
            agents,
            docker,
            settings: plan.settings.clone(),
            grading: plan.grading.clone(),
            bench: Arc::new(PatientBench::new(bench, Arc::new(WallClock), tell)),
            tasks: Workspaces::new(plan.tasks.iter().cloned()),
            digests: plan.digests.clone(),
            run,
            answered: AtomicBool::new(false),
        })
    }

    /// Does what an episode still needs.
    pub(super) async fn episode(
        self: Arc<Self>,
        spec: EpisodeSpec,
        work: Work,
        files: EpisodeFiles,
        audience: Audience,
    ) -> Result<(), Trouble> {
        let unknown = || Trouble::bug("the plan names a task that was not loaded");
        let task = self.tasks.task(&spec.task).ok_or_else(unknown)?;
        let workspace = self.tasks.get(&spec.task, &*self.bench).await;
        let place = Place { task, workspace: workspace.ok_or_else(unknown)?.map_err(of_workspace)? };
        match work {
            Work::Run => self.run(&spec, &place, files, audience).await,
            Work::Grade => self.grade(&spec, &place, &files, &*audience.observer).await,
        }
    }

    /// Runs an episode to its score.
    async fn run(
        &self,
        spec: &EpisodeSpec,
        place: &Place<'_>,
        files: EpisodeFiles,
        audience: Audience,
    ) -> Result<(), Trouble> {
        let agents = self.agents.as_ref().ok_or_else(|| Trouble::bug("an episode cannot run without a model"))?;
        let id = TrajectoryId::new(spec.id()).map_err(Trouble::bug)?;
        let digest = self.digests.get(&spec.task).cloned().unwrap_or_default();
        let start = Start {
            id,
            run: Some(self.run.clone()),
            attempt: spec.sample,
            seed: spec.seed,
            task: place.task.public().clone(),
            folder: place.task.task.bench.folder.clone(),
            base: place.workspace.base().fork(),
            versions: BTreeMap::from([
                ("assay".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
                ("prices".to_owned(), agents.prices.clone()),
            ]),
            hashes: BTreeMap::from([("task".to_owned(), digest), (PYTHON_HASH.to_owned(), agents.python.hash.clone())]),
            tags: Vec::new(),
        };
        let mut settings = self.settings.clone();
        if !place.task.shell {
            settings.calls.shell_commands = 0;
        }
        let grader = Arc::new(self.grader(spec, place, &files));
        let ports = Ports {
            model: agents.models.of(&spec.task),
            helper_model: None,
            sessions: Arc::clone(&agents.python.sessions),
            grader: Arc::clone(&grader) as Arc<dyn assay_rollout::ports::Grader>,
            sinks: Arc::new(files),
            clock: Arc::new(WallClock),
            supervisor: audience.supervisor,
            observer: audience.observer,
        };
        let ended = episode::run(&ports, start, &settings).await;
        if ended.steps > 0 {
            self.answered.store(true, Ordering::Relaxed);
        }
        match ended.verdict.outcome() {
            Some(_) => Ok(()),
            None => Err(self.trouble(&ended, &grader)),
        }
    }

    /// Grades an episode from its record.
    async fn grade(
        &self,
        spec: &EpisodeSpec,
        place: &Place<'_>,
        files: &EpisodeFiles,
        observer: &dyn Observer,
    ) -> Result<(), Trouble> {
        let lasting = |why: String| Trouble::new(TroubleKind::Lasting, why);
        observer.progress(&Progress {
            phase: Phase::Grading,
            step: 0,
            usage: Usage::default(),
            cost_microdollars: Some(0),
        });
        let (trajectory, mut sink) = files.resume().await.map_err(|error| lasting(error.to_string()))?;
        let ungraded =
            Ungraded::of(&trajectory).ok_or_else(|| Trouble::bug("the episode has nothing left to grade"))?;
        let grader = self.grader(spec, place, files);
        let graded = ungraded.grade(place.workspace.base(), &grader, &WallClock, &mut *sink).await;
        let verdict = graded.map_err(|error| match &error {
            LaterError::OtherFiles => Trouble {
                hint: Some("restore the task as it was when the episode ran".to_owned()),
                ..lasting(error.to_string())
            },
            LaterError::Patch(_) | LaterError::Sink(_) => lasting(error.to_string()),
        })?;
        match verdict.outcome() {
            Some(_) => Ok(()),
            None => Err(Trouble::new(ungraded_kind(&grader), verdict.reason())),
        }
    }

    fn grader(&self, spec: &EpisodeSpec, place: &Place<'_>, files: &EpisodeFiles) -> EpisodeGrader {
        EpisodeGrader::new(&self.bench, |bench| {
            let grader = TaskGrader::new(
                bench,
                Arc::new(WallClock),
                Arc::clone(place.task),
                Arc::clone(&place.workspace),
                self.grading.clone(),
                spec.id(),
                Some(ArtifactFolder { root: files.folder().to_owned(), inside: files.artifacts().to_owned() }),
            );
            grader.after_jobs(files.last_grading())
        })
    }

    /// Waits for what undone episodes left in the engine to be taken away. Call it when no episode runs any more.
    pub(super) async fn close(self: Arc<Self>) {
        if let Some(Self { docker, bench, .. }) = Arc::into_inner(self) {
            drop(bench);
            if let Some(docker) = Arc::into_inner(docker) {
                docker.close().await;
            }
        }
    }

    /// What an end without a score means for the run.
    fn trouble(&self, ended: &Ended, grader: &EpisodeGrader) -> Trouble {
        let answered = self.answered.load(Ordering::Relaxed);
        let kind = match ended.exit {
            Exit::Budget if ended.steps == 0 => TroubleKind::Budget,
            Exit::PriceUnknown => TroubleKind::Fatal,
            Exit::ModelRefused if !answered => TroubleKind::Fatal,
            exit if exit.is_infrastructure() => TroubleKind::Passing,
            exit if exit.worth() != Worth::Unscored => ungraded_kind(grader),
            // The rest has ended: a script, a person.
            _ => TroubleKind::Lasting,
        };
        Trouble::new(kind, ended.verdict.reason())
    }
}

/// What follows where the files have no score: only what the engine did can be otherwise the next time.
fn ungraded_kind(grader: &EpisodeGrader) -> TroubleKind {
    if grader.can_be_repeated() { TroubleKind::Passing } else { TroubleKind::Lasting }
}

fn of_workspace(error: WorkspaceError) -> Trouble {
    match error {
        WorkspaceError::Bench(error) => of_bench(&error),
        WorkspaceError::Load(error) => Trouble { kind: TroubleKind::Lasting, why: error.to_string(), hint: error.hint },
    }
}

fn of_bench(error: &BenchError) -> Trouble {
    let kind = match error {
        BenchError::NoEngine { .. } | BenchError::NoImage { .. } | BenchError::Invalid { .. } => TroubleKind::Lasting,
        BenchError::Resting { .. } | BenchError::Failed { .. } => TroubleKind::Passing,
    };
    Trouble { kind, why: error.to_string(), hint: error.hint().map(str::to_owned) }
}
