//! What can be made wrong in a task's tests, each piece shown to fail on the right fix.
//!
//! ```text
//! right fix, tests ──► mill.py (a container of its own) ──► edits ──► rounds: one edit in each test ──► those that failed by assertion
//! ```
//!
//! Invariants: made once a task, before any submission of it is confirmed, by the right fix alone; an edit changes what is expected and not what is
//! done, so that it fails for every right fix; tests that an episode could read are left alone where there are others.

use std::collections::{BTreeMap, BTreeSet};

use assay_grade::parse::junit;
use assay_grade::rule::Expected;
use assay_grade::task::{Kind, Task};
use futures::future::join_all;
use serde::{Deserialize, Serialize};

use super::{Draw, with_texts};
use crate::grading::watch::Watch;
use crate::grading::{GradeSettings, PlanSettings, Work, plan, unrun};
use crate::ports::{Job, Overlay, OverlayFile, TestBench, TestRun};
use crate::task::{LoadedTask, Workspace};
use assay_grade::rule::{Ended, Unscored};

const MILL: &str = include_str!("mill.py");
/// How a line of the mill's begins.
const LINE: &str = "assay-mill ";
/// Edits of each test that are tried on the right fix.
const ROUNDS: usize = 4;
/// Tests of a task that are looked at: more say nothing more.
const TESTS_MAX: usize = 200;

/// One place of a file of tests, and what is to stand there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The file.
    pub path: String,
    /// The test in it: `Class::name`, or `name`.
    pub test: String,
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What stands there instead.
    pub text: String,
}

/// An edit that is known to fail, and the ids that fail by it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wrong {
    pub(super) edit: Edit,
    pub(super) rank: u8,
    pub(super) fails: BTreeSet<String>,
}

/// What is known of a task's tests from the right fix.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(in crate::grading) struct Pool {
    /// The wrong tests by the test that they are made of.
    pub(super) tests: BTreeMap<(String, String), Vec<Wrong>>,
    /// The files of tests as they are.
    pub(super) texts: BTreeMap<String, Vec<u8>>,
    /// What a watch sees with the right fix; none where it cannot be used.
    pub(super) watched: Option<BTreeSet<String>>,
    /// Why no test can be made wrong; empty where one can.
    pub(in crate::grading) none: String,
}

impl Pool {
    fn without(why: &str) -> Self {
        Self { none: why.to_owned(), ..Self::default() }
    }

    /// How many wrong tests there are.
    pub(in crate::grading) fn len(&self) -> usize {
        self.tests.values().map(Vec::len).sum()
    }
}

/// `a.py::C::test` of a pytest id.
pub(super) fn test_of(id: &str) -> Option<(String, String)> {
    let (stem, rest) = id.split_once(".py::")?;
    Some((format!("{stem}.py"), rest.split('[').next().unwrap_or(rest).to_owned()))
}

/// Whether the tests of a task can be made wrong at all: pytest runs them, and we put them in place.
pub(super) fn is_possible(task: &Task) -> bool {
    let is_pytest = task.parser().is_some_and(assay_grade::Parser::is_pytest);
    matches!(task.secret.expected, Expected::Lists { .. })
        && is_pytest
        && task.secret.eval_script.is_none()
        && task.kind != Kind::R2eGym
}

#[derive(Deserialize)]
struct FoundFile {
    path: String,
    tests: Vec<FoundTest>,
}

#[derive(Deserialize)]
struct FoundTest {
    name: String,
    start: usize,
    end: usize,
    edits: Vec<FoundEdit>,
}

#[derive(Clone, Deserialize)]
struct FoundEdit {
    start: usize,
    end: usize,
    text: String,
    rank: u8,
    raises: bool,
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
        return Ok(Pool::without("its tests are not pytest's, or a script of its own puts them in place"));
    }
    let Ok(gold) = task.gold_tree(workspace) else { return Ok(Pool::without("the right fix does not apply")) };
    let planning = PlanSettings { limits: settings.limits, with_report: true, label, patch: None, run_unchanged: true };
    let job = match plan(task, workspace, &gold, planning).map(|plan| plan.work) {
        Ok(Work::Run { job, .. }) => job,
        _ => return Ok(Pool::without("the right fix cannot be run")),
    };
    let mut draw = settings.secret.draw(&format!("pool\n{label}"));
    let files = files_of(task);
    let texts: BTreeMap<String, Vec<u8>> =
        files.iter().filter_map(|path| Some((path.clone(), text(&job.overlay, workspace, path)?))).collect();
    let watch = Watch::drawn(&mut draw);
    let (mill, watched) = futures::join!(bench.run(mill(&job, &texts)), bench.run(with_watch(&job, &watch)));
    let found = parse(&mill.map_err(|error| unrun(&error))?, task, workspace, &texts);
    let mut watched = watched.map_err(|error| unrun(&error))?;
    let seen = watch.take(&mut watched.log).filter(|_| matches!(watched.ended, Ended::Exited(0 | 1)));
    let mut pool = Pool { watched: seen, texts, ..Pool::default() };
    let watch = pool.watched.is_some().then_some(&watch);
    let rounds = rounds(found, &mut draw);
    let jobs = rounds.iter().enumerate().map(|(at, round)| {
        let job = with_texts(&job, &pool.texts, round.iter().map(|(edit, _)| edit), &format!("{label}-{at}"));
        bench.run(watch.map_or_else(|| job.clone(), |watch| with_watch(&job, watch)))
    });
    let runs = join_all(jobs).await;
    for (round, run) in rounds.into_iter().zip(runs) {
        let run = run.map_err(|error| unrun(&error))?;
        keep_failing(&mut pool, task, round, &run);
    }
    if pool.tests.is_empty() {
        "no edit of what its tests expect made one fail on the right fix".clone_into(&mut pool.none);
    }
    Ok(pool)
}

/// The job with the plugin before its script.
pub(super) fn with_watch(job: &Job, watch: &Watch) -> Job {
    Job { script: format!("{}{}", watch.script(), job.script), ..job.clone() }
}

/// The files that the ids of the deciding tests name.
fn files_of(task: &LoadedTask) -> BTreeSet<String> {
    let Expected::Lists { fail_to_pass, pass_to_pass, .. } = &task.task.secret.expected else {
        return BTreeSet::new();
    };
    fail_to_pass.iter().chain(pass_to_pass).filter_map(|id| Some(test_of(id)?.0)).collect()
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
fn mill(job: &Job, texts: &BTreeMap<String, Vec<u8>>) -> Job {
    let files: Vec<String> = texts.keys().map(|path| format!("'{}'", path.replace('\'', "'\\''"))).collect();
    let script = format!(
        "for python in python3 python /opt/miniconda3/bin/python /usr/bin/python3; do\n  \
         \"$python\" -I -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2> /dev/null || continue\n  \
         exec \"$python\" -I - {} << 'END_OF_MILL'\n{MILL}END_OF_MILL\ndone\nexit 9\n",
        files.join(" ")
    );
    Job { script, junit: None, label: format!("{}-mill", job.label), ..job.clone() }
}

/// A test with what can be made of it.
type Found = (String, String, Vec<FoundEdit>);

/// What the mill found, as far as it is inside of the files and of tests that decide; of tests that an episode could read only where there are no others.
fn parse(run: &TestRun, task: &LoadedTask, workspace: &Workspace, texts: &BTreeMap<String, Vec<u8>>) -> Vec<Found> {
    let Expected::Lists { fail_to_pass, pass_to_pass, .. } = &task.task.secret.expected else { return Vec::new() };
    let decide: BTreeSet<(String, String)> =
        fail_to_pass.iter().chain(pass_to_pass).filter_map(|id| test_of(id)).collect();
    let log = String::from_utf8_lossy(&run.log);
    let files = log.lines().filter_map(|line| serde_json::from_str::<FoundFile>(line.strip_prefix(LINE)?).ok());
    let (mut hidden, mut public) = (Vec::new(), Vec::new());
    for file in files {
        let Some(text) = texts.get(&file.path) else { continue };
        let shown = workspace.base.read_all(file.path.as_bytes()).map(|bytes| bytes.to_vec()).unwrap_or_default();
        for test in file.tests {
            let Some(source) = text.get(test.start..test.end) else { continue };
            if !decide.contains(&(file.path.clone(), test.name.clone())) {
                continue;
            }
            let is_inside =
                |edit: &FoundEdit| test.start <= edit.start && edit.start <= edit.end && edit.end <= test.end;
            let edits: Vec<FoundEdit> = test.edits.into_iter().filter(is_inside).collect();
            let is_shown = source.is_empty() || shown.windows(source.len()).any(|window| window == source);
            if is_shown { &mut public } else { &mut hidden }.push((file.path.clone(), test.name, edits));
        }
    }
    let mut found = if hidden.iter().any(|(_, _, edits)| !edits.is_empty()) { hidden } else { public };
    found.truncate(TESTS_MAX);
    found
}

/// A round: one edit in each test that has as many, with whether another exception is expected.
type Round = Vec<(Edit, (u8, bool))>;

/// Edits in the order in which they are tried: those that read like what people write first, else by chance.
fn rounds(found: Vec<Found>, draw: &mut Draw) -> Vec<Round> {
    let mut rounds = vec![Round::new(); ROUNDS];
    for (path, test, mut edits) in found {
        draw.shuffle(&mut edits);
        edits.sort_by_key(|edit| edit.rank);
        for (round, FoundEdit { start, end, text, rank, raises }) in rounds.iter_mut().zip(edits) {
            round.push((Edit { path: path.clone(), test: test.clone(), start, end, text }, (rank, raises)));
        }
    }
    rounds.retain(|round| !round.is_empty());
    rounds
}

/// Keeps the edits of a round by which ids of their test failed, and by assertion.
fn keep_failing(pool: &mut Pool, task: &LoadedTask, round: Round, run: &TestRun) {
    let (Some(report), Ended::Exited(1)) = (&run.junit, &run.ended) else { return };
    let messages = junit::failures(report);
    let Expected::Lists { fail_to_pass, pass_to_pass, .. } = &task.task.secret.expected else { return };
    let mut failed_by_test: BTreeMap<(String, String), Vec<(&String, &String)>> = BTreeMap::new();
    for id in fail_to_pass.iter().chain(pass_to_pass) {
        if let (Some(test), Some(message)) = (test_of(id), junit::name_of(id).and_then(|name| messages.get(&name))) {
            failed_by_test.entry(test).or_default().push((id, message));
        }
    }
    for (edit, (rank, raises)) in round {
        let key = (edit.path.clone(), edit.test.clone());
        let failed = failed_by_test.remove(&key).unwrap_or_default();
        let by_assertion = |message: &str| {
            raises
                || ["assert", "AssertionError"].iter().any(|start| message.starts_with(start))
                || message.contains("DID NOT RAISE")
        };
        if !failed.is_empty() && failed.iter().all(|(_, message)| by_assertion(message)) {
            let fails = failed.into_iter().map(|(id, _)| id.clone()).collect();
            pool.tests.entry(key).or_default().push(Wrong { edit, rank, fails });
        }
    }
}
