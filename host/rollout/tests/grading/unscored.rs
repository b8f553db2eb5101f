//! Trouble with the infrastructure is never a score, and is tried again as often as the settings say.

use assay_grade::rule::{Ended, Rule};
use assay_model::Time;
use assay_rollout::grading::{ArtifactFolder, Ending, Occasion, grade};
use assay_rollout::ports::{BenchError, TestRun};
use assay_trace::Outcome;
use futures::executor::block_on;

use crate::support::{Bench, fix, graded, log, passing, run, settings, task, workspace};

const END: Ending<'static> = Ending { reason: "finished", by_limit: false };

/// Name; what the bench answers, the last one again and again; reward; reason; whether there is a hint; jobs.
type Case = (&'static str, Vec<Result<TestRun, BenchError>>, Option<f64>, &'static str, bool, usize);

fn cases() -> Vec<Case> {
    let text = |text: &str| text.to_owned();
    let broken = || Err(BenchError::Failed { why: "the connection broke".to_owned() });
    let lost = |ended| Ok(run(&log("PASSED", "PASSED"), ended));
    vec![
        (
            "no engine",
            vec![Err(BenchError::NoEngine { why: text("no socket") })],
            None,
            "no test engine: no socket",
            true,
            1,
        ),
        (
            "no image",
            vec![Err(BenchError::NoImage { image: text("x"), why: text("404") })],
            None,
            "the image x cannot be had: 404",
            true,
            1,
        ),
        (
            "resting",
            vec![Err(BenchError::Resting { why: text("30 s") })],
            None,
            "the test engine is resting after failures: 30 s",
            true,
            1,
        ),
        (
            "invalid",
            vec![Err(BenchError::Invalid { why: text("no folder") })],
            None,
            "the task cannot be run: no folder",
            false,
            1,
        ),
        ("broken once", vec![broken(), Ok(passing())], Some(1.0), "finished; every test is as expected", false, 2),
        ("broken always", vec![broken()], None, "the test bench failed: the connection broke", false, 2),
        ("time", vec![lost(Ended::TimedOut)], None, "the tests ran out of time", false, 2),
        ("memory", vec![lost(Ended::OutOfMemory)], None, "the tests ran out of memory", false, 2),
        ("lost", vec![lost(Ended::Lost(text("gone")))], None, "the test bench failed: gone", false, 2),
        (
            "internal error of pytest",
            vec![lost(Ended::Exited(3)), Ok(passing())],
            Some(1.0),
            "finished; every test is as expected",
            false,
            2,
        ),
        ("killed", vec![lost(Ended::Exited(137))], None, "the test command ended abnormally: exit code 137", false, 2),
        (
            "killed, then no engine",
            vec![lost(Ended::Exited(137)), Err(BenchError::NoEngine { why: text("x") })],
            None,
            "no test engine: x",
            true,
            2,
        ),
        (
            "broken collection is no such trouble",
            vec![lost(Ended::Exited(4))],
            Some(0.0),
            "finished; the patch broke the collection of tests: exit code 4",
            false,
            1,
        ),
    ]
}

#[test]
fn reasons_hints_and_tries() {
    for (name, answers, reward, reason, hint, jobs) in cases() {
        let (_folder, task) = task();
        let bench = Bench::saying(answers);
        let graded = graded(&task, &bench, fix);
        assert_eq!(graded.reward(), reward, "{name}");
        let verdict = graded.verdict_at(Time::default(), END);
        assert_eq!((verdict.reason(), graded.hint.is_some()), (reason, hint), "{name}");
        assert_eq!(verdict.outcome().is_none(), reward.is_none(), "{name}");
        assert_eq!(bench.jobs().len(), jobs, "{name}");
    }
}

#[test]
fn no_changed_file_is_a_zero_without_a_container() {
    let (_folder, task) = task();
    let bench = Bench::default();
    let graded = graded(&task, &bench, |_| {});
    assert_eq!(graded.reward(), Some(0.0));
    assert_eq!(graded.verdict_at(Time::default(), END).reason(), "finished; no modified files");
    assert!(bench.jobs().is_empty());
    let by_limit = Ending { reason: "out of steps", by_limit: true };
    assert_eq!(graded.verdict_at(Time::default(), by_limit).outcome(), Some(Outcome::Timeout));
}

#[test]
fn a_score_that_cannot_be_kept_is_none() {
    let (folder, task) = task();
    let bench = Bench::saying([Ok(passing())]);
    let workspace = workspace(&task, &bench);
    let mut tree = workspace.base().fork();
    fix(&mut tree);
    // A file stands where the folder should be.
    let artifacts = ArtifactFolder { root: folder.path().join("task.toml"), inside: "artifacts".into() };
    let occasion = Occasion { artifacts: Some(artifacts), ..Occasion::default() };
    let graded = block_on(grade(&bench, &task, &workspace, &tree, &settings(Rule::Strict), &occasion));
    assert_eq!(graded.reward(), None);
    assert!(graded.hint.is_some());
}
