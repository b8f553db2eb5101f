//! One candidate: its tests before and after the fix, then the probes. What passes them all is a task.
//!
//! ```text
//! files ──► after, after again, before ──► which tests decide ──► right fix, untouched files, repeated ──► attackers ──► admitted
//! ```
//!
//! Invariants: a candidate runs exactly as a submission is graded, in the same job over the same files; trouble with the infrastructure refuses nothing.

use std::io;
use std::path::Path;
use std::time::Instant;

use assay_grade::rule::{Ended, EvalType, Expected, Verdict};
use assay_grade::task::{Bench, Gold, Kind, Public, Secret, Task, Tests};
use assay_grade::{Parser, Status, StatusMap, decode_log};
use assay_rollout::grading::{GradeSettings, Occasion, PlanSettings, Work, grade, plan};
use assay_rollout::ports::{BenchError, TestBench};
use assay_rollout::task::{Files, ImageSource, LoadedTask, TaskLimits, Workspace, WorkspaceError};
use assay_rollout::verify::{self, verify};
use assay_tree::Tree;

use crate::attackers::attacks;
use crate::candidate::Candidate;
use crate::folder::{Draft, Lies, TaskFolder, document, load, remove, write};
use crate::journal::{Judged, ReportFrom, Standing};
use crate::recipe::FOLDER;
use crate::refusal::{Reason, Refusal};
use crate::settings::TaskSettings;
use crate::wording::problem;

/// Tests that must decide: of a single one, what it says is too easily forged.
const TESTS_MIN: usize = 2;
/// Tests of a task that must go on passing. More only take time.
const PASS_TO_PASS_MAX: usize = 5_000;
/// Bytes of a log's last line that are shown.
const LINE_BYTES_MAX: usize = 200;

/// Why a candidate got no further.
pub(crate) enum Trouble {
    /// It is no task.
    Refused(Refusal),
    /// The engine cannot be used: nothing else can be tried either.
    NoEngine(BenchError),
    /// Something else of the infrastructure failed.
    Failed(String),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<BenchError> for Trouble {
    fn from(error: BenchError) -> Self {
        match error {
            BenchError::NoEngine { .. } => Self::NoEngine(error),
            other => Self::Failed(other.to_string()),
        }
    }
}

fn refused(reason: Reason, why: impl Into<String>) -> Trouble {
    Trouble::Refused(Refusal::new(reason, why))
}

/// A line of the journal about nothing yet.
pub(crate) fn blank(commit: &str, task: &str, subject: &str) -> Judged {
    Judged {
        commit: commit.to_owned(),
        task: task.to_owned(),
        subject: subject.to_owned(),
        standing: Standing::Unknown,
        reason: None,
        why: String::new(),
        fail_to_pass: 0,
        pass_to_pass: 0,
        report: None,
        controls: None,
        second_opinion: false,
        attacks: 0,
        seconds: 0.0,
    }
}

/// Tries a candidate. The error is an engine that cannot be used.
pub(crate) async fn judge(
    bench: &dyn TestBench,
    out: &TaskFolder,
    candidate: &Candidate,
    settings: &TaskSettings,
    grading: &GradeSettings,
) -> Result<Judged, BenchError> {
    let began = Instant::now();
    let mut judged = blank(&candidate.commit, &candidate.id, &candidate.subject);
    let result = try_out(bench, out, candidate, settings, grading, &mut judged).await;
    judged.seconds = began.elapsed().as_secs_f64();
    match result {
        Ok(()) => judged.standing = Standing::Admitted,
        Err(Trouble::Refused(refusal)) => {
            (judged.standing, judged.reason, judged.why) = (Standing::Refused, Some(refusal.reason), refusal.why);
        }
        Err(Trouble::Failed(why)) => judged.why = why,
        Err(Trouble::NoEngine(error)) => return Err(error),
    }
    Ok(judged)
}

async fn try_out(
    bench: &dyn TestBench,
    out: &TaskFolder,
    candidate: &Candidate,
    settings: &TaskSettings,
    grading: &GradeSettings,
    judged: &mut Judged,
) -> Result<(), Trouble> {
    let folder = match out.begin(candidate)? {
        Draft::Begun(folder) => folder,
        Draft::Whole(task) => {
            count(&task, judged);
            judged.report = Some(report_from(candidate));
            return Ok(());
        }
    };
    let result = in_folder(bench, &folder, candidate, settings, grading, judged).await;
    match result {
        Ok(document) => Ok(out.admit(&folder, &candidate.id, &document)?),
        Err(trouble) => {
            // Where it cannot be removed, the next start does it.
            let _ = remove(&folder);
            Err(trouble)
        }
    }
}

fn report_from(candidate: &Candidate) -> ReportFrom {
    if candidate.described.is_some() { ReportFrom::Message } else { ReportFrom::Tests }
}

fn count(task: &LoadedTask, judged: &mut Judged) {
    if let Expected::Lists { fail_to_pass, pass_to_pass, .. } = &task.task.secret.expected {
        (judged.fail_to_pass, judged.pass_to_pass) = (fail_to_pass.len(), pass_to_pass.len());
    }
}

/// The text of the task's `task.toml`, where it is one.
async fn in_folder(
    bench: &dyn TestBench,
    folder: &Path,
    candidate: &Candidate,
    settings: &TaskSettings,
    grading: &GradeSettings,
    judged: &mut Judged,
) -> Result<String, Trouble> {
    let (fail_to_pass, pass_to_pass) = deciding(bench, folder, candidate, settings, grading).await?;
    let report = problem(&settings.name, candidate.described.as_deref(), &fail_to_pass, &candidate.secrets);
    write(&folder.join("problem.md"), report.as_bytes(), false)?;
    write(&folder.join("README.md"), readme(candidate, settings).as_bytes(), false)?;
    let text = |lies| document(candidate, settings, &fail_to_pass, &pass_to_pass, lies);
    write(&folder.join("task.toml"), text(Lies::Beside)?.as_bytes(), false)?;
    let task = load(folder).map_err(|error| refused(Reason::Patch, error.to_string()))?;
    count(&task, judged);
    judged.report = Some(report_from(candidate));
    probe(bench, &task, settings, grading, judged).await?;
    attack(bench, &task, candidate, grading, judged).await?;
    Ok(text(Lies::AsTask)?)
}

/// For people; no model sees it.
fn readme(candidate: &Candidate, settings: &TaskSettings) -> String {
    let visible: String = candidate.subject.chars().filter(|c| !c.is_control()).collect();
    format!(
        "# {}\n\nFrom commit `{}` of `{}`: {visible}\n\n`repository/` is its parent, `gold.patch` what it changes outside of tests, `tests.patch` what it changes in tests and their configuration. \
         This file gives the fix away: keep it from whoever is to find it.\n",
        candidate.id, candidate.commit, settings.name
    )
}

/// The task before it is known which tests decide.
fn undecided(folder: &Path, candidate: &Candidate, settings: &TaskSettings) -> LoadedTask {
    let task = Task {
        kind: Kind::Native,
        public: Public {
            instance_id: candidate.id.clone(),
            repository: settings.name.clone(),
            problem_statement: String::new(),
            language: candidate.language.to_owned(),
        },
        bench: Bench {
            image: candidate.recipe.image(),
            folder: FOLDER.to_owned(),
            base_commit: None,
            test_command: Some(candidate.command.clone()),
            version: None,
            created_at: None,
        },
        secret: Secret {
            gold: Gold::Patch(candidate.fix.clone()),
            tests: Tests::Patch(candidate.tests.clone()),
            expected: Expected::Lists {
                fail_to_pass: Vec::new(),
                pass_to_pass: Vec::new(),
                eval_type: EvalType::PassAndFail,
            },
            log_parser: Some(candidate.parser.clone()),
            eval_script: None,
            hints: None,
            other: std::collections::BTreeMap::new(),
        },
    };
    LoadedTask {
        task,
        files: Files::Folder(folder.join("repository")),
        // Nobody asks here: the bench knows how images are had.
        image: ImageSource::Present,
        protected: Vec::new(),
        allowed: Vec::new(),
        limits: TaskLimits { seconds: Some(settings.seconds), ..TaskLimits::default() },
        shell: false,
        reward: None,
        model: None,
        origin: folder.to_owned(),
        row: None,
    }
}

/// The tests that fail before and pass after, and those that pass in both.
async fn deciding(
    bench: &dyn TestBench,
    folder: &Path,
    candidate: &Candidate,
    settings: &TaskSettings,
    grading: &GradeSettings,
) -> Result<(Vec<String>, Vec<String>), Trouble> {
    let task = undecided(folder, candidate, settings);
    let workspace = task.workspace(bench).await.map_err(|error| match error {
        WorkspaceError::Bench(error) => error.into(),
        WorkspaceError::Load(error) => Trouble::Failed(error.to_string()),
    })?;
    let fixed = task.gold_tree(&workspace).map_err(|error| refused(Reason::Patch, error.to_string()))?;
    let after = run(bench, &task, &workspace, &fixed, grading, "after-1").await?;
    if !after.is_result() {
        return Err(refused(Reason::TestsDoNotRun, format!("with the fix, the tests end with {}", after.words())));
    }
    let again = run(bench, &task, &workspace, &fixed, grading, "after-2").await?;
    let before = run(bench, &task, &workspace, workspace.base(), grading, "before").await?;
    if !matches!(before.ended, Ended::Exited(_)) {
        return Err(refused(Reason::TestsDoNotRun, format!("without the fix, the tests end with {}", before.words())));
    }
    sort_out(&before.statuses, &after.statuses, &again.statuses).map_err(Trouble::Refused)
}

/// Which tests decide, from three runs.
fn sort_out(before: &StatusMap, after: &StatusMap, again: &StatusMap) -> Result<(Vec<String>, Vec<String>), Refusal> {
    let (mut fail_to_pass, mut pass_to_pass, mut unsteady) = (Vec::new(), Vec::new(), Vec::new());
    let failed_before = |name: &str| before.get(name).is_none_or(Status::is_failure);
    for (name, status) in after.sorted() {
        let is_steady = again.get(name) == Some(status);
        match (*status == Status::Passed, failed_before(name)) {
            (true, true) if is_steady => fail_to_pass.push(name.to_owned()),
            (true, false) if is_steady && before.get(name) == Some(status) => pass_to_pass.push(name.to_owned()),
            (_, true) if !is_steady => unsteady.push(name.to_owned()),
            _ => {}
        }
    }
    // What only the second run has passed is unsteady as well.
    let late = again.sorted().filter(|(name, status)| **status == Status::Passed && after.get(name).is_none());
    unsteady.extend(late.filter(|(name, _)| failed_before(name)).map(|(name, _)| name.to_owned()));
    pass_to_pass.truncate(PASS_TO_PASS_MAX);
    if fail_to_pass.is_empty() {
        return Err(match unsteady.first() {
            Some(first) => Refusal::new(Reason::Flaky, format!("{first} passes only sometimes")),
            None => Refusal::new(Reason::NoFailToPass, "no test fails before and passes after"),
        });
    }
    let count = fail_to_pass.len() + pass_to_pass.len();
    if count < TESTS_MIN {
        return Err(Refusal::new(Reason::FewTests, format!("{count} test decides, at least {TESTS_MIN} must")));
    }
    Ok((fail_to_pass, pass_to_pass))
}

/// What came of one run.
struct Ran {
    statuses: StatusMap,
    ended: Ended,
    last_line: String,
    is_pytest: bool,
}

impl Ran {
    /// Whether the tests ran to their end, failures included.
    fn is_result(&self) -> bool {
        match self.ended {
            Ended::Exited(0 | 1) => !self.statuses.is_empty(),
            Ended::Exited(_) => !self.is_pytest && !self.statuses.is_empty(),
            _ => false,
        }
    }

    fn words(&self) -> String {
        let how = match &self.ended {
            Ended::Exited(code) if self.statuses.is_empty() => format!("exit code {code} and without results"),
            Ended::Exited(code) => format!("exit code {code}"),
            Ended::TimedOut => "the time limit".to_owned(),
            Ended::OutOfMemory => "the memory limit".to_owned(),
            Ended::Excess(what) | Ended::Lost(what) => what.clone(),
            Ended::ScriptExited(_) | Ended::Unrecorded => "no result".to_owned(),
        };
        if self.last_line.is_empty() { how } else { format!("{how}: {}", self.last_line) }
    }
}

async fn run(
    bench: &dyn TestBench,
    task: &LoadedTask,
    workspace: &Workspace,
    tree: &Tree,
    grading: &GradeSettings,
    what: &str,
) -> Result<Ran, Trouble> {
    let label = format!("{}-{what}", task.id());
    let planning =
        PlanSettings { limits: grading.limits, with_report: true, label: &label, patch: None, run_unchanged: true };
    let planned = plan(task, workspace, tree, planning).map_err(|error| refused(Reason::Patch, error.to_string()))?;
    let job = match planned.work {
        Work::Run { job, .. } => *job,
        Work::NoModifiedFiles | Work::TooLarge => return Err(refused(Reason::TooLarge, "it changes too much")),
        Work::DoesNotFit { why } => return Err(refused(Reason::Patch, why)),
    };
    let ran = bench.run(job).await?;
    if let Ended::Lost(why) = ran.ended {
        return Err(Trouble::Failed(why));
    }
    let log = decode_log(&ran.log);
    let parser = task.task.parser();
    let statuses = parser.map(|parser| parser.parse(&log)).unwrap_or_default();
    let mut last_line =
        log.lines().rev().find(|line| !line.trim().is_empty() && !line.starts_with(">>>>>")).unwrap_or_default();
    if last_line.len() > LINE_BYTES_MAX {
        last_line = &last_line[..last_line.floor_char_boundary(LINE_BYTES_MAX)];
    }
    let last_line = last_line.trim().to_owned();
    Ok(Ran { statuses, ended: ran.ended, last_line, is_pytest: parser.is_some_and(Parser::is_pytest) })
}

/// The right fix must score 1 and the untouched files 0, each time.
async fn probe(
    bench: &dyn TestBench,
    task: &LoadedTask,
    settings: &TaskSettings,
    grading: &GradeSettings,
    judged: &mut Judged,
) -> Result<(), Trouble> {
    let report = verify(bench, task, settings.repeat, grading).await;
    judged.controls = report.controls;
    judged.second_opinion = report.no_second_opinion.as_deref() == Some("");
    match report.standing {
        verify::Standing::Good => Ok(()),
        verify::Standing::Flaky => Err(refused(Reason::Flaky, report.why)),
        verify::Standing::Bad if report.gold.iter().all(|reward| *reward == Some(1.0)) => {
            Err(refused(Reason::Untouched, report.why))
        }
        verify::Standing::Bad => Err(refused(Reason::Gold, report.why)),
        verify::Standing::Unknown => Err(Trouble::Failed(report.why)),
    }
}

/// What fixes nothing must not be rewarded, whatever else it does.
async fn attack(
    bench: &dyn TestBench,
    task: &LoadedTask,
    candidate: &Candidate,
    grading: &GradeSettings,
    judged: &mut Judged,
) -> Result<(), Trouble> {
    let workspace = task.workspace(bench).await.map_err(|error| match error {
        WorkspaceError::Bench(error) => error.into(),
        WorkspaceError::Load(error) => Trouble::Failed(error.to_string()),
    })?;
    for (name, tree) in attacks(candidate) {
        let occasion = Occasion { label: format!("{}-{name}", task.id()), ..Occasion::default() };
        let graded = grade(bench, task, &workspace, &tree, grading, &occasion).await;
        if graded.is_solved() {
            return Err(refused(Reason::Attack, format!("the attack `{name}` is rewarded")));
        }
        if let Verdict::Unscored(why) = &graded.verdict {
            return Err(Trouble::Failed(format!("the attack `{name}` has no score: {why}")));
        }
        judged.attacks += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(text: &str) -> StatusMap {
        text.split_whitespace()
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, word)| (name, Status::from_word(word)))
            .collect()
    }

    #[test]
    fn three_runs_say_which_tests_decide() {
        let check = |before: &str, after: &str, again: &str| match sort_out(&map(before), &map(after), &map(again)) {
            Ok((fail, pass)) => format!("{} | {}", fail.join(" "), pass.join(" ")),
            Err(refusal) => refusal.reason.to_string(),
        };
        for (before, after, again, says) in [
            ("a=FAILED b=PASSED", "a=PASSED b=PASSED", "b=PASSED a=PASSED", "a | b"),
            // A module that could not be imported has no tests.
            ("", "a=PASSED b=PASSED", "a=PASSED b=PASSED", "a b | "),
            ("a=FAILED b=PASSED c=PASSED", "a=PASSED b=PASSED c=PASSED", "a=PASSED b=FAILED c=PASSED", "a | c"),
            ("a=FAILED b=PASSED", "a=FAILED b=PASSED", "a=FAILED b=PASSED", "no_fail_to_pass"),
            ("a=FAILED b=PASSED", "a=PASSED b=PASSED", "a=FAILED b=PASSED", "flaky"),
            ("a=FAILED b=PASSED", "b=PASSED", "a=PASSED b=PASSED", "flaky"),
            ("a=FAILED", "a=PASSED", "a=PASSED", "few_tests"),
            ("a=XFAIL b=SKIPPED", "a=PASSED b=PASSED", "a=PASSED b=PASSED", "no_fail_to_pass"),
            ("", "", "", "no_fail_to_pass"),
        ] {
            assert_eq!(check(before, after, again), says, "{before} → {after} → {again}");
        }
    }
}
