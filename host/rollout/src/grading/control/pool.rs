//! What can be made wrong in a task's tests, each piece shown to fail on the right fix.
//!
//! ```text
//! right fix, tests ──► mill.py (a container of its own) ──► edits ──► rounds: one edit in each test ──► those that failed by assertion
//! ```
//!
//! Invariants: made once a task, before any submission of it is confirmed, by the right fix alone; an edit changes what is expected and not what is
//! done, so that it fails for every right fix; tests that an episode could read are left alone where there are others.

use std::collections::{BTreeMap, BTreeSet};

use assay_grade::StatusMap;
use assay_grade::parse::junit;
use assay_grade::rule::{Ended, Expected, Unscored};
use assay_grade::task::{Kind, Task};
use assay_tree::Tree;
use futures::future::{join_all, join3};
use serde_json::json;

use super::edit::{FoundTest, test_of};
use super::rounds::{Gold, Round, rounds};
use super::with_texts;
use crate::grading::draw::Draw;
use crate::grading::watch::Watch;
use crate::grading::{GradeSettings, PlanSettings, Work, plan, unrun};
use crate::ports::{Job, Overlay, OverlayFile, TestBench, TestRun};
use crate::task::known::{Pool, Test, Wrong};
use crate::task::{LoadedTask, Workspace};

const MILL: &str = include_str!("mill.py");
/// How a line of the mill's begins.
const LINE: &str = "assay-mill ";
/// Tests of a task that are looked at: more say nothing more.
const TESTS_MAX: usize = 200;

/// Whether the tests of a task can be made wrong at all: pytest runs them, and we put them in place.
pub(in crate::grading) fn is_possible(task: &Task) -> bool {
    let is_pytest = task.parser().is_some_and(assay_grade::Parser::is_pytest);
    matches!(task.secret.expected, Expected::Lists { .. })
        && is_pytest
        && task.secret.eval_script.is_none()
        && task.kind != Kind::R2eGym
}

/// Makes the pool of a task.
///
/// # Errors
/// The infrastructure failed, which says nothing about the task.
pub(in crate::grading) async fn make(
    bench: &dyn TestBench,
    task: &LoadedTask,
    workspace: &Workspace,
    settings: &GradeSettings,
    label: &str,
) -> Result<Pool, Unscored> {
    if !is_possible(&task.task) {
        return Ok(Pool::without("its tests do not run with pytest, or its own script puts them in place"));
    }
    let Ok(gold) = task.gold_tree(workspace) else { return Ok(Pool::without("the right fix does not apply")) };
    let (Some(job), Some(unfixed)) = (
        job_over(task, workspace, settings, &gold, label),
        job_over(task, workspace, settings, &workspace.base, &format!("{label}-unfixed")),
    ) else {
        return Ok(Pool::without("the right fix cannot be run"));
    };
    let mut draw = settings.secret.draw(&format!("pool\n{}", task.id()));
    let texts: BTreeMap<String, Vec<u8>> =
        files_of(task).iter().filter_map(|path| Some((path.clone(), text(&job.overlay, workspace, path)?))).collect();
    let watch = Watch::drawn(&mut draw);
    let (mill, watched, unfixed) =
        join3(bench.run(mill(&job, task, &texts, &mut draw)), bench.run(with_watch(&job, &watch)), bench.run(unfixed))
            .await;
    let found = parse(&mill.map_err(|error| unrun(&error))?, workspace, &texts);
    let (mut watched, unfixed) = (watched.map_err(|error| unrun(&error))?, unfixed.map_err(|error| unrun(&error))?);
    let seen = watch.take(&mut watched.log).filter(|_| matches!(watched.ended, Ended::Exited(0 | 1)));
    let gold = Gold::new(&task.task, statuses(&task.task, &watched), &unfixed);
    let mut pool = Pool { watched: seen, texts, ..Pool::default() };
    let watch = pool.watched.is_some().then_some(&watch);
    let rounds = rounds(found, &gold, &mut draw);
    let jobs = rounds.iter().enumerate().map(|(at, round)| {
        let job = with_texts(&job, &pool.texts, round.edits(), &format!("{label}-{at}"));
        bench.run(watch.map_or_else(|| job.clone(), |watch| with_watch(&job, watch)))
    });
    let runs = join_all(jobs).await;
    for (round, run) in rounds.into_iter().zip(runs) {
        let run = run.map_err(|error| unrun(&error))?;
        keep_failing(&mut pool, task, &gold, round, &run);
    }
    if pool.tests.is_empty() {
        "no edit of its tests' expectations made a test fail on the right fix".clone_into(&mut pool.none);
    }
    Ok(pool)
}

/// The tests over these files; none where nothing can be run.
fn job_over(
    task: &LoadedTask,
    workspace: &Workspace,
    settings: &GradeSettings,
    tree: &Tree,
    label: &str,
) -> Option<Job> {
    let planning = PlanSettings { limits: settings.limits, with_report: true, label, patch: None, run_unchanged: true };
    match plan(task, workspace, tree, planning).ok()?.work {
        Work::Run { job, .. } => Some(*job),
        _ => None,
    }
}

/// What each test said, by the task's own parser.
pub(super) fn statuses(task: &Task, run: &TestRun) -> StatusMap {
    let log = assay_grade::decode_log(&run.log);
    task.scenario().map(|scenario| scenario.parser.parse(&log)).unwrap_or_default()
}

/// The job with the plugin before its script.
pub(super) fn with_watch(job: &Job, watch: &Watch) -> Job {
    Job { script: format!("{}{}", watch.script(), job.script), ..job.clone() }
}

/// The tests that decide, those that the fix mends first.
fn deciding(task: &LoadedTask) -> Vec<Test> {
    let Expected::Lists { fail_to_pass, pass_to_pass, .. } = &task.task.secret.expected else { return Vec::new() };
    let mut known = BTreeSet::new();
    let tests = fail_to_pass.iter().chain(pass_to_pass).filter_map(|id| test_of(id));
    tests.filter(|test| known.insert(test.clone())).collect()
}

/// The files that the ids of the deciding tests name.
fn files_of(task: &LoadedTask) -> BTreeSet<String> {
    deciding(task).into_iter().map(|(path, _)| path).collect()
}

/// What a file holds in the container: of the overlay, or else of the image.
fn text(overlay: &Overlay, workspace: &Workspace, path: &str) -> Option<Vec<u8>> {
    let laid = overlay.files.iter().find(|(found, _)| found == path.as_bytes());
    match laid {
        Some((_, OverlayFile::Regular { bytes, .. })) => Some(bytes.clone()),
        Some((_, OverlayFile::Symlink { .. })) => None,
        None => workspace.image.read_all(path.as_bytes()).ok().map(|bytes| bytes.to_vec()),
    }
}

/// The job that looks for edits: the first interpreter that can, over files that no submission touched.
fn mill(job: &Job, task: &LoadedTask, texts: &BTreeMap<String, Vec<u8>>, draw: &mut Draw) -> Job {
    let mut tests: BTreeMap<String, BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for (path, name) in deciding(task).into_iter().filter(|(path, _)| texts.contains_key(path)).take(TESTS_MAX) {
        tests.entry(path).or_default().entry(name).or_default();
    }
    if let Expected::Lists { fail_to_pass, .. } = &task.task.secret.expected {
        for id in fail_to_pass {
            let row = id.split_once('[').map(|(_, row)| row.strip_suffix(']').unwrap_or(row));
            let names = test_of(id).and_then(|(path, name)| tests.get_mut(&path)?.get_mut(&name));
            names.into_iter().for_each(|names| names.extend(row));
        }
    }
    let asked = json!({ "tests": tests, "seed": draw.hex() }).to_string();
    // A text in JSON is one in Python.
    let asked = serde_json::Value::String(asked);
    let script = format!(
        "for python in python3 python /opt/miniconda3/bin/python /usr/bin/python3; do\n  \
         \"$python\" -I -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2> /dev/null || continue\n  \
         exec \"$python\" -I - << 'END_OF_MILL'\nimport json\nASKED = json.loads({asked})\n{MILL}END_OF_MILL\ndone\nexit 9\n"
    );
    Job { script, junit: None, label: format!("{}-mill", job.label), ..job.clone() }
}

/// What the mill found, as far as it is inside of the files; of tests that an episode could read only where there are no others.
fn parse(run: &TestRun, workspace: &Workspace, texts: &BTreeMap<String, Vec<u8>>) -> Vec<FoundTest> {
    let log = String::from_utf8_lossy(&run.log);
    let tests = log.lines().filter_map(|line| serde_json::from_str::<FoundTest>(line.strip_prefix(LINE)?).ok());
    let (mut hidden, mut public) = (Vec::new(), Vec::new());
    for mut test in tests {
        let Some(text) = texts.get(&test.path) else { continue };
        let Some(source) = text.get(test.start..test.end) else { continue };
        test.edits.retain(|edit| text.get(edit.start..edit.end).is_some());
        let shown = workspace.base.read_all(test.path.as_bytes()).map(|bytes| bytes.to_vec()).unwrap_or_default();
        let is_shown = source.is_empty() || shown.windows(source.len()).any(|window| window == source);
        if is_shown { &mut public } else { &mut hidden }.push(test);
    }
    if hidden.iter().any(|test| !test.edits.is_empty()) { hidden } else { public }
}

/// Keeps the edits of a round by which ids of their tests failed, and by assertion.
fn keep_failing(pool: &mut Pool, task: &LoadedTask, gold: &Gold, mut round: Round, run: &TestRun) {
    let (Some(report), Ended::Exited(1)) = (&run.junit, &run.ended) else { return };
    let said = statuses(&task.task, run);
    let failures = junit::failures(report);
    let has_passed = |id: &str| said.get(id).is_some_and(assay_grade::Status::is_success);
    let failed = gold.passing().filter(|id| !has_passed(id)).filter_map(|id| test_of(id));
    let strays: BTreeSet<_> =
        failed.filter(|test| !round.tried.iter().any(|tried| tried.touches.contains(test))).collect();
    round.explain(strays.into_iter());
    for tried in round.tried {
        let is_of = |id: &str| test_of(id).is_some_and(|test| tried.touches.contains(&test));
        let failed = said.iter().filter(|(id, status)| status.is_failure() && is_of(id) && gold.is_news(id));
        let fails: BTreeSet<String> = failed.map(|(id, _)| id.to_owned()).collect();
        let gone: BTreeSet<String> = gold.passing().filter(|id| is_of(id) && !has_passed(id)).cloned().collect();
        let names: Vec<String> =
            tried.touches.iter().filter_map(|(path, name)| junit::name_of(&format!("{path}::{name}"))).collect();
        let is_told = |name: &str| names.iter().any(|test| junit::is_of(name, test));
        let mut told = failures.iter().filter(|(name, _)| is_told(name)).peekable();
        let by_assertion = told.peek().is_some() && told.all(|(_, failure)| tried.raises || failure.is_assertion());
        if !fails.is_empty() && !gone.is_empty() && by_assertion {
            let bites = gold.mends(&gone) && tried.may_bite;
            let (edit, rank, place, touches) = (tried.edit, tried.rank, tried.place, tried.touches);
            let key = (edit.path.clone(), edit.test.clone());
            pool.tests.entry(key).or_default().push(Wrong { edit, rank, place, touches, fails, gone, bites });
        }
    }
}
