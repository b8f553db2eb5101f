//! Trouble with the infrastructure is never a score, and is tried again as often as the settings say.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use assay_grade::rule::{Ended, Rule};
use assay_model::Time;
use assay_rollout::grading::{ArtifactFolder, Ending, GradeSettings, Occasion, Says, grade, second_opinion};
use assay_rollout::ports::{BenchError, Job, TestRun};
use assay_trace::Outcome;
use futures::executor::block_on;

use crate::support::{Answer, Bench, failing, fix, flag_names, graded, log, passing, run, settings, task, workspace};

const END: Ending<'static> = Ending { reason: "finished", by_limit: false };

/// Name; what the bench answers, the last one again and again; reward; reason; whether there is a hint; jobs.
type Case = (&'static str, Vec<Result<TestRun, BenchError>>, Option<f64>, &'static str, bool, usize);

fn broken() -> Result<TestRun, BenchError> {
    Err(BenchError::Failed { why: "the connection broke".to_owned() })
}

fn lost(ended: Ended) -> Result<TestRun, BenchError> {
    Ok(run(&log("PASSED", "PASSED"), ended))
}

/// The engine cannot, or breaks.
fn engines() -> Vec<Case> {
    let text = |text: &str| text.to_owned();
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
            "the image x is not available: 404",
            true,
            1,
        ),
        (
            "resting",
            vec![Err(BenchError::Resting { why: text("30 s") })],
            None,
            "the test engine is paused after failures: 30 s",
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
        ("lost", vec![lost(Ended::Lost(text("gone")))], None, "the test bench failed: gone", false, 2),
    ]
}

/// The tests come to no proper end.
fn ends() -> Vec<Case> {
    vec![
        // The third and the fourth job ask whether the tests finish without the submission: they do not either.
        ("time", vec![lost(Ended::TimedOut)], None, "the tests timed out", false, 4),
        ("memory", vec![lost(Ended::OutOfMemory)], None, "the tests ran out of memory", false, 4),
        (
            "time once",
            vec![lost(Ended::TimedOut), Ok(passing())],
            Some(1.0),
            "finished; every test is as expected",
            false,
            2,
        ),
        (
            "time, and the engine fails where it is asked whose doing it is",
            vec![lost(Ended::TimedOut), lost(Ended::TimedOut), broken()],
            None,
            "the tests timed out",
            false,
            4,
        ),
        (
            "internal error of pytest",
            vec![lost(Ended::Exited(3)), Ok(passing())],
            Some(1.0),
            "finished; every test is as expected",
            false,
            2,
        ),
        ("killed", vec![lost(Ended::Exited(137))], None, "the test command ended abnormally: exit code 137", false, 4),
        (
            "killed, then no engine",
            vec![lost(Ended::Exited(137)), Err(BenchError::NoEngine { why: "x".to_owned() })],
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
    for (name, answers, reward, reason, hint, jobs) in engines().into_iter().chain(ends()) {
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
fn an_end_of_its_own_making_twice_is_a_zero_where_the_tests_finish_without_it() {
    let ends = [
        Ended::TimedOut,
        Ended::OutOfMemory,
        Ended::Excess("the job's output is beyond its limit".to_owned()),
        Ended::Exited(77),
        Ended::Exited(137),
        Ended::Exited(139),
    ];
    for end in ends {
        for retries in [0, 1, 2] {
            let (_folder, task) = task();
            let count = retries.max(1) as usize + 1;
            let bench = Bench {
                rule: Some(Box::new({
                    let end = end.clone();
                    move |job| match job.label.ends_with("-untouched") {
                        true => failing(),
                        false => run("", end.clone()),
                    }
                })),
                ..Bench::default()
            };
            let workspace = workspace(&task, &bench);
            let mut tree = workspace.base().fork();
            fix(&mut tree);
            let settings = GradeSettings { retries, ..settings(Rule::Strict) };
            for times in [1, 2] {
                let graded = block_on(grade(&bench, &task, &workspace, &tree, &settings, &Occasion::default()));
                assert_eq!((graded.reward(), flag_names(&graded)), (Some(0.0), vec!["forced_unscored"]), "{end:?}");
                assert_eq!(graded.feedback(), Ok("not every test is as it should be".to_owned()));
                // Whether they finish without it is asked once a task; whether there is time for them, each time.
                let asked = if end == Ended::TimedOut { times } else { 1 };
                assert_eq!(bench.jobs().len(), times * count + asked, "{end:?}, {retries} retries");
            }
        }
    }
}

/// What a busy engine does to the run without the submission lets no submission off.
#[test]
fn whether_the_tests_finish_without_it_is_asked_again() {
    for first in [Ended::TimedOut, Ended::Lost("gone".to_owned()), Ended::Exited(137)] {
        let (_folder, task) = task();
        let asked = AtomicU32::new(0);
        let rule: Answer = Box::new({
            let first = first.clone();
            move |job: &Job| match job.label.ends_with("-untouched") {
                true if asked.fetch_add(1, Ordering::SeqCst) == 0 => run("", first.clone()),
                true => failing(),
                false => run("", Ended::Exited(137)),
            }
        });
        let graded = graded(&task, &Bench { rule: Some(rule), ..Bench::default() }, fix);
        assert_eq!((graded.reward(), flag_names(&graded)), (Some(0.0), vec!["forced_unscored"]), "{first:?}");
    }
}

/// A machine that has no time for the tests themselves has none for a submission, whatever it had an hour ago.
#[test]
fn running_out_of_time_counts_only_where_the_tests_do_not_now() {
    let (_folder, task) = task();
    let busy = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&busy);
    let rule: Answer = Box::new(move |job: &Job| {
        if job.label.ends_with("-untouched") && !seen.load(Ordering::SeqCst) {
            failing()
        } else {
            run("", Ended::TimedOut)
        }
    });
    let bench = Bench { rule: Some(rule), ..Bench::default() };
    let workspace = workspace(&task, &bench);
    let mut tree = workspace.base().fork();
    fix(&mut tree);
    let settings = settings(Rule::Strict);
    for (is_busy, reward) in [(false, Some(0.0)), (true, None), (false, Some(0.0))] {
        busy.store(is_busy, Ordering::SeqCst);
        let graded = block_on(grade(&bench, &task, &workspace, &tree, &settings, &Occasion::default()));
        assert_eq!(graded.reward(), reward, "busy: {is_busy}");
    }
}

#[test]
fn whatever_a_submission_brings_about_a_model_is_told_the_same() {
    let ways = [
        failing(),
        run("", Ended::Exited(2)),
        run("", Ended::Exited(5)),
        run("", Ended::TimedOut),
        run("", Ended::Exited(99)),
        run("", Ended::Lost("the end of the output is missing".to_owned())),
        run("3 failed", Ended::Exited(1)),
    ];
    for way in ways {
        let (_folder, task) = task();
        let graded = graded(&task, &Bench::saying([Ok(way.clone())]), fix);
        assert_eq!(graded.feedback(), Ok("not every test is as it should be".to_owned()), "{way:?}");
    }
    let (_folder, task) = task();
    let graded = graded(&task, &Bench::saying([Err(BenchError::NoEngine { why: "no socket".to_owned() })]), fix);
    assert_eq!(graded.feedback(), Err("the tests could not be run".to_owned()));
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

/// If a busy machine could take the second opinion away, whoever forges results would wait for one.
#[test]
fn a_right_fix_without_an_end_takes_no_second_opinion_away() {
    let full = || Ended::Excess("the job's output is beyond its limit".to_owned());
    for (end, is_lost) in [
        (Ended::TimedOut, true),
        (Ended::OutOfMemory, true),
        (full(), true),
        (Ended::Unrecorded, true),
        (Ended::Lost("gone".to_owned()), true),
        // Its tests do not run like this on any machine.
        (Ended::Exited(4), false),
    ] {
        let (_folder, task) = task();
        let gold = end.clone();
        let rule: Answer = Box::new(move |job| match job.label.contains("-second-gold") {
            true => run("", gold.clone()),
            false => passing(),
        });
        let bench = Bench { rule: Some(rule), ..Bench::default() };
        let workspace = workspace(&task, &bench);
        let tree = workspace.base().fork();
        let settings = settings(Rule::Strict);
        let asked = block_on(second_opinion(&bench, &task, &workspace, &tree, &settings, "x")).unwrap();
        match asked.says {
            Says::Lost { .. } => assert!(is_lost, "{end:?}"),
            Says::Impossible { .. } => assert!(!is_lost, "{end:?}"),
            other => panic!("{end:?}: {other:?}"),
        }
    }
}

/// The report of a second opinion in which all passes, as a job asks for it.
fn agreeing(job: &Job) -> TestRun {
    let start = "\\\"token\\\":\\\"";
    let at = job.script.find(start).expect("a job of a second opinion") + start.len();
    let token = job.script[at..].split('\\').next().expect("it ends");
    let passed = "[\"tests/test_median.py::test_even\",\"tests/test_median.py::test_odd\"]";
    let line = format!(
        "assay-second {token} {{\"passed\":{passed},\"others\":[],\"said\":{{}},\"uncollected\":{{}},\"modules\":[\"median\"],\"calls\":2,\"failed\":null,\"broken\":null}}\n"
    );
    run(&line, Ended::Exited(0))
}

/// A submission that takes for ever holds a bench up for one run, and then the right fix shows whose fault that was.
#[test]
fn a_second_opinion_without_an_end_is_asked_for_once() {
    for (again, is_fault) in [
        (Ended::Exited(0), true),
        (Ended::Exited(1), true),
        (Ended::TimedOut, false),
        (Ended::OutOfMemory, false),
        (Ended::Lost("gone".to_owned()), false),
    ] {
        for end in [Ended::TimedOut, Ended::OutOfMemory, Ended::Excess("too much is printed".to_owned())] {
            let (_folder, task) = task();
            let (gold, submitted) = (again.clone(), end.clone());
            let rule: Answer =
                Box::new(move |job| match (job.label.contains("-second-gold"), job.label.ends_with("-gold")) {
                    (true, _) => agreeing(job),
                    (false, true) => run("", gold.clone()),
                    (false, false) if job.label.contains("-second-") => run("", submitted.clone()),
                    _ => passing(),
                });
            let bench = Bench { rule: Some(rule), ..Bench::default() };
            let workspace = workspace(&task, &bench);
            let mut tree = workspace.base().fork();
            fix(&mut tree);
            let settings = settings(Rule::Strict);
            let asked = block_on(second_opinion(&bench, &task, &workspace, &tree, &settings, "x")).unwrap();
            match asked.says {
                Says::Unfinished { .. } => assert!(is_fault, "{end:?}, {again:?}"),
                Says::Lost { .. } => assert!(!is_fault, "{end:?}, {again:?}"),
                other => panic!("{end:?}, {again:?}: {other:?}"),
            }
            let jobs = bench.jobs();
            let count = |label: &str| jobs.iter().filter(|job| job.label == label).count();
            assert_eq!((count("x-second-1"), count("x-second-1-gold")), (1, 1), "{end:?}, {again:?}");
        }
    }
}
