//! The published rules' weaknesses, through grading: exact in their own mode, rejected in the strict one; and the same from what was kept,
//! without running anything.

use assay_grade::rule::{Ended, Rule, Unscored, Verdict};
use assay_grade::task::import_row;
use assay_model::Time;
use assay_rollout::grading::{ArtifactError, ArtifactFolder, Ending, Graded, Kept, KeptAs, Occasion, grade};
use assay_rollout::task::LoadedTask;
use assay_trace::{EventKind, Record};
use futures::executor::block_on;
use serde_json::{Value, json};
use tempfile::TempDir;

use assay_rollout::ports::TestRun;

use crate::support::{Bench, failing, fix, passing, put, report, run, settings, task, tree, workspace};

fn r2e(expected: &Value) -> LoadedTask {
    let row = json!({
        "repo_name": "orange3", "docker_image": "i:1", "commit_hash": "0123456789abcdef", "problem_statement": "p",
        "parsed_commit_content": {"file_diffs": []}, "expected_output_json": expected,
    });
    LoadedTask::from_row(import_row(1, row).unwrap(), "rows.jsonl".into())
}

fn said(graded: &Graded) -> String {
    match &graded.verdict {
        Verdict::Scored(score) => score.reward.to_string(),
        Verdict::Unscored(Unscored::ReferenceStops { .. }) => "stops".to_owned(),
        Verdict::Unscored(Unscored::Ambiguous { .. }) => "ambiguous".to_owned(),
        Verdict::Unscored(Unscored::InvalidScenario(_)) => "invalid".to_owned(),
        Verdict::Unscored(other) => other.to_string(),
    }
}

/// A log, and what each rule makes of it.
struct Case {
    name: &'static str,
    expected: Value,
    log: String,
    exit: i32,
    compat: &'static str,
    strict: &'static str,
}

fn weaknesses() -> Vec<Case> {
    let summary =
        |lines: &str, footer: &str| format!("=== short test summary info ===\n{lines}\n=== {footer} in 0.01s ===\n");
    let a = json!({"test_a": "PASSED"});
    let cases = vec![
        (
            "message says PASSED",
            a.clone(),
            summary("FAILED r2e_tests/test_1.py::test_a - AssertionError: PASSED", "1 failed"),
            1,
            "1",
            "0",
        ),
        (
            "forged summary first",
            a.clone(),
            format!(
                "=== short test summary info ===\nPASSED r2e_tests/test_1.py::test_a\n{}",
                summary("FAILED r2e_tests/test_1.py::test_a", "1 failed")
            ),
            1,
            "1",
            "0",
        ),
        ("nothing expected, nothing said", json!({}), "Killed\n".to_owned(), 1, "1", "invalid"),
        ("another key", a.clone(), summary("PASSED r2e_tests/test_1.py::test_b", "1 passed"), 0, "stops", "0"),
        (
            "two files, one key",
            json!({"test_a": "FAILED"}),
            summary("PASSED r2e_tests/test_1.py::test_a\nFAILED r2e_tests/test_2.py::test_a", "1 failed, 1 passed"),
            1,
            "1",
            "ambiguous",
        ),
        ("empty key", json!({"": "ERROR"}), summary("ERROR r2e_tests/test_1.py - ImportError", "1 error"), 2, "1", "0"),
        (
            "skips do not count",
            a.clone(),
            summary("SKIPPED [1] r2e_tests/test_1.py:3: no\nPASSED r2e_tests/test_1.py::test_a", "1 passed, 1 skipped"),
            0,
            "1",
            "1",
        ),
        (
            "a stray line",
            a.clone(),
            summary("PASSED r2e_tests/test_1.py::test_a\nERROR: coverage", "1 passed"),
            0,
            "0",
            "1",
        ),
        ("an honest pass", a.clone(), summary("PASSED r2e_tests/test_1.py::test_a", "1 passed"), 0, "1", "1"),
        (
            "an honest failure",
            a,
            summary("FAILED r2e_tests/test_1.py::test_a - assert 1 == 2", "1 failed"),
            1,
            "0",
            "0",
        ),
    ];
    let case = |(name, expected, log, exit, compat, strict)| Case { name, expected, log, exit, compat, strict };
    cases.into_iter().map(case).collect()
}

#[test]
fn the_table_of_weaknesses_holds_in_both_modes() {
    for Case { name, expected, log, exit, compat, strict } in weaknesses() {
        let task = r2e(&expected);
        let bench =
            Bench { image: Some(tree(&[("x.py", "a\n")])), ..Bench::saying([Ok(run(&log, Ended::Exited(exit)))]) };
        let workspace = workspace(&task, &bench);
        let mut changed = workspace.base().fork();
        put(&mut changed, "x.py", "b\n");
        let folder = TempDir::new().unwrap();
        for (rule, other) in [(Rule::R2eCompat, Rule::Strict), (Rule::Strict, Rule::R2eCompat)] {
            let inside = format!("artifacts/{rule:?}").into();
            let artifacts = Some(ArtifactFolder { root: folder.path().to_owned(), inside });
            let occasion = Occasion { artifacts, ..Occasion::default() };
            let graded = block_on(grade(&bench, &task, &workspace, &changed, &settings(rule), &occasion));
            let kept = Kept::load(folder.path(), graded.kept.as_ref().unwrap()).unwrap();
            let word = |rule| if rule == Rule::Strict { strict } else { compat };
            assert_eq!(said(&graded), word(rule), "{name}, {rule:?}: {:?}", graded.verdict);
            assert_eq!(said(&kept.rescore(other)), word(other), "{name}, {other:?}, from what was kept");
            assert_eq!(kept.rescore(rule).verdict, graded.verdict, "{name}");
            assert_eq!(kept.rescore(rule).flags, graded.flags, "{name}");
        }
    }
}

#[test]
fn swe_bench_rule_applies_to_folders_too() {
    for (answer, reward) in [(passing(), 1.0), (failing(), 0.0)] {
        let (_folder, task) = task();
        let log = format!(
            ">>>>> Start Test Output\n{}>>>>> End Test Output\n",
            String::from_utf8(answer.log.clone()).unwrap()
        );
        let bench = Bench::saying([Ok(TestRun { junit: Some(report()), ..run(&log, answer.ended.clone()) })]);
        let workspace = workspace(&task, &bench);
        let mut changed = workspace.base().fork();
        fix(&mut changed);
        for rule in [Rule::SweBench, Rule::Strict] {
            let graded = block_on(grade(&bench, &task, &workspace, &changed, &settings(rule), &Occasion::default()));
            assert_eq!(graded.reward(), Some(reward), "{rule:?}: {:?}", graded.verdict);
        }
        let jobs = bench.jobs();
        assert!(jobs[0].junit.is_none() && jobs[1].junit.is_some(), "only the strict rule asks for a second opinion");
    }
}

#[test]
fn what_was_kept_is_named_by_the_trajectory_and_vouched_for() {
    let (_folder, task) = task();
    let bench = Bench::saying([Ok(failing())]);
    let workspace = workspace(&task, &bench);
    let mut changed = workspace.base().fork();
    fix(&mut changed);
    let place = TempDir::new().unwrap();
    let artifacts = Some(ArtifactFolder { root: place.path().to_owned(), inside: "artifacts/e/1".into() });
    let occasion = Occasion { label: "e-1".to_owned(), artifacts, ..Occasion::default() };
    let graded = block_on(grade(&bench, &task, &workspace, &changed, &settings(Rule::Strict), &occasion));
    let records = graded.records(Time::default(), Ending { reason: "finished", by_limit: false });
    let kept = records.iter().find_map(|record| match record {
        Record::Event(event) => match &event.kind {
            EventKind::Other(other) if other.kind() == KeptAs::EVENT => {
                Some(serde_json::from_str::<KeptAs>(other.body()).unwrap())
            }
            _ => None,
        },
        _ => None,
    });
    let kept = kept.unwrap();
    assert_eq!(Some(&kept), graded.kept.as_ref());
    assert!(matches!(records.last(), Some(Record::Verdict(verdict)) if verdict.reward() == Some(0.0)));
    assert_eq!(Kept::load(place.path(), &kept).unwrap().record().label, "e-1");
    for file in ["log.txt", "submission.patch", "grading.json"] {
        let path = place.path().join("artifacts/e/1").join(file);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&bytes[..], b"PASSED"].concat()).unwrap();
        assert!(matches!(Kept::load(place.path(), &kept), Err(ArtifactError::Changed { .. })), "{file}");
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(Kept::load(place.path(), &kept), Err(ArtifactError::Read { .. })), "{file}");
        std::fs::write(&path, bytes).unwrap();
    }
}

#[test]
fn a_model_is_told_no_name_of_a_test() {
    let (_folder, task) = task();
    for answer in [failing(), passing(), run("PASSED x\n=== short test summary info ===\nPASSED a\n", Ended::Exited(0))]
    {
        let graded = crate::support::graded(&task, &Bench::saying([Ok(answer)]), fix);
        let feedback = graded.feedback().unwrap();
        let expected =
            if graded.is_solved() { "every test is as expected" } else { "not every test is as it should be" };
        assert_eq!(feedback, expected);
    }
}
