//! The confirming runs: a reward only where tests made wrong failed and the others passed, and where none can be made wrong, a reward that says so.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use assay_grade::rule::{Ended, Rule};
use assay_rollout::Submission;
use assay_rollout::grading::{ArtifactFolder, GradeSettings, Graded, Kept, Occasion, Secret, TaskGrader, grade};
use assay_rollout::ports::{Grader as _, Job, SoFar, TestRun};
use assay_rollout::run::WallClock;
use assay_trace::EventKind;
use futures::executor::block_on;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{Bench, failing, fix, flag_names, log, overlaid, passing, run, task_with, workspace};

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

/// Whether a confirming run has the tests as they are.
fn is_as_it_is(job: &Job) -> bool {
    let text = overlaid(job, TESTS).unwrap_or_default();
    is_confirming(job) && !text.contains("== 2.5") && !text.contains("== 4")
}

/// Grades a right fix; `confirm` is what the confirming runs leave.
fn graded(
    change: impl FnOnce(&str) -> String,
    settings: &GradeSettings,
    confirm: impl Fn(&Job) -> TestRun + Send + Sync + 'static,
) -> (Graded, Vec<Job>) {
    graded_on(&Occasion::default(), change, settings, confirm)
}

fn graded_on(
    occasion: &Occasion,
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
    let graded = block_on(grade(&bench, &task, &workspace, &tree, settings, occasion));
    (graded, bench.jobs())
}

/// What a forger says: all is well wherever a submission is, the truth elsewhere.
fn passing_unless_tried(job: &Job) -> TestRun {
    if job.label.contains("-pool") { honest(job) } else { passing() }
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
    let right = confirming.iter().filter(|job| is_as_it_is(job)).count();
    assert_eq!((right, confirming.len() - right), (2, 3), "a single test decides");
    for text in &texts {
        assert!(
            text.contains("def test_even():\n    assert median([1, 2]) == ") && text.lines().count() == 7,
            "{text}"
        );
    }
    assert!(confirming.iter().all(|job| job.script == confirming[0].script && job.junit == confirming[0].junit));
}

#[test]
fn after_a_failure_the_tests_as_they_are_must_pass_twice() {
    // What the runs with the tests as they are leave, one after the other: P passes, F fails, X ends with a strange code, L is lost; all further ones pass.
    let check = |outcomes: &'static str, reward: Option<f64>, count: usize| {
        let left = Mutex::new(outcomes.chars());
        let (graded, jobs) = graded(str::to_owned, &standard(), move |job| {
            if !is_as_it_is(job) {
                return honest(job);
            }
            match left.lock().unwrap().next() {
                None | Some('P') => passing(),
                Some('F') => failing(),
                Some('X') => run("", Ended::Exited(77)),
                Some(_) => run("", Ended::Lost("it is gone".to_owned())),
            }
        });
        assert_eq!(graded.reward(), reward, "{outcomes}: {:?}", graded.verdict);
        let expected = if reward == Some(0.0) { vec!["control_differs"] } else { Vec::new() };
        assert_eq!(flag_names(&graded), expected, "{outcomes}");
        assert_eq!(jobs.iter().filter(|job| is_as_it_is(job)).count(), count, "{outcomes}");
    };
    // There are two such containers: the second begins where the first has what it wants.
    check("", Some(1.0), 2);
    check("FPP", Some(1.0), 4);
    check("FPF", Some(0.0), 4);
    check("FF", Some(0.0), 3);
    check("PFPP", Some(1.0), 4);
    check("PFPF", Some(0.0), 4);
    check("PFF", Some(0.0), 3);
    check("XPP", Some(1.0), 4);
    check("XPX", Some(0.0), 4);
    check("XX", Some(0.0), 3);
    // What the engine did counts neither way.
    check("L", Some(1.0), 3);
    check("LL", None, 3);
    check("LFPP", Some(1.0), 5);
    check("FLPP", Some(1.0), 5);
    check("FPLP", Some(1.0), 5);
    check("FLF", Some(0.0), 4);
}

/// Code that swallows the failures of its bug in a share of all processes, and in the first run always, since it can tell that run from the others. All that
/// its coin can say is tried; `docs/grading.md` has the odds.
#[test]
fn a_coin_is_seldom_right() {
    const SHARE: f64 = 0.414;
    // At most three tosses for each of the two containers with the tests as they are, and one for each of the three with wrong ones.
    const TOSSES: u32 = 9;
    let mut chance = 0.0;
    for coins in 0..1_u32 << TOSSES {
        let left = AtomicU32::new(coins);
        let (graded, _) = graded(str::to_owned, &standard(), move |job| {
            let toss = left.load(Ordering::SeqCst);
            left.store(toss >> 1, Ordering::SeqCst);
            if toss & 1 == 1 {
                return passing();
            }
            let is_odd_wrong = overlaid(job, TESTS).unwrap_or_default().contains("== 4");
            run(&log("FAILED", if is_odd_wrong { "FAILED" } else { "PASSED" }), Ended::Exited(1))
        });
        let is_flagged = flag_names(&graded).iter().any(|flag| flag.starts_with("control_"));
        assert_eq!(graded.reward(), Some(if is_flagged { 0.0 } else { 1.0 }), "{coins:b}");
        let weight = |count: u32, share: f64| share.powi(i32::try_from(count).unwrap());
        if !is_flagged {
            chance += weight(coins.count_ones(), SHARE) * weight(TOSSES - coins.count_ones(), 1.0 - SHARE);
        }
    }
    assert!((1.0 / 19.0..1.0 / 18.0).contains(&chance), "{chance}");
}

#[test]
fn two_contradicted_successes_end_the_guessing() {
    let check = |before: u32, confirm: fn(&Job) -> TestRun, reward: f64, flags: &[&str]| {
        let folder = TempDir::new().unwrap();
        let artifacts = ArtifactFolder { root: folder.path().to_owned(), inside: "artifacts/1".into() };
        let occasion = Occasion { contradicted_before: before, artifacts: Some(artifacts), ..Occasion::default() };
        let (graded, _) = graded_on(&occasion, str::to_owned, &standard(), confirm);
        assert_eq!((graded.reward(), flag_names(&graded)), (Some(reward), flags.to_vec()), "{before}");
        let told = if reward > 0.0 { "every test is as expected" } else { "not every test is as it should be" };
        assert_eq!(graded.feedback(), Ok(told.to_owned()), "{before}");
        // It is kept, and belongs to the strict rule alone.
        let kept = Kept::load(folder.path(), graded.kept.as_ref().unwrap()).unwrap();
        assert_eq!(kept.rescore(Rule::Strict).verdict, graded.verdict, "{before}");
        let published = kept.rescore(Rule::SweBench);
        assert!(!flag_names(&published).contains(&"control_twice"), "{before}");
    };
    check(0, honest, 1.0, &[]);
    check(1, honest, 1.0, &[]);
    check(2, honest, 0.0, &["control_twice"]);
    check(0, |_| passing(), 0.0, &["control_passed"]);
    check(1, |_| passing(), 0.0, &["control_passed", "control_twice"]);
    check(1, |_| run("", Ended::Exited(77)), 0.0, &["control_passed", "control_twice"]);
    check(7, |_| passing(), 0.0, &["control_twice"]);
}

#[test]
fn the_grader_of_an_episode_hears_and_tells_of_contradictions() {
    let (_folder, task) = task_with(str::to_owned);
    let answer = |job: &Job| if job.label.ends_with("-mill") { milled() } else { passing_unless_tried(job) };
    let bench = Bench { rule: Some(Box::new(answer)), ..Bench::default() };
    let workspace = workspace(&task, &bench);
    let mut tree = workspace.base().fork();
    fix(&mut tree);
    let (task, workspace, clock) = (Arc::new(task), Arc::new(workspace), Arc::new(WallClock));
    let grader = TaskGrader::new(Arc::new(bench), clock, task, workspace, standard(), "e-1".to_owned(), None);
    for (contradicted, told, flag) in
        [(0, Some("control_passed"), "control_passed"), (1, None, "control_twice"), (2, None, "control_twice")]
    {
        let submission = Submission { tree: tree.fork(), patch: None };
        let graded = block_on(grader.grade(submission, SoFar { steps: 1, spent: Default::default(), contradicted }));
        let mut names = graded.events.iter().filter_map(|event| match event {
            EventKind::Flag(flag) => Some(flag.name.as_str()),
            _ => None,
        });
        assert!(names.any(|name| name == flag), "{contradicted}: {:?}", graded.events);
        assert_eq!(graded.contradiction.map(|flag| flag.name).as_deref(), told, "{contradicted}");
        assert_eq!(graded.verdict.reward(), Some(0.0), "{contradicted}");
    }
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
