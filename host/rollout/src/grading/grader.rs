//! One task's grading as the loop sees it: the port [`Grader`].
//!
//! Invariants: every grading of an episode keeps its artifacts in a folder of its own, numbered from 1; a command of the model's runs where the
//! tests that decide are not.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use assay_grade::rule::Verdict;
use assay_grade::task::Kind;
use assay_trace::Record;
use assay_tree::Tree;
use futures::future::BoxFuture;

use super::{ArtifactFolder, Ending, EpisodeFacts, GradeSettings, Graded, Occasion, grade, plan};
use crate::ports::{self, BenchError, Clock, Grader, Job, SoFar, TestBench, TestRun};
use crate::submission::Submission;
use crate::task::{LoadedTask, Workspace};

/// Where R2E-Gym's images keep a second copy of the tests, outside of the repository.
const R2E_TESTS_OUTSIDE: &str = "rm -rf -- /r2e_tests\n";

/// Grades the episodes of one task. Made anew for each episode.
pub struct TaskGrader {
    bench: Arc<dyn TestBench>,
    clock: Arc<dyn Clock>,
    task: Arc<LoadedTask>,
    workspace: Arc<Workspace>,
    settings: GradeSettings,
    label: String,
    artifacts: Option<ArtifactFolder>,
    jobs: AtomicU32,
}

impl TaskGrader {
    /// A grader for an episode of the task. `label` names its containers; `artifacts` is the folder of the episode.
    #[must_use]
    pub fn new(
        bench: Arc<dyn TestBench>,
        clock: Arc<dyn Clock>,
        task: Arc<LoadedTask>,
        workspace: Arc<Workspace>,
        settings: GradeSettings,
        label: String,
        artifacts: Option<ArtifactFolder>,
    ) -> Self {
        Self { bench, clock, task, workspace, settings, label, artifacts, jobs: AtomicU32::new(0) }
    }

    /// The same, for an episode that has already had a given number of jobs.
    #[must_use]
    pub fn after_jobs(self, jobs: u32) -> Self {
        Self { jobs: AtomicU32::new(jobs), ..self }
    }

    /// The number of the next job, from 1.
    fn number(&self) -> u32 {
        self.jobs.fetch_add(1, Ordering::Relaxed) + 1
    }

    async fn judge(&self, Submission { tree, patch }: Submission, so_far: SoFar) -> ports::Graded {
        let number = self.number();
        let spent = so_far.spent;
        let occasion = Occasion {
            label: format!("{}.{number}", self.label),
            artifacts: self.artifacts.as_ref().map(|folder| ArtifactFolder {
                root: folder.root.clone(),
                inside: folder.inside.join(number.to_string()),
            }),
            facts: EpisodeFacts {
                steps: Some(u64::from(so_far.steps)),
                tokens: Some(spent.usage.total()),
                cost_microdollars: spent.cost_microdollars,
                seconds: Some(spent.wall.0 as f64 / 1e9),
            },
            contradicted_before: so_far.contradicted,
            run_unchanged: false,
            patch,
        };
        let graded = grade(&*self.bench, &self.task, &self.workspace, &tree, &self.settings, &occasion).await;
        let feedback = graded.feedback();
        // The loop puts the exit before the reason, and knows whether it was a limit.
        let verdict =
            without_ending(&graded, graded.verdict_at(self.clock.now(), Ending { reason: "", by_limit: false }));
        let records = graded.records(self.clock.now(), Ending { reason: "", by_limit: false });
        let events = records.into_iter().filter_map(|record| match record {
            Record::Event(event) => Some(event.kind),
            Record::Message(_) | Record::Verdict(_) => None,
        });
        ports::Graded { verdict, events: events.collect(), feedback, contradiction: graded.contradiction }
    }

    async fn run_command(&self, command: String, tree: Tree) -> Result<TestRun, BenchError> {
        let failed = |error: &dyn std::fmt::Display| BenchError::Failed { why: error.to_string() };
        let mut overlay = plan::overlay(&self.workspace.image, &tree).map_err(|error| failed(&error))?;
        // The history may hold the fix.
        overlay.removed.push(b".git".to_vec());
        let hidden = self.task.kept_out();
        overlay.removed.extend(hidden.iter().map(|path| path.trim_end_matches('/').as_bytes().to_vec()));
        let outside = if self.task.task.kind == Kind::R2eGym { R2E_TESTS_OUTSIDE } else { "" };
        let bench = &self.task.task.bench;
        let job = Job {
            image: bench.image.clone(),
            folder: bench.folder.clone(),
            overlay,
            script: format!("{outside}{command}\n"),
            junit: None,
            users: false,
            limits: plan::limits(&self.task, self.settings.limits),
            label: plan::label(&format!("{}.{}", self.label, self.number())),
        };
        self.bench.run(job).await
    }
}

/// The verdict with the score's own reason.
fn without_ending(graded: &Graded, verdict: assay_trace::Verdict) -> assay_trace::Verdict {
    let (Some(outcome), Verdict::Scored(score)) = (verdict.outcome(), &graded.verdict) else { return verdict };
    let reason = score.reason.to_string();
    let same = assay_trace::Verdict::scored(verdict.at(), verdict.scorer(), outcome, reason, verdict.score().clone());
    same.unwrap_or(verdict)
}

impl Grader for TaskGrader {
    fn grade(&self, submission: Submission, so_far: SoFar) -> BoxFuture<'_, ports::Graded> {
        Box::pin(self.judge(submission, so_far))
    }

    fn shell(&self, command: String, tree: Tree) -> BoxFuture<'_, Result<TestRun, BenchError>> {
        Box::pin(self.run_command(command, tree))
    }
}
