//! Grading: what the files of an episode are worth, by the task's own tests in a fresh container.
//!
//! ```text
//! base, tree ──► plan (pure) ──► Job ──► TestBench ──► TestRun ──► rule ──► score tree, flags
//!                  │                                     │
//!                  └── patch, flags ──► artifacts ◄──────┘   what `rescore` needs, and nothing else
//! ```
//!
//! Invariants: nothing of a file that belongs to the tests reaches the container from a submission; trouble with the infrastructure is
//! unscored, never a 0; what was graded can be graded again from its artifacts without running anything.

mod artifacts;
mod control;
mod draw;
mod grader;
mod known;
mod plan;
mod possible;
mod protect;
mod reward_command;
mod score;
mod script;
mod second;
mod watch;

use std::path::PathBuf;
use std::sync::Arc;

use assay_grade::StatusMap;
use assay_grade::rule::{Ended, Reason, Rule, Score, Unscored, Verdict};
use assay_model::Time;
use assay_trace::score::ScoreNode;
use assay_trace::{Event, EventKind, Flag, OtherEvent, Outcome, Record};
use assay_tree::Tree;
use serde::{Deserialize, Serialize};

use crate::aside::aside;
use crate::ports::{BenchError, BenchLimits, Job, TestBench, TestRun};
use crate::submission::SUBMISSION_BYTES_MAX;
use crate::task::{ImageSource, LoadedTask, Workspace};
use crate::text::{cut_middle, printable};
use artifacts::Evidences;
use script::ScriptExit;

pub use crate::reward::{CustomReward, EXPRESSION_BYTES_MAX, Expression, ExpressionError, VARIABLES};
pub use crate::task::known::Edit;
pub use artifacts::{ArtifactError, GradingRecord, Kept, KeptAs};
pub use control::Control;
pub use draw::Secret;
pub use grader::TaskGrader;
pub use known::second_opinion;
pub(crate) use known::{controls_of, no_second_opinion};
pub use plan::{Plan, PlanError, PlanSettings, Work, plan};
pub use possible::can_be_graded;
pub use protect::{is_configuration, is_of_tests};
pub use second::{Says, SecondOpinion};

/// All that a model is told of tests that ran and are not as they should be.
const NOT_SOLVED: &str = "not every test is as it should be";
/// How scripts print the beginning of the tests' output.
const START: &str = ">>>>> Start Test Output";
/// Bytes of a script's complaint that are shown.
const ERROR_BYTES_MAX: usize = 300;
/// Bytes of a log that a rule reads; of a longer one the middle is missing, as the bench left it.
const LOG_BYTES_MAX: u64 = 64 << 20;

/// How a run grades; the same for all its episodes.
#[derive(Clone, PartialEq, Debug)]
pub struct GradeSettings {
    /// Which rule scores.
    pub rule: Rule,
    /// What the tests may use where the task does not say.
    pub limits: BenchLimits,
    /// How often the tests run again when the infrastructure failed.
    pub retries: u32,
    /// Whether the strict rule rewards only what further runs confirm, in which tests that were made wrong must fail.
    pub control: bool,
    /// What those are drawn from. The standard one is for tests: whoever grades what strangers wrote passes random bytes.
    pub secret: Secret,
}

/// SWE-bench's own time limit, and twice the memory that its tests were seen to use.
impl Default for GradeSettings {
    fn default() -> Self {
        let limits = BenchLimits {
            seconds: 1800,
            memory_bytes: 8 << 30,
            millicpus: 2000,
            pids: 1024,
            log_bytes: 4 << 20,
            artifact_bytes: 256 << 20,
        };
        Self { rule: Rule::Strict, limits, retries: 1, control: true, secret: Secret::default() }
    }
}

/// What is special about one grading.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Occasion {
    /// What the container and the artifacts are labelled with: letters, digits, `-`, `_`, `.` and `+`.
    pub label: String,
    /// Where what was graded is kept; nowhere where none is set.
    pub artifacts: Option<ArtifactFolder>,
    /// What the episode has used so far, for rewards of a task's own.
    pub facts: EpisodeFacts,
    /// In how many earlier gradings of the episode a confirming run contradicted a success.
    pub contradicted_before: u32,
    /// Whether the tests run even where no file differs: for whoever checks tasks.
    pub run_unchanged: bool,
    /// The submission as a patch against the workspace's base, where it is known already.
    pub patch: Option<Arc<[u8]>>,
}

/// Where artifacts go. The trajectory names `inside`, so that a run's folder can be moved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArtifactFolder {
    /// The folder of the trajectory's file.
    pub root: PathBuf,
    /// The folder within it, for example `artifacts/EPISODE/1`.
    pub inside: PathBuf,
}

/// What an episode has used; what is unknown is `None`, which is not 0.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpisodeFacts {
    /// Turns of the model.
    pub steps: Option<u64>,
    /// Tokens, input and output.
    pub tokens: Option<u64>,
    /// Money, in micro-dollars.
    pub cost_microdollars: Option<u64>,
    /// Time on the wall, in seconds.
    pub seconds: Option<f64>,
}

/// What a grading gave.
#[derive(Clone, PartialEq, Debug)]
pub struct Graded {
    /// Which rule scored.
    pub rule: Rule,
    /// What the rule says.
    pub verdict: Verdict,
    /// The score tree, a reward of the task's own included.
    pub score: ScoreNode,
    /// What an auditor should see.
    pub flags: Vec<Flag>,
    /// The flag of a confirming run that contradicted a success; none where there was none.
    pub contradiction: Option<Flag>,
    /// What the user can do about it, where the infrastructure failed.
    pub hint: Option<String>,
    /// All that the episode changed, as a patch; dropped changes included.
    pub patch: Vec<u8>,
    /// What the row's own script complained of before its tests began.
    pub script_error: Option<String>,
    /// What each test said, by the task's own parser; empty where nothing ran.
    pub statuses: StatusMap,
    /// Where what was graded is kept.
    pub kept: Option<KeptAs>,
    /// Whether a container ran for it.
    pub began: bool,
    /// Wall time of the last run of the tests, in nanoseconds.
    pub nanoseconds: u64,
}

/// How an episode ended, for its verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending<'a> {
    /// In a word or a few.
    pub reason: &'a str,
    /// Whether a limit of time or budget ended it.
    pub by_limit: bool,
}

impl Graded {
    /// The reward; `None` if it is unscored.
    #[must_use]
    pub fn reward(&self) -> Option<f64> {
        self.score.value().number()
    }

    /// Whether the tests say that the task is solved, whatever the reward.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        self.verdict.reward().is_some_and(|reward| reward >= 1.0)
    }

    /// What a model may know of it: whether every test is as it should be. Whatever else a submission can bring about in the container (how many tests fail,
    /// how they end, that they do not) is one answer, so that code which reads the hidden tests has no way to tell what it read.
    ///
    /// # Errors
    /// No test began to run, which no submission can choose by what hidden tests say.
    pub fn feedback(&self) -> Result<String, String> {
        match &self.verdict {
            Verdict::Unscored(_) if !self.began => Err("the tests could not be run".to_owned()),
            Verdict::Scored(score) if self.is_solved() || !self.began => Ok(score.reason.to_string()),
            Verdict::Scored(_) | Verdict::Unscored(_) => Ok(NOT_SOLVED.to_owned()),
        }
    }

    /// The verdict's line of a trajectory.
    ///
    /// # Panics
    /// Never: an error has a text.
    #[must_use]
    pub fn verdict_at(&self, at: Time, ending: Ending<'_>) -> assay_trace::Verdict {
        let scorer = format!("{} {}", rule_name(self.rule), env!("CARGO_PKG_VERSION"));
        let reason = match &self.verdict {
            Verdict::Scored(score) => format!("{}; {}", ending.reason, score.reason),
            Verdict::Unscored(why) => why.to_string(),
        };
        let outcome = match (self.is_solved(), ending.by_limit) {
            (true, _) => Outcome::Success,
            (false, true) => Outcome::Timeout,
            (false, false) => Outcome::Failure,
        };
        let made = match (&self.verdict, self.reward()) {
            (_, Some(_)) => assay_trace::Verdict::scored(at, scorer.as_str(), outcome, reason, self.score.clone()),
            (Verdict::Unscored(_), None) => assay_trace::Verdict::unscored(at, scorer.as_str(), reason),
            (Verdict::Scored(_), None) => assay_trace::Verdict::partly_scored(at, scorer.as_str(), self.score.clone()),
        };
        made.unwrap_or_else(|error| {
            assay_trace::Verdict::unscored(at, scorer, error.to_string()).expect("an error has a text")
        })
    }

    /// The records of a trajectory: flags, where the artifacts are, the verdict.
    ///
    /// # Panics
    /// Never, as [`Self::verdict_at`].
    #[must_use]
    pub fn records(&self, at: Time, ending: Ending<'_>) -> Vec<Record> {
        let event = |kind| Record::from(Event { at, kind });
        let mut records: Vec<Record> = self.flags.iter().cloned().map(|flag| event(EventKind::Flag(flag))).collect();
        let kept = self.kept.as_ref().and_then(|kept| serde_json::to_value(kept).ok());
        let kept = kept.and_then(|body| OtherEvent::new(KeptAs::EVENT, &body).ok());
        records.extend(kept.map(|kept| event(EventKind::Other(kept))));
        records.push(self.verdict_at(at, ending).into());
        records
    }
}

/// How long the tests of a task may take, in nanoseconds.
pub(crate) fn time_limit_ns(task: &LoadedTask, settings: &GradeSettings) -> u64 {
    u64::from(plan::limits(task, settings.limits).seconds) * 1_000_000_000
}

/// A rule's name in files and on the command line.
#[must_use]
pub const fn rule_name(rule: Rule) -> &'static str {
    match rule {
        Rule::Strict => "strict",
        Rule::R2eCompat => "r2e_compat",
        Rule::SweBench => "swe_bench",
    }
}

/// Grades `tree`, which an episode made from the workspace's base. Infallible: whatever goes wrong is the verdict's reason.
pub async fn grade(
    bench: &dyn TestBench,
    task: &LoadedTask,
    workspace: &Workspace,
    tree: &Tree,
    settings: &GradeSettings,
    occasion: &Occasion,
) -> Graded {
    let planning = PlanSettings {
        limits: settings.limits,
        with_report: settings.rule == Rule::Strict,
        label: &occasion.label,
        patch: occasion.patch.as_deref(),
        run_unchanged: occasion.run_unchanged,
    };
    let mut record = blank(task, settings, occasion);
    let mut evidence = Evidences::default();
    let mut hint = None;
    match aside(|| plan(task, workspace, tree, planning)).await {
        Err(error) => record.verdict = Verdict::Unscored(unplanned(&error)),
        Ok(plan) => {
            record.changed_files = plan.changed_files as u64;
            record.changed_lines = changed_lines(&plan.patch);
            record.dropped = plan.dropped;
            evidence.patch = plan.patch;
            match plan.work {
                Work::NoModifiedFiles => record.verdict = zero(Reason::NoModifiedFiles),
                Work::TooLarge => record.verdict = zero(Reason::TooLarge { bytes_max: SUBMISSION_BYTES_MAX }),
                Work::DoesNotFit { .. } => record.verdict = zero(Reason::PatchDoesNotApply),
                Work::Run { job, report_required } => {
                    record.report_required = report_required;
                    let reward_job = reward_job(task, workspace, &job);
                    hint = run_tests(bench, task, settings, &job, &mut record, &mut evidence).await;
                    let passed = record.statuses(&evidence);
                    known::follow_up(bench, task, workspace, settings, &job, &mut record, &passed).await;
                    record.judge(settings.rule, &evidence);
                    if let (Some(CustomReward::Command(command)), Verdict::Scored(_)) = (&task.reward, &record.verdict)
                    {
                        let value = match reward_job {
                            Some(Ok(job)) => {
                                reward_command::run_command(bench, command, job, &record, &evidence.patch).await
                            }
                            Some(Err(error)) => Err(error.to_string()),
                            None => Err("there is no job".to_owned()),
                        };
                        record.command_value = Some(value);
                    }
                }
            }
        }
    }
    let script = task.task.secret.eval_script.as_deref().filter(|_| !record.is_solved());
    let script_error = script.and_then(|script| script_error(script, &assay_grade::decode_log(&evidence.log)));
    let kept = aside(|| {
        record.judge(settings.rule, &evidence);
        record.seal(&evidence);
        occasion.artifacts.as_ref().map(|folder| (folder, artifacts::keep(folder, &record, &evidence)))
    });
    let kept = match kept.await {
        None => None,
        Some((_, Ok(kept))) => Some(kept),
        Some((folder, Err(error))) => {
            // A score that nobody can audit is none.
            record.verdict =
                Verdict::Unscored(Unscored::Infrastructure(format!("failed to store the grading artifacts: {error}")));
            record.rate();
            hint = Some(format!("free some space in {}, or make it writable", folder.root.display()));
            None
        }
    };
    Graded { script_error, ..record.graded(hint, evidence, kept) }
}

fn blank(task: &LoadedTask, settings: &GradeSettings, occasion: &Occasion) -> GradingRecord {
    let verdict = zero(Reason::NoModifiedFiles);
    GradingRecord {
        version: GradingRecord::current_version(),
        instance_id: task.id().to_owned(),
        label: occasion.label.clone(),
        rule: settings.rule,
        scenario: None,
        ended: None,
        runs: 0,
        control: None,
        controls: Vec::new(),
        no_control: None,
        second: SecondOpinion::default(),
        forced: None,
        is_open: false,
        own_ends: 0,
        nanoseconds: 0,
        log_dropped_bytes: 0,
        report_required: false,
        protected: plan::decisive(task),
        contradicted_before: occasion.contradicted_before,
        dropped: Vec::new(),
        changed_files: 0,
        changed_lines: 0,
        facts: occasion.facts,
        reward: task.reward.clone(),
        command_value: None,
        score: score::tree(&verdict),
        verdict,
        flags: Vec::new(),
        log_digest: String::new(),
        junit_digest: None,
        patch_digest: String::new(),
    }
}

/// The job of a reward command, where the task has one: over the untouched files.
fn reward_job(task: &LoadedTask, workspace: &Workspace, job: &Job) -> Option<Result<Job, PlanError>> {
    let Some(CustomReward::Command(_)) = &task.reward else { return None };
    Some(plan::untouched(task, workspace).map(|overlay| Job {
        image: job.image.clone(),
        folder: job.folder.clone(),
        overlay,
        script: String::new(),
        junit: None,
        users: false,
        limits: job.limits,
        label: job.label.clone(),
    }))
}

fn zero(reason: Reason) -> Verdict {
    Verdict::Scored(Score { reward: 0.0, reason, parts: Vec::new(), differences: Vec::new() })
}

fn unplanned(error: &PlanError) -> Unscored {
    match error {
        PlanError::CannotRun(why) => Unscored::CannotRun(why.clone()),
        PlanError::Tests(_) => Unscored::InvalidScenario(error.to_string()),
        PlanError::Blob(error) => Unscored::Infrastructure(error.to_string()),
    }
}

/// Runs the job until it has a result or the tries are used up; the hint says what the user can do where it has none.
async fn run_tests(
    bench: &dyn TestBench,
    task: &LoadedTask,
    settings: &GradeSettings,
    job: &Job,
    record: &mut GradingRecord,
    evidence: &mut Evidences,
) -> Option<String> {
    loop {
        record.runs += 1;
        let may_retry = record.runs <= settings.retries;
        let run = match bench.run(job.clone()).await {
            Ok(run) => run,
            Err(BenchError::Failed { .. }) if may_retry => continue,
            Err(error) => {
                // What an earlier try left is not evidence of anything.
                (record.ended, record.scenario) = (None, None);
                record.verdict = Verdict::Unscored(unrun(&error));
                return hint(&error, task);
            }
        };
        aside(|| {
            take(run, task, record, evidence);
            record.judge(settings.rule, evidence);
        })
        .await;
        match &record.verdict {
            // An end of the tests' own making counts once it came twice.
            Verdict::Unscored(why) if why.is_of_the_tests() => {
                record.own_ends += 1;
                if !may_retry && record.own_ends >= known::OWN_ENDS_MIN {
                    return None;
                }
            }
            Verdict::Unscored(why) if may_retry && why.is_worth_another_run() => {}
            _ => return None,
        }
    }
}

/// What the user can do about it; a task that brings a script for its image says so.
fn hint(error: &BenchError, task: &LoadedTask) -> Option<String> {
    match (error, &task.image) {
        (BenchError::NoImage { .. }, ImageSource::Build(path)) => {
            Some(format!("make the image with {}", path.display()))
        }
        _ => error.hint().map(str::to_owned),
    }
}

fn unrun(error: &BenchError) -> Unscored {
    match error {
        BenchError::NoEngine { .. } | BenchError::NoImage { .. } | BenchError::Resting { .. } => {
            Unscored::NoBench(error.to_string())
        }
        BenchError::Failed { why } => Unscored::Infrastructure(why.clone()),
        BenchError::Invalid { why } => Unscored::CannotRun(why.clone()),
    }
}

/// Takes over what a run left.
fn take(run: TestRun, task: &LoadedTask, record: &mut GradingRecord, evidence: &mut Evidences) {
    let whole = run.artifact.as_ref().filter(|_| run.dropped_bytes > 0);
    let whole = whole.filter(|path| path.metadata().is_ok_and(|found| found.len() <= LOG_BYTES_MAX));
    (evidence.log, record.log_dropped_bytes) = match whole.and_then(|path| std::fs::read(path).ok()) {
        Some(log) => (log, 0),
        None => (run.log, run.dropped_bytes),
    };
    record.is_open |= run.is_open;
    record.ended = Some(ended(task, run.ended, &evidence.log));
    record.scenario = task.task.scenario();
    record.nanoseconds = run.nanoseconds;
    evidence.junit = run.junit;
}

/// A row's own script goes on after the tests, and may end with another command's exit code. One that prints that of the tests is believed on it only
/// where it ended well itself.
fn ended(task: &LoadedTask, ended: Ended, log: &[u8]) -> Ended {
    let Some(script) = &task.task.secret.eval_script else { return ended };
    match (ScriptExit::of(script), ended) {
        (ScriptExit::Printed, Ended::Exited(0)) => {
            let log = assay_grade::decode_log(log);
            let printed = log.rsplit_once(ScriptExit::MARK).map(|(_, rest)| rest);
            let code = printed.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
            code.map_or(Ended::Exited(0), Ended::Exited)
        }
        // From 126 on it is the shell's own, or a signal's.
        (ScriptExit::OfLast, Ended::Exited(code @ 0..126)) => Ended::ScriptExited(code),
        (_, ended) => ended,
    }
}

/// What a row's own script complained of before the tests began: without it one reads only that tests are absent.
fn script_error(script: &str, log: &str) -> Option<String> {
    const SIGNS: [&str; 6] =
        [": command not found", ": No such file or directory", ": Permission denied", "error: ", "fatal: ", "Error: "];
    let begun = log.split(START).next().unwrap_or(log);
    let before = if log.contains(START) && script.contains(START) { begun } else { log };
    let line = before.lines().map(str::trim).find(|line| {
        // What `set -x` shows is a command, not a complaint.
        !line.starts_with('+') && SIGNS.iter().any(|sign| line.contains(sign))
    })?;
    Some(printable(&cut_middle(line, ERROR_BYTES_MAX)).replace('\n', " "))
}

/// Lines that a patch adds or removes.
fn changed_lines(patch: &[u8]) -> u64 {
    let is_change = |line: &&[u8]| match line.first() {
        Some(b'+') => !line.starts_with(b"+++ "),
        Some(b'-') => !line.starts_with(b"--- "),
        _ => false,
    };
    patch.split(|byte| *byte == b'\n').filter(is_change).count() as u64
}
