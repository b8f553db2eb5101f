//! Rows that bring a script of their own: what of its end and its log counts.

use assay_grade::rule::Ended;
use assay_grade::task::import_row;
use assay_rollout::task::LoadedTask;
use serde_json::json;

use crate::support::{Bench, graded, log, put, run, tree};

/// What a row's own script does after the tests has an exit code of its own; what it complained of before them is shown.
#[test]
fn a_rows_own_script_is_believed_only_about_its_tests() {
    let silent = "git apply tests\npytest\ngit checkout x\n";
    let marked = "git apply tests\npytest\n: '>>>>> End Test Output'\ngit checkout x\n";
    let broken = "bash: line 1: git: command not found\n".to_owned();
    for (script, log, exit, reward, complaint) in [
        (silent, log("PASSED", "FAILED"), 0, 1.0, ""),
        (silent, log("FAILED", "PASSED"), 0, 0.0, ""),
        (marked, log("PASSED", "FAILED"), 1, 1.0, ""),
        (marked, log("PASSED", "FAILED"), 0, 0.0, "exit code 0"),
        (silent, broken, 0, 0.0, "git: command not found"),
    ] {
        let row = json!({
            "repo": "some/body", "instance_id": "a__b-1", "base_commit": "c", "image": "i:1", "problem_statement": "p", "patch": "",
            "test_patch": "", "eval_script": script, "log_parser": "pytest", "FAIL_TO_PASS": ["tests/test_median.py::test_even"], "PASS_TO_PASS": [],
        });
        let task = LoadedTask::from_row(import_row(1, row).unwrap(), "rows.jsonl".into());
        let bench =
            Bench { image: Some(tree(&[("x.py", "a\n")])), ..Bench::saying([Ok(run(&log, Ended::Exited(exit)))]) };
        let graded = graded(&task, &bench, |tree| put(tree, "x.py", "b\n"));
        let told = graded.feedback_for_people();
        assert_eq!(graded.reward(), Some(reward), "{script}: {told}");
        assert!(told.contains(complaint), "{script}: {told}");
    }
}
