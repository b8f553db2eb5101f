//! A task folder, and a bench that says what it is told to say.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use assay_grade::rule::{Ended, Rule};
use assay_model::Time;
use assay_rollout::grading::{GradeSettings, Graded, Occasion, grade};
use assay_rollout::ports::{BenchError, Job, OverlayFile, TestBench, TestRun};
use assay_rollout::task::{LoadedTask, Workspace, load_tasks};
use assay_tree::{Limits, Tree};
use futures::executor::block_on;
use futures::future::BoxFuture;
use tempfile::TempDir;

pub(crate) const TASK: &str = r#"
id = "median"
language = "python"

[image]
name = "assay-python:1"
from = "present"

[tests]
command = "python3 -m pytest -rA tests"
parser = "pytest"
fail_to_pass = ["tests/test_median.py::test_even"]
pass_to_pass = ["tests/test_median.py::test_odd"]
"#;

pub(crate) const BUGGY: &str = "def median(xs):\n    xs = sorted(xs)\n    return xs[len(xs) // 2]\n";

pub(crate) const GOLD: &str = "\
diff --git a/median.py b/median.py
--- a/median.py
+++ b/median.py
@@ -1,3 +1,4 @@
 def median(xs):
     xs = sorted(xs)
-    return xs[len(xs) // 2]
+    half = len(xs) // 2
+    return xs[half] if len(xs) % 2 else (xs[half - 1] + xs[half]) / 2
";

/// The files of a good task, by path.
pub(crate) fn good_task() -> Vec<(&'static str, &'static str)> {
    vec![
        ("task.toml", TASK),
        ("problem.md", "The median of an even number of values is wrong.\n"),
        ("gold.patch", GOLD),
        ("repository/median.py", BUGGY),
        ("repository/tests/__init__.py", ""),
        ("repository/tests/helper.py", "def check(found, wanted):\n    assert found == wanted\n"),
        (
            "tests/tests/test_median.py",
            "from median import median\n\ndef test_even():\n    assert median([1, 2]) == 1.5\n\ndef test_odd():\n    assert median([3]) == 3\n",
        ),
    ]
}

pub(crate) fn write(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// The good task, on disk and loaded; `change` is made to its `task.toml`.
pub(crate) fn task_with(change: impl FnOnce(&str) -> String) -> (TempDir, LoadedTask) {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &good_task());
    fs::write(folder.path().join("task.toml"), change(TASK)).unwrap();
    let task = load_tasks(folder.path()).unwrap().remove(0);
    (folder, task)
}

pub(crate) fn task() -> (TempDir, LoadedTask) {
    task_with(str::to_owned)
}

/// What is said to a job.
pub(crate) type Answer = Box<dyn Fn(&Job) -> TestRun + Send + Sync>;

/// A bench that gives canned answers in turn, the last one again and again, and keeps the jobs that it was given.
#[derive(Default)]
pub(crate) struct Bench {
    pub(crate) answers: Mutex<VecDeque<Result<TestRun, BenchError>>>,
    pub(crate) jobs: Mutex<Vec<Job>>,
    /// The files of every image.
    pub(crate) image: Option<Tree>,
    /// Answers by the job, where it is set.
    pub(crate) rule: Option<Answer>,
}

impl Bench {
    pub(crate) fn saying(answers: impl IntoIterator<Item = Result<TestRun, BenchError>>) -> Self {
        Self { answers: Mutex::new(answers.into_iter().collect()), ..Self::default() }
    }

    pub(crate) fn jobs(&self) -> Vec<Job> {
        self.jobs.lock().unwrap().clone()
    }
}

impl TestBench for Bench {
    fn run(&self, job: Job) -> BoxFuture<'_, Result<TestRun, BenchError>> {
        let answer = match &self.rule {
            Some(rule) => Ok(rule(&job)),
            None => {
                let mut answers = self.answers.lock().unwrap();
                if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() }.expect("an answer")
            }
        };
        self.jobs.lock().unwrap().push(job);
        Box::pin(async move { answer })
    }

    fn repository<'a>(&'a self, _: &'a str, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Result<Tree, BenchError>> {
        let tree = self.image.clone().ok_or(BenchError::NoEngine { why: "it is off".to_owned() });
        Box::pin(async move { tree })
    }
}

pub(crate) fn run(log: &str, ended: Ended) -> TestRun {
    let log = log.as_bytes().to_vec();
    TestRun { log, dropped_bytes: 0, artifact: None, ended, junit: None, nanoseconds: 1, is_open: false }
}

/// A log of pytest in which `even` and `odd` have these statuses.
pub(crate) fn log(even: &str, odd: &str) -> String {
    let line = |status: &str, name: &str| format!("{status} tests/test_median.py::{name}\n");
    let count = |wanted: &str| [even, odd].iter().filter(|status| **status == wanted).count();
    let counts: Vec<String> = [("FAILED", "failed"), ("PASSED", "passed"), ("ERROR", "error")]
        .iter()
        .filter(|(status, _)| count(status) > 0)
        .map(|(status, word)| format!("{} {word}", count(status)))
        .collect();
    format!(
        "============================= test session starts ==============================\n\
         =========================== short test summary info ============================\n{}{}\
         ============================== {} in 0.01s ===============================\n",
        line(even, "test_even"),
        line(odd, "test_odd"),
        counts.join(", ")
    )
}

pub(crate) fn passing() -> TestRun {
    TestRun { junit: Some(report()), ..run(&log("PASSED", "PASSED"), Ended::Exited(0)) }
}

/// The report of a run in which everything passed.
pub(crate) fn report() -> String {
    let case = |name: &str| format!("<testcase classname=\"tests.test_median\" name=\"{name}\"/>");
    format!("<testsuites><testsuite>{}{}</testsuite></testsuites>", case("test_even"), case("test_odd"))
}

pub(crate) fn failing() -> TestRun {
    run(&log("FAILED", "PASSED"), Ended::Exited(1))
}

pub(crate) fn workspace(task: &LoadedTask, bench: &Bench) -> Workspace {
    block_on(task.workspace(bench)).unwrap()
}

pub(crate) fn settings(rule: Rule) -> GradeSettings {
    GradeSettings { rule, control: false, ..GradeSettings::default() }
}

/// Grades what `edit` makes of the task's files.
pub(crate) fn graded(task: &LoadedTask, bench: &Bench, edit: impl FnOnce(&mut Tree)) -> Graded {
    let workspace = workspace(task, bench);
    let mut tree = workspace.base().fork();
    edit(&mut tree);
    block_on(grade(bench, task, &workspace, &tree, &settings(Rule::Strict), &Occasion::default()))
}

/// Puts a file into a tree, its folders too.
pub(crate) fn put(tree: &mut Tree, path: &str, text: &str) {
    if let Some(slash) = path.rfind('/') {
        tree.mkdir_all(&path.as_bytes()[..slash], Time::default()).unwrap();
    }
    tree.put(path.as_bytes(), text.as_bytes().into(), Time::default()).unwrap();
}

pub(crate) fn tree(files: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::new(Limits { bytes_max: 1 << 24, inodes_max: 10_000 });
    files.iter().for_each(|(path, text)| put(&mut tree, path, text));
    tree
}

/// The text that a job puts at a path.
pub(crate) fn overlaid(job: &Job, path: &str) -> Option<String> {
    job.overlay.files.iter().find(|(found, _)| found == path.as_bytes()).map(|(_, file)| match file {
        OverlayFile::Regular { bytes, .. } => String::from_utf8_lossy(bytes).into_owned(),
        OverlayFile::Symlink { target } => format!("-> {}", String::from_utf8_lossy(target)),
    })
}

/// A fix that is right, as far as the canned logs care.
pub(crate) fn fix(tree: &mut Tree) {
    put(tree, "median.py", "def median(xs):\n    return statistics.median(xs)\n");
}

pub(crate) fn flag_names(graded: &Graded) -> Vec<&str> {
    graded.flags.iter().map(|flag| flag.name.as_str()).collect()
}

/// Shares a bench that never runs anything.
pub(crate) fn idle() -> Arc<Bench> {
    Arc::new(Bench::default())
}
