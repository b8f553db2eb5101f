//! `assay trace rescore` as a user meets it: a graded episode on disk, scored again by another rule, moved, and tampered with.

use assay_grade::rule::{Ended, Rule};
use assay_model::{Seed, Time};
use assay_rollout::grading::{ArtifactFolder, Ending, GradeSettings, Occasion, grade};
use assay_rollout::ports::{BenchError, Job, TestBench, TestRun};
use assay_rollout::task::load_tasks;
use assay_tests::{assay, show};
use assay_trace::{Durable, Metadata, Writer};
use assay_tree::Tree;
use futures::future::BoxFuture;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Cannot be carried out as given.
const USAGE: i32 = 2;
/// One test passes; the exit code says that another one does not.
const LOG: &str = ">>>>> Start Test Output\n=== short test summary info ===\nPASSED test_it.py::test_it\n=== 1 passed in 0.01s ===\n>>>>> End Test Output\n";

struct Bench;

impl TestBench for Bench {
    fn run(&self, _: Job) -> BoxFuture<'_, Result<TestRun, BenchError>> {
        let log = LOG.as_bytes().to_vec();
        let run = TestRun {
            log,
            dropped_bytes: 0,
            artifact: None,
            ended: Ended::Exited(0),
            junit: None,
            nanoseconds: 1,
            is_open: false,
        };
        Box::pin(async move { Ok(run) })
    }

    fn repository<'a>(&'a self, _: &'a str, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Result<Tree, BenchError>> {
        Box::pin(async { Err(BenchError::NoEngine { why: "it is not needed".to_owned() }) })
    }
}

struct Disk(File);

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Durable for Disk {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        self.0.set_len(bytes)
    }
}

/// `run/e.jsonl` and its artifacts: an episode whose log is good and whose report is missing, so that the strict rule gives 0.
fn graded_episode() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let document = "id = \"one\"\nlanguage = \"python\"\n[image]\nname = \"nowhere:1\"\nfrom = \"present\"\n[tests]\ncommand = \"pytest\"\nparser = \"pytest\"\nfail_to_pass = [\"test_it.py::test_it\"]\npass_to_pass = []\n";
    let patch = "diff --git a/it.py b/it.py\n--- a/it.py\n+++ b/it.py\n@@ -1 +1 @@\n-bad\n+good\n";
    fs::create_dir_all(folder.path().join("task/repository")).expect("a folder");
    for (path, text) in
        [("task.toml", document), ("problem.md", "It breaks.\n"), ("repository/it.py", "bad\n"), ("gold.patch", patch)]
    {
        fs::write(folder.path().join("task").join(path), text).expect("a file can be written");
    }
    let task = load_tasks(&folder.path().join("task")).expect("the task is good").remove(0);
    let root = folder.path().join("run");
    fs::create_dir(&root).expect("a folder");
    let graded = futures::executor::block_on(async {
        let workspace = task.workspace(&Bench).await.expect("its files are there");
        let tree = task.gold_tree(&workspace).expect("the fix applies");
        let artifacts = Some(ArtifactFolder { root: root.clone(), inside: "artifacts/e/1".into() });
        let occasion = Occasion { artifacts, ..Occasion::default() };
        let settings = GradeSettings { rule: Rule::Strict, ..GradeSettings::default() };
        grade(&Bench, &task, &workspace, &tree, &settings, &occasion).await
    });
    let file = Disk(File::create(root.join("e.jsonl")).expect("a file can be made"));
    let id = "e".to_owned().try_into().expect("an id");
    let metadata = Metadata::new(id, "one", "scripted", Seed(1), Time(0));
    let mut writer = Writer::create(file, &metadata).expect("the first line is written");
    let ending = Ending { reason: "finished", by_limit: false };
    writer.append(&graded.records(Time(1), ending)).expect("the records are written");
    folder
}

#[track_caller]
fn check(folder: &Path, arguments: &[&str], exit: i32, words: &[&str]) {
    let output = assay(folder).args(["trace", "rescore"]).args(arguments).output().expect("assay starts");
    let printed = show(&output);
    assert_eq!(output.status.code(), Some(exit), "{arguments:?}\n{printed}");
    for word in words {
        assert!(printed.contains(word), "{arguments:?} must say {word:?}\n{printed}");
    }
}

#[test]
fn an_episode_is_scored_again_without_running_anything() {
    let folder = graded_episode();
    let trajectory = folder.path().join("run/e.jsonl");
    let before = fs::read_to_string(&trajectory).expect("it is there");
    check(folder.path(), &["run/e.jsonl", "--rule", "swe_bench", "--dry-run"], 0, &["0 -> 1 (swe_bench)"]);
    assert_eq!(fs::read_to_string(&trajectory).expect("it is there"), before, "--dry-run writes nothing");
    check(folder.path(), &["run/e.jsonl", "--rule", "swe_bench"], 0, &["0 -> 1 (swe_bench)"]);
    check(folder.path(), &["run/e.jsonl", "--rule", "strict"], 0, &["1 -> 0 (strict)", "no JUnit report"]);
    check(folder.path(), &["run/e.jsonl", "--rule", "r2e_compat"], 0, &["0 -> unscored (r2e_compat)"]);
    let after = fs::read_to_string(&trajectory).expect("it is there");
    assert!(after.starts_with(&before) && after.lines().count() == before.lines().count() + 3, "appended only");
    let verified = assay(folder.path()).args(["trace", "verify", "run/e.jsonl"]).output().expect("assay starts");
    assert_eq!(verified.status.code(), Some(0), "{}", show(&verified));
}

#[test]
fn artifacts_must_be_there_and_be_what_they_were() {
    let folder = graded_episode();
    fs::rename(folder.path().join("run/e.jsonl"), folder.path().join("e.jsonl")).expect("it can be moved");
    check(folder.path(), &["e.jsonl", "--rule", "strict"], USAGE, &["cannot be scored again", "--root"]);
    check(folder.path(), &["e.jsonl", "--rule", "strict", "--root", "run"], 0, &["0 -> 0"]);
    fs::write(folder.path().join("run/artifacts/e/1/log.txt"), LOG.replace("PASSED", "FAILED")).expect("it is there");
    check(
        folder.path(),
        &["e.jsonl", "--rule", "strict", "--root", "run"],
        USAGE,
        &["has changed since it was stored"],
    );
    check(folder.path(), &["absent.jsonl", "--rule", "strict"], USAGE, &["absent.jsonl", "hint"]);
    check(folder.path(), &["-", "--rule", "strict"], USAGE, &["hint"]);
}
