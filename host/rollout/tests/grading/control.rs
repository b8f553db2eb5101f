//! The confirming runs: a reward only where tests made wrong failed and the others passed, and where none can be made wrong, a reward that says so.

use assay_grade::rule::{Ended, Rule};
use assay_rollout::grading::{GradeSettings, Graded, Occasion, Secret, grade};
use assay_rollout::ports::{Job, TestRun};
use futures::executor::block_on;
use serde_json::json;

use crate::support::{Bench, fix, flag_names, log, overlaid, passing, run, task_with, workspace};

const TESTS: &str = "tests/test_median.py";

/// What the mill would print of the task's tests: one literal of each becomes another.
fn milled() -> TestRun {
    let source = "from median import median\n\ndef test_even():\n    assert median([1, 2]) == 1.5\n\ndef test_odd():\n    assert median([3]) == 3\n";
    let test = |name: &str, literal: &str, other: &str| {
        let start = source.find(&format!("def {name}")).unwrap();
        let at = start + source[start..].find(literal).unwrap() + literal.len() - 1;
        let at = at + 1 - literal.trim_start_matches("== ").len();
        let end = source[at..].find('\n').unwrap() + at;
        let edit = json!({ "start": at, "end": end, "text": other, "rank": 0, "raises": false, "place": at, "lines": [1, 1], "touches": [name], "bites": false });
        let found = json!({ "path": TESTS, "name": name, "start": start, "end": end, "edits": [edit] });
        format!("assay-mill {found}\n")
    };
    let lines = [test("test_even", "== 1.5", "2.5"), test("test_odd", "== 3", "4")].concat();
    run(&lines, Ended::Exited(0))
}

/// What an honest run says of the tests as the job has them.
fn honest(job: &Job) -> TestRun {
    let text = overlaid(job, TESTS).unwrap_or_default();
    let status = |wrong: &str| if text.contains(wrong) { "FAILED" } else { "PASSED" };
    let (even, odd) = (status("== 2.5"), status("== 4"));
    if even == "PASSED" && odd == "PASSED" {
        return passing();
    }
    let case = |name: &str, status: &str| match status {
        "FAILED" => format!(
            "<testcase classname=\"tests.test_median\" name=\"{name}\"><failure message=\"assert 1 == 2\"/></testcase>"
        ),
        _ => format!("<testcase classname=\"tests.test_median\" name=\"{name}\"/>"),
    };
    let report =
        format!("<testsuites><testsuite>{}{}</testsuite></testsuites>", case("test_even", even), case("test_odd", odd));
    TestRun { junit: Some(report), ..run(&log(even, odd), Ended::Exited(1)) }
}

fn is_confirming(job: &Job) -> bool {
    job.label.contains("-confirm-")
}

/// Grades a right fix; `confirm` is what the confirming runs leave.
fn graded(
    change: impl FnOnce(&str) -> String,
    settings: &GradeSettings,
    confirm: impl Fn(&Job) -> TestRun + Send + Sync + 'static,
) -> (Graded, Vec<Job>) {
    let (_folder, task) = task_with(change);
    let answer = move |job: &Job| match job {
        job if job.label.ends_with("-mill") => milled(),
        job if is_confirming(job) => confirm(job),
        job => honest(job),
    };
    let bench = Bench { rule: Some(Box::new(answer)), ..Bench::default() };
    let workspace = workspace(&task, &bench);
    let mut tree = workspace.base().fork();
    fix(&mut tree);
    let graded = block_on(grade(&bench, &task, &workspace, &tree, settings, &Occasion::default()));
    (graded, bench.jobs())
}

fn standard() -> GradeSettings {
    GradeSettings { retries: 0, secret: Secret::new([5; 32]), ..GradeSettings::default() }
}

#[test]
fn what_confirming_runs_may_say() {
    let check = |what: &str, reward: Option<f64>, flag: &str, confirm: fn(&Job) -> TestRun| {
        let (graded, jobs) = graded(str::to_owned, &standard(), confirm);
        assert!(jobs.iter().filter(|job| is_confirming(job)).count() >= 4, "{what}");
        assert_eq!(graded.reward(), reward, "{what}: {:?}", graded.verdict);
        let flags = flag_names(&graded);
        assert!(
            if flag.is_empty() { flags.is_empty() } else { flags.iter().any(|found| found.starts_with(flag)) },
            "{what}: {:?}",
            graded.flags
        );
    };
    check("as they should", Some(1.0), "", honest);
    check("all pass", Some(0.0), "control_passed", |_| passing());
    check("all fail", Some(0.0), "control_differs", |_| run(&log("FAILED", "FAILED"), Ended::Exited(1)));
    check("they failed, and all is said to be well", Some(0.0), "control_passed", |job| TestRun {
        ended: Ended::Exited(0),
        ..honest(job)
    });
    check("they are not there", Some(0.0), "control_passed", |_| run("", Ended::Exited(1)));
    check("a crash", Some(0.0), "control_", |_| run("", Ended::Exited(139)));
    check("out of time, twice", Some(0.0), "forced_unscored", |_| run("", Ended::TimedOut));
    check("the engine broke", None, "", |_| run("", Ended::Lost("it is gone".to_owned())));
}

#[test]
fn controls_are_the_real_tests_in_their_places() {
    let (graded, jobs) = graded(str::to_owned, &standard(), honest);
    assert_eq!(graded.reward(), Some(1.0));
    let confirming: Vec<&Job> = jobs.iter().filter(|job| is_confirming(job)).collect();
    let texts: Vec<String> = confirming.iter().map(|job| overlaid(job, TESTS).unwrap()).collect();
    assert_eq!(
        texts.iter().filter(|text| !text.contains("2.5") && !text.contains("== 4")).count(),
        1,
        "one is as it is"
    );
    for text in &texts {
        assert!(
            text.contains("def test_even():\n    assert median([1, 2]) == ") && text.lines().count() == 7,
            "{text}"
        );
    }
    assert!(confirming.iter().all(|job| job.script == confirming[0].script && job.junit == confirming[0].junit));
}

#[test]
fn another_secret_draws_others() {
    let order = |byte: u8| {
        let (_, jobs) = graded(str::to_owned, &GradeSettings { secret: Secret::new([byte; 32]), ..standard() }, honest);
        let texts = jobs.iter().filter(|job| is_confirming(job)).map(|job| overlaid(job, TESTS).unwrap());
        texts.collect::<Vec<_>>()
    };
    assert_eq!(order(1), order(1));
    assert!((2..12).any(|byte| order(byte) != order(1)));
}

#[test]
fn where_there_is_none() {
    let check = |what: &str, settings: &GradeSettings| {
        let (graded, jobs) = graded(str::to_owned, settings, |_| run("", Ended::Exited(0)));
        assert!(!jobs.is_empty() && !jobs.iter().any(is_confirming), "{what}");
        assert_eq!(graded.flags, [], "{what}");
    };
    check("it is switched off", &GradeSettings { control: false, ..standard() });
    check("a published rule", &GradeSettings { rule: Rule::SweBench, ..standard() });
}

#[test]
fn a_reward_that_nothing_confirms_says_so() {
    let (_folder, task) = task_with(str::to_owned);
    let bench = Bench { rule: Some(Box::new(|_| passing())), ..Bench::default() };
    let workspace = workspace(&task, &bench);
    let mut tree = workspace.base().fork();
    fix(&mut tree);
    let graded = block_on(grade(&bench, &task, &workspace, &tree, &standard(), &Occasion::default()));
    assert_eq!((graded.reward(), flag_names(&graded)), (Some(1.0), vec!["no_control"]));
}
