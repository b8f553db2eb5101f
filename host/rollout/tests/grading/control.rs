//! The control run: a reward only where tests that cannot pass did fail, and where there can be none, a reward without.

use assay_grade::rule::{Ended, Rule};
use assay_rollout::grading::{GradeSettings, Graded, Occasion, grade};
use assay_rollout::ports::{Job, TestRun};
use futures::executor::block_on;

use crate::support::{Bench, fix, flag_names, log, passing, run, task_with, workspace};

fn is_control(job: &Job) -> bool {
    job.label.ends_with("-control")
}

/// The name of the test that a control job adds.
fn added(job: &Job) -> &str {
    let (_, rest) = job.script.split_once("def ").expect("a test is added");
    rest.split_once('(').expect("a function").0
}

/// Grades a right fix; `control` makes what the control run leaves from the name of the added test.
fn graded(
    change: impl FnOnce(&str) -> String,
    settings: &GradeSettings,
    control: impl Fn(&str) -> TestRun + Send + Sync + 'static,
) -> (Graded, Vec<Job>) {
    let (_folder, task) = task_with(change);
    let answer = move |job: &Job| if is_control(job) { control(added(job)) } else { passing() };
    let bench = Bench { rule: Some(Box::new(answer)), ..Bench::default() };
    let workspace = workspace(&task, &bench);
    let mut tree = workspace.base().fork();
    fix(&mut tree);
    let graded = block_on(grade(&bench, &task, &workspace, &tree, settings, &Occasion::default()));
    (graded, bench.jobs())
}

fn standard() -> GradeSettings {
    GradeSettings { retries: 0, ..GradeSettings::default() }
}

/// A log that ends with what the added test said.
fn line(status: &str, name: &str) -> String {
    format!("{}{status} tests/test_median.py::{name} - assert", log("PASSED", "PASSED"))
}

#[test]
fn what_a_control_run_may_say() {
    let check = |what: &str, reward: Option<f64>, control: fn(&str) -> TestRun| {
        let (graded, jobs) = graded(str::to_owned, &standard(), control);
        assert_eq!(jobs.len(), 2, "{what}");
        assert!(jobs[1].script.ends_with(&jobs[0].script) && jobs[1].overlay == jobs[0].overlay, "{what}");
        assert_eq!(graded.reward(), reward, "{what}: {:?}", graded.verdict);
        assert_eq!(flag_names(&graded).contains(&"control_passed"), reward == Some(0.0), "{what}: {:?}", graded.flags);
    };
    check("it failed", Some(1.0), |name| run(&line("FAILED", name), Ended::Exited(1)));
    check("it passed", Some(0.0), |name| run(&line("PASSED", name), Ended::Exited(0)));
    check("it failed, and all is said to be well", Some(0.0), |name| run(&line("FAILED", name), Ended::Exited(0)));
    check("it is not there", Some(0.0), |_| run(&log("PASSED", "PASSED"), Ended::Exited(1)));
    check("another one failed", Some(0.0), |_| run(&line("FAILED", "test_odd"), Ended::Exited(1)));
    check("a crash", Some(0.0), |_| run("", Ended::Exited(139)));
    check("out of time", None, |_| run("", Ended::TimedOut));
    check("the engine broke", None, |_| run("", Ended::Lost("it is gone".to_owned())));
}

#[test]
fn trouble_with_the_infrastructure_is_tried_again() {
    let (graded, jobs) = graded(str::to_owned, &GradeSettings { retries: 2, ..standard() }, |_| {
        run("", Ended::Lost("it is gone".to_owned()))
    });
    assert_eq!(graded.reward(), None, "{:?}", graded.verdict);
    assert_eq!(jobs.iter().filter(|job| is_control(job)).count(), 3);
}

#[test]
fn where_there_is_none() {
    let check = |what: &str, settings: &GradeSettings, change: fn(&str) -> String| {
        let (graded, jobs) = graded(change, settings, |_| run("", Ended::Exited(0)));
        assert!(!jobs.is_empty() && !jobs.iter().any(is_control), "{what}");
        assert!(!flag_names(&graded).contains(&"control_passed"), "{what}: {:?}", graded.flags);
    };
    check("it is switched off", &GradeSettings { control: false, ..standard() }, str::to_owned);
    check("a published rule", &GradeSettings { rule: Rule::SweBench, ..standard() }, str::to_owned);
}
