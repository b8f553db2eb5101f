//! Good, bad, flaky and unknowable tasks.

use std::sync::atomic::{AtomicUsize, Ordering};

use assay_grade::rule::Rule;
use assay_rollout::ports::{BenchError, Job, TestRun};
use assay_rollout::verify::{Report, Standing, verify};
use futures::executor::block_on;

use crate::support::{Bench, failing, overlaid, passing, settings, task};

fn report(rule: impl Fn(&Job, usize) -> TestRun + Send + Sync + 'static) -> (Report, usize) {
    let (_folder, task) = task();
    let count = AtomicUsize::new(0);
    let rule = move |job: &Job| rule(job, count.fetch_add(1, Ordering::Relaxed));
    let bench = Bench { rule: Some(Box::new(rule)), ..Bench::default() };
    (block_on(verify(&bench, &task, 3, &settings(Rule::Strict))), bench.jobs().len())
}

fn is_fixed(job: &Job) -> bool {
    overlaid(job, "median.py").is_some_and(|text| text.contains("half"))
}

#[test]
fn a_good_task_runs_both_ways_each_time() {
    let (report, jobs) = report(|job, _| if is_fixed(job) { passing() } else { failing() });
    assert_eq!((report.standing, jobs), (Standing::Good, 6), "{}", report.why);
    assert_eq!((report.gold, report.untouched), (vec![Some(1.0); 3], vec![Some(0.0); 3]));
    assert!(report.flaky.is_empty() && report.flags.is_empty());
}

#[test]
fn bad_tasks_are_told_why() {
    let (blind, _) = report(|_, _| passing());
    assert_eq!((blind.standing, blind.why.as_str()), (Standing::Bad, "the untouched files pass"));
    let (broken, _) = report(|_, _| failing());
    assert_eq!(broken.standing, Standing::Bad);
    assert!(broken.why.contains("tests/test_median.py::test_even is FAILED"), "{}", broken.why);
}

#[test]
fn tests_that_leave_little_room_in_their_time_are_told() {
    for (tenths, is_told) in [(1, false), (5, false), (6, true)] {
        let (report, _) = report(move |job, _| {
            let run = if is_fixed(job) { passing() } else { failing() };
            TestRun { nanoseconds: u64::from(job.limits.seconds) * 100_000_000 * tenths, ..run }
        });
        assert_eq!(report.standing, Standing::Good, "{}", report.why);
        assert_eq!(report.hint.is_some_and(|hint| hint.contains("raise `seconds`")), is_told, "{tenths} tenths");
    }
}

#[test]
fn flaky_tests_are_named() {
    let (report, _) = report(|job, turn| if is_fixed(job) && turn != 2 { passing() } else { failing() });
    assert_eq!(report.standing, Standing::Flaky);
    let names: Vec<_> = report.flaky.iter().map(|test| (test.name.as_str(), test.decides)).collect();
    assert_eq!(names, [("tests/test_median.py::test_even", true)]);
}

#[test]
fn without_an_engine_nothing_is_known_and_it_stops_early() {
    let (_folder, task) = task();
    let bench = Bench::saying([Err(BenchError::NoEngine { why: "no socket".to_owned() })]);
    let report = block_on(verify(&bench, &task, 3, &settings(Rule::Strict)));
    assert_eq!((report.standing, report.why.as_str()), (Standing::Unknown, "no test engine: no socket"));
    assert!(report.hint.is_some() && bench.jobs().len() == 2);
}
